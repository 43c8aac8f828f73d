"""The tiny tokenizer's texts for models that reason before they answer: reasoning paths, and the questions they follow.

Some pairs of the three tasks are drawn for it. What their paths repeat word for word between numbers, boxes and quoted
texts becomes a token each; byte-pair merges learn the rest. Over new pairs an answer with its path then takes 60
to 90 tokens on simple pages, 90 to 160 on generated designs (``python benchmarks/reasoning_tokens.py``).
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from designgym.agents.qwen import judgment_corpus, selection_corpus
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.questions import question
from designgym.train.aesthetics_data.designs import BLOCK_KINDS, open_supply
from designgym.train.aesthetics_data.pairs import ask, path_by_rule
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.supply import item_of

BLOCK_INDICATORS = tuple(name for name, kinds in BLOCK_KINDS.items() if kinds)
SAMPLES = (
    DataSettings(n=240, indicators=BLOCK_INDICATORS, seed=0xB0CA, source="blocks", image_size=64),
    DataSettings(n=48, seed=0xB0CA, source="layouts", image_size=64),
)
"""What is drawn: small pages, since paths take no more from the pixels than the colours behind elements."""
LEAST = 2
"""A piece that occurs so often in the sample becomes a token."""
REPEATS = 4
"""So often the paths count beside the prompts, which tokens are learned from too."""

# Numbers, colours and quoted texts stand by themselves; sentences and what follows a box begin anew.
_CUTS = re.compile(r"“[^”]*”|#[0-9a-f]{6}|\d+(?:\.\d+)?|(?<=[.:])(?= )|(?<=\])(?= )|(?<=\],)(?= )")


def vocabulary() -> Vocabulary:
    """What reasoning adds to the texts of an aesthetics environment; boxes are thousandths of the page."""
    others = (judgment_corpus.vocabulary(), selection_corpus.vocabulary())
    located = [question("localization", indicator).split("\n")[-1] for indicator in INDICATORS.values()]
    paths = sampled_paths()
    corpus = [text for other in others for text in other.corpus] + list(paths) * REPEATS
    phrases = [phrase for other in others for phrase in other.phrases] + located + pieces(paths)
    return Vocabulary(tuple(corpus), tuple(dict.fromkeys(phrases)), others[0].number_limit)


@cache
def sampled_paths() -> tuple[str, ...]:
    """The paths that the vocabulary is learned from, in a fixed order."""
    paths = []
    for settings in SAMPLES:
        schedule, supply = Schedule(settings), open_supply(settings, None)
        for number in range(settings.n):
            item = item_of(supply, schedule.cell(number), number)
            paths.append(path_by_rule(ask(item, settings), settings, number))
    return tuple(paths)


def pieces(paths: tuple[str, ...]) -> list[str]:
    """What paths repeat word for word, the commonest first."""
    counts = Counter(piece for path in paths for piece in _CUTS.split(path) if len(piece) > 1)
    ranked = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    return [piece for piece, count in ranked if count >= LEAST]
