"""Bytes of a text file to text: UTF-8 with or without a byte-order mark, and a sentence for everything else."""

from __future__ import annotations

import codecs

from designgym.errors import UserError


def decode_utf8(data: bytes, *, name: str, offset: int = 0) -> str:
    """Decode UTF-8 strictly; a byte-order mark at the start of the file is dropped.

    Args:
        data: The bytes.
        name: The file's name, for the message.
        offset: Where ``data`` begins in the file, in bytes.

    Raises:
        UserError: If the bytes are not UTF-8; names the offset of the first bad byte, counted from 0.
    """
    if offset == 0:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UserError(f"{name} is UTF-16 (byte-order mark at byte 0). Save it as UTF-8.")
        data, offset = (data[3:], 3) if data.startswith(codecs.BOM_UTF8) else (data, 0)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = offset + error.start
        raise UserError(
            f"{name} is not UTF-8: byte 0x{data[error.start]:02x} at offset {bad}. Save it as UTF-8."
        ) from error
