"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from designgym.errors import UserError


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write a file so that a reader, or a crash, sees the old content or the new one, never a part. Makes its folder.

    Raises:
        UserError: If it cannot be written.
    """
    path = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(descriptor, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(f"'{path}' cannot be written: {error.strerror}.") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def _umask() -> int:
    # mkstemp makes the file for its owner alone; the mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
