"""Rippled glass: smooth bumps bend what is seen and catch light from the top left."""

from __future__ import annotations

import numpy as np

from designgym.graphics.filters.alpha import premultiplied, straight
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.displace import displaced, lit
from designgym.graphics.filters.noise import Plane, smooth_noise
from designgym.scalars import Number

_REACH_PX = 1.0  # how far a steep bump bends, in page px for each step of distortion
_BUMP_PX = 5.0  # from a bump to the next at smoothness 0, page px
_BUMP_STEP_PX = 2.5  # and so much more for each step of smoothness
_SHINE = 2.2  # levels of light on a steep bump for each step of distortion
_GLINT = 18.0  # and on the few that mirror the light itself


def glass(rgba: Pixels, *, distortion: float, smoothness: float, scaling: float, scale: float) -> Pixels:
    """Bends the picture by about ``distortion`` page px; smoother glass has wider bumps, ``scaling`` % as wide."""
    if distortion <= 0:
        return rgba.copy()
    spacing = (_BUMP_PX + _BUMP_STEP_PX * smoothness) * scaling / 100 * scale
    right, down = _slopes(rgba.shape[:2], spacing)
    reach = np.float32(distortion * _REACH_PX * scale)
    bent = displaced(premultiplied(rgba), right * reach, down * reach)
    facing = (right + down) * np.float32(-0.5)
    mirrored = np.maximum(facing - np.float32(0.55), 0)
    light = facing * np.float32(_SHINE * distortion) + mirrored * mirrored * np.float32(_GLINT * distortion)
    return straight(lit(bent, light)).copy()


def _slopes(shape: tuple[int, int], spacing: float) -> tuple[Plane, Plane]:
    """How steep the glass is to the right and down: mostly -1 to 1, 0 on top of a bump."""
    height, width = shape
    bumps = smooth_noise((height + 2, width + 2), spacing, 11)
    steep = np.float32(max(spacing, 1.0) / 4)
    return (bumps[1:-1, 2:] - bumps[1:-1, :-2]) * steep, (bumps[2:, 1:-1] - bumps[:-2, 1:-1]) * steep


def _spill(distortion: float, smoothness: float, scaling: float) -> float:
    return distortion * _REACH_PX


GLASS = Filter(
    "glass",
    "Shows the picture as through rippled glass.",
    glass,
    {"distortion": Number(0, 20), "smoothness": Number(1, 15), "scaling": Number(50, 200, unit="%")},
    _spill,
)
