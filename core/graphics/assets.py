"""Decoded pictures of a document's assets, kept for the process within a memory budget."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from designgym.graphics.decode import decode_image
from designgym.graphics.skia_library import skia

BUDGET_BYTES = 128 * 2**20

_cache: OrderedDict[bytes, tuple[Any, int]] = OrderedDict()


def asset_image(data: bytes) -> Any:
    """The skia image (premultiplied, with mip maps) of an image file's bytes.

    The latest decoded pictures are kept up to :data:`BUDGET_BYTES`; the newest one is always kept.

    Raises:
        DecodeError: If the bytes are not a readable image.
    """
    if data in _cache:
        _cache.move_to_end(data)
        return _cache[data][0]
    rgba = decode_image(data).pixels
    alpha = rgba[..., 3:].astype(np.uint16)
    premultiplied = rgba.copy()
    premultiplied[..., :3] = (rgba[..., :3] * alpha + 127) // 255
    image = skia.Image.fromarray(premultiplied, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType, copy=True)
    image = image.withDefaultMipmaps() or image
    _cache[data] = (image, premultiplied.nbytes * 4 // 3)
    while len(_cache) > 1 and sum(size for _, size in _cache.values()) > BUDGET_BYTES:
        _cache.popitem(last=False)
    return image
