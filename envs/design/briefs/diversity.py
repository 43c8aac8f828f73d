"""How unlike each other briefs are: bigrams that their texts share, and sentence embeddings (paper, section 2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from designgym.rewards.judges.meanings import words_of

MAX_SHARED = 0.5
"""Test briefs of one type share at most this much of their texts' bigrams, two by two. The paper discards a query that
has any bigram in common with another, which would leave few of a thousand made up of words as plain as these."""

Bigrams = frozenset[tuple[str, ...]]


def bigrams(texts: Iterable[str]) -> Bigrams:
    """All pairs of neighbouring words within each text; a text of one word is itself one."""
    found: set[tuple[str, ...]] = set()
    for text in texts:
        words = words_of(text)
        found.update(pairwise(words) if len(words) > 1 else [tuple(words)])
    return frozenset(found)


def shared(one: Bigrams, two: Bigrams) -> float:
    """The share of the smaller set that is in both, 0 to 1; 0 if one is empty."""
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0


class BigramIndex:
    """Sets of bigrams by name, which finds the one that shares most with another without comparing with all."""

    def __init__(self) -> None:
        self._sets: dict[str, Bigrams] = {}
        self._names: dict[tuple[str, ...], list[str]] = defaultdict(list)

    def add(self, name: str, found: Bigrams) -> None:
        """Add a set under a name that is new."""
        self._sets[name] = found
        for bigram in found:
            self._names[bigram].append(name)

    def closest(self, found: Bigrams, but: str = "") -> float:
        """The greatest :func:`shared` of a set with those of the index, the one named ``but`` left out."""
        names = {name for bigram in found for name in self._names.get(bigram, ())} - {but}
        return max((shared(found, self._sets[name]) for name in names), default=0.0)


def closest_shares(texts: Sequence[Iterable[str]]) -> list[float]:
    """For each of several briefs' texts the greatest :func:`shared` with any other."""
    index, sets = BigramIndex(), [bigrams(each) for each in texts]
    for number, found in enumerate(sets):
        index.add(str(number), found)
    return [index.closest(found, but=str(number)) for number, found in enumerate(sets)]
