"""The hash of weights on disk, computed once for each state of a file."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path


def weights_hash(paths: Sequence[Path]) -> str:
    """SHA-256 of a model's files.

    Of one file it is the file's own, as ``sha256sum`` prints it. Of several it is that of the lines which ``sha256sum``
    prints of them in their folder, sorted by name.

    Raises:
        OSError: If one of them cannot be read.
        ValueError: Without any.
    """
    if not paths:
        raise ValueError("There are no files to hash.")
    found = {path.name: file_hash(path) for path in paths}
    if len(found) == 1:
        return next(iter(found.values()))
    lines = "".join(f"{found[name]}  {name}\n" for name in sorted(found))
    return hashlib.sha256(lines.encode()).hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file; read again only if its time or size has changed."""
    state = path.stat()
    return _hash(path.resolve(), state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=64)
def _hash(path: Path, mtime_ns: int, size: int) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
