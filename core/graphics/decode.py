"""Image files to pixels, safely: size limits are checked before any pixel is decoded, and errors are sentences."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

MAX_BYTES = 20 * 2**20
MAX_PIXELS = 50_000_000
FORMATS = ("PNG", "JPEG", "WEBP")


class DecodeError(ValueError):
    """Bytes that are not a readable image within the limits; the message says which limit or what is wrong."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """Pixels of an image file."""

    pixels: NDArray[np.uint8]
    """uint8 (H, W, 4), red-green-blue-alpha, not premultiplied, upright."""
    notes: tuple[str, ...] = ()


def decode_image(data: bytes) -> Decoded:
    """Decode a PNG, JPEG or WebP file."""
    if len(data) > MAX_BYTES:
        raise DecodeError(f"The image file has {len(data)} bytes; at most {MAX_BYTES} are allowed.")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise DecodeError(
                    f"The image is {picture.width} x {picture.height} px; at most {MAX_PIXELS} pixels are allowed."
                )
            upright = ImageOps.exif_transpose(picture)
            return Decoded(np.asarray(upright.convert("RGBA")))
    except OSError as error:
        raise DecodeError(f"The image file cannot be decoded: {error}.") from error
