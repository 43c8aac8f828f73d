"""Histograms of oriented gradients in numpy alone (after Dalal and Triggs, 2005): which way strokes run, and where."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.features.base import SPREAD
from designgym.rewards.features.images import PAPER, Image8, check_image, grey, square
from designgym.score import Backend

SIDE = 100
"""Every image is reduced to 100 x 100 px, by areas; of a canvas of 400 px a pixel then is exactly 4 x 4."""

CELLS = 10
"""Cells along a side; on a canvas of 400 px each is 40 px wide."""

BINS = 9
"""Directions of the gradient, without sign, 20 degrees apart; the first stands for vertical strokes."""

SIZE = CELLS * CELLS * BINS
"""Length of the vector: 900."""

CLIP = 0.2
"""The most that a bin counts in a block: a long straight stroke does not drown all else (Dalal and Triggs)."""

FLOOR = 1.0
"""Contrast below which a block counts as empty; a stroke of 5 px along a cell of 40 px has eleven times as much."""

UNLIKE = 5.0
"""Mean squared distance of the vectors of two drawings of the agent ``grow``; measured by
``python benchmarks/creativity.py --spread``."""


@dataclass(frozen=True)
class Hog:
    """The histograms of :func:`hog` as features: numpy only, 0.5 ms a drawing.

    They are multiplied by 20, so that the mean squared distance of two unlike drawings is 2,000.
    """

    name = "hog"
    size = SIZE
    backend = Backend("hog", "1")

    def extract(self, images: Sequence[Image8]) -> NDArray[np.float32]:
        """See :class:`designgym.rewards.features.base.Features`."""
        rows = [hog(image) for image in images]
        return np.stack(rows) * np.float32((SPREAD / UNLIKE) ** 0.5) if rows else np.zeros((0, SIZE), np.float32)


def hog(image: Image8) -> NDArray[np.float32]:
    """The histograms of an image.

    The image is set into a white square, reduced to 100 x 100 px and differentiated by central differences. Each
    pixel votes with the size of its gradient, shared linearly between the two nearest of 9 directions and the four
    nearest of 10 x 10 cells. A cell's histogram is divided by the length of all histograms in a block of 2 x 2 cells,
    clipped at 0.2, and averaged over the four blocks that the cell is in (cells beyond the page are empty).

    Args:
        image: uint8 H x W, H x W x 1 or H x W x 3.

    Returns:
        float32 (900,), by row, column and direction, each from 0 to 0.2; all 0 for a blank page.

    Raises:
        ImageError: If it is no image.
    """
    dark = np.float32(1) - _reduced(grey(square(check_image(image)))) / np.float32(PAPER)
    votes = np.zeros((BINS, SIDE * SIDE), np.float32)
    across, down = _slope(dark, 1).ravel(), _slope(dark, 0).ravel()
    there = np.flatnonzero((across != 0) | (down != 0))
    across, down = across[there], down[there]
    size = np.hypot(across, down)
    direction = np.mod(np.arctan2(down, across), np.float32(np.pi)) * np.float32(BINS / np.pi)
    lower = direction.astype(np.intp)
    above = (direction - lower) * size
    votes[lower % BINS, there] = size - above
    votes[(lower + 1) % BINS, there] += above
    pool = _pool()
    cells = pool @ votes.reshape(BINS, SIDE, SIDE) @ pool.T
    return _normalised(cells.astype(np.float32, copy=False)).transpose(1, 2, 0).ravel()


def _slope(dark: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Central differences; beyond the page it goes on as at its edge."""
    width = [(0, 0), (0, 0)]
    width[axis] = (1, 1)
    wide = np.pad(dark, width, mode="edge")
    return (wide[2:] - wide[:-2] if axis == 0 else wide[:, 2:] - wide[:, :-2]) / np.float32(2)


def _normalised(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """Histograms (9 x 10 x 10) divided by the length of each of their blocks, clipped, and averaged over the blocks."""
    energy = np.pad(np.square(cells).sum(axis=0), 1)
    scale = np.float32(1) / np.sqrt(
        energy[:-1, :-1] + energy[1:, :-1] + energy[:-1, 1:] + energy[1:, 1:] + np.float32(FLOOR**2)
    )
    total = np.zeros_like(cells)
    for row in (0, 1):
        for column in (0, 1):
            total += np.minimum(cells * scale[row : row + CELLS, column : column + CELLS], np.float32(CLIP))
    return total / np.float32(4)


def _reduced(page: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of each of 100 x 100 equal areas of a square image."""
    side = len(page)
    if side % SIDE == 0:
        step = side // SIDE
        rows = page.reshape(SIDE, step, side).sum(axis=1)
        return rows.reshape(SIDE, SIDE, step).sum(axis=2) / np.float32(step * step)
    weights = _areas(side)
    return (weights @ page @ weights.T).astype(np.float32, copy=False)


@functools.lru_cache(maxsize=16)
def _areas(side: int) -> NDArray[np.float32]:
    """What share of each of 100 equal parts of a line each of ``side`` pixels fills, 100 x side."""
    edges = np.arange(side + 1) * (SIDE / side)
    part = np.arange(SIDE)[:, None]
    return np.diff(np.clip(edges - part, 0, 1)).astype(np.float32)


@functools.cache
def _pool() -> NDArray[np.float32]:
    """How much each row of pixels votes in each row of cells, 10 x 100: in the nearest two, by distance."""
    width = SIDE / CELLS
    pixels = (np.arange(SIDE) + 0.5) / width
    centres = np.arange(CELLS)[:, None] + 0.5
    return np.maximum(0, 1 - np.abs(pixels - centres)).astype(np.float32)
