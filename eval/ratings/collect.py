"""The answers that raters sent back, as ratings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from designgym.atomic import write_atomically
from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.eval.ratings.export import ANSWERS, KEY, SETTINGS
from designgym.eval.ratings.rating import QUESTIONS, Exclusion, Rating, Ratings
from designgym.eval.ratings.read import TWICE, read_ratings

UNKNOWN = "answer about a code that is not in the study"
STRANGER = "answer of a rater whom the study does not know"
FIELDS = ("image", "model", "stimulus", "rater", *QUESTIONS)
"""Columns of the plain format, in the order in which they are written."""


@dataclass(frozen=True)
class Collected:
    """What came back.

    Attributes:
        ratings: With the drawings' own names, models and stimuli.
        seats: Number of raters that the study has.
        answered: Raters from whom answers came.
    """

    ratings: Ratings
    seats: int
    answered: tuple[str, ...]


def collect(study: str | Path) -> Collected:
    """Read all tables in a study's ``answers`` and put the drawings' names in place of the codes.

    Raises:
        UserError: If the folder is no study, or there are no answers that can be used.
    """
    folder = Path(study)
    key, seats = _key(folder / KEY), _seats(folder / SETTINGS)
    files = sorted((folder / ANSWERS).glob("*.csv"))
    if not files:
        raise UserError(f"'{folder / ANSWERS}' holds no answers; put the CSV files there that raters sent back.")
    kept: dict[tuple[str, str], Rating] = {}
    excluded: list[Exclusion] = []
    for path in files:
        found = read_ratings(path, empty=True)
        excluded += found.excluded
        for rating in found.ratings:
            drawing = key.get(rating.image)
            if drawing is None or rating.rater not in seats:
                excluded.append(Exclusion(UNKNOWN if drawing is None else STRANGER, path.name))
                continue
            own = replace(rating, image=drawing[0], model=drawing[1], stimulus=drawing[2])
            if (own.image, own.rater) in kept:
                excluded.append(Exclusion(TWICE, path.name))
            else:
                kept[own.image, own.rater] = own
    if not kept:
        raise UserError(f"None of the answers in '{folder / ANSWERS}' belongs to this study.")
    answered = tuple(dict.fromkeys(rating.rater for rating in kept.values()))
    return Collected(Ratings(tuple(kept.values()), tuple(excluded)), len(seats), answered)


def write_ratings(ratings: Sequence[Rating], path: str | Path) -> None:
    """Write ratings in the plain format, CSV.

    Raises:
        UserError: If the file cannot be written.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(FIELDS)
    for rating in ratings:
        answers = (rating.answer(question) for question in QUESTIONS)
        names = (rating.image, rating.model, rating.stimulus, rating.rater)
        writer.writerow([*names, *("" if value is None else f"{value:g}" for value in answers)])
    write_atomically(path, stream.getvalue())


def _key(path: Path) -> dict[str, tuple[str, str, str]]:
    try:
        text = decode_utf8(path.read_bytes(), name=str(path))
    except OSError as error:
        raise UserError(
            f"'{path.parent}' is no study: '{path.name}' cannot be read ({error.strerror}). "
            "Make one with designgym ratings export."
        ) from error
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    try:
        return {row["code"]: (row["image"], row["model"], row["stimulus"]) for row in rows}
    except KeyError as error:
        raise UserError(f"'{path}' has no column {error}; it is not the key of a study.") from error


def _seats(path: Path) -> frozenset[str]:
    try:
        return frozenset(json.loads(path.read_text(encoding="utf-8"))["seats"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"'{path}' cannot be read as the settings of a study: {error}.") from error
