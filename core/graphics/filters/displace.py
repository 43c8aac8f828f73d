"""Pixels fetched from elsewhere in the picture, between its pixels where need be, in whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.filters.declare import Pixels

Plane = NDArray[np.float32]

_EVEN = np.uint32(0x00FF00FF)  # two of a pixel's four bytes, with room for the products between them
_HALF = np.uint32(0x00800080)
_EIGHT = np.uint32(8)


def displaced(premultiplied_rgba: Pixels, right_px: Plane, down_px: Plane) -> Pixels:
    """A picture in which every pixel shows the place so far to its right and below.

    Args:
        premultiplied_rgba: uint8 (H, W, 4).
        right_px: float32 (H, W).
        down_px: float32 (H, W).

    Returns:
        A fresh array; bilinear in steps of 1/256 px. Beyond the edge the outermost pixels go on.
    """
    height, width = premultiplied_rgba.shape[:2]
    words = np.ascontiguousarray(premultiplied_rgba).view(np.uint32).reshape(-1)
    x = (np.arange(width, dtype=np.int32) << 8) + (right_px * np.float32(256)).astype(np.int32)
    y = (np.arange(height, dtype=np.int32)[:, None] << 8) + (down_px * np.float32(256)).astype(np.int32)
    np.clip(x, 0, (width - 1) << 8, out=x)
    np.clip(y, 0, (height - 1) << 8, out=y)
    share_x, share_y = (x & 255).astype(np.uint32), (y & 255).astype(np.uint32)
    x >>= 8
    y >>= 8
    top = y * width
    bottom = np.minimum(y + 1, height - 1) * width
    beside = np.minimum(x + 1, width - 1)
    upper = _mixed(words[top + x], words[top + beside], share_x)
    lower = _mixed(words[bottom + x], words[bottom + beside], share_x)
    return _mixed(upper, lower, share_y).view(np.uint8).reshape(height, width, 4)


def _mixed(one: NDArray[np.uint32], other: NDArray[np.uint32], share: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Pixels between two, four channels each, at a share of 256 of the way."""
    rest = np.uint32(256) - share
    even = (one & _EVEN) * rest + (other & _EVEN) * share + _HALF
    odd = ((one >> _EIGHT) & _EVEN) * rest + ((other >> _EIGHT) & _EVEN) * share + _HALF
    return ((even >> _EIGHT) & _EVEN) | (odd & ~_EVEN)


def lit(premultiplied_rgba: Pixels, light: Plane) -> Pixels:
    """A premultiplied picture made lighter (up to 255) or darker by an amount for each pixel, within its alpha."""
    alpha = premultiplied_rgba[..., 3:].astype(np.int32)
    amount = (light[..., None] * np.float32(256)).astype(np.int32) * alpha // (255 * 256)
    result = premultiplied_rgba.copy()
    result[..., :3] = np.minimum(np.maximum(premultiplied_rgba[..., :3] + amount, 0), alpha)
    return result
