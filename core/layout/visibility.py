"""Whether a picture stands out from a colour: how much of it, and of its outline, has nearly that colour."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import parse_color, srgb_to_oklab
from designgym.graphics.decode import decode_image

_SIDE_PX = 128
_LIKE = 0.16
"""Colours nearer than this in OKLab are taken for one another."""
MOST_LOST = 0.3
"""Share of a picture, and of its outline, that may melt into its ground."""

Colors = tuple[NDArray[np.float64], NDArray[np.float64]]


@lru_cache(maxsize=65536)
def stands_out(pool: Any, picture: str, ground: str) -> bool:
    """Whether at most :data:`MOST_LOST` of a picture and of its outline melts into a ground of this colour."""
    own = _lab(ground)
    return all(
        float(shares[np.sqrt(np.add.reduce((colors - own) ** 2, axis=1)) < _LIKE].sum()) <= MOST_LOST
        for colors, shares in _colors(pool, picture)
    )


@lru_cache(maxsize=8192)
def _lab(color: str) -> NDArray[np.float64]:
    return srgb_to_oklab(parse_color(color)[:3])


@lru_cache(maxsize=8192)
def _colors(pool: Any, picture: str) -> tuple[Colors, Colors]:
    """Colours in OKLab (N, 3) and the share that each has, of a picture's edge and of all its ink."""
    pixels = decode_image(pool.png(picture, _SIDE_PX)).pixels
    solid = np.pad(pixels[..., 3] > 128, 2)
    inner = solid.copy()
    for axis in (0, 1):
        for step in (-2, 2):
            inner &= np.roll(solid, step, axis)
    return _histogram(pixels[(solid & ~inner)[2:-2, 2:-2]]), _histogram(pixels[solid[2:-2, 2:-2]])


def _histogram(pixels: NDArray[np.uint8]) -> Colors:
    coarse = (pixels[:, :3] // 16).astype(np.int64)
    keys, counts = np.unique(coarse @ np.array([256, 16, 1]), return_counts=True)
    rgb = np.stack([keys // 256, keys // 16 % 16, keys % 16], axis=1) * 16.0 + 8.0
    return srgb_to_oklab(rgb), counts / max(1, counts.sum())
