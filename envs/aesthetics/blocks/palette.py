"""Palettes: a pale page and a family of inks around one hue, in OKLCH; hues are dealt to the splits.

Lightness and chroma are OKLCH units (0 to 1, 0 to about 0.37), hues are degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from designgym.graphics.color import hex_to_oklch, oklch_to_hex

HUE_STEP_DEG = 15
# Hue families (of 24) that only validation or test pages are built on, spread around the circle.
_VALIDATION = (5, 17)
_TEST = (2, 8, 14, 20)

NEIGHBOUR_DEG = 20
"""Inks of one page lie within this hue distance of its base hue."""


@dataclass(frozen=True)
class Palette:
    """The colours of one page."""

    hue_deg: int
    background: str


def sample_palette(rng: np.random.Generator, split: str) -> Palette:
    """Draw a palette whose base hue belongs to ``split``."""
    families = {"validation": _VALIDATION, "test": _TEST}.get(split)
    if families is None:
        families = tuple(family for family in range(360 // HUE_STEP_DEG) if family not in _VALIDATION + _TEST)
    family = families[int(rng.integers(len(families)))]
    hue = family * HUE_STEP_DEG + 3 * int(rng.integers(HUE_STEP_DEG // 3))
    return Palette(hue, _hex(5 * int(rng.integers(191, 199)), 2 * int(rng.integers(0, 7)), hue))


def sample_ink(rng: np.random.Generator, palette: Palette, *, dark: bool) -> str:
    """A muted colour of the page's own family; ``dark`` inks reach a contrast of 4.5 on the page, others about 3."""
    hue = palette.hue_deg + 3 * int(rng.integers(-NEIGHBOUR_DEG // 3 + 1, NEIGHBOUR_DEG // 3 + 1))
    lightness = 20 * (int(rng.integers(14, 24)) if dark else int(rng.integers(18, 32)))
    return _hex(lightness, 10 * int(rng.integers(3, 8)), hue)


def sample_clash(rng: np.random.Generator, palette: Palette) -> str:
    """The loudest colour of a hue from the other side of the circle that still stands out from the page."""
    return _loudest(palette.hue_deg + 180 + 3 * int(rng.integers(-13, 14)))


@lru_cache(maxsize=512)
def _loudest(hue_deg: int) -> str:
    """The most chromatic sRGB colour of the hue with a lightness of 0.5 to 0.78 (yellows are palest, blues darkest)."""
    colors = [_hex(lightness, 370, hue_deg) for lightness in range(500, 781, 20)]
    return max(colors, key=lambda color: hex_to_oklch(color)[1])


@lru_cache(maxsize=65536)
def _hex(lightness_1000: int, chroma_1000: int, hue_deg: int) -> str:
    """The colour; coarse steps make the cache hit, and fitting a colour into sRGB is a search that is worth saving."""
    return oklch_to_hex(lightness_1000 / 1000, chroma_1000 / 1000, float(hue_deg % 360))
