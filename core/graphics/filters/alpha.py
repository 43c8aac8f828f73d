"""Straight and premultiplied colours: neighbours are mixed premultiplied, so that what cannot be seen has no say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from designgym.graphics.filters.declare import Pixels


def opaque(rgba: Pixels) -> bool:
    """Whether nothing shows through."""
    return bool(rgba[..., 3].min() == 255)


def premultiplied(rgba: Pixels) -> Pixels:
    """Colours times alpha, rounded; the array itself if it is opaque."""
    if opaque(rgba):
        return rgba
    return np.asarray(Image.fromarray(np.ascontiguousarray(rgba)).convert("RGBa"))


def straight(premultiplied_rgba: Pixels) -> Pixels:
    """The way back; the array itself if it is opaque."""
    if opaque(premultiplied_rgba):
        return premultiplied_rgba
    height, width = premultiplied_rgba.shape[:2]
    data = np.ascontiguousarray(premultiplied_rgba).tobytes()
    return np.asarray(Image.frombuffer("RGBa", (width, height), data, "raw", "RGBa", 0, 1).convert("RGBA"))


def filled(rgba: Pixels, sigma_px: float) -> Pixels:
    """An opaque picture: the colours at the edges of a cut-out one go on beyond them. Itself if it is opaque."""
    if opaque(rgba):
        return rgba
    seen = Image.fromarray(premultiplied(rgba))
    beyond = straight(np.asarray(seen.filter(ImageFilter.GaussianBlur(sigma_px)))).astype(np.uint16)
    colors = np.asarray(seen)[..., :3] + (beyond[..., :3] * (255 - rgba[..., 3:].astype(np.uint16)) + 127) // 255
    return np.dstack([np.minimum(colors, 255), np.full(rgba.shape[:2], 255)]).astype(np.uint8)


def with_alpha_of(rgba: Pixels, colors: NDArray[np.uint8]) -> Pixels:
    """These colours, uint8 (H, W, 3 or 4), with the alpha of a picture."""
    result = np.empty_like(rgba)
    result[..., :3] = colors[..., :3]
    result[..., 3] = rgba[..., 3]
    return result


def luma(rgba: Pixels) -> NDArray[np.uint8]:
    """Brightness by ITU-R 601, in whole numbers: uint8 (H, W)."""
    return np.asarray(Image.fromarray(np.ascontiguousarray(rgba)).convert("L"))


def mapped(rgba: Pixels, *tables: list[int]) -> Pixels:
    """Red, green and blue each through a table of 256 values, or all three through the one given; alpha stays."""
    red, green, blue = tables * 3 if len(tables) == 1 else tables
    return np.array(Image.fromarray(np.ascontiguousarray(rgba)).point([*red, *green, *blue, *range(256)]))
