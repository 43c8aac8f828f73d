"""A drawing's form as a few numbers: what its strokes do, what it encloses, how it fills the page. Numpy alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.added_ink import Mask
from designgym.rewards.components import Runs
from designgym.rewards.regions import Regions
from designgym.rewards.stroke_form import StrokeForm, stroke_form

CELL_PX = 2

FEATURES: tuple[str, ...] = (
    "straight", "end", "through", "bend", "corner", "three strokes", "crossing", "disorder", "solid", "directions",
    "regions", "sizes", "largest", "enclosed", "edge", "pieces", "ink", "spread",
)  # fmt: skip
"""Names of the features, in order."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawing prepared for measuring.

    Attributes:
        runs: The new ink's runs, in px.
        new: The new ink, bool H x W, in cells of 2 px.
        given: The ink that was there before, of the same shape.
        ink: Both together.
    """

    runs: Runs
    new: Mask
    given: Mask
    ink: Mask

    @classmethod
    def of(cls, new: Mask, stimulus: Mask | None) -> Drawing:
        """A drawing from its new ink and what was there before, bool H x W both, px."""
        cells = coarser(new, CELL_PX)
        given = np.zeros_like(cells) if stimulus is None else coarser(stimulus, CELL_PX)
        return cls(Runs.of(new), cells, given, cells | given)

    @cached_property
    def regions(self) -> Regions:
        """The regions of paper that all ink leaves, found once."""
        return Regions(self.ink)


def coarser(mask: Mask, times: int) -> Mask:
    """Which squares of so many by so many cells hold any of a mask, from the top left; those at the end may be cut."""
    height, width = mask.shape
    if height % times or width % times:
        mask = np.pad(mask, ((0, -height % times), (0, -width % times)))
    rows = reduce(np.logical_or, (mask[start::times] for start in range(times)))
    return reduce(np.logical_or, (rows[:, start::times] for start in range(times)))


def features(drawing: Drawing, form: StrokeForm | None = None) -> NDArray[np.float64]:
    """The form of a drawing with some new ink.

    Args:
        drawing: What is measured.
        form: What its strokes do, if that is known already.

    Returns:
        One number for each of `FEATURES`: shares of the places on new ink, 0 to 1; ``regions``, ``sizes`` and
        ``pieces`` are counts, as logarithms or by octave of area; ``largest``, ``enclosed`` and ``ink`` are square
        roots of shares of the page; ``edge`` is the share of the page's edge that is inked; ``spread`` is how many
        times more of the page the ink takes in cells of 40 px than in cells of 8 px.
    """
    new = drawing.new
    form = form or stroke_form(new, drawing.ink)
    areas = drawing.regions.enclosed()
    octaves = np.unique(np.floor(np.log2(areas * new.size)))
    edge = np.concatenate([new[0], new[-1], new[:, 0], new[:, -1]])
    amount = int(drawing.runs.lengths.sum()) / math.prod(drawing.runs.shape)
    cells = coarser(new, 4)
    fine, coarse = float(cells.mean()), float(coarser(cells, 5).mean())
    pieces = int(drawing.runs.pieces.max()) + 1
    return np.array([
        form.straight, *form.ring[1:], form.directions,
        math.log2(1 + len(areas)), len(octaves), math.sqrt(areas.max(initial=0.0)), math.sqrt(areas.sum()),
        edge.mean(), math.log2(1 + pieces), math.sqrt(amount), coarse / fine,
    ])  # fmt: skip
