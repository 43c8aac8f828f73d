"""Text that OCR reads off a page: rows of words with boxes, joined to columns, and where given words stand in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.errors import require
from designgym.rewards.judges.meanings import LEAST_OWN, MOST_BESIDE, words_of

PxBox = tuple[float, float, float, float]
"""x1, y1, x2, y2 in px."""

MOST_WRONG = 12
"""Of so many letters in a row one may be read wrongly."""
LETTERS = 4
"""So many letters count as one of the words that may stand beside a text, for readers lose the spaces between words."""
LEAST_SURE = 0.5
"""Words that the reader itself gives less than this are not read."""
_LOOK_ALIKE = str.maketrans("01i|5", "ollls")
_LONG_WORD = 3  # letters, of which one in three may be read wrongly; shorter ones would be lost by one
_SAME_ROW = 0.5  # overlap of heights, from which on two pieces of text are in one row
_GAP = 2.0  # heights; pieces further apart are in different columns
_NEXT_ROW = 1.8  # heights between the middles of rows of one column


@dataclass(frozen=True)
class Row:
    """Words on one line.

    Attributes:
        words: As they were read.
        boxes: Around each.
    """

    words: tuple[str, ...]
    boxes: tuple[PxBox, ...]

    @property
    def box(self) -> PxBox:
        """Around all of them."""
        return around(self.boxes)


@dataclass(frozen=True)
class Match:
    """Where wanted words stand: for each row of theirs the words' boxes, and the letters as they were read."""

    rows: tuple[tuple[PxBox, ...], ...]
    letters: tuple[str, ...]


@cache
def engine() -> Any:
    """The reader, one thread; made when it is first needed.

    Raises:
        MissingExtra: If rapidocr or onnxruntime is not installed.
    """
    rapidocr = require("rapidocr", extra="ocr")
    require("onnxruntime", extra="ocr")
    return rapidocr.RapidOCR(params={"Global.log_level": "error", "EngineConfig.onnxruntime.intra_op_num_threads": 1})


def read_rows(page: NDArray[np.uint8]) -> list[Row]:
    """All rows of a page, uint8 H x W x 3, from top to bottom."""
    result = engine()(np.ascontiguousarray(page[..., ::-1]), use_cls=False, return_word_box=True)
    if result.boxes is None or result.word_results is None:  # nothing on the page looks like text
        return []
    pieces = []
    for line in result.word_results:
        words = [(str(word), _upright(corners)) for word, sure, corners in line if sure >= LEAST_SURE and str(word)]
        if words:
            pieces.append(Row(tuple(word for word, _ in words), tuple(box for _, box in words)))
    return joined(pieces)


def joined(pieces: Sequence[Row]) -> list[Row]:
    """Pieces that stand side by side, near each other, as one row."""
    rows: list[Row] = []
    for piece in sorted(pieces, key=lambda row: row.box[0]):
        for number, row in enumerate(rows):
            one, two = row.box, piece.box
            height = min(one[3] - one[1], two[3] - two[1])
            overlap = min(one[3], two[3]) - max(one[1], two[1])
            if overlap >= _SAME_ROW * max(one[3] - one[1], two[3] - two[1]) and two[0] - one[2] <= _GAP * height:
                rows[number] = Row(row.words + piece.words, row.boxes + piece.boxes)
                break
        else:
            rows.append(piece)
    return sorted(rows, key=lambda row: row.box[1])


def columns(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows that stand below each other, near and overlapping; each row in one column, columns from their top."""
    left = list(rows)
    found = []
    while left:
        column = [left.pop(0)]
        while (following := _next(column[-1], left)) is not None:
            left.remove(following)
            column.append(following)
        found.append(column)
    return found


def _next(row: Row, others: Sequence[Row]) -> Row | None:
    x1, y1, x2, y2 = row.box
    near = []
    for other in others:
        a1, b1, a2, b2 = other.box
        down = (b1 + b2 - y1 - y2) / 2
        if 0 < down <= _NEXT_ROW * max(y2 - y1, b2 - b1) and min(x2, a2) > max(x1, a1):
            near.append((down, other))
    return min(near, key=lambda one: one[0])[1] if near else None


def matches(rows: Sequence[Row], wanted: str) -> Iterator[Match]:
    """Where words stand one after the other, whatever spaces and a few look-alikes were read as."""
    pattern = letters_of(wanted)
    if not pattern:
        return
    for column in columns(rows):
        owners = [
            (number, index)
            for number, row in enumerate(column)
            for index, word in enumerate(row.words)
            for _ in letters_of(word)
        ]
        text = "".join(letters_of(word) for row in column for word in row.words)
        span = nearest_span(text, pattern, len(pattern) // MOST_WRONG)
        if span is None or _lacks_a_word(text[span[0] : span[1]], wanted):
            continue
        touched = sorted(set(owners[span[0] : span[1]]))
        around_it = sum(owner[0] in {number for number, _ in touched} for owner in owners)
        if len(pattern) < max(LEAST_OWN * around_it, around_it - LETTERS * MOST_BESIDE):
            continue  # among other words it is no text of its own
        numbers = sorted({number for number, _ in touched})
        yield Match(
            tuple(tuple(column[n].boxes[index] for m, index in touched if m == n) for n in numbers),
            tuple("".join(column[n].words[index] for m, index in touched if m == n) for n in numbers),
        )


def _lacks_a_word(letters: str, wanted: str) -> bool:
    """Whether what may be misread of a long text is a whole word of it, so that the word is not there at all."""
    words = (letters_of(word) for word in wanted.split())
    return any(len(word) >= _LONG_WORD and nearest_span(letters, word, len(word) // 3) is None for word in words)


def letters_of(text: str) -> str:
    """Letters and digits alone, those that readers take for each other as one."""
    return "".join(words_of(text)).translate(_LOOK_ALIKE)


def nearest_span(text: str, pattern: str, most: int) -> tuple[int, int] | None:
    """Start and end of the part of a text that differs from a pattern by the fewest letters, at most ``most``."""
    start = text.find(pattern)
    if start >= 0:
        return start, start + len(pattern)
    if most <= 0:
        return None
    # Sellers' algorithm: edit distance of the pattern's beginnings to parts of the text that end here.
    cost, begin = list(range(len(pattern) + 1)), [0] * (len(pattern) + 1)
    best: tuple[int, int, int] | None = None
    for end, char in enumerate(text, start=1):
        above, from_above = cost[0], begin[0]
        cost[0], begin[0] = 0, end
        for number, wanted in enumerate(pattern, start=1):
            choices = (
                (above + (char != wanted), from_above),
                (cost[number] + 1, begin[number]),
                (cost[number - 1] + 1, begin[number - 1]),
            )
            above, from_above = cost[number], begin[number]
            cost[number], begin[number] = min(choices, key=lambda choice: choice[0])
        if cost[-1] <= most and (best is None or cost[-1] < best[0]):
            best = cost[-1], begin[-1], end
    return None if best is None else best[1:]


def around(boxes: Sequence[PxBox]) -> PxBox:
    """The smallest box around several."""
    x1, y1, x2, y2 = zip(*boxes, strict=True)
    return min(x1), min(y1), max(x2), max(y2)


def _upright(corners: Any) -> PxBox:
    points = np.asarray(corners, np.float64)
    (x1, y1), (x2, y2) = points.min(axis=0), points.max(axis=0)
    return float(x1), float(y1), float(x2), float(y2)
