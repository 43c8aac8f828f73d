"""Colours: ``#rrggbb[aa]`` strings, WCAG contrast, and the perceptual space OKLab with its polar form OKLCH.

OKLab and its matrices are Ottosson's ("A perceptual color space for image processing", 2020); contrast is that of WCAG
2.2. Arrays hold one colour along the last axis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float = NDArray[np.float64]

_PATTERN = re.compile(r"#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?")

_RGB_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LMS_TO_RGB = np.linalg.inv(_RGB_TO_LMS)
_LAB_TO_LMS = np.linalg.inv(_LMS_TO_LAB)


class Rgba(NamedTuple):
    """A colour as four whole numbers from 0 to 255; alpha is not premultiplied."""

    red: int
    green: int
    blue: int
    alpha: int = 255

    @property
    def hex(self) -> str:
        """``#rrggbb``, or ``#rrggbbaa`` if it is not opaque."""
        return "#" + "".join(f"{part:02x}" for part in (self if self.alpha < 255 else self[:3]))


def parse_color(text: str) -> Rgba:
    """Read ``#rrggbb`` or ``#rrggbbaa``.

    Raises:
        ValueError: For anything else.
    """
    if not isinstance(text, str) or not _PATTERN.fullmatch(text):
        raise ValueError(f"{text!r} is not a colour; write '#rrggbb' or '#rrggbbaa'.")
    return Rgba(*bytes.fromhex(text[1:]))


def to_hex(rgb: ArrayLike) -> str:
    """``#rrggbb`` of three numbers from 0 to 255, rounded and clipped."""
    red, green, blue = (int(part) for part in np.clip(np.rint(np.asarray(rgb, np.float64)), 0, 255))
    return Rgba(red, green, blue).hex


def over(front: str, back: str) -> str:
    """The opaque colour seen where ``front`` lies on ``back`` (which lies on white if it is not opaque itself)."""
    top, bottom = parse_color(front), parse_color(back)
    if top.alpha == 255:
        return top.hex
    base = np.full(3, 255.0)
    for layer in (bottom, top):
        base += (np.array(layer[:3]) - base) * (layer.alpha / 255)
    return to_hex(base)


def relative_luminance(color: str) -> float:
    """WCAG 2.2 relative luminance of an opaque colour, 0 (black) to 1 (white); alpha is ignored."""
    red, green, blue = _to_linear(np.array(parse_color(color)[:3], np.float64))
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def contrast_ratio(front: str, back: str) -> float:
    """WCAG 2.2 contrast ratio, 1 to 21, of a colour as seen on a background."""
    one, two = relative_luminance(over(front, back)), relative_luminance(over(back, "#ffffff"))
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


def srgb_to_oklab(rgb: ArrayLike) -> Float:
    """Turn sRGB into OKLab.

    Args:
        rgb: (..., 3), 0 to 255.

    Returns:
        float64 (..., 3): lightness 0 to 1, then the green-red and the blue-yellow axis (about -0.4 to 0.4).
    """
    return np.cbrt(_to_linear(np.asarray(rgb, np.float64)) @ _RGB_TO_LMS.T) @ _LMS_TO_LAB.T


def oklab_to_srgb(lab: ArrayLike) -> Float:
    """Turn OKLab into sRGB: float64 (..., 3), 0 to 255 unrounded; outside that range for colours that sRGB lacks."""
    return _from_linear((np.asarray(lab, np.float64) @ _LAB_TO_LMS.T) ** 3 @ _LMS_TO_RGB.T)


def oklab_to_oklch(lab: ArrayLike) -> Float:
    """Lightness, chroma and hue (degrees, 0 to below 360) of OKLab, float64 (..., 3)."""
    lightness, a, b = np.moveaxis(np.asarray(lab, np.float64), -1, 0)
    return np.stack([lightness, np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360], axis=-1)


def oklch_to_oklab(lch: ArrayLike) -> Float:
    """OKLab of lightness, chroma and hue (degrees), float64 (..., 3)."""
    lightness, chroma, hue = np.moveaxis(np.asarray(lch, np.float64), -1, 0)
    angle = np.radians(hue)
    return np.stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)], axis=-1)


def oklab_distance(one: str, two: str) -> float:
    """Euclidean distance of two colours in OKLab, alpha ignored: black to white is 1, about 0.02 is just noticeable."""
    return float(np.linalg.norm(srgb_to_oklab(parse_color(one)[:3]) - srgb_to_oklab(parse_color(two)[:3])))


def oklch_to_hex(lightness: float, chroma: float, hue_deg: float) -> str:
    """The sRGB colour of an OKLCH one, as ``#rrggbb``.

    A colour outside sRGB keeps its lightness (clipped to 0..1) and hue and loses just as much chroma as is needed.
    """
    return oklch_to_hexes([lightness], chroma, hue_deg)[0]


def oklch_to_hexes(lightnesses: Sequence[float], chroma: float, hue_deg: float) -> list[str]:
    """As :func:`oklch_to_hex`, for several lightnesses of one hue at about the cost of one."""
    lightness = np.clip(np.asarray(lightnesses, np.float64), 0.0, 1.0)[:, None]
    low, high = np.zeros_like(lightness), np.full_like(lightness, max(chroma, 0.0))
    fits = _in_gamut(lightness, high, hue_deg)
    if not fits.all():
        known = high
        for _ in range(3):  # three rounds of 32 steps: as fine as 15 halvings, at a fifth of the cost
            steps = np.linspace(low[:, 0], high[:, 0], 33, axis=-1)
            outside = ~_in_gamut(lightness, steps, hue_deg)
            first = np.where(outside.any(axis=1), outside.argmax(axis=1), 33)[:, None]
            low = np.take_along_axis(steps, np.maximum(first - 1, 0), axis=1)
            high = np.take_along_axis(steps, np.minimum(first, 32), axis=1)
        high = np.where(fits, known, low)
    lch = np.stack([lightness, high, np.full_like(high, hue_deg)], axis=-1)
    return [to_hex(color) for color in oklab_to_srgb(oklch_to_oklab(lch))[:, 0]]


def hex_to_oklch(color: str) -> tuple[float, float, float]:
    """Lightness, chroma and hue (degrees) of a colour, alpha ignored; the hue of a grey is meaningless."""
    lightness, chroma, hue = oklab_to_oklch(srgb_to_oklab(parse_color(color)[:3]))
    return float(lightness), float(chroma), float(hue)


def _in_gamut(lightness: Float, chromas: Float, hue_deg: float) -> NDArray[np.bool_]:
    """For each chroma (n, k) of each lightness (n, 1) whether the colour exists in sRGB."""
    lch = np.stack([np.broadcast_to(lightness, chromas.shape), chromas, np.full_like(chromas, hue_deg)], axis=-1)
    rgb = oklab_to_srgb(oklch_to_oklab(lch))
    return np.all((rgb > -1e-3) & (rgb < 255 + 1e-3), axis=-1)  # the spare is for rounding errors of pure colours


def _to_linear(rgb: Float) -> Float:
    part = rgb / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def _from_linear(linear: Float) -> Float:
    size = np.abs(linear)
    curved = np.where(size <= 0.0031308, size * 12.92, 1.055 * size ** (1 / 2.4) - 0.055)
    return np.sign(linear) * curved * 255
