"""How far two ways to generate agree: on the tokens that they write, and on what they made of prompts with images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

Tokens = Sequence[int]


@dataclass(frozen=True)
class Agreement:
    """Of two lists of answers to the same prompts.

    Attributes:
        answers: How many there are.
        equal: How many are the same from the first token to the last.
        tokens: Share of places, of the longer one of each pair, at which both have the same token.
        prefix: Share of places before the first difference.
        first: Where each pair differs first, from 0; None for equal ones. Greedy ways that differ once go on from
            different texts, so only this place says something about the ways.
    """

    answers: int
    equal: int
    tokens: float
    prefix: float
    first: tuple[int | None, ...]

    @property
    def usual(self) -> float | None:
        """The median place of the first difference among those that differ; None if none do."""
        places = [place for place in self.first if place is not None]
        return median(places) if places else None


def agreement(ones: Sequence[Tokens], others: Sequence[Tokens]) -> Agreement:
    """Compare answers pair by pair.

    Raises:
        ValueError: If there are not as many of the one as of the other, or none.
    """
    if len(ones) != len(others) or not ones:
        raise ValueError(f"There are {len(ones)} answers and {len(others)}; as many are needed, one at least.")
    places = same = before = 0
    first: list[int | None] = []
    for one, other in zip(ones, others, strict=True):
        alike = [a == b for a, b in zip(one, other, strict=False)]
        longest = max(len(one), len(other))
        different = alike.index(False) if False in alike else len(alike)
        places += longest
        same += sum(alike)
        before += different
        first.append(None if different == longest else different)
    shares = (same / places, before / places) if places else (1.0, 1.0)
    return Agreement(len(ones), first.count(None), *shares, tuple(first))


def image_tokens(prompts: Sequence[Tokens], pad: int) -> list[int]:
    """Image tokens in each prompt."""
    return [sum(token == pad for token in prompt) for prompt in prompts]


def grid_tokens(grids: Sequence[Sequence[int]], merge_size: int) -> int:
    """Tokens that images become, given the frames, rows and columns of patches of each (``image_grid_thw``)."""
    return sum(frames * rows * columns // merge_size**2 for frames, rows, columns in grids)
