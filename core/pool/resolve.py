"""Pools by name."""

from __future__ import annotations

from pathlib import Path

from designgym.errors import UserError
from designgym.nearest import nearest
from designgym.pool.embedded import embedded
from designgym.pool.folder import folder
from designgym.pool.openclipart import openclipart
from designgym.pool.pool import ImagePool

NAMES = ("embedded", "openclipart")


def resolve_pool(name_or_path: str | Path) -> ImagePool:
    """``"embedded"``, ``"openclipart"``, ``"openclipart:FOLDER"`` or the path of a folder of pictures.

    Raises:
        UserError: If it is none of these.
    """
    text = str(name_or_path)
    if text == "embedded":
        return embedded()
    if text == "openclipart":
        return openclipart()
    if text.startswith("openclipart:"):
        return openclipart(text.removeprefix("openclipart:"))
    if Path(text).is_dir():
        return folder(text)
    close = nearest(text, NAMES)
    hint = f" Did you mean '{close}'?" if close else ""
    raise UserError(f"There is no pool {text!r}: it is neither a folder nor one of {', '.join(NAMES)}.{hint}")
