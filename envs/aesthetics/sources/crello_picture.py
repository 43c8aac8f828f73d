"""The pictures in a Crello record, as files that can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from designgym.broken import BrokenRecord
from designgym.graphics.assets import asset_image
from designgym.graphics.decode import DecodeError


def picture_bytes(image: Any) -> bytes:
    """The bytes of an image as ``datasets`` stores it.

    Raises:
        BrokenRecord: If they are not in the record.
    """
    data = image.get("bytes") if isinstance(image, Mapping) else image
    if not isinstance(data, bytes) or not data:
        raise BrokenRecord("Its picture is missing.")
    return data


def readable_picture(image: Any) -> bytes:
    """The bytes of an image that can be decoded.

    Raises:
        BrokenRecord: If they are not in the record, or no whole picture.
    """
    data = picture_bytes(image)
    try:
        asset_image(data)  # keeps the pixels, which are needed as soon as the page is drawn
    except DecodeError as error:
        raise BrokenRecord(f"Its picture cannot be read: {error}") from error
    return data
