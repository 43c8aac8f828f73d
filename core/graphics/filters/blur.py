"""Gaussian blur."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from designgym.graphics.filters.alpha import premultiplied, straight
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.scalars import Number

_SIGMA = 0.5  # standard deviation for each page px of the amount, which is about the radius within which colours mix


def blur(rgba: Pixels, *, blurAmount: float, scale: float) -> Pixels:
    """Mixes colours within about ``blurAmount`` page px. Beyond the picture's edge its outermost colours go on."""
    sigma = blurAmount * _SIGMA * scale
    if sigma <= 0:
        return rgba.copy()
    return straight(blurred(premultiplied(rgba), sigma)).copy()


def blurred(premultiplied_rgba: Pixels, sigma_px: float) -> Pixels:
    """A premultiplied picture, blurred by a standard deviation in pixels (three box blurs)."""
    picture = Image.fromarray(np.ascontiguousarray(premultiplied_rgba))
    return np.asarray(picture.filter(ImageFilter.GaussianBlur(sigma_px)))


def _spill(blurAmount: float) -> float:
    return blurAmount  # two standard deviations


BLUR = Filter("blur", "Blurs the picture.", blur, {"blurAmount": Number(0, 100)}, _spill)
