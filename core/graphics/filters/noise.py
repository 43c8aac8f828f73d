"""Randomness that is a function of the place: the same pattern at every scale, size and run."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Plane = NDArray[np.float32]

FINEST_PX = 0.5
"""A pattern finer than this is drawn this fine; averaged over pixels it is faint already."""


def hashed(rows: NDArray[np.int64], columns: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Whole numbers from 0 to 65,535, one for each pair of row and column (broadcast); any whole numbers will do."""
    state = (rows * 0x9E3779B1 + columns * 0x85EBCA77 + seed * 0xC2B2AE3D) & 0xFFFFFFFF
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        state = ((state ^ (state >> shift)) * factor) & 0xFFFFFFFF
    return (state ^ (state >> 15)) & 0xFFFF


def smooth_noise(shape: tuple[int, int], spacing_px: float, seed: int) -> Plane:
    """Smooth bumps, float32 (H, W), about -1 to 1 with mean 0.

    Args:
        shape: Height and width.
        spacing_px: About the distance from a bump to the next.
        seed: Another number gives another pattern.
    """
    height, width = shape
    spacing = max(spacing_px, FINEST_PX)
    rows, columns = (math.ceil(side / spacing) + 4 for side in shape)
    values = hashed(np.arange(rows)[:, None], np.arange(columns)[None], seed)
    lattice = Image.fromarray((values.astype(np.float32) - np.float32(32767.5)) * np.float32(1 / 32768))
    frame = (2.0, 2.0, 2 + width / spacing, 2 + height / spacing)  # two points in, where the spline knows both sides
    return np.asarray(lattice.resize((width, height), Image.Resampling.BICUBIC, frame))


def grain(shape: tuple[int, int], cell_px: float, seed: int) -> Plane:
    """Grain, float32 (H, W), -1 to 1 and even in distribution, in square grains of a size, at least a pixel.

    Where grains would be smaller than pixels it is fainter by as much, as it is when seen from afar.
    """
    height, width = shape
    cell = max(1.0, cell_px)
    rows, columns = ((np.arange(side) / cell).astype(np.int64) for side in (height, width))
    values = hashed(np.arange(rows[-1] + 1)[:, None], np.arange(columns[-1] + 1)[None], seed)
    strength = min(1.0, cell_px) / 32768
    return ((values.astype(np.float32) - np.float32(32767.5)) * np.float32(strength))[rows][:, columns]
