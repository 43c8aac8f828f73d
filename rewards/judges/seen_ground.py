"""The colour of a page's background: what is neither text nor picture, by area."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import srgb_to_oklab
from designgym.graphics.document import ImageLayer, TextLayer
from designgym.rewards.judges.ink import Scene
from designgym.rewards.judges.meanings import BACKGROUND_LEAST, BACKGROUND_SHARE, COLOR_TOLERANCE

_HALF = 1 << 26
_EVERY = 2  # pixels in each direction; one of so many is looked at


class Ground:
    """What of a page is neither text nor picture."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def has_color(self, rgb: tuple[float, ...]) -> bool:
        """Whether the page has a background of this colour, by the rule of ``meanings``."""
        colors, counts, page = self._colors
        near = np.linalg.norm(colors - srgb_to_oklab(np.array(rgb, np.float64)), axis=-1) <= COLOR_TOLERANCE
        own = int(counts[near].sum())
        return own > 0 and own >= BACKGROUND_SHARE * int(counts.sum()) and own >= BACKGROUND_LEAST * page

    @cached_property
    def _colors(self) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
        """Colours in OKLab (N, 3), how many of the pixels looked at have each, and how many these are in all."""
        scene = self._scene
        free = np.ones(scene.image.shape[:2], np.bool_)
        for index, layer in enumerate(scene.document.layers):
            if isinstance(layer, TextLayer | ImageLayer) and (ink := scene.ink(index)) is not None:
                free[ink.slices] &= ~(ink.through & (ink.coverage >= 0.1))
        sample = free[::_EVERY, ::_EVERY]
        seen = np.flatnonzero(sample)
        red, green, blue = (
            np.ascontiguousarray(scene.image[::_EVERY, ::_EVERY, channel]).ravel()[seen].astype(np.int64)
            for channel in range(3)
        )
        keys = (red >> 3 << 10) | (green >> 3 << 5) | (blue >> 3)
        # Two sums, at most 255 a pixel looked at, share a number of 53 bits: counting is most of the work.
        sums = np.bincount(keys, red + green * _HALF, 1), np.bincount(keys, blue + _HALF, 1)
        there = np.flatnonzero(sums[1])
        of_red_and_green, of_blue_and_ones = (each[there].astype(np.int64) for each in sums)
        counts = of_blue_and_ones // _HALF
        totals = np.stack([of_red_and_green % _HALF, of_red_and_green // _HALF, of_blue_and_ones % _HALF], axis=-1)
        return srgb_to_oklab(totals / counts[:, None]), counts, sample.size
