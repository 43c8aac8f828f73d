"""A page's ground by its pixels: the colour that most of its border has."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BAND = 0.03
"""Width of the border, as a share of the page's shorter side."""


def border_color(page: NDArray[np.uint8]) -> tuple[float, float, float]:
    """The commonest colour of a page's border: the mean of its fullest cube of 32 levels.

    Args:
        page: uint8 H x W x 3.
    """
    band = max(1, round(BAND * min(page.shape[:2])))
    parts = page[:band], page[-band:], page[:, :band], page[:, -band:]
    pixels = np.concatenate([part.reshape(-1, 3) for part in parts]).astype(np.int64)
    return fullest(pixels)


def fullest(pixels: NDArray[np.int64]) -> tuple[float, float, float]:
    """The commonest colour of some pixels (N x 3, N > 0): the mean of the fullest cube of 32 levels.

    Cubes are laid in two ways, so that no colour is cut in halves by the edge of one in both.
    """
    best, most = pixels.mean(axis=0), 0
    for offset in (0, 16):
        cubes = (pixels + offset) // 32
        keys = (cubes[:, 0] * 9 + cubes[:, 1]) * 9 + cubes[:, 2]
        counts = np.bincount(keys)
        if counts.max() > most:
            most = int(counts.max())
            best = pixels[keys == int(counts.argmax())].mean(axis=0)
    red, green, blue = (float(part) for part in best)
    return red, green, blue
