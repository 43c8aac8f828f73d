"""Hue, saturation and lightness.

Arithmetic is IEEE single precision without any function but the four operations, so it is the same on every machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.filters.alpha import with_alpha_of
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.scalars import Number

_Plane = NDArray[np.float32]


def hsl(rgba: Pixels, *, hue: float, saturation: float, light: float, scale: float) -> Pixels:
    """Turns the hues, then scales the colours' distance from grey, then moves all towards white or black.

    Saturation -100 leaves greys, 100 gives three times the distance as far as there is such a colour. Light 100 is
    white, -100 is black.
    """
    if hue % 360 == 0 and saturation == 0 and light == 0:
        return rgba.copy()
    parts = [rgba[..., channel].astype(np.float32) for channel in range(3)]
    high = np.maximum(np.maximum(parts[0], parts[1]), parts[2])
    low = np.minimum(np.minimum(parts[0], parts[1]), parts[2])
    chroma = high - low
    if hue % 360:
        parts = _turned(parts, high, low, chroma, hue / 60)
    if saturation:
        parts = _saturated(parts, high, low, chroma, saturation / 100)
    towards, share = np.float32(255 if light > 0 else 0), np.float32(abs(light) / 100)
    colors = np.empty((*rgba.shape[:2], 3), np.uint8)
    for channel, part in enumerate(parts):
        if light:
            part = part + (towards - part) * share
        colors[..., channel] = np.clip(part + np.float32(0.5), 0, 255)
    return with_alpha_of(rgba, colors)


def _turned(parts: list[_Plane], high: _Plane, low: _Plane, chroma: _Plane, sixths: float) -> list[_Plane]:
    """The same lightness and chroma at hues that lie some sixths of the circle further."""
    red, green, blue = parts
    safe = np.maximum(chroma, np.float32(1))
    place = np.where(
        high == red, (green - blue) / safe, np.where(high == green, 2 + (blue - red) / safe, 4 + (red - green) / safe)
    )
    place = place + np.float32(sixths % 6)  # -1 to 11
    place -= np.float32(6) * (place >= 6)
    place += np.float32(6) * (place < 0)
    shares = (
        np.abs(place - np.float32(3)) - np.float32(1),
        np.float32(2) - np.abs(place - np.float32(2)),
        np.float32(2) - np.abs(place - np.float32(4)),
    )
    return [low + chroma * np.clip(share, 0, 1) for share in shares]


def _saturated(parts: list[_Plane], high: _Plane, low: _Plane, chroma: _Plane, share: float) -> list[_Plane]:
    """The same hue and lightness, with the chroma scaled, at most to the largest that there is."""
    double = high + low
    middle: _Plane = double * np.float32(0.5)
    factor: _Plane = np.full(chroma.shape, 1 + share, np.float32)
    if share > 0:
        largest = np.float32(255) - np.abs(double - np.float32(255))
        factor = np.minimum(np.float32(1 + 2 * share), largest / np.maximum(chroma, np.float32(1)))
    return [middle + (part - middle) * factor for part in parts]


HSL = Filter(
    "hsl",
    "Adjusts hue, saturation and lightness.",
    hsl,
    {"hue": Number(-180, 180, unit="deg"), "saturation": Number(-100, 100), "light": Number(-100, 100)},
)
