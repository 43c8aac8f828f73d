"""The tiny tokenizer's texts for region selection."""

from __future__ import annotations

from designgym.agents.qwen import answer_corpus
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.envs.aesthetics.questions import LETTERS
from designgym.envs.aesthetics.selection import SELECTION_TOOLS


def vocabulary() -> Vocabulary:
    """The texts; an answer is one token, and so are the sides of the regions offered, where they lie on the grid."""
    return answer_corpus.vocabulary(SELECTION_TOOLS, LETTERS)
