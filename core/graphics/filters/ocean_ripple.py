"""Ripples of water: waves that run across each other bend the picture and glint at their crests."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.filters.alpha import premultiplied, straight
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.displace import displaced, lit
from designgym.graphics.filters.noise import Plane, smooth_noise
from designgym.scalars import Number

_STEPS = 4096  # of a wave
_SINE = np.array([round(32767 * math.sin(2 * math.pi * step / _STEPS)) for step in range(_STEPS)], np.float32) / 32768
_REACH_PX = 0.5  # how far a wave bends, in page px for each step of magnitude
_LENGTH_PX = 12.0  # of a wave at size 0
_LENGTH_STEP_PX = 4.5  # and so much more for each step of size
_GLINT = 4.0  # levels of light at the highest crests for each step of magnitude
_SHADE = 1.0  # levels by which a steep side is lighter or darker for each step of magnitude

_WAVES = ((0.25, 1.0, 1.0), (-0.45, 0.8, 0.7), (0.7, 0.55, 0.5))
"""Waves to the right and down for each wave length, and height: most run down the picture, as seen from a boat."""


def ocean_ripple(rgba: Pixels, *, rippleSize: float, rippleMagnitude: float, scale: float) -> Pixels:
    """Bends the picture by about ``rippleMagnitude`` page px in waves; a larger ``rippleSize`` is a longer wave."""
    if rippleMagnitude <= 0:
        return rgba.copy()
    shape = rgba.shape[:2]
    length = (_LENGTH_PX + _LENGTH_STEP_PX * rippleSize) * scale
    wander = smooth_noise(shape, 2.2 * length, 21) * np.float32(_STEPS)
    across, down, light = np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for right, below, height in _WAVES:
        phase = _phase(shape, right / length, below / length, wander)
        slope, crest = _SINE[phase], _SINE[(phase + _STEPS // 4) & (_STEPS - 1)]
        across += slope * np.float32(right * height)
        down += slope * np.float32(below * height)
        light += crest * np.float32(height)
    reach = np.float32(rippleMagnitude * _REACH_PX * scale)
    bent = displaced(premultiplied(rgba), across * reach, down * reach)
    crests = np.maximum(light / np.float32(sum(height for *_, height in _WAVES)), 0)
    glint = (crests * crests * crests - np.float32(0.06)) * np.float32(_GLINT) - down * np.float32(_SHADE)
    glint *= np.float32(rippleMagnitude)
    return straight(lit(bent, glint)).copy()


def _phase(shape: tuple[int, int], right: float, below: float, wander: Plane) -> NDArray[np.int32]:
    """Where in its wave every pixel lies, in steps from 0 to 4095."""
    columns, rows = np.arange(shape[1]) * (right * _STEPS), np.arange(shape[0]) * (below * _STEPS)
    return (wander + (rows[:, None] + columns).astype(np.float32)).astype(np.int32) & (_STEPS - 1)


def _spill(rippleSize: float, rippleMagnitude: float) -> float:
    return 2 * rippleMagnitude * _REACH_PX  # where the waves add up


OCEAN_RIPPLE = Filter(
    "ocean_ripple",
    "Shows the picture as under rippling water.",
    ocean_ripple,
    {"rippleSize": Number(1, 15), "rippleMagnitude": Number(0, 20)},
    _spill,
)
