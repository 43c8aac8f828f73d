"""Briefs as a folder in the shape of GraphicBench's released files, with their pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from designgym.atomic import folder_written_whole
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.generated import PICTURE_PX
from designgym.pool.pool import ImagePool

PICTURES = "images"


def record(brief: Brief) -> dict[str, Any]:
    """The brief's record; a picture's address is its place in the folder.

    ``id`` is the number at the end of the brief's own: readers make ``"test-poster-000123"`` of split, type and number.
    """
    return {
        "id": brief.id.rpartition("-")[2],
        "type": brief.type.replace(" ", ""),
        "user_query": brief.query,
        "design_components": brief.components(),
        "images": [
            {"content": image.caption, "url": f"{PICTURES}/{quote(picture_name(image.picture))}"}
            for image in brief.images
        ],
    }


def picture_name(picture: str) -> str:
    """The file of a picture of the pool; several briefs share it."""
    return picture.replace("/", "-").replace(":", "-") + ".png"


def write_briefs(briefs: Iterable[Brief], pool: ImagePool, folder: Path) -> int:
    """Write ``<split>/briefs.jsonl`` and the pictures, as ``read_release`` reads them and ``briefs=FOLDER`` plays them.

    Args:
        briefs: With pictures of ``pool``.
        pool: Where they are from.
        folder: Must not exist, or be empty.

    Returns:
        How many briefs were written.
    """
    count = 0
    with folder_written_whole(folder) as part:
        (part / PICTURES).mkdir()
        for brief in briefs:
            split = part / brief.id.partition("-")[0]
            split.mkdir(exist_ok=True)
            with (split / "briefs.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(record(brief), ensure_ascii=False) + "\n")
            for image in brief.images:
                target = part / PICTURES / picture_name(image.picture)
                if not target.exists():
                    target.write_bytes(pool.png(image.picture, PICTURE_PX))
            count += 1
    return count
