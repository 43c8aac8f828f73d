"""The one place where skia is imported; a missing system library becomes a sentence that names what to install."""

from __future__ import annotations

import re

from designgym.errors import UserError

# What skia-python's wheel links against but does not ship, and the Debian/Ubuntu package that has it.
DEBIAN_PACKAGES = {"libGL": "libgl1", "libEGL": "libegl1", "libexpat": "libexpat1", "libfontconfig": "libfontconfig1"}


class SkiaUnavailable(UserError, ImportError):
    """skia-python is not installed or a system library that it needs is absent; the message names what to install."""


def explain(error: ImportError) -> SkiaUnavailable:
    """The sentence for an import of skia that failed."""
    if isinstance(error, ModuleNotFoundError):
        return SkiaUnavailable("The renderer needs the package 'skia-python'; install it with: pip install skia-python")
    found = re.search(r"(lib\w+)[\w.+-]*\.so[\w.]*: cannot open shared object file", str(error))
    if found is None:
        return SkiaUnavailable(f"The renderer's library skia could not be loaded: {error}.")
    package = DEBIAN_PACKAGES.get(found.group(1))
    if package is None:
        return SkiaUnavailable(
            f"The renderer's library skia needs the system library {found.group(1)}, which is absent. "
            f"Install your system's package that contains {found.group(1)}."
        )
    # libGL and libEGL are absent together on slim images; naming both saves a second round.
    packages = "libgl1 libegl1" if package in ("libgl1", "libegl1") else package
    return SkiaUnavailable(
        f"The renderer's library skia needs the system library {found.group(1)}, which is absent. "
        f"On Debian or Ubuntu install it with: apt install {packages}"
    )


try:
    import skia
    from skia import textlayout
except ImportError as import_error:
    raise explain(import_error) from import_error

__all__ = ["SkiaUnavailable", "skia", "textlayout"]
