"""The AuDrA corpus of rated human drawings, in the layout in which its authors publish it.

Four folders of JPEG files (400 x 400, RGB), each with a CSV file without header whose two columns are the stem of a
file, such as ``1_7``, and the drawing's rating. The corpus is on OSF (projects kqn9v and h4adm; Patterson et al. 2024,
"AuDrA"); its drawings have no stated licence, so users download it themselves.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.eval.ratings.composite import min_max
from designgym.eval.ratings.drawings import SUFFIXES
from designgym.eval.ratings.rating import Exclusion

PRIMARY, FAR = "primary", "far_generalization"
SETS: dict[str, tuple[str, str]] = {
    PRIMARY: ("primary_images", "primary_jrt.csv"),
    "rater_generalization_one": ("rater_generalization_one_images", "rg1_jrt.csv"),
    "rater_generalization_two": ("rater_generalization_two_images", "rg2_jrt.csv"),
    FAR: ("far_generalization_images", "fg_jrt.csv"),
}
"""Set -> its folder of images and its table of ratings."""


@dataclass(frozen=True)
class RatedDrawing:
    """A drawing of the corpus.

    Attributes:
        name: Stem of its file.
        path: The file.
        rating: 0 to 1, min-max scaled within its set.
    """

    name: str
    path: Path
    rating: float


@dataclass(frozen=True)
class CorpusSet:
    """One set of the corpus.

    Attributes:
        name: One of the ``SETS``.
        drawings: Those with both a rating and a file, in the table's order.
        excluded: Lines and files that were left out.
    """

    name: str
    drawings: tuple[RatedDrawing, ...]
    excluded: tuple[Exclusion, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 over stems and ratings, whatever their order."""
        lines = sorted(f"{drawing.name}\t{drawing.rating:.9f}" for drawing in self.drawings)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def read_corpus(folder: str | Path) -> Mapping[str, CorpusSet]:
    """The sets of a corpus that are there; the primary set always is.

    A table may lie in the corpus's folder or in that of its images. A line whose rating is not a number, whose drawing
    is missing, or whose stem was there before is left out and counted, and so is a drawing without a rating, or a
    second file of a stem. Image files are not opened.

    Raises:
        UserError: If there is no such folder or no primary set, if a set lacks its table or its folder of images, or if
            a table has another form, no drawing that can be used, or equal ratings throughout.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"The corpus '{folder}' does not exist.")
    found = {}
    for name, (images, table) in SETS.items():
        tables = [path for path in (folder / table, folder / images / table) if path.is_file()]
        if not tables and not (folder / images).is_dir():
            if name == PRIMARY:
                raise UserError(
                    f"'{folder}' is no AuDrA corpus: it has no folder '{images}' and no table '{table}'. The corpus is "
                    "on osf.io, projects h4adm (drawings) and kqn9v (ratings)."
                )
            continue
        if not tables:
            raise UserError(f"The corpus '{folder}' has the folder '{images}' but not its table of ratings '{table}'.")
        if not (folder / images).is_dir():
            raise UserError(f"The corpus '{folder}' has the table '{table}' but not its folder of drawings '{images}'.")
        found[name] = _read_set(name, tables[0], folder / images)
    return found


def _read_set(name: str, table: Path, images: Path) -> CorpusSet:
    files: dict[str, Path] = {}
    excluded = []
    for path in sorted(images.iterdir()):
        if path.suffix.lower() in SUFFIXES and files.setdefault(path.stem, path) != path:
            excluded.append(Exclusion("file whose stem another file has", f"{images.name}/{path.name}"))
    text = decode_utf8(table.read_bytes(), name=str(table))
    ratings: dict[str, float] = {}
    for number, row in enumerate(csv.reader(io.StringIO(text, newline="")), start=1):
        if not row:
            continue
        if len(row) != 2:
            raise UserError(
                f"{table}:{number}: a line has two fields, a drawing's stem and its rating; this has {len(row)}."
            )
        # Stems are file names; some spreadsheets write them with their suffix.
        stem = row[0].strip()
        stem = Path(stem).stem if stem.lower().endswith(SUFFIXES) else stem
        rating = _number(row[1])
        if rating is None:
            excluded.append(Exclusion("rating that is not a number", f"{table.name}:{number}"))
        elif stem in ratings:
            excluded.append(Exclusion("drawing that was rated further up", f"{table.name}:{number}"))
        elif stem not in files:
            excluded.append(Exclusion("rating of a drawing that is not there", f"{table.name}:{number}"))
        else:
            ratings[stem] = rating
    unrated = [path for stem, path in files.items() if stem not in ratings]
    excluded += [Exclusion("drawing without a rating", f"{images.name}/{path.name}") for path in unrated]
    if len(set(ratings.values())) < 2:
        many = "equal ratings throughout" if ratings else "no drawing that has both a rating and a file"
        raise UserError(f"'{table}' has {many}; nothing can be learned from it.")
    scaled = min_max(np.array(list(ratings.values()))).tolist()
    drawings = [RatedDrawing(stem, files[stem], value) for stem, value in zip(ratings, scaled, strict=True)]
    return CorpusSet(name, tuple(drawings), tuple(excluded))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
