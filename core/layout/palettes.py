"""Palettes: the colours of a page by role, built in OKLCH around one hue, with inks chosen by WCAG contrast.

Lightness and chroma are OKLCH units (0 to 1, 0 to about 0.37), hues are degrees. Base hues are dealt to the splits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from designgym.graphics.color import hex_to_oklch, oklch_to_hex
from designgym.layout.contrast import contrast, distance, luminance
from designgym.layout.moods import MOODS
from designgym.tasks import Split

Scheme = Literal["light", "paper", "pastel", "bold", "deep", "night"]

BODY_CONTRAST = 4.5
"""Least WCAG contrast of text on what lies behind it (WCAG 2.2, 1.4.3)."""
SHAPE_CONTRAST = 3.0
"""Least WCAG contrast of titles and of shapes that matter (WCAG 2.2, 1.4.11)."""

HUE_STEP_DEG = 15
_HELD: dict[str, tuple[int, ...]] = {"validation": (5, 17), "test": (2, 8, 14, 20)}
# Families (of 24) around the circle on which pages of validation and test are built; training has the others.

_HARMONIES = (0, 30, -30, 150, 180, 210, 120, -120)
"""Accents by the angle from the base hue: of one hue, analogous, complementary, split and triadic."""


@dataclass(frozen=True)
class Palette:
    """The colours of one page, each ``#rrggbb``.

    Attributes:
        scheme: Which kind of palette.
        hue_deg: The base hue.
        page: The ground of the page.
        field: A second large area.
        panel: What texts and pictures lie on.
        tone: Ornaments that stay in the ground.
        accent: The small, strong colour.
        second: Another one.
        dark: The dark ink.
        pale: The pale ink.
    """

    scheme: Scheme
    hue_deg: int
    page: str
    field: str
    panel: str
    tone: str
    accent: str
    second: str
    dark: str
    pale: str

    def ink(self, ground: str, floor: float = BODY_CONTRAST) -> str:
        """The ink, dark or pale, that stands out most from a ground; black or white where neither reaches ``floor``."""
        return _ink(self, ground, floor)

    def bright(self, ground: str, floor: float = SHAPE_CONTRAST) -> str:
        """A colour for shapes and large type on a ground: accent, second or field if they reach ``floor``, or ink."""
        return _bright(self, ground, floor)

    def colors(self) -> tuple[str, ...]:
        """All of them, without doubles."""
        all_of_them = (
            self.page, self.field, self.panel, self.tone, self.accent, self.second, self.dark, self.pale,
        )  # fmt: skip
        return tuple(dict.fromkeys(all_of_them))


def sample_palette(rng: np.random.Generator, split: Split, mood: str) -> Palette:
    """Draw a palette for a mood whose base hue belongs to ``split``."""
    style = MOODS[mood]
    near = _near(split, style.hues)
    family = near[int(rng.integers(len(near)))]
    hue = family * HUE_STEP_DEG + 3 * int(rng.integers(HUE_STEP_DEG // 3))
    scheme = style.schemes[int(rng.integers(len(style.schemes)))]
    return build_palette(scheme, hue, _HARMONIES[int(rng.integers(len(_HARMONIES)))], int(rng.integers(3)))


@lru_cache(maxsize=16384)
def build_palette(scheme: Scheme, hue_deg: int, turn_deg: int, step: int) -> Palette:
    """The palette of a scheme: base hue, the angle to its accent, and a step 0 to 2 of lightness."""
    h, a = hue_deg % 360, (hue_deg + turn_deg) % 360
    d = _away_from_mud(h)
    dark, pale = _hex(250, 45, h), _hex(980, 8, h)
    second = _vivid(h if turn_deg else (h + 40) % 360)
    if scheme == "light":
        page, panel, tone, field = _hex(982 - 6 * step, 8, h), _hex(935, 32, h), _hex(945, 25, h), _rich(h)
        accent = _strong(a)
    elif scheme == "paper":
        page, panel, tone, field = _hex(960 - 8 * step, 24, 88), _hex(990, 8, 90), _hex(915, 38, 80), _rich(h)
        accent = _strong(a)
    elif scheme == "pastel":
        page, panel, tone, field = _hex(905 + 10 * step, 50, h), _hex(985, 8, h), _hex(865, 68, h), _strong(h)
        accent = _strong(a)
    elif scheme == "bold":
        page, panel, field = _vivid(h), _hex(980, 14, h), _rich(h)
        lightness, chroma, _ = hex_to_oklch(page)
        tone = _hex(20 * round(50 * (lightness - 0.04)), 10 * round(100 * chroma), h)
        accent = _bright_hue(a) if turn_deg else pale
    elif scheme == "deep":
        page, panel, tone, field = (
            _hex(290 + 25 * step, 70, d),
            _hex(965, 22, h),
            _hex(345 + 25 * step, 80, d),
            _vivid(a),
        )
        accent = _bright_hue(a if turn_deg else h)
    else:
        page, panel, tone, field = _hex(190 + 20 * step, 22, d), _hex(275, 35, d), _hex(245, 32, d), _rich(h)
        accent = _bright_hue(a)
    return Palette(scheme, hue_deg, page, field, panel, tone, accent, second, dark, pale)


@lru_cache(maxsize=65536)
def _ink(palette: Palette, ground: str, floor: float) -> str:
    best = max((palette.dark, palette.pale), key=lambda color: contrast(color, ground))
    if contrast(best, ground) >= floor:
        return best
    return max(("#000000", "#ffffff"), key=lambda color: contrast(color, ground))


@lru_cache(maxsize=65536)
def _bright(palette: Palette, ground: str, floor: float) -> str:
    ink = _ink(palette, ground, floor)
    lighter = luminance(ink) > luminance(ground)
    for color in (palette.accent, palette.second, palette.field):
        alike = (luminance(color) > luminance(ground)) == lighter  # no pale and dark texts together
        if alike and contrast(color, ground) >= floor and distance(color, ground) > 0.25:
            return color
    return ink


@lru_cache(maxsize=3)
def _families(split: Split) -> tuple[int, ...]:
    held = sum(_HELD.values(), ())
    return _HELD.get(split) or tuple(family for family in range(360 // HUE_STEP_DEG) if family not in held)


@lru_cache(maxsize=64)
def _near(split: Split, hues: tuple[int, ...]) -> tuple[int, ...]:
    """The families of a split that lie near to one of the hues, or all where none does."""
    families = _families(split)
    near = tuple(f for f in families if any(_between(f * HUE_STEP_DEG, hue) <= 40 for hue in hues))
    return near or families


def _between(one_deg: float, two_deg: float) -> float:
    return abs((one_deg - two_deg + 180) % 360 - 180)


@lru_cache(maxsize=65536)
def _hex(lightness_1000: int, chroma_1000: int, hue_deg: int) -> str:
    return oklch_to_hex(lightness_1000 / 1000, chroma_1000 / 1000, float(hue_deg))


@lru_cache(maxsize=720)
def _vivid(hue_deg: int) -> str:
    """The strongest colour of a hue that is neither dull nor glaring: yellows are palest, blues darkest."""
    if 70 <= hue_deg < 130:
        return _hex(860, 150, hue_deg)
    if 130 <= hue_deg < 215:  # greens and cyans turn neon before other hues do
        return _hex(780, 120, hue_deg)
    return max((_hex(L, 160, hue_deg) for L in range(680, 761, 40)), key=lambda color: hex_to_oklch(color)[1])


@lru_cache(maxsize=720)
def _bright_hue(hue_deg: int) -> str:
    """A colour that glows on dark grounds."""
    chroma = 110 if 130 <= hue_deg < 215 else 150
    return max((_hex(L, chroma, hue_deg) for L in range(780, 881, 20)), key=lambda color: hex_to_oklch(color)[1])


@lru_cache(maxsize=720)
def _strong(hue_deg: int) -> str:
    """A colour that stands out from pale grounds and carries pale text: the strongest of those dark enough for it."""
    hue = _away_from_mud(hue_deg)
    fitting = [color for L in range(440, 601, 20) if contrast(color := _hex(L, 170, hue), "#ffffff") >= 5.0]
    return max(fitting, key=lambda color: hex_to_oklch(color)[1])


@lru_cache(maxsize=720)
def _rich(hue_deg: int) -> str:
    """A dark, full colour."""
    return _hex(380, 105, _away_from_mud(hue_deg))


def _away_from_mud(hue_deg: int) -> int:
    """Dark yellows look like mud: those hues become terracotta or green."""
    if 52 < hue_deg <= 92:
        return 42
    return 145 if 92 < hue_deg < 138 else hue_deg
