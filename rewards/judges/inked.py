"""The pixels of a text's letters, each with the colour of the page there and of the page around."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.judges.ink import Floats, Ink, Mask

EDGE = 0.25
"""Least coverage of a pixel that is looked at."""

_FREE = 0.02  # most ink on a pixel that counts as ground


@dataclass(frozen=True, eq=False)
class Inked:
    """The n pixels with ink of a text.

    Attributes:
        rows: int64 (n,) within the ink's box.
        columns: Likewise.
        coverage: float32 (n,), above 0 to 1.
        through: bool (n,): where it comes through.
        page: float32 (n, 3): the page there.
        ground: float32 (n, 3): the mean of the page around where it has none of this ink.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    coverage: Floats
    through: Mask
    page: Floats
    ground: Floats


def inked_pixels(page: NDArray[np.uint8], ink: Ink, reach_px: int) -> Inked:
    """The pixels of a layer's ink.

    Args:
        page: uint8 (H, W, 3).
        ink: Of the layer.
        reach_px: From so far around, and up to twice that, the ground of a pixel is taken.
    """
    rows, columns = np.nonzero(ink.coverage >= EDGE)
    here = page[ink.slices][rows, columns].astype(np.float32)
    ground = _ground(page, ink, reach_px, rows, columns, here)
    return Inked(rows, columns, ink.coverage[rows, columns], ink.through[rows, columns], here, ground)


def _ground(
    page: NDArray[np.uint8],
    ink: Ink,
    reach: int,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    here: Floats,
) -> Floats:
    x1, y1, x2, y2 = ink.image.box
    left, top = max(0, x1 - reach), max(0, y1 - reach)
    around = page[top : y2 + reach, left : x2 + reach]
    free = np.ones(around.shape[:2], np.bool_)
    free[y1 - top : y2 - top, x1 - left : x2 - left] = ink.coverage < _FREE
    if not free.any():  # one letter covers the page: it differs from nothing
        return here
    # Sums over squares as large as the reach, and of these over each with its eight neighbours.
    squares = [np.arange(0, length, reach) for length in around.shape[:2]]
    sums = np.empty((len(squares[0]) + 2, len(squares[1]) + 2, 4), np.float64)
    sums[...] = 0
    for channel in range(4):
        values = free if channel == 3 else around[..., channel] * free
        sums[1:-1, 1:-1, channel] = np.add.reduceat(
            np.add.reduceat(values, squares[0], axis=0, dtype=np.int32), squares[1], axis=1
        )
    near = sums[:-2] + sums[1:-1] + sums[2:]
    near = near[:, :-2] + near[:, 1:-1] + near[:, 2:]
    empty = near[..., 3] == 0
    near[empty] = sums.sum(axis=(0, 1))
    means = (near[..., :3] / near[..., 3:]).astype(np.float32)
    return means[(rows + y1 - top) // reach, (columns + x1 - left) // reach]
