"""Drawings as files that can be rated: a PNG each and the list of whose they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from designgym.atomic import folder_written_whole, write_atomically
from designgym.eval.creativity.drawn import Drawn
from designgym.eval.ratings.drawings import INDEX


def write_drawings(drawn: Sequence[Drawn], folder: Path) -> None:
    """Write ``<agent>/<task>-<replicate>.png`` and the list that ``designgym ratings export`` reads.

    Raises:
        UserError: If the folder exists and is not empty, or cannot be written.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["image", "model", "stimulus"])
    with folder_written_whole(folder) as place:
        for each in drawn:
            path = place / f"{each.name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(each.image).convert("1").save(path, optimize=True)
            writer.writerow([f"{each.name}.png", each.agent, each.stimulus])
        write_atomically(place / INDEX, stream.getvalue())
