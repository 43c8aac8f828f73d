"""Image files to pixels, safely: size limits are checked before any pixel is decoded, and every error is a sentence."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

MAX_BYTES = 20 * 2**20
MAX_PIXELS = 50_000_000
MAX_SIDE_PX = 32_767  # skia's samplers count in 16 bits
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")

_EXTENSIONS = {"png": "PNG", "jpg": "JPEG", "jpeg": "JPEG", "webp": "WEBP", "gif": "GIF"}
_ORIENTATION_TAG = 0x0112
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class DecodeError(ValueError):
    """Bytes that are not a readable image within the limits; the message says which limit or what is wrong."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """The pixels of an image file and what was done to get them."""

    pixels: NDArray[np.uint8]
    """uint8 (H, W, 4), red-green-blue-alpha, not premultiplied, upright."""
    notes: tuple[str, ...] = ()
    """Sentences: orientation applied, further frames ignored, 16 bits reduced, a wrong file extension."""


def decode_image(data: bytes, name: str = "") -> Decoded:
    """Decode a PNG, JPEG, WebP or GIF file; the content decides, not the name.

    A photo's orientation tag is applied. Of an animation the first frame is taken. Transparent palette entries and
    colour keys become alpha. CMYK is converted without a colour profile; embedded profiles are ignored.

    Args:
        data: The file, at most 20 MB and 50 megapixels.
        name: The file's name, if it has one; only used for a note when its extension does not fit the content.

    Raises:
        DecodeError: If it is empty, too large, of another kind, damaged or cut off.
    """
    if not data:
        raise DecodeError("The image file is empty.")
    if len(data) > MAX_BYTES:
        raise DecodeError(f"The image file has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed.")
    with warnings.catch_warnings():
        # Pillow warns of large pictures and of broken EXIF; both are answered here, in our own words.
        warnings.simplefilter("ignore")
        try:
            return _decode(data, name)
        except DecodeError:
            raise
        except Image.UnidentifiedImageError:
            raise DecodeError(_unknown(data)) from None
        except Image.DecompressionBombError:
            raise DecodeError(f"The image is far too large; at most {MAX_PIXELS:,} pixels are allowed.") from None
        except MemoryError:
            raise DecodeError("The image does not fit into memory.") from None
        except Exception as error:  # damaged files raise OSError, SyntaxError, struct.error, EOFError and more
            reason = str(error) or type(error).__name__
            raise DecodeError(f"The image file is damaged or cut off: {reason.rstrip('.')}.") from error


def _decode(data: bytes, name: str) -> Decoded:
    notes = []
    with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
        width, height = picture.size
        if width * height > MAX_PIXELS:
            raise DecodeError(f"The image is {width} x {height} px; at most {MAX_PIXELS:,} pixels are allowed.")
        if max(width, height) > MAX_SIDE_PX:
            raise DecodeError(f"The image is {width} x {height} px; a side may have at most {MAX_SIDE_PX:,} px.")
        kind = picture.format or ""
        claimed = name.rpartition(".")[2].lower() if "." in name else ""
        if claimed and _EXTENSIONS.get(claimed) != kind:
            notes.append(f"The file is called {name!r} but is a {kind} image; it was read as that.")
        frames = getattr(picture, "n_frames", 1)
        if frames > 1:
            notes.append(f"The image is animated; frame 1 is used and {frames - 1} further are ignored.")
            picture.seek(0)
        bits = _bits(data, kind)
        if bits == 16:
            notes.append("The image has 16 bits per channel; they were reduced to 8.")
        pixels = _rgba(picture, bits)
        orientation, note = _orientation(picture)  # after the pixels: a PNG may carry its EXIF block behind them
        if note:
            notes.append(note)
        if orientation in _UPRIGHT:
            pixels = np.asarray(Image.fromarray(pixels).transpose(_UPRIGHT[orientation]))
    return Decoded(np.ascontiguousarray(pixels), tuple(notes))


def _orientation(picture: Image.Image) -> tuple[int, str]:
    """The orientation tag (1 if there is none) and a note."""
    try:
        exif = picture.getexif()
        orientation = exif.get(_ORIENTATION_TAG, 1)
        broken = bool(picture.info.get("exif")) and not exif
    except Exception:  # a broken block raises whatever its bytes lead to
        orientation, broken = 1, True
    if broken:
        return 1, "The photo's EXIF block is broken; the image was read as it is stored."
    if orientation in _UPRIGHT:
        return orientation, f"The photo's orientation tag ({orientation}) was applied."
    return 1, ""


def _rgba(picture: Image.Image, bits: int) -> NDArray[np.uint8]:
    """The first frame as straight RGBA; ``picture`` gets loaded."""
    key = picture.info.get("transparency")
    picture.load()
    if picture.mode.startswith("I"):  # 16-bit grey; Pillow's own conversion clips it to white
        grey16 = np.asarray(picture).astype(np.int64)
        alpha = np.where(grey16 == key, 0, 255) if isinstance(key, int) else np.full_like(grey16, 255)
        grey = grey16 >> 8
        return np.stack([grey, grey, grey, alpha], axis=-1).clip(0, 255).astype(np.uint8)
    if picture.mode in ("1", "L", "RGB") and isinstance(key, (int, tuple)):
        # A colour key has the file's own bit depth, the pixels have 8 bits. At depth 1 Pillow has scaled it already.
        picture.info.pop("transparency")
        pixels = np.array(picture.convert("RGBA"))
        parts = key if isinstance(key, tuple) else (key, key, key)
        eight = [part >> 8 if bits == 16 else part * 255 // (2**bits - 1 if bits > 1 else 255) for part in parts]
        pixels[(pixels[..., :3] == eight).all(axis=-1), 3] = 0
        return pixels
    return np.asarray(picture if picture.mode == "RGBA" else picture.convert("RGBA"))


def _bits(data: bytes, kind: str) -> int:
    """Bits per channel: a PNG's header has them in its 25th byte; the other formats have 8."""
    return data[24] if kind == "PNG" else 8


def _unknown(data: bytes) -> str:
    text = data[:256].lstrip().lower()
    if text.startswith((b"<svg", b"<?xml", b"<!doctype")):
        return "The file is SVG, XML or HTML text, not a PNG, JPEG, WebP or GIF image."
    return f"The file is not a PNG, JPEG, WebP or GIF image, or its header is damaged (it begins with {data[:8]!r})."
