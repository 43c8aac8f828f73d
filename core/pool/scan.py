"""Walking a folder of picture files: each is read once, broken ones are left out and counted, the result is kept."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from designgym.errors import UserError
from designgym.folders import cache_folder
from designgym.graphics.decode import DecodeError, decode_image
from designgym.graphics.svg_picture import read_svg
from designgym.pool.cache import SUFFIXES, crop, keep, read_file

logger = logging.getLogger(__name__)

NAMED = 20
"""So many broken files are named in the log; the rest is counted."""

Describe = Callable[[str, bytes], dict[str, Any]]
"""Name relative to the root and the file's bytes -> JSON data about the picture; raises ``DecodeError`` for a broken
file and ``LeftOut`` for one that is not wanted."""

_INDEX_VERSION = 2


class LeftOut(Exception):
    """A sound file that does not belong into the pool; the message says why, in the same words for all such files."""


def picture_files(root: Path, wanted: Callable[[str], bool] = lambda name: True) -> dict[str, Path]:
    """The picture files below a folder: name relative to it (with ``/``) -> path; hidden ones left out.

    Links are followed to files within the folder only.

    Raises:
        UserError: If the folder is not there.
    """
    if not root.is_dir():
        raise UserError(f"The picture folder '{root}' is not there or is no folder.")
    real_root = root.resolve()
    found = {}
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in names:
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in SUFFIXES:
                continue
            relative = path.relative_to(root).as_posix()
            if wanted(relative) and path.is_file() and path.resolve().is_relative_to(real_root):
                found[relative] = path
    return dict(sorted(found.items()))


def scan(root: Path, files: dict[str, Path], describe: Describe, kind: str) -> dict[str, dict[str, Any]]:
    """What ``describe`` says of every file; broken and unwanted ones are counted in the log and left out.

    The result is kept in the cache folder until a file is added, removed or changed (by its size and time).

    Args:
        root: The folder, for the log.
        files: See :func:`picture_files`.
        describe: Reads one file.
        kind: Tells apart scans of one folder by different rules.
    """
    key = hashlib.sha256(f"{_INDEX_VERSION}|{kind}|{root.resolve()}".encode())
    for name, path in files.items():
        stat = path.stat()
        key.update(f"{name}|{stat.st_size}|{stat.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    index = cache_folder() / "indices" / f"{key.hexdigest()}.json"
    found = _read_index(index)
    if found is None:
        found = _read_all(files, describe)
        keep(index, json.dumps(found).encode())
    for reason, count in found["left_out"].items():
        logger.info("%d pictures of '%s' are left out: %s", count, root, reason)
    if broken := found["broken"]:
        more = f"; and {len(broken) - NAMED} more" if len(broken) > NAMED else ""
        named = "; ".join(broken[:NAMED])
        logger.warning("%d of %d files in '%s' are skipped: %s%s", len(broken), len(files), root, named, more)
    return found["rows"]


def _read_all(files: dict[str, Path], describe: Describe) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    broken: list[str] = []
    left_out: Counter[str] = Counter()
    for name, path in files.items():
        try:
            rows[name] = describe(name, read_file(path))
        except LeftOut as reason:
            left_out[str(reason)] += 1
        except (DecodeError, UserError) as error:
            broken.append(f"'{name}': {error}")
    return {"rows": rows, "left_out": dict(sorted(left_out.items())), "broken": broken}


def examine(name: str, data: bytes) -> dict[str, Any]:
    """Width over height of a picture file's ink, and sentences on what of it is not drawn.

    Raises:
        DecodeError: If it cannot be drawn or has no ink.
    """
    if name.lower().endswith(".svg"):
        picture = read_svg(data, doctype=True)
        _, _, width, height = picture.ink()
        return {"aspect": round(width / height, 3), "notes": list(picture.notes)}
    rows, columns = crop(decode_image(data, name).pixels).shape[:2]
    return {"aspect": round(columns / rows, 3), "notes": []}


def _read_index(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and set(found) == {"rows", "left_out", "broken"} else None


def words(texts: list[str]) -> Iterator[str]:
    """Texts in lower case, trimmed, each once, without empty ones."""
    yield from dict.fromkeys(text for text in (" ".join(text.casefold().split()) for text in texts) if text)
