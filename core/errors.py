"""Mistakes of the user, and the one way to import an optional package."""

from __future__ import annotations

import importlib
from types import ModuleType


class UserError(Exception):
    """A mistake that the user can mend: a bad config, a missing extra, a file that is not there.

    The message is one or two sentences that give the offending value and the way out. The command line prints it
    without a traceback and exits with code 2.
    """


class MissingExtra(UserError, ImportError):
    """An optional package is not installed; the message names the extra that brings it."""


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional package where it is used.

    Args:
        module: Import path, e.g. ``"trl"``.
        extra: The extra of this package that installs it, e.g. ``"train"``.

    Returns:
        The imported module.

    Raises:
        MissingExtra: If the package (not something that it imports in turn) is absent.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        top = module.partition(".")[0]
        if error.name != top:
            raise
        raise MissingExtra(
            f"This needs the package '{top}', which is not installed. Install it with: pip install 'designgym[{extra}]'"
        ) from error
