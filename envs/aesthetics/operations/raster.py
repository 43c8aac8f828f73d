"""Picture files with other pixels: tinted, coarse or blurred. PNG bytes in and out, kept for the files used last."""

from __future__ import annotations

import io
import math
from functools import lru_cache

import numpy as np
from PIL import Image, ImageFilter

from designgym.graphics.color import parse_color
from designgym.graphics.decoded import pixels_of, remember


def tinted(data: bytes, color: str, share: float, longest_px: int) -> bytes:
    """A picture mixed with shades of one colour, from black over the colour to white, by its own brightness.

    Args:
        data: An image file.
        color: ``#rrggbb``.
        share: 0 for the picture as it is, 1 for the shades alone.
        longest_px: Px of the longer side to which it is brought first; no more than the file has.
    """
    whole = _premultiplied(data)
    factor = min(1.0, longest_px / max(whole.size))
    if factor < 1:
        width, height = (max(2, round(side * factor)) for side in whole.size)
        whole = whole.resize((width, height), Image.Resampling.BOX)
    pixels = np.asarray(_straight(whole))
    bright = pixels[..., :3].astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    middle = np.array(parse_color(color)[:3], np.float32)
    grey = float(middle @ np.array([0.299, 0.587, 0.114], np.float32))
    levels = np.arange(256, dtype=np.float32)[:, None]
    dark = middle * (levels / max(grey, 1.0))
    light = middle + (255.0 - middle) * ((levels - grey) / max(255.0 - grey, 1.0))
    ramp = np.where(levels <= grey, dark, light)
    # The darkest and lightest shades keep some of the hue: a tint that left them alone would hardly show in line art.
    ramp = ramp + (middle - ramp) * 0.35
    shades = ramp[np.clip(bright, 0, 255).astype(np.uint8)]
    out = pixels.copy()
    out[..., :3] = np.clip(np.rint(pixels[..., :3] * (1.0 - share) + shades * share), 0, 255).astype(np.uint8)
    return encoded(Image.fromarray(out))


def coarse(data: bytes, longest_px: int, blocks: bool) -> bytes:
    """A picture reduced to few px.

    Args:
        data: An image file.
        longest_px: Px of the longer side; no more than the file has.
        blocks: Blow it up again by repeating px, so that its blocks show; otherwise enlarging smooths them.
    """
    picture = _premultiplied(data)
    factor = min(1.0, longest_px / max(picture.size))
    width, height = (max(2, round(side * factor)) for side in picture.size)
    small = picture.resize((width, height), Image.Resampling.BOX)
    if blocks:
        times = max(1, math.ceil(max(picture.size) / max(width, height)))
        small = small.resize((width * times, height * times), Image.Resampling.NEAREST)
    return encoded(_straight(small))


def blurred(data: bytes, sigma_px: float, longest_px: int) -> bytes:
    """A picture out of focus, drawn a little smaller, so that its soft edge stays within its frame.

    Args:
        data: An image file.
        sigma_px: Standard deviation of the Gaussian, px of a picture whose longer side has ``longest_px``.
        longest_px: Px of the longer side to which it is brought first; no more than the file has.
    """
    picture = _premultiplied(data)
    factor = min(1.0, longest_px / max(picture.size))
    sigma = sigma_px * max(picture.size) * factor / longest_px
    width, height = (max(2, round(side * factor)) for side in picture.size)
    room = min(math.ceil(1.5 * sigma), min(width, height) // 4)
    if np.asarray(picture)[..., 3].min() == 255:  # a photo fills its frame
        room = 0
    frame = Image.new("RGBa", (width, height))
    inner = (width - 2 * room, height - 2 * room)
    frame.paste(picture.resize(inner, Image.Resampling.BOX), (room, room))
    return encoded(_straight(frame.filter(ImageFilter.GaussianBlur(sigma))))


def encoded(picture: Image.Image) -> bytes:
    """PNG bytes, compressed in haste."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    data = buffer.getvalue()
    if picture.mode == "RGBA":
        remember(data, np.asarray(picture))
    return data


@lru_cache(maxsize=64)
def _premultiplied(data: bytes) -> Image.Image:
    return Image.fromarray(pixels_of(data)).convert("RGBa")


def _straight(picture: Image.Image) -> Image.Image:
    return picture.convert("RGBA")
