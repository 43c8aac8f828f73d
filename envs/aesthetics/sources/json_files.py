"""JSON and picture files of a data set, checked when they are read; what is wrong with them is a sentence."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

from PIL import Image

from designgym.broken import BrokenRecord
from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.graphics.decode import FORMATS, MAX_BYTES, MAX_PIXELS
from designgym.strict_json import JsonError, loads


def read_json(path: Path, kind: type = dict) -> Any:
    """The value in a JSON file.

    Args:
        path: The file.
        kind: What the value must be, ``dict`` or ``list``; ``object`` for either.

    Raises:
        BrokenRecord: If the file is missing, is not UTF-8 or not JSON, or holds something else.
    """
    try:
        value = loads(decode_utf8(path.read_bytes(), name=path.name))
    except OSError as error:
        raise BrokenRecord(f"{path.name} cannot be read: {error.strerror}.") from error
    except (JsonError, UserError) as error:
        raise BrokenRecord(f"{path.name}: {str(error).rstrip('.')}.") from error
    if not isinstance(value, kind):
        wanted = "an object" if kind is dict else "a list"
        raise BrokenRecord(f"{path.name} holds a {type(value).__name__}; it must be {wanted}.")
    return value


def read_picture(path: Path) -> bytes:
    """The bytes of a picture file that is whole; the pixels are not decoded.

    Raises:
        BrokenRecord: If it is missing, cut off, too large or no picture.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BrokenRecord(f"{path.name} cannot be read: {error.strerror}.") from error
    picture_size(data, path.name)
    return data


def picture_size(data: bytes, name: str) -> tuple[int, int]:
    """Width and height, px, of a picture file that is whole.

    Raises:
        BrokenRecord: If it is cut off, too large or no picture.
    """
    if len(data) > MAX_BYTES:
        raise BrokenRecord(f"{name} has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow's warning of large pictures; they are refused below
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
                width, height = picture.size
                if width * height <= MAX_PIXELS:
                    picture.verify()  # checks the sums of a PNG, which is what previews are
        except Exception as error:  # damaged files raise OSError, SyntaxError, struct.error and more
            reason = str(error).rstrip(".") or type(error).__name__
            raise BrokenRecord(
                f"{name} is no whole picture: {reason if len(reason) < 80 else 'unknown form'}."
            ) from error
    if width * height > MAX_PIXELS:
        raise BrokenRecord(f"{name} is {width} x {height} px; at most {MAX_PIXELS:,} pixels are allowed.")
    return width, height
