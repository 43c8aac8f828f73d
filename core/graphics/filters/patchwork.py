"""Patchwork: square patches of one colour each, raised by different amounts and lit from the top left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.filters.alpha import premultiplied, with_alpha_of
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.noise import hashed
from designgym.scalars import Number

_PATCH_PX = 4.0  # side of a patch for each step of size, page px
_BEVEL = 3.2  # levels of light on a bevel for each step of relief
_BEVEL_SHARE = 0.14  # of a patch's side
_SHADE = 1.2  # levels that patches differ by for each step of relief


def patchwork(rgba: Pixels, *, squareSize: float, relief: float, scale: float) -> Pixels:
    """Patches of 4 ``squareSize`` page px, which stand out by ``relief``. Size 0 leaves the picture as it is."""
    side = squareSize * _PATCH_PX * scale
    if side <= 1:  # patches no larger than pixels
        return rgba.copy()
    rows, columns = (_patches(length, side) for length in rgba.shape[:2])
    colors = _means(premultiplied(rgba), rows, columns).astype(np.int32)
    raised = hashed(np.arange(len(colors))[:, None], np.arange(colors.shape[1])[None], 51) - 32768
    colors += (raised * (_SHADE * relief / 32768)).astype(np.int32)[..., None]
    bevel = _bevel(rgba.shape[0], rows, side)[:, None] + _bevel(rgba.shape[1], columns, side)
    light = np.clip(bevel, -1, 1) * np.float32(_BEVEL * relief)
    result = colors[rows][:, columns] + light.astype(np.int32)[..., None]
    return with_alpha_of(rgba, np.clip(result, 0, 255).astype(np.uint8))


def _patches(length: int, side: float) -> NDArray[np.int64]:
    """The number of the patch that each pixel along a side lies in."""
    return ((np.arange(length) + 0.5) / side).astype(np.int64)


def _means(premultiplied_rgba: Pixels, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Mean colour of what can be seen in each patch, not premultiplied: (rows, columns, 3)."""
    starts = [np.searchsorted(each, np.arange(each[-1] + 1)) for each in (rows, columns)]
    sums = np.add.reduceat(premultiplied_rgba, starts[0], axis=0, dtype=np.int64)
    sums = np.add.reduceat(sums, starts[1], axis=1)
    weight = np.maximum(sums[..., 3:], 1)
    return np.minimum(255, (255 * sums[..., :3] + weight // 2) // weight)


def _bevel(length: int, patches: NDArray[np.int64], side: float) -> NDArray[np.float32]:
    """1 at the edge of a patch that faces the light, -1 at the other, 0 between; a share where a bevel ends."""
    place = (np.arange(length) + 0.5 - patches * side).astype(np.float32)
    edge = np.float32(side * _BEVEL_SHARE + 0.5)
    return np.clip(edge - place, 0, 1) - np.clip(place + edge - np.float32(side), 0, 1)


PATCHWORK = Filter(
    "patchwork",
    "Shows the picture as raised square patches.",
    patchwork,
    {"squareSize": Number(0, 10), "relief": Number(0, 25)},
)
