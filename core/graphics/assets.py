"""Decoded pictures of documents' assets, kept for the process within a memory budget."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from designgym.graphics.decode import decode_image
from designgym.graphics.skia_library import skia

BUDGET_BYTES = 128 * 2**20


@dataclass(frozen=True, eq=False)
class _Picture:
    image: Any = field(repr=False)
    pixels: Any = field(repr=False)  # what the image draws from; skia does not keep it alive
    cost: int


_pictures: OrderedDict[bytes, _Picture] = OrderedDict()


def asset_image(data: bytes) -> Any:
    """The skia image (premultiplied, with mip maps) of an image file's bytes.

    The pictures used last are kept up to :data:`BUDGET_BYTES`; the newest is always kept.

    Raises:
        DecodeError: If the bytes are not a readable image.
    """
    picture = _pictures.get(data)
    if picture is None:
        picture = _pictures[data] = _load(data)
        while len(_pictures) > 1 and sum(kept.cost for kept in _pictures.values()) > BUDGET_BYTES:
            _pictures.popitem(last=False)
    else:
        _pictures.move_to_end(data)
    return picture.image


def forget_pictures() -> None:
    """Drop all decoded pictures, as a fresh process has none."""
    _pictures.clear()


def _load(data: bytes) -> _Picture:
    straight = decode_image(data).pixels
    opaque = bool(straight[..., 3].min() == 255)
    pixels = straight if opaque else np.asarray(Image.fromarray(straight).convert("RGBa"))
    alpha_type = skia.kOpaque_AlphaType if opaque else skia.kPremul_AlphaType
    plain = skia.Image.fromarray(pixels, skia.kRGBA_8888_ColorType, alpha_type, copy=False)
    # Cost: the pixels, a third more for their mip maps, and the file.
    return _Picture(plain.withDefaultMipmaps(), pixels, pixels.nbytes * 4 // 3 + len(data))
