"""Picture files drawn as PNG files and kept in the user's cache folder, so that every process draws only what is new.

The folder is that of ``designgym.folders.cache_folder``. A file's name follows from the picture's bytes, the size and
the versions of what draws it. Files are written whole or not at all, and two processes that draw the same write the
same bytes.
"""

from __future__ import annotations

import functools
import hashlib
import io
import logging
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.folders import cache_folder
from designgym.graphics.decode import MAX_BYTES, DecodeError, decode_image
from designgym.graphics.svg_picture import INK_ALPHA, read_svg

logger = logging.getLogger(__name__)

SUFFIXES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".webp"})
"""Names of the files that pools read."""

_DRAWING_VERSION = 2  # counts changes of this module and of svg_picture that change pixels
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"


def cached_png(path: Path, longest_px: int) -> bytes:
    """A picture file as a PNG file of that size, from the cache or drawn and put there.

    Raises:
        UserError: If the file cannot be read.
    """
    data = read_file(path)
    key = hashlib.sha256(data + f"|{longest_px}|{_versions()}".encode()).hexdigest()
    kept = cache_folder() / "pictures" / key[:2] / f"{key}.png"
    try:
        png = kept.read_bytes()
        if png.startswith(_PNG_START) and png.endswith(_PNG_END):  # a full disk can leave less than was written
            return png
    except OSError:
        pass
    try:
        png = encode_png(draw(data, path.name, longest_px))
    except DecodeError as error:
        raise UserError(f"The picture '{path}' cannot be drawn: {error}") from error
    keep(kept, png)
    return png


def keep(path: Path, content: bytes) -> None:
    """Write a file of the cache; where that fails the work goes on without, and the log says so once a folder."""
    try:
        write_atomically(path, content)
    except UserError as error:
        _warn_unwritable(str(cache_folder()), str(error))


def read_file(path: Path) -> bytes:
    """The bytes of a picture file.

    Raises:
        UserError: If it is not there, or too large to be read.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise UserError(f"The picture '{path}' has {size:,} bytes; at most {MAX_BYTES:,} are allowed.")
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"The picture '{path}' cannot be read: {error.strerror}.") from error


def draw(data: bytes, name: str, longest_px: int) -> NDArray[np.uint8]:
    """A picture file, cropped to its ink, as straight RGBA: uint8 (H, W, 4), the longer side ``longest_px``.

    Raises:
        DecodeError: If the file is not a readable picture or has no ink.
    """
    if name.lower().endswith(".svg"):
        return read_svg(data, doctype=True).raster(longest_px, crop=True)
    pixels = crop(decode_image(data, name).pixels)
    height, width = pixels.shape[:2]
    scale = longest_px / max(width, height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    # Resized with alpha multiplied in, so that the colour of transparent pixels does not bleed into edges.
    image = Image.fromarray(pixels).convert("RGBa").resize(size, Image.Resampling.LANCZOS)
    return np.asarray(image.convert("RGBA"))


def crop(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The part of an RGBA image that holds all its ink.

    Raises:
        DecodeError: If it has none.
    """
    inked = pixels[..., 3] >= INK_ALPHA
    columns, rows = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
    if not len(columns):
        raise DecodeError("The image is wholly transparent.")
    return pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file of an RGBA image."""
    content = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(content, format="PNG", compress_level=6)
    return content.getvalue()


@functools.cache
def _versions() -> str:
    return f"{_DRAWING_VERSION}|{metadata.version('skia-python')}|{metadata.version('pillow')}"


@functools.cache
def _warn_unwritable(folder: str, reason: str) -> None:
    logger.warning("Drawn pictures cannot be kept in '%s' (set DESIGNGYM_CACHE to another folder): %s", folder, reason)
