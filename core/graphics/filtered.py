"""Pictures with filters, at the size at which they are drawn; those used last are kept.

A filter works on the picture as it is fitted into its box, upright and before any opacity, so that moving, turning or
fading a layer filters nothing anew, and one more filter costs that filter alone.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from designgym.graphics.assets import asset_image
from designgym.graphics.filters.alpha import opaque, premultiplied, straight
from designgym.graphics.filters.applied import AppliedFilter
from designgym.graphics.filters.declare import Pixels
from designgym.graphics.filters.registry import apply_filter
from designgym.graphics.resample import draw_resampled
from designgym.graphics.skia_library import skia

BUDGET_BYTES = 128 * 2**20
MAX_PIXELS = 2**22
"""Most pixels that are filtered; a layer that is larger, most of it beyond the page, is filtered coarser."""
MAX_SIDE_PX = 8192

Source = tuple[float, float, float, float]
"""Left, top, right and bottom of the part of a picture that is shown, in its own pixels."""


@dataclass(frozen=True)
class _Key:
    data: bytes
    source: Source
    page_px: tuple[float, float]
    room_px: float
    scale: float
    filters: tuple[AppliedFilter, ...]

    @property
    def sides(self) -> tuple[int, int]:
        """Width and height in pixels, with the room around the picture."""
        width, height = (max(1, math.floor((side + 2 * self.room_px) * self.scale + 0.5)) for side in self.page_px)
        return width, height


@dataclass(frozen=True, eq=False)
class _Stage:
    """A picture after some filters; plain pixels, and the image where it is drawn."""

    pixels: Pixels = field(repr=False)

    @cached_property
    def image(self) -> Any:
        alpha = skia.kOpaque_AlphaType if opaque(self.pixels) else skia.kPremul_AlphaType
        return skia.Image.fromarray(premultiplied(self.pixels), skia.kRGBA_8888_ColorType, alpha)


_kept: OrderedDict[_Key, _Stage] = OrderedDict()
_lock = threading.Lock()


def filtered_image(
    data: bytes,
    source: Source,
    page_px: tuple[float, float],
    filters: tuple[AppliedFilter, ...],
    scale: float,
    room_px: float = 0.0,
) -> Any:
    """A picture fitted into its box, with its filters, as a skia image of about the box's size in pixels.

    Args:
        data: The image file.
        source: What of the picture is shown.
        page_px: Width and height of where it is shown, in page px.
        filters: At least one; valid ones.
        scale: Pixels per page px.
        room_px: Transparent room around it for what filters carry outwards, page px on all sides.

    Raises:
        DecodeError: If the file is not a readable image.
    """
    width, height = (side + 2 * room_px for side in page_px)
    most = min(math.sqrt(MAX_PIXELS / (width * height)), MAX_SIDE_PX / max(width, height))
    return _stage(_Key(data, source, page_px, room_px, min(scale, most), filters)).image


def forget_filtered() -> None:
    """Drop all that is kept, as a fresh process has none."""
    with _lock:
        _kept.clear()


def _stage(key: _Key) -> _Stage:
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    if not key.filters:
        stage = _Stage(_fitted(key))
    else:
        before = _stage(dataclasses.replace(key, filters=key.filters[:-1]))
        stage = _Stage(apply_filter(before.pixels, key.filters[-1], key.scale))
    with _lock:
        _kept[key] = stage
        # Twice the pixels, for the image; the newest is always kept.
        while len(_kept) > 1 and sum(2 * each.pixels.nbytes for each in _kept.values()) > BUDGET_BYTES:
            _kept.popitem(last=False)
    return stage


def _fitted(key: _Key) -> Pixels:
    width, height = key.sides
    pixels = np.zeros((height, width, 4), np.uint8)
    info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType)
    canvas = skia.Surface.MakeRasterDirect(info, pixels.data, pixels.strides[0]).getCanvas()
    frame = skia.Rect.MakeWH(width, height)
    if key.room_px:
        frame.inset(
            *(key.room_px * side / (page + 2 * key.room_px) for side, page in zip(key.sides, key.page_px, strict=True))
        )
    draw_resampled(canvas, asset_image(key.data), skia.Rect.MakeLTRB(*key.source), frame, 1.0)
    return straight(pixels)
