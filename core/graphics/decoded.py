"""Decoded pixels of the image files used last, within a memory budget: what was just made is not read again."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.decode import decode_image

BUDGET_BYTES = 16 * 2**20

_kept: OrderedDict[bytes, NDArray[np.uint8]] = OrderedDict()
_lock = threading.Lock()
_cost = 0


def pixels_of(data: bytes) -> NDArray[np.uint8]:
    """The pixels of an image file, uint8 (H, W, 4), red-green-blue-alpha, not premultiplied; not to be written to.

    Raises:
        DecodeError: If the bytes are not a readable image.
    """
    with _lock:
        found = _kept.get(data)
        if found is not None:
            _kept.move_to_end(data)
            return found
    pixels = decode_image(data).pixels
    remember(data, pixels)
    return pixels


def remember(data: bytes, pixels: NDArray[np.uint8]) -> None:
    """Keep the pixels, uint8 (H, W, 4), that decoding a file would give."""
    global _cost
    cost = pixels.nbytes + len(data)
    if cost > BUDGET_BYTES // 4:  # one large picture would drive out all others
        return
    with _lock:
        if data in _kept:
            return
        _kept[data] = pixels
        _cost += cost
        while _cost > BUDGET_BYTES:
            old, dropped = _kept.popitem(last=False)
            _cost -= dropped.nbytes + len(old)


def forget() -> None:
    """Drop all of them, as a fresh process has none."""
    global _cost
    with _lock:
        _kept.clear()
        _cost = 0
