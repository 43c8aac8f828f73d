"""Who rates which drawings in which order: batches, seats for raters, codes in place of names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from designgym.eval.ratings.drawings import Drawing

BATCH = 30
"""Drawings that one rater rates (PainterBench, section 4)."""


@dataclass(frozen=True)
class Seat:
    """One rater's task.

    Attributes:
        rater: The rater's name in the answers, such as ``b01-r03``.
        batch: Number of the batch, from 1.
        codes: The drawings in the order in which this rater sees them.
    """

    rater: str
    batch: int
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """A plan for rating drawings.

    Attributes:
        drawings: Code -> drawing; a code tells nothing about the drawing.
        batches: Code -> number of its batch, from 1.
        seats: All raters' tasks.
        seed: What all of it was drawn with.
    """

    drawings: dict[str, Drawing]
    batches: dict[str, int]
    seats: tuple[Seat, ...]
    seed: int


def plan(drawings: Sequence[Drawing], raters: int, batch: int = BATCH, seed: int = 0) -> Study:
    """Deal drawings to batches and batches to raters.

    Each rater sees one batch, in an order of their own. Since a rater's answers are later standardised within the
    batch, batches should be alike: the drawings of every model, in random order, are dealt out over the batches, whose
    sizes differ by one at most.

    Args:
        drawings: What is to be rated.
        raters: Of each drawing.
        batch: Most drawings of a batch.
        seed: Draws batches, codes and orders.

    Raises:
        ValueError: Without drawings or raters, or for batches of fewer than two drawings.
    """
    if not drawings or raters < 1 or batch < 2:
        raise ValueError(f"{len(drawings)} drawings, {raters} raters and batches of {batch} make no study.")
    rng = np.random.default_rng((seed, 0x7A7E))
    shuffled = [drawings[i] for i in rng.permutation(len(drawings))]
    dealt = sorted(shuffled, key=lambda drawing: drawing.model)  # a stable sort keeps each model's random order
    count = math.ceil(len(dealt) / batch)
    digits = max(4, len(str(10 * len(dealt))))
    numbers = rng.choice(9 * 10 ** (digits - 1), len(dealt), replace=False) + 10 ** (digits - 1)
    codes = [str(number) for number in numbers]
    batches = {code: 1 + i % count for i, code in enumerate(codes)}
    wide, narrow = len(str(count)), max(2, len(str(raters)))
    seats = []
    for number in range(1, count + 1):
        inside = [code for code in codes if batches[code] == number]
        for rater in range(1, raters + 1):
            order = tuple(inside[i] for i in rng.permutation(len(inside)))
            seats.append(Seat(f"b{number:0{max(2, wide)}}-r{rater:0{narrow}}", number, order))
    return Study(dict(zip(codes, dealt, strict=True)), batches, tuple(seats), seed)
