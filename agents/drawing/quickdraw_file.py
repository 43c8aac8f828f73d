"""Files of vector drawings in the format of the Quick, Draw! dataset: one JSON object a line (ndjson), or that gzipped.

    {"word": "cat", "key_id": "5891796615823360", "recognized": true, "drawing": [[[0, 9], [3, 255]], ...]}

``drawing`` lists strokes, each as its x and its y coordinates; y grows downwards. In the simplified files coordinates
are whole numbers from 0 to 255. In the raw ones they are any numbers, and a third list gives times, which are not read.
Source: github.com/googlecreativelab/quickdraw-dataset. None of its data comes with this package.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from designgym.agents.drawing.sketch import Points
from designgym.errors import UserError

MOST_DRAWINGS = 20_000
"""A file of one category has a hundred thousand and more; so many are read, the first."""
MOST_LINE_BYTES = 4_000_000
MOST_POINTS = 20_000
MOST_WORD_CHARACTERS = 200
FURTHEST = 1e9
"""Larger coordinates are taken for garbage."""


@dataclass(frozen=True, eq=False)
class QuickDrawing:
    """One drawing.

    Attributes:
        word: What it was to show.
        key_id: Its number in the dataset, if it has one.
        strokes: Its strokes, each n x 2 in the file's own coordinates, n at least 1.
    """

    word: str
    key_id: str
    strokes: tuple[Points, ...]


@dataclass(frozen=True, eq=False)
class QuickDrawings:
    """What was found in a file.

    Attributes:
        drawings: In the order of the file.
        bad: Number (from 1) of each line that holds no drawing, and why.
        unrecognized: How many drawings were left out since the game had not recognised them.
    """

    drawings: tuple[QuickDrawing, ...]
    bad: tuple[tuple[int, str], ...]
    unrecognized: int = 0


def read_quickdraw(path: str | Path, most: int = MOST_DRAWINGS) -> QuickDrawings:
    """Read a file of drawings; lines that hold none are noted and left out.

    Args:
        path: An ndjson file, gzipped or not, whatever its name.
        most: Reading stops after so many drawings.

    Raises:
        UserError: If the file cannot be read, or no line holds a drawing that the game recognised.
    """
    drawings: list[QuickDrawing] = []
    bad: list[tuple[int, str]] = []
    unrecognized = 0
    for number, line in _lines(Path(path)):
        try:
            record = _record(line)
            if record.get("recognized") is False:
                unrecognized += 1
            else:
                drawings.append(_drawing(record))
        except _Bad as error:
            bad.append((number, str(error)))
        if len(drawings) == most:
            break
    if not drawings:
        reason = f"line {bad[0][0]}: {bad[0][1]}" if bad else f"{unrecognized} drawings, none of them recognised"
        raise UserError(
            f"'{path}' has no drawing that can be used ({reason}). It must be a file of the Quick, Draw! dataset or "
            'one like it, with a line such as {"word": "cat", "drawing": [[[0, 9], [3, 255]]]} for each drawing.'
        )
    return QuickDrawings(tuple(drawings), tuple(bad), unrecognized)


class _Bad(Exception):
    """Why a line holds no drawing."""


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    try:
        with path.open("rb") as file:
            zipped = file.peek(2)[:2] == b"\x1f\x8b"
            with gzip.open(file) if zipped else file as stream:
                number = 0
                while line := stream.readline(MOST_LINE_BYTES):
                    number += 1
                    if len(line) == MOST_LINE_BYTES:
                        raise UserError(f"Line {number} of '{path}' is longer than {MOST_LINE_BYTES:,} bytes.")
                    if line.strip():
                        yield number, line
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"'{path}' cannot be read: {reason}.") from error


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _Bad("it is no JSON") from error
    if not isinstance(record, dict):
        raise _Bad("it is no JSON object")
    return record


def _drawing(record: dict[str, Any]) -> QuickDrawing:
    word = record.get("word")
    if not isinstance(word, str) or not 0 < len(word) <= MOST_WORD_CHARACTERS:
        raise _Bad(f"its word must be a text of 1 to {MOST_WORD_CHARACTERS} characters")
    strokes = record.get("drawing")
    if not isinstance(strokes, list) or not strokes:
        raise _Bad("its drawing must be a list of strokes")
    read = tuple(_stroke(stroke) for stroke in strokes)
    if sum(len(stroke) for stroke in read) > MOST_POINTS:
        raise _Bad(f"it has more than {MOST_POINTS:,} points")
    return QuickDrawing(word, str(record.get("key_id", "")), read)


def _stroke(stroke: Any) -> Points:
    if not isinstance(stroke, list) or len(stroke) not in (2, 3) or not all(isinstance(part, list) for part in stroke):
        raise _Bad("a stroke must be two lists, x and y, or three with the times")
    xs, ys = stroke[:2]
    if not xs or len(xs) != len(ys):
        raise _Bad("a stroke must have as many x as y coordinates, at least one")
    for value in (*xs, *ys):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not abs(value) <= FURTHEST:  # false for NaN, too
            raise _Bad("a coordinate must be a number")
    return np.array([xs, ys], np.float64).T
