"""Drawings in folders: which there are, whose they are, their pixels, and which of them ratings are about."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.eval.ratings.rating import Exclusion, Ratings
from designgym.graphics.decode import DecodeError, decode_image

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif")
INDEX = "drawings.csv"
"""File that says whose the drawings of its folder are: columns image, model and stimulus."""

NO_DRAWING = "rating of a drawing that is not there"
UNREADABLE = "drawing that cannot be read"


@dataclass(frozen=True)
class Drawing:
    """A drawing in a file.

    Attributes:
        image: Its name: the file's path within its folder.
        path: The file.
        model: Who made it; empty if unknown.
        stimulus: What it started from; empty if unknown.
    """

    image: str
    path: Path
    model: str = ""
    stimulus: str = ""


def find_drawings(folder: str | Path) -> tuple[Drawing, ...]:
    """The drawings of a folder: those that its ``drawings.csv`` lists, else all image files in it, by name.

    Raises:
        UserError: If there is no such folder, no drawing in it, or the list names a file that is not there.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"The folder of drawings '{folder}' does not exist.")
    if (folder / INDEX).is_file():
        found = _listed(folder)
    else:
        files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
        found = tuple(Drawing(path.relative_to(folder).as_posix(), path) for path in files)
    if not found:
        raise UserError(f"The folder '{folder}' holds no drawing; drawings are files with {', '.join(SUFFIXES)}.")
    return found


def locate(ratings: Ratings, folder: str | Path) -> tuple[dict[str, Path], Ratings]:
    """Where the rated drawings are.

    Args:
        ratings: Whose images name files in the folder, with or without their suffix.
        folder: Of the drawings.

    Returns:
        Image -> file, and the ratings of those that are there; the others are noted as excluded.

    Raises:
        UserError: If there is no such folder, none of the drawings is in it, or two names are of one drawing.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"The folder of drawings '{folder}' does not exist.")
    names = dict.fromkeys(rating.image for rating in ratings.ratings)
    found = {name: path for name in names if (path := _file(folder, name)) is not None}
    if not found:
        first = next(iter(names), "")
        raise UserError(f"None of the {len(names)} rated drawings is in '{folder}', such as '{first}'.")
    named: dict[Path, str] = {}
    for name, path in found.items():  # one drawing as two would be fitted on and tested on at once
        if named.setdefault(path.resolve(), name) != name:
            raise UserError(f"'{named[path.resolve()]}' and '{name}' are ratings of one drawing, {path}; use one name.")
    return found, only(ratings, found, NO_DRAWING)


def only(ratings: Ratings, images: Mapping[str, object], reason: str) -> Ratings:
    """The ratings of some images; each rating of another is excluded for this reason."""
    lost = [Exclusion(reason, rating.image) for rating in ratings.ratings if rating.image not in images]
    return ratings.without(lost, (rating for rating in ratings.ratings if rating.image in images))


def read_picture(path: Path) -> NDArray[np.uint8]:
    """The pixels of a drawing, laid on white: uint8 H x W x 3.

    Raises:
        DecodeError: If the file is not a readable image.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DecodeError(f"The file cannot be read: {error.strerror}.") from error
    pixels = decode_image(data, path.name).pixels
    colour = pixels[..., :3]
    if (pixels[..., 3] == 255).all():
        return np.ascontiguousarray(colour)
    alpha = pixels[..., 3:].astype(np.uint16)
    laid: NDArray[np.uint8] = ((colour * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    return laid


def _file(folder: Path, name: str) -> Path | None:
    for candidate in (folder / name, *(folder / f"{name}{suffix}" for suffix in SUFFIXES)):
        if candidate.suffix.lower() in SUFFIXES and candidate.is_file():
            return candidate
    return None


def _listed(folder: Path) -> tuple[Drawing, ...]:
    index = folder / INDEX
    rows = csv.DictReader(io.StringIO(decode_utf8(index.read_bytes(), name=str(index)), newline=""))
    if "image" not in (rows.fieldnames or ()):
        raise UserError(f"'{index}' has no column 'image'; it has image, model and stimulus.")
    found: dict[str, Drawing] = {}
    for row in rows:
        name = (row["image"] or "").strip()
        path = _file(folder, name) if name else None
        if path is None:
            raise UserError(f"{index}:{rows.line_num}: there is no drawing '{name}' in the folder.")
        if name in found:
            raise UserError(f"{index}:{rows.line_num}: the drawing '{name}' stands twice.")
        found[name] = Drawing(name, path, (row.get("model") or "").strip(), (row.get("stimulus") or "").strip())
    return tuple(found.values())
