"""Pictures for generated designs: small painted landscapes in the hues of a page, as PNG bytes."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
from PIL import Image

from designgym.graphics.color import parse_color

SIDE_PX = 64
VARIANTS = 32


@lru_cache(maxsize=4096)
def picture(color: str, variant: int) -> bytes:
    """A landscape of hills, sky and a sun in shades of one colour, 64 x 64 px.

    Args:
        color: ``#rrggbb``, the middle shade.
        variant: 0 to ``VARIANTS - 1``; decides the hills and where the sun stands.

    Returns:
        PNG bytes, the same for the same arguments.
    """
    rng = np.random.default_rng(variant)
    base = np.array(parse_color(color)[:3], float)
    light, dark = base + (255 - base) * 0.55, base * 0.5
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] / (SIDE_PX - 1)
    shade = light + (base - light) * y[..., None]  # the sky darkens towards the horizon
    cx, cy, r = rng.uniform(0.2, 0.8), rng.uniform(0.15, 0.4), rng.uniform(0.08, 0.14)
    shade[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = base + (255 - base) * 0.85
    for depth in (0.35, 0.7, 1.0):
        waves = rng.uniform(0.02, 0.07, 3)
        phases, rates = rng.uniform(0, 6.28, 3), np.array([3.0, 7.0, 13.0])
        ridge = 0.42 + 0.22 * depth + sum(w * np.sin(rate * x + p) for w, rate, p in zip(waves, rates, phases, strict=True))
        shade[y > ridge] = base + (dark - base) * depth
    buffer = io.BytesIO()
    Image.fromarray(np.clip(np.rint(shade), 0, 255).astype(np.uint8)).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
