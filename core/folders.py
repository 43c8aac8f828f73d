"""Folders of the user's, outside of any project: what can be made again, and what cannot."""

from __future__ import annotations

import os
from pathlib import Path

from designgym.errors import UserError


def cache_folder() -> Path:
    """Where drawn pictures, indices and converted models are kept; it may be deleted at any time and need not exist.

    ``$DESIGNGYM_CACHE``, else ``$XDG_CACHE_HOME/designgym``, else ``~/.cache/designgym``.

    Raises:
        UserError: If there is no home folder and none is named.
    """
    return _folder("DESIGNGYM_CACHE", "XDG_CACHE_HOME", ".cache")


def data_folder() -> Path:
    """Where what the user has fitted is kept, such as heads; it need not exist.

    ``$DESIGNGYM_DATA``, else ``$XDG_DATA_HOME/designgym``, else ``~/.local/share/designgym``.

    Raises:
        UserError: If there is no home folder and none is named.
    """
    return _folder("DESIGNGYM_DATA", "XDG_DATA_HOME", ".local/share")


def _folder(own: str, shared: str, usual: str) -> Path:
    named = os.environ.get(own)
    if named:
        return Path(named).expanduser()
    base = os.environ.get(shared, "")
    if os.path.isabs(base):  # the XDG specification says to ignore a relative path
        return Path(base) / "designgym"
    try:
        return Path.home() / usual / "designgym"
    except RuntimeError:
        raise UserError(f"There is no home folder to keep files in; set {own} to a folder.") from None
