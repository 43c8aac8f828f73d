"""Whether a picture stands out from a colour: how much of its outline has nearly that colour."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import parse_color, srgb_to_oklab
from designgym.graphics.decode import decode_image

_SIDE_PX = 128
_LIKE = 0.13
"""Colours nearer than this in OKLab are taken for one another at an edge."""
MOST_LOST = 0.3
"""Share of a picture's outline that may melt into its ground."""


@lru_cache(maxsize=65536)
def stands_out(pool: Any, picture: str, ground: str) -> bool:
    """Whether at most :data:`MOST_LOST` of a picture's outline melts into a ground of this colour."""
    colors, shares = _outline(pool, picture)
    distance = np.linalg.norm(colors - srgb_to_oklab(parse_color(ground)[:3]), axis=1)
    return bool(shares[distance < _LIKE].sum() <= MOST_LOST)


@lru_cache(maxsize=8192)
def _outline(pool: Any, picture: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The colours along a picture's edge in OKLab (N, 3), and the share of the edge that each has."""
    pixels = decode_image(pool.png(picture, _SIDE_PX)).pixels
    solid = np.pad(pixels[..., 3] > 128, 2)
    inner = solid.copy()
    for axis in (0, 1):
        for step in (-2, 2):
            inner &= np.roll(solid, step, axis)
    edge = (solid & ~inner)[2:-2, 2:-2]
    coarse = (pixels[edge][:, :3] // 16).astype(np.int64)
    keys, counts = np.unique(coarse @ np.array([256, 16, 1]), return_counts=True)
    rgb = np.stack([keys // 256, keys // 16 % 16, keys % 16], axis=1) * 16.0 + 8.0
    return srgb_to_oklab(rgb), counts / max(1, counts.sum())
