"""Diffuse glow: the picture's lights spread, softly and with grain, as through a diffusing lens."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

from designgym.graphics.filters.alpha import luma, with_alpha_of
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.noise import Plane, grain
from designgym.scalars import Number

_NEAR_PX, _FAR_PX = 4.0, 20.0  # standard deviations of the glow about the lights, page px
_GRAIN_PX = 1.5
_MOST_GLOW = 20.0
_MOST_GRAIN = 10.0


def glow(rgba: Pixels, *, graininess: float, glowAmount: float, clearAmount: float, scale: float) -> Pixels:
    """Whitens the lights and what lies around them; a larger ``clearAmount`` leaves all but the brightest clear."""
    if glowAmount <= 0 and graininess <= 0:
        return rgba.copy()
    light = _lights(rgba, clearAmount, scale) * np.float32(1.6 * glowAmount / _MOST_GLOW)
    speckle = grain(rgba.shape[:2], _GRAIN_PX * scale, 31) * np.float32(graininess / _MOST_GRAIN)
    # Grain sits in the glow, which lets the picture through there, and a little of it everywhere.
    light = np.clip(light * (1 + np.float32(0.45) * speckle) + np.float32(0.09) * speckle, -1, 1)[..., None]
    colors = rgba[..., :3].astype(np.float32)
    room = np.where(light > 0, np.float32(255) - colors, colors)
    return with_alpha_of(rgba, np.clip(colors + room * light + np.float32(0.5), 0, 255).astype(np.uint8))


def _lights(rgba: Pixels, clear: float, scale: float) -> Plane:
    """How much each pixel glows, 0 to 1, before the amount."""
    dark, bright = 60 + 4 * clear, 180 + 3.5 * clear
    ramp = [round(255 * min(1.0, max(0.0, (level - dark) / (bright - dark)))) for level in range(256)]
    seen = luma(rgba).astype(np.uint16) * rgba[..., 3] // 255
    mask = Image.fromarray(seen.astype(np.uint8)).point(ramp)
    near, far = (mask.filter(ImageFilter.GaussianBlur(sigma * scale)) for sigma in (_NEAR_PX, _FAR_PX))
    own, close, around = (np.asarray(each).astype(np.float32) for each in (mask, near, far))
    return (np.float32(0.2) * own + np.float32(0.35) * close + np.float32(0.45) * around) * np.float32(1 / 255)


GLOW = Filter(
    "glow",
    "Lets the picture's lights glow, with grain.",
    glow,
    {"graininess": Number(0, 10), "glowAmount": Number(0, 20), "clearAmount": Number(0, 20)},
)
