"""Decoded pictures of documents' assets, kept for the process within a memory budget."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.decoded import forget, pixels_of
from designgym.graphics.skia_library import skia

BUDGET_BYTES = 128 * 2**20


@dataclass(frozen=True, eq=False)
class _Picture:
    image: Any = field(repr=False)
    pixels: Any = field(repr=False)  # what the image draws from; skia does not keep it alive
    cost: int


class _Kept:
    """The pictures used last, within the budget; their cost is summed as they come and go."""

    def __init__(self) -> None:
        self.pictures: OrderedDict[bytes, _Picture] = OrderedDict()
        self.cost = 0

    def add(self, data: bytes, picture: _Picture) -> None:
        if data in self.pictures:  # another thread has loaded it meanwhile
            return
        self.pictures[data] = picture
        self.cost += picture.cost
        while len(self.pictures) > 1 and self.cost > BUDGET_BYTES:
            _, oldest = self.pictures.popitem(last=False)
            self.cost -= oldest.cost


_kept = _Kept()
_lock = Lock()
"""Environments step in threads, and one may let go of what another has just found."""


def asset_image(data: bytes) -> Any:
    """The skia image (premultiplied, with mip maps) of an image file's bytes.

    The pictures used last are kept up to :data:`BUDGET_BYTES`; the newest is always kept.

    Raises:
        DecodeError: If the bytes are not a readable image.
    """
    with _lock:
        picture = _kept.pictures.get(data)
        if picture is not None:
            _kept.pictures.move_to_end(data)
            return picture.image
    picture = _load(data)
    with _lock:
        _kept.add(data, picture)
    return picture.image


def forget_pictures() -> None:
    """Drop all decoded pictures, as a fresh process has none."""
    _kept.pictures.clear()
    _kept.cost = 0
    forget()


def _load(data: bytes) -> _Picture:
    straight = pixels_of(data)
    opaque = bool(straight[..., 3].min() == 255)
    pixels = straight if opaque else _premultiplied(straight)
    alpha_type = skia.kOpaque_AlphaType if opaque else skia.kPremul_AlphaType
    plain = skia.Image.fromarray(pixels, skia.kRGBA_8888_ColorType, alpha_type, copy=False)
    # Cost: the pixels, a third more for their mip maps, and the file.
    return _Picture(plain.withDefaultMipmaps(), pixels, pixels.nbytes * 4 // 3 + len(data))


def _premultiplied(straight: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colours times opacity, rounded to the nearest level, as skia draws them."""
    height, width = straight.shape[:2]
    order = skia.kRGBA_8888_ColorType
    plain = skia.Image.fromarray(straight, order, skia.kUnpremul_AlphaType, copy=False)
    pixels = np.empty_like(straight)
    if not plain.readPixels(skia.ImageInfo.Make(width, height, order, skia.kPremul_AlphaType), pixels, 4 * width):
        raise RuntimeError(f"skia could not premultiply a picture of {width} x {height} px.")
    return pixels
