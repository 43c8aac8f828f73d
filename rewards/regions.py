"""The ground that ink encloses: regions of paper that no way leads out of, in numpy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.added_ink import Mask
from designgym.rewards.components import Runs

SPECK_CELLS = 12
"""Smaller regions, in cells of 2 px (48 square px), are gaps between strokes and none that somebody drew."""

DRAWN_IN = 0.02
"""Share of a region that is taken from it where something is drawn in it."""


def enclosed(ink: Mask) -> NDArray[np.float64]:
    """The areas of all enclosed regions of paper that are no specks, as shares of the page, in no order.

    Args:
        ink: Where there is ink, bool H x W, in cells of 2 px.
    """
    regions = _Regions(ink)
    return regions.areas[regions.inside & (regions.areas >= SPECK_CELLS)] / ink.size


def newly_enclosed(ink: Mask, before: Mask) -> NDArray[np.float64]:
    """The same of the regions that ink beyond the earlier one made, or drew in.

    Of a region that was enclosed already, the largest part counts as what is left of it, and the others as new; what is
    left counts too where at least 2 % of the region were taken from it, as by a face in an outline.

    Args:
        ink: All ink, bool H x W, in cells of 2 px.
        before: The part of it that was there before, of the same shape.
    """
    now, then = _Regions(ink), _Regions(before)
    if not len(now.areas):
        return np.zeros(0)
    _, first = np.unique(now.labels, return_index=True)
    origin = then.labels[then.runs.at(now.runs.rows[first] * ink.shape[1] + now.runs.starts[first])]
    largest = np.zeros(len(then.areas))
    np.maximum.at(largest, origin, now.areas)
    left = then.inside[origin] & (now.areas == largest[origin])
    left &= now.areas > (1 - DRAWN_IN) * then.areas[origin]
    return now.areas[now.inside & ~left & (now.areas >= SPECK_CELLS)] / ink.size


class _Regions:
    """The connected regions of paper: their areas in cells, and which of them do not reach the page's edge."""

    def __init__(self, ink: Mask) -> None:
        self.runs = runs = Runs.of(~ink)
        # Ink that touches by a corner alone holds together, so paper that does is apart.
        self.labels = runs.labels(corners=False)
        self.areas = np.bincount(self.labels, weights=runs.lengths)
        height, width = ink.shape
        edge = (runs.rows == 0) | (runs.rows == height - 1) | (runs.starts == 0) | (runs.stops == width)
        self.inside = np.ones(len(self.areas), bool)
        self.inside[self.labels[edge]] = False
