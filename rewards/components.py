"""Connected components of a drawing's ink, in numpy alone: runs of each row, joined across rows by union and find."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Runs:
    """The ink of a mask as horizontal runs, in reading order.

    Attributes:
        shape: Height and width of the mask, px.
        rows: The row of each run.
        starts: The column of its first pixel.
        stops: The column behind its last pixel.
    """

    shape: tuple[int, int]
    rows: Ints
    starts: Ints
    stops: Ints

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> Runs:
        """The runs of a mask, bool H x W."""
        height, width = mask.shape
        # A column without ink behind the last one keeps a run from going on in the next row.
        padded = np.zeros(height * (width + 1) + 1, bool)
        padded[1:].reshape(height, width + 1)[:, :width] = mask
        changes = np.flatnonzero(padded[1:] != padded[:-1])
        rows, starts = np.divmod(changes[::2], width + 1)
        return cls((height, width), rows, starts, changes[1::2] - rows * (width + 1))

    @property
    def lengths(self) -> Ints:
        """Pixels of each run."""
        return self.stops - self.starts

    @cached_property
    def pieces(self) -> Ints:
        """The component of each run as `labels` gives it, found once."""
        return self.labels()

    def labels(self, corners: bool = True) -> Ints:
        """The component of each run, from 0 in reading order.

        Args:
            corners: Whether pixels that touch by a corner alone are of one component.
        """
        first, second = self._touching(corners)
        roots = _roots(len(self.rows), first, second)
        return (np.cumsum(roots == np.arange(len(roots))) - 1)[roots]

    def at(self, places: Ints) -> Ints:
        """The run, by index, of each of some pixels of the mask, given by their positions in the flattened mask."""
        return np.searchsorted(self.rows * self.shape[1] + self.starts, places, side="right") - 1

    def cells(self, side: int) -> NDArray[np.bool_]:
        """Which squares of ``side`` x ``side`` px hold ink, bool, from the top left; those at the end may be cut."""
        height, width = (-(-length // side) for length in self.shape)
        size, rows = height * (width + 1), self.rows // side * (width + 1)
        begun = np.bincount(rows + self.starts // side, minlength=size)
        ended = np.bincount(rows + (self.stops - 1) // side + 1, minlength=size)
        return np.cumsum(begun - ended).reshape(height, width + 1)[:, :width] > 0

    def boxes(self, labels: Ints) -> Ints:
        """The box of each component, n x 4: left, top, right and bottom, px; the last two are behind the last pixel."""
        boxes = np.empty((int(labels.max(initial=-1)) + 1, 4), np.int64)
        boxes[:, :2], boxes[:, 2:] = max(self.shape), 0
        np.minimum.at(boxes[:, 0], labels, self.starts)
        np.minimum.at(boxes[:, 1], labels, self.rows)
        np.maximum.at(boxes[:, 2], labels, self.stops)
        np.maximum.at(boxes[:, 3], labels, self.rows + 1)
        return boxes

    def _touching(self, corners: bool) -> tuple[Ints, Ints]:
        """Every pair of a run and one in the next row that it touches."""
        # Positions in a page with one column more, so that a run moved down a row stays within that row. A run touches
        # it there if it stops no earlier than it starts and starts no later than it stops: so corners touch too.
        pitch = self.shape[1] + 1
        starts, stops = self.rows * pitch + self.starts, self.rows * pitch + self.stops
        first = np.searchsorted(stops, starts + pitch, side="left" if corners else "right")
        count = np.searchsorted(starts, stops + pitch, side="right" if corners else "left") - first
        upper = np.repeat(np.arange(len(starts)), count)
        within = np.arange(len(upper)) - np.repeat(np.cumsum(count) - count, count)
        return upper, first[upper] + within


def _roots(count: int, first: Ints, second: Ints) -> Ints:
    """For each of ``count`` nodes the smallest node that a path of edges leads to."""
    parents = np.arange(count)
    while len(first):
        low, high = np.minimum(first, second), np.maximum(first, second)
        parents[high] = low  # of several edges one wins, and the others stay for the next round
        while True:
            above = parents[parents]
            if (above == parents).all():
                break
            parents = above
        first, second = parents[first], parents[second]
        apart = first != second
        first, second = first[apart], second[apart]
    return parents
