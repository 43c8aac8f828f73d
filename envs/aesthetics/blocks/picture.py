"""Pictures for generated designs: small painted landscapes in the hues of a page, as PNG bytes."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.graphics.color import parse_color

SIDE_PX = 64
VARIANTS = 32

Shares = NDArray[np.float64]


@lru_cache(maxsize=4096)
def picture(color: str, variant: int) -> bytes:
    """A landscape of hills, sky and a sun in shades of one colour, 64 x 64 px.

    Args:
        color: ``#rrggbb``, the middle shade.
        variant: 0 to ``VARIANTS - 1``; decides the hills and where the sun stands.

    Returns:
        PNG bytes, the same for the same arguments.
    """
    ink, white = _shares(variant)
    shade = ink[..., None] * np.array(parse_color(color)[:3], float) + 255.0 * white[..., None]
    buffer = io.BytesIO()
    Image.fromarray(np.rint(shade).astype(np.uint8)).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


@lru_cache(maxsize=VARIANTS)
def _shares(variant: int) -> tuple[Shares, Shares]:
    """How much of the ink and of white is in every pixel; what is left is black."""
    rng = np.random.default_rng(variant)
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] / (SIDE_PX - 1)
    white = 0.55 * (1.0 - y)  # the sky darkens towards the horizon
    ink = 1.0 - white
    cx, cy, r = rng.uniform(0.2, 0.8), rng.uniform(0.15, 0.4), rng.uniform(0.08, 0.14)
    ink, white = _blend(ink, white, r - np.hypot(x - cx, y - cy), 0.15, 0.85)  # the sun
    for depth in (0.35, 0.7, 1.0):
        waves = rng.uniform(0.02, 0.07, 3)
        phases, rates = rng.uniform(0, 6.28, 3), np.array([3.0, 7.0, 13.0])
        ridge = 0.42 + 0.22 * depth + waves @ np.sin(np.outer(rates, x[0]) + phases[:, None])
        ink, white = _blend(ink, white, y - ridge, 1.0 - 0.5 * depth, 0.0)
    return ink, white


def _blend(ink: Shares, white: Shares, inside: Shares, own_ink: float, own_white: float) -> tuple[Shares, Shares]:
    """Lay a flat shape over the picture, its edge one pixel soft; ``inside`` is the distance into it, 1 = the side."""
    cover = np.clip(inside * SIDE_PX + 0.5, 0.0, 1.0)
    return ink + (own_ink - ink) * cover, white + (own_white - white) * cover
