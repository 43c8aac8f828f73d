"""The tiny tokenizer's texts for judgment."""

from __future__ import annotations

from designgym.agents.qwen import answer_corpus
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.envs.aesthetics.judgment import JUDGMENT_TOOLS


def vocabulary() -> Vocabulary:
    """The texts; an answer is one token."""
    return answer_corpus.vocabulary(JUDGMENT_TOOLS, ("yes", "no"))
