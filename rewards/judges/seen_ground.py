"""The colour of a page's background: what is neither text nor picture, by area."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import srgb_to_oklab
from designgym.graphics.document import ImageLayer, TextLayer
from designgym.rewards.judges.ink import Scene
from designgym.rewards.judges.meanings import BACKGROUND_LEAST, BACKGROUND_SHARE, COLOR_TOLERANCE

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
        pixels = scene.image[::_EVERY, ::_EVERY][sample].astype(np.int32)
        keys = (pixels[:, 0] >> 3 << 10) | (pixels[:, 1] >> 3 << 5) | (pixels[:, 2] >> 3)
        counts = np.bincount(keys, minlength=1)
        there = np.flatnonzero(counts)
        sums = [np.bincount(keys, pixels[:, channel], 1)[there] for channel in range(3)]
        means = np.stack(sums, axis=-1).astype(np.float64) / counts[there][:, None]
        return srgb_to_oklab(means), counts[there], sample.size
