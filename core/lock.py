"""Holding a run's folder for one process."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from designgym.errors import UserError

LOCK = ".lock"
"""The file that is locked; it stays in the folder and means nothing by itself."""


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Make a folder, or take the one that is there, for the time of the block; the lock ends with the process.

    What a killed process left half written there (see ``designgym.atomic``) is removed, and so is a new folder if
    nothing comes into it.

    Raises:
        UserError: If another process holds it.
    """
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(
                f"Another process is working in '{folder}'; wait for it, or choose another --output."
            ) from error
        for pattern in (".*.part", "*/.*.part", "*/*/.*.part"):
            for left in folder.glob(pattern):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            yield
        finally:
            if new and [entry.name for entry in folder.iterdir()] == [LOCK]:
                shutil.rmtree(folder)
