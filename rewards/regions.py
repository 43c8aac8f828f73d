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


class Regions:
    """The connected regions of paper: their areas in cells, and which of them do not reach the page's edge.

    Args:
        ink: Where there is ink, bool H x W, in cells of 2 px.
    """

    def __init__(self, ink: Mask) -> None:
        self.shape = height, width = ink.shape
        self.runs = runs = Runs.of(~ink)
        # Ink that touches by a corner alone holds together, so paper that does is apart.
        self.labels = runs.labels(corners=False)
        self.areas = np.bincount(self.labels, weights=runs.lengths)
        edge = (runs.rows == 0) | (runs.rows == height - 1) | (runs.starts == 0) | (runs.stops == width)
        self.inside = np.ones(len(self.areas), bool)
        self.inside[self.labels[edge]] = False

    def enclosed(self) -> NDArray[np.float64]:
        """The areas of all enclosed ones that are no specks, as shares of the page, in no order."""
        return self.areas[self.inside & (self.areas >= SPECK_CELLS)] / (self.shape[0] * self.shape[1])


def newly_enclosed(now: Regions, then: Regions) -> NDArray[np.float64]:
    """The same of the regions that ink beyond the earlier one made, or drew in.

    Of a region that was enclosed already, the largest part counts as what is left of it, and the others as new; what is
    left counts too where at least 2 % of the region were taken from it, as by a face in an outline.

    Args:
        now: What all ink leaves.
        then: What the part of it leaves that was there before.
    """
    if not len(now.areas):
        return np.zeros(0)
    height, width = now.shape
    _, first = np.unique(now.labels, return_index=True)
    origin = then.labels[then.runs.at(now.runs.rows[first] * width + now.runs.starts[first])]
    largest = np.zeros(len(then.areas))
    np.maximum.at(largest, origin, now.areas)
    left = then.inside[origin] & (now.areas == largest[origin])
    left &= now.areas > (1 - DRAWN_IN) * then.areas[origin]
    return now.areas[now.inside & ~left & (now.areas >= SPECK_CELLS)] / (height * width)
