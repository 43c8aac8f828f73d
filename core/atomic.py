"""Writing a file or a folder whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
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


@contextlib.contextmanager
def folder_written_whole(folder: Path) -> Iterator[Path]:
    """A temporary folder beside ``folder`` that takes its place when the block ends well; else nothing is left of it.

    Args:
        folder: Must not exist, or be empty.

    Raises:
        OSError: If it cannot be made or takes the place of something.
    """
    folder = folder.resolve()  # "." has a name, too
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"))
    try:
        part.chmod(0o777 & ~_umask())
        yield part
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def require_writable(folder: Path) -> None:
    """Find out, before any work, whether files can be written in a folder that may not exist yet; leaves nothing there.

    Raises:
        UserError: If not.
    """
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        if not existing.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        with tempfile.NamedTemporaryFile(dir=existing, prefix=".designgym-"):
            pass
    except OSError as error:
        raise UserError(
            f"The folder '{folder}' cannot be written: {error.strerror}. Choose another --output."
        ) from error


def require_new(folder: Path) -> None:
    """Find out, before any work, whether a folder can be written as a new one: it does not exist, or is empty.

    Raises:
        UserError: If not.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"'{folder}' exists and is not empty; choose another folder.")
    require_writable(folder)


def _umask() -> int:
    # mkstemp makes the file for its owner alone; the mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
