"""Loading a command's function where it is used, and saying which extra is missing if that fails."""

from __future__ import annotations

import importlib
import re
from importlib import metadata
from typing import Any

_EXTRA = re.compile(r"(?P<package>[\w.-]+).*;.*\bextra\s*==\s*['\"](?P<extra>\w+)['\"]")


def load(target: str) -> Any:
    """Return what ``"package.module:name"`` names; the command line depends on no other part of the package but so."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def missing_extra(error: ImportError) -> str | None:
    """Return which extra to install if it is one of their packages that is missing; None for any other failure."""
    # A missing part of an installed package has a dotted name: that installation is broken, which is no missing extra.
    if not isinstance(error, ModuleNotFoundError) or not error.name or "." in error.name:
        return None
    for requirement in metadata.requires("designgym") or []:
        found = _EXTRA.match(requirement)
        if found and found["package"].casefold() == error.name.casefold():
            return (
                f"This needs the package '{error.name}', which is not installed. "
                f"Install it with: pip install 'designgym[{found['extra']}]'"
            )
    return None
