"""Palettes: a pale page and a family of inks around one hue, in OKLCH; hues are dealt to the splits.

Lightness and chroma are OKLCH units (0 to 1, 0 to about 0.37), hues are degrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from designgym.graphics.color import oklch_to_hex

HUE_STEP_DEG = 15
# Hue families (of 24) that only validation or test pages are built on. Spread around the circle, so that a held-out page
# is a new colour world and not a new hue of an old one.
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
    hue = family * HUE_STEP_DEG + int(rng.integers(HUE_STEP_DEG))
    return Palette(hue, _hex(int(rng.integers(955, 992)), int(rng.integers(0, 14)), hue))


def sample_ink(rng: np.random.Generator, palette: Palette, *, dark: bool) -> str:
    """A colour of the page's own family; ``dark`` inks reach a contrast of 4.5 on the page, others about 3."""
    hue = palette.hue_deg + int(rng.integers(-NEIGHBOUR_DEG, NEIGHBOUR_DEG + 1))
    lightness = int(rng.integers(280, 480)) if dark else int(rng.integers(360, 640))
    return _hex(lightness, int(rng.integers(30, 100)), hue)


def sample_clash(rng: np.random.Generator, palette: Palette) -> str:
    """A loud colour from the other side of the hue circle."""
    hue = palette.hue_deg + 180 + int(rng.integers(-40, 41))
    return _hex(int(rng.integers(620, 720)), 300, hue)


@lru_cache(maxsize=65536)
def _hex(lightness_1000: int, chroma_1000: int, hue_deg: int) -> str:
    """The colour, from whole numbers so that it can be cached: fitting a colour into sRGB is a search."""
    return oklch_to_hex(lightness_1000 / 1000, chroma_1000 / 1000, float(hue_deg % 360))
