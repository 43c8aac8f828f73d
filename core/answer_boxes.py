"""Boxes as models write them: four numbers in brackets or bare, two points, named sides, or None.

The frame and the order of bare numbers are declared by the caller. Sides with names tell their order themselves.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from designgym.answer_text import Found, Unclear, answers_in, only
from designgym.boxes import Box, NumberFrame, Order
from designgym.values import is_nothing, number_of

NONE = "none"
"""Stands for the answer that there is no box."""

BOX_KEYS = ("bbox_2d", "bbox", "bounding_box", "box", "coordinates", "answer")
"""Keys of JSON objects whose value is a box."""

LARGEST = 1e9
"""Numbers from this size on are of no box."""

ROUNDING = 1e-12
"""Sides of a box that lie so near to an edge of the page lie on it: 0.7 + 0.3 is no more than 1."""

SIDES: tuple[tuple[tuple[str, str, str, str], Order], ...] = (
    (("x1", "y1", "x2", "y2"), "xyxy"),
    (("left", "top", "right", "bottom"), "xyxy"),
    (("xmin", "ymin", "xmax", "ymax"), "xyxy"),
    (("left", "top", "width", "height"), "ltwh"),
    (("x", "y", "width", "height"), "ltwh"),
    (("x", "y", "w", "h"), "ltwh"),
)
"""Names of four sides, and the order that they say."""

_NUMBER = r"[-+]?(?:\d{1,12}(?:\.\d{0,17})?|\.\d{1,17})(?:[eE][-+]?\d{1,2})?"
_LENGTH = rf"{_NUMBER}(?:\s?px\b)?"
_RUN = re.compile(rf"(?<![\w.%]){_LENGTH}(?:\s{{0,20}},\s{{0,20}}{_LENGTH})*")
_VALUE = re.compile(_NUMBER)
_CUT = re.compile(r"[\w%]|\.\d")
_BETWEEN_POINTS = re.compile(r"\s{0,8}[\])]\s{0,8}(?:,|;|-|\bto\b|\band\b)?\s{0,8}[\[(]\s{0,8}", re.IGNORECASE)
_NAMED = tuple(
    (
        re.compile(
            r"[\s\"',;]{1,8}".join(rf"\b{name}\b[\"']?\s{{0,4}}[:=]\s{{0,4}}({_LENGTH})" for name in names)
            + r"(?![\w%])",
            re.IGNORECASE,
        ),
        order,
    )
    for names, order in SIDES
)
_NONE = re.compile(r"\b(?:none|null)\b", re.IGNORECASE)
_OPEN, _CLOSE = "[(<{", "])>}"


def boxes_in(text: str, frame: NumberFrame, order: Order) -> list[Found]:
    """All boxes and Nones of a text, in order of their place; a box's value is its xyxy fractions of the page.

    Two points are the corners of a box, whatever the order of bare numbers. Numbers in a bracket that is not closed may
    be cut off: such a box is left out, as are numbers in px where the frame counts none.
    """
    found = [Found(none.start(), none.end(), NONE) for none in _NONE.finditer(text)]
    for pattern, own in _NAMED:
        for named in pattern.finditer(text):
            if numbers := _numbers(named.group(), named.groups(), frame):
                found.append(Found(named.start(), named.end(), fractions(numbers, frame, own)))
    point: tuple[int, int, list[float]] | None = None
    for run in _RUN.finditer(text):
        start, end = run.span()
        values = [] if _CUT.match(text, end) else _numbers(run.group(), _VALUE.findall(run.group()), frame)
        if len(values) == 2 and point and _BETWEEN_POINTS.fullmatch(text, point[1], start):
            start, values, own = point[0], [*point[2], *values], "xyxy"
        else:
            own = order
        point = (start, end, values) if len(values) == 2 else None
        if len(values) == 4 and _closed(text, start, end):
            found.append(Found(start, end, fractions(values, frame, own)))
    return sorted(found, key=lambda one: one.start)


def box_of(value: Any, frame: NumberFrame, order: Order) -> Hashable:
    """The box that a value of a JSON object stands for, or ``NONE``.

    Raises:
        Unclear: If it is neither, or holds several boxes.
    """
    if is_nothing(value):
        return NONE
    if isinstance(value, str):
        return only(answers_in(value, boxes_in(value, frame, order)))
    if isinstance(value, Mapping):
        for names, own in SIDES:
            if all(name in value for name in names):
                return _checked([value[name] for name in names], frame, own)
    if isinstance(value, list | tuple):
        if len(value) == 1 and isinstance(value[0], list | tuple | dict):
            return box_of(value[0], frame, order)
        if len(value) == 2 and all(isinstance(point, list | tuple) and len(point) == 2 for point in value):
            return _checked([*value[0], *value[1]], frame, "xyxy")
        if len(value) == 4:
            return _checked(value, frame, order)
    raise Unclear("a value that is no box")


def has_sides(data: Mapping[str, Any]) -> bool:
    """Whether an object names the four sides of a box."""
    return any(all(name in data for name in names) for names, _ in SIDES)


def fractions(numbers: Sequence[float], frame: NumberFrame, order: Order) -> tuple[float, float, float, float]:
    """Four finite numbers as xyxy fractions of the page; a side that rounding moved beyond 0 or 1 is put back."""
    box = Box.of(numbers, frame.frame, order).convert("fraction", size=frame.size, resized=frame.size)
    x1, y1, x2, y2 = (float(round(side)) if abs(side - round(side)) < ROUNDING else side for side in box.xyxy)
    return (x1, y1, x2, y2)


def _checked(values: Sequence[Any], frame: NumberFrame, order: Order) -> tuple[float, float, float, float]:
    numbers = [number_of(value) for value in values]
    if any(number is None or not abs(number) < LARGEST for number in numbers):  # NaN and infinity are not below it
        raise Unclear("a box needs four finite numbers")
    return fractions([float(number) for number in numbers if number is not None], frame, order)


def _numbers(text: str, words: Sequence[str], frame: NumberFrame) -> list[float]:
    """The numbers of a run; none if it counts px and the frame does not, or one is too large for any page."""
    if "px" in text and frame.frame not in ("pixel", "resized_pixel"):
        return []
    numbers = [float(word.removesuffix("px")) for word in words]
    return numbers if all(abs(number) < LARGEST for number in numbers) else []


def _closed(text: str, start: int, end: int) -> bool:
    """Whether numbers stand in no bracket or in one that is closed after them."""
    before, after = text[max(0, start - 24) : start].rstrip(), text[end : end + 24].lstrip()
    return before[-1:] not in tuple("[({<") or after[:1] in tuple("])}>")
