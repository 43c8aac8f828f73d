"""Watercolour: washes of one colour with dark rims, where pigment gathers, on paper that shows its grain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.graphics.filters.alpha import filled, luma, with_alpha_of
from designgym.graphics.filters.blur import blurred
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.displace import displaced
from designgym.graphics.filters.noise import smooth_noise
from designgym.scalars import Number

_BLUNTEST = 15.0  # a brush of this detail would have washes without end
_WASH_PX = 0.9  # radius of a wash for each step of detail below that, page px
_COARSE_PX = 3  # a larger wash is worked out in fewer, larger pixels: at most so many of them
_PAPER_PX = 2.5  # from a bump of the paper to the next, page px
_POOL_PX = 45.0  # where a wash dried lighter or darker, page px
_GRAIN = 4.0  # levels for each step of texture
_RIM = 1.6  # how much darker than its surroundings a rim gets for each level that it is darker already
_RUN = 0.55  # how far colour runs, in radii
_SHADE = 0.03  # for each step of intensity


def watercolor(rgba: Pixels, *, brushDetail: float, shadowIntensity: float, texture: float, scale: float) -> Pixels:
    """More detail is smaller washes; intensity darkens shades and rims; texture roughens the paper."""
    radius = max(0.6, (_BLUNTEST - brushDetail) * _WASH_PX * scale)
    washes = _washes(rgba, radius)
    tone = luma(washes).astype(np.float32)
    around = luma(blurred(washes, radius * 0.8)).astype(np.float32)
    rim = np.maximum(around - tone, 0) * np.float32(_RIM * (0.3 + shadowIntensity / 15))
    shade = np.maximum(np.float32(128) - tone, 0) * np.float32(_SHADE * shadowIntensity)
    shape = rgba.shape[:2]
    paper = smooth_noise(shape, _PAPER_PX * scale, 61) * np.float32(_GRAIN * texture * min(1.0, _PAPER_PX * scale))
    pools = smooth_noise(shape, _POOL_PX * scale, 62) + smooth_noise(shape, _POOL_PX / 3 * scale, 63) * np.float32(0.6)
    # Pigment thins a wash towards the paper; where there is none, there is none to pool or grain.
    thin = (np.float32(255) - washes[..., :3]) * (np.float32(0.12) + np.float32(0.1) * pools[..., None])
    colors = washes[..., :3] + thin + (paper - rim - shade)[..., None]
    return with_alpha_of(rgba, np.clip(colors + np.float32(0.5), 0, 255).astype(np.uint8))


def _washes(rgba: Pixels, radius: float) -> Pixels:
    """The picture in flat patches with hard edges: Kuwahara's filter, on fewer pixels where patches are large."""
    height, width = rgba.shape[:2]
    seen = filled(rgba, 2 * radius)
    coarse = max(1.0, radius / _COARSE_PX)
    size = max(1, round(width / coarse)), max(1, round(height / coarse))
    if size != (width, height):
        seen = np.asarray(Image.fromarray(np.ascontiguousarray(seen)).resize(size, Image.Resampling.BOX))
    flat = _kuwahara(seen, max(1, round(radius / coarse)))
    if size != (width, height):
        flat = np.asarray(Image.fromarray(flat).resize((width, height), Image.Resampling.BICUBIC))
    # Wet colour runs: without this, rims would be as square as what they were found by.
    right, down = (smooth_noise((height, width), 1.3 * radius, seed) * np.float32(_RUN * radius) for seed in (64, 65))
    return displaced(flat, right, down)


def _kuwahara(opaque_rgba: Pixels, radius: int) -> Pixels:
    """Each pixel becomes the mean of that of the four squares at its corners whose brightness varies least.

    Sums fit into 32 bits up to a radius of 10.
    """
    count = (radius + 1) ** 2
    grey = luma(opaque_rgba).astype(np.int32)
    colors = [_square_sums(opaque_rgba[..., channel].astype(np.int32), radius) for channel in range(3)]
    total = _square_sums(grey, radius)
    spread = _square_sums(grey * grey, radius) * count - total * total
    height, width = grey.shape
    squares = [np.s_[down : down + height, right : right + width] for down in (0, radius) for right in (0, radius)]
    best = spread[squares[0]].copy()
    chosen = [plane[squares[0]].copy() for plane in colors]
    for square in squares[1:]:
        less = spread[square] < best
        np.copyto(best, spread[square], where=less)
        for plane, sums in zip(chosen, colors, strict=True):
            np.copyto(plane, sums[square], where=less)
    result = np.full_like(opaque_rgba, 255)
    for channel, sums in enumerate(chosen):
        result[..., channel] = (sums + count // 2) // count
    return result


def _square_sums(plane: NDArray[np.int32], radius: int) -> NDArray[np.int32]:
    """Sums over squares of ``radius + 1``: the one at (i, j) ends at pixel (i, j) of the plane, whose edge goes on."""
    height, width = plane.shape
    padded = np.pad(plane, radius, mode="edge")
    rows = padded[:, : width + radius].copy()
    for step in range(1, radius + 1):
        rows += padded[:, step : step + width + radius]
    sums = rows[: height + radius].copy()
    for step in range(1, radius + 1):
        sums += rows[step : step + height + radius]
    return sums


WATERCOLOR = Filter(
    "watercolor",
    "Shows the picture as painted in watercolour.",
    watercolor,
    {"brushDetail": Number(1, 14), "shadowIntensity": Number(0, 15), "texture": Number(1, 3)},
)
