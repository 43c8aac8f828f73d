"""Brightness and contrast, and black and white."""

from __future__ import annotations

from designgym.graphics.filters.alpha import luma, mapped, with_alpha_of
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.scalars import Number

_FULL_BRIGHTNESS = 100.0
_FULL_CONTRAST = 100.0


def brightness_contrast(rgba: Pixels, *, brightness: float, contrast: float, scale: float) -> Pixels:
    """Brightness bends the tones and moves their ends a little; contrast spreads them about the middle.

    At contrast -100 all is middle grey; at 100 the tones are spread threefold.
    """
    if brightness == 0 and contrast == 0:
        return rgba.copy()
    bend = 2.0 ** (-brightness / _FULL_BRIGHTNESS)
    share = contrast / _FULL_CONTRAST
    spread = 1 + share if share < 0 else 1 + 2 * share
    table = []
    for level in range(256):
        tone = (level / 255) ** bend + 0.15 * brightness / _FULL_BRIGHTNESS
        tone = 0.5 + (min(1.0, max(0.0, tone)) - 0.5) * spread
        table.append(round(255 * min(1.0, max(0.0, tone))))
    return mapped(rgba, table)


def black_white(rgba: Pixels, *, scale: float) -> Pixels:
    """Every colour becomes the grey of its brightness."""
    grey = luma(rgba)
    return with_alpha_of(rgba, grey[..., None].repeat(3, axis=2))


BRIGHTNESS_CONTRAST = Filter(
    "brightness_contrast",
    "Adjusts brightness and contrast.",
    brightness_contrast,
    {"brightness": Number(-150, 150), "contrast": Number(-100, 100)},
)
BLACK_WHITE = Filter("black_white", "Takes all colour away.", black_white)
