"""Any folder of PNG, JPEG, WebP and SVG files as a pool, with captions out of a file beside them or their names."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.pool.pool import FilePool, PoolPicture
from designgym.pool.scan import NAMED, examine, picture_files, scan, words

logger = logging.getLogger(__name__)

CAPTION_FILES = ("captions.jsonl", "captions.json", "captions.csv")
COLUMNS = ("file", "caption", "keywords", "category", "licence", "source")


def folder(root: str | Path) -> FilePool:
    """The pictures in a folder and the folders below it; their ids are the files' paths relative to it.

    Captions come from ``captions.jsonl`` (an object a line), ``captions.json`` (a list of objects, or an object from
    file to caption) or ``captions.csv`` (with a header), the first that is there. ``file`` is the path relative to
    the folder; ``caption``, ``keywords`` (a list, or words between semicolons or commas), ``category``, ``licence`` and
    ``source`` may be left out. Without a caption the file's name is used, without a category the name of its folder.

    Files that cannot be read are skipped; the log counts and names them, and SVG files that are not drawn whole.

    Raises:
        UserError: If the folder is not there, holds no readable picture, or its captions cannot be read.
    """
    root = Path(root)
    files = picture_files(root)
    captions = _captions(root)
    if missing := sorted(set(captions) - set(files)):
        logger.warning("%d captions in '%s' are for files that are not there: %s", len(missing), root, missing[:20])
    rows = scan(root, files, examine, "folder")
    if noted := [f"'{name}': {' '.join(row['notes'])}" for name, row in rows.items() if row["notes"]]:
        more = f"; and {len(noted) - NAMED} more" if len(noted) > NAMED else ""
        logger.warning(
            "%d SVG files in '%s' are not drawn whole: %s%s", len(noted), root, "; ".join(noted[:NAMED]), more
        )
    if not rows:
        raise UserError(f"The picture folder '{root}' holds no readable PNG, JPEG, WebP or SVG file.")
    pictures = [_picture(name, row["aspect"], captions.get(name, {}), root) for name, row in rows.items()]
    return FilePool(f"folder:{root.resolve()}", pictures, {name: files[name] for name in rows})


def _picture(name: str, aspect: float, entry: Mapping[str, Any], root: Path) -> PoolPicture:
    path = PurePosixPath(name)
    caption = str(entry.get("caption") or "").strip() or re.sub(r"[\W_]+", " ", path.stem).strip() or path.stem
    return PoolPicture(
        id=name,
        caption=caption,
        keywords=tuple(words([*_keywords(entry.get("keywords")), *re.findall(r"\w+", caption)])),
        category=str(entry.get("category") or "").strip() or (path.parent.name if path.parent.name else root.name),
        aspect=aspect,
        licence=str(entry.get("licence") or "").strip(),
        source=str(entry.get("source") or "").strip() or name,
    )


def _keywords(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(word) for word in value]
    return re.split(r"[;,]", str(value)) if value else []


def _captions(root: Path) -> dict[str, dict[str, Any]]:
    """File -> its row of the captions' file; empty without one."""
    path = next((root / name for name in CAPTION_FILES if (root / name).is_file()), None)
    if path is None:
        return {}
    text = decode_utf8(path.read_bytes(), name=str(path))
    try:
        if path.suffix == ".csv":
            rows: Iterable[Any] = csv.DictReader(io.StringIO(text))
        elif path.suffix == ".json":
            data = json.loads(text)
            rows = [{"file": k, "caption": v} for k, v in data.items()] if isinstance(data, dict) else data
        else:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        found = {}
        for row in rows:
            if not isinstance(row, dict) or not isinstance(row.get("file"), str):
                raise UserError(f"'{path}': {str(row)[:80]} has no 'file'; each entry needs one of {list(COLUMNS)} so.")
            found[row["file"].replace("\\", "/").removeprefix("./")] = row
    except (ValueError, csv.Error, TypeError, RecursionError) as error:
        raise UserError(f"The captions in '{path}' cannot be read: {error}.") from error
    return found
