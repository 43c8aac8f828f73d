"""The pool that ships: some five hundred vector pictures under permissive licences.

``pictures.jsonl`` has a line a picture and ``pictures/`` its drawing, by id, with a LICENSE beside each set's drawings.
``docs/pool_build.py`` rebuilds both.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

from designgym.pool.pool import FilePool, PoolPicture

FOLDER = Path(__file__).parent


@functools.cache
def embedded() -> FilePool:
    """The embedded pool, the same object at every call."""
    pictures = []
    with (FOLDER / "pictures.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            pictures.append(PoolPicture(**{**row, "keywords": tuple(row["keywords"])}))
    files = {picture.id: FOLDER / "pictures" / f"{picture.id}.svg" for picture in pictures}
    return FilePool("embedded", pictures, files)
