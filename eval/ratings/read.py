"""Reading ratings from CSV or JSON lines; what cannot be used is left out and counted."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.eval.ratings.columns import columns_of
from designgym.eval.ratings.rating import QUESTIONS, SCALE, Exclusion, Rating, Ratings, counted, first_places
from designgym.jsonl import read_jsonl

TWICE = "a rater's further answer about the same drawing"


def read_ratings(path: str | Path, *, empty: bool = False) -> Ratings:
    """The ratings of a file.

    A CSV file with a header, or JSON lines (``.jsonl``), with the columns image, model, stimulus, rater, creativity and
    recognisability or names that mean the same (``columns.ALIASES``). Answers are numbers from 1 to 5. An answer that
    is missing, not a number or off the scale is left out; so is a row without image or rater, and a rater's second
    answer about a drawing (the first one counts). All of it is counted.

    Args:
        path: The file.
        empty: Whether a file of which no rating can be used is an answer too, and no error.

    Raises:
        UserError: If the file cannot be read, lacks a column, says two things about who made a drawing, or has no
            rating that can be used.
    """
    path = Path(path)
    kept: dict[tuple[str, str], Rating] = {}
    origin: dict[str, tuple[str, str]] = {}
    excluded: list[Exclusion] = []
    for number, row in _rows(path):
        place = f"{path.name}:{number}"
        if not row:
            excluded.append(Exclusion("more fields than the header has", place))
            continue
        names = {column: _text(row.get(column)) for column in ("image", "rater", "model", "stimulus")}
        if absent := next((column for column in ("image", "rater") if not names[column]), None):
            excluded.append(Exclusion(f"no {absent}", place))
            continue
        made = names["model"], names["stimulus"]
        if origin.setdefault(names["image"], made) != made:
            raise UserError(
                f"{path}:{number}: the drawing '{names['image']}' is by {made[0]!r} from {made[1]!r} here and by "
                f"{origin[names['image']][0]!r} from {origin[names['image']][1]!r} further up; give each drawing "
                "a name of its own."
            )
        key = names["image"], names["rater"]
        if key in kept:
            excluded.append(Exclusion(TWICE, place))
            continue
        answers: dict[str, float | None] = {}
        for question in QUESTIONS:
            if question in row:
                value, reason = _answer(row[question])
                answers[question] = value
                if reason:
                    excluded.append(Exclusion(f"{question} {reason}", place))
        if any(value is not None for value in answers.values()):
            kept[key] = Rating(**names, **answers)  # type: ignore[arg-type]
    ratings = Ratings(tuple(kept.values()), tuple(excluded))
    if not kept and not empty:
        raise UserError(f"'{path}' has no rating that can be used. {described(ratings)}".rstrip())
    return ratings


def described(ratings: Ratings) -> str:
    """What was left out, as a sentence; empty if nothing was."""
    places = first_places(ratings.excluded)
    parts = [f"{reason} ({n}, first: {places[reason]})" for reason, n in counted(ratings.excluded).items()]
    return f"Left out: {'; '.join(parts)}." if parts else ""


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and rows under our names of the columns."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for line in read_jsonl(path):
            if not isinstance(line.value, Mapping):
                raise UserError(f"{path}:{line.number}: a rating is a JSON object; this is {line.value!r}.")
            columns = columns_of(line.value, f"{path}:{line.number}")
            yield line.number, {ours: line.value[theirs] for ours, theirs in columns.items()}
        return
    try:
        text = decode_utf8(path.read_bytes(), name=str(path))
    except OSError as error:
        raise UserError(f"'{path}' cannot be read: {error.strerror}.") from error
    rows = csv.DictReader(io.StringIO(text, newline=""))
    try:
        columns = columns_of(rows.fieldnames or (), str(path))
        for row in rows:
            if None in row:  # a comma without quotes has moved all that follows it
                yield rows.line_num, {}
            else:
                yield rows.line_num, {ours: row[theirs] for ours, theirs in columns.items()}
    except csv.Error as error:
        raise UserError(f"{path}:{rows.line_num}: this is not CSV: {error}.") from error


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _answer(value: Any) -> tuple[float | None, str]:
    """The answer, or None and what is wrong with it."""
    if _text(value) == "":
        return None, "is not answered"
    try:
        number = math.nan if isinstance(value, bool) else float(_text(value))
    except ValueError:
        number = math.nan
    if math.isnan(number):
        return None, "is not a number"
    if not SCALE[0] <= number <= SCALE[1]:
        return None, "is off the scale of 1 to 5"
    return number, ""
