"""Boxes as data sets write them, to fractions of the page, by stated rules.

- A number that is missing, not a number, NaN or infinite: the box is broken (:class:`BrokenRecord`).
- A reversed box (negative width or height, or corners in the wrong order): its corners are exchanged.
- What lies beyond the page is cut off.
- A box without area, or of which nothing lies on the page: None; nobody can see it or point at it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sample import FractionBox

MIN_SIDE_PX = 0.5
"""A side of which less than this lies on the page has no pixel of its own."""


def number(value: Any, name: str) -> float:
    """A finite number out of JSON or Arrow data.

    Raises:
        BrokenRecord: If it is none; booleans and strings are no numbers.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BrokenRecord(f"{name} is {str(value)[:60]!r}, which is no number.")
    try:
        read = float(value)
    except OverflowError:
        raise BrokenRecord(f"{name} has hundreds of digits.") from None
    if not math.isfinite(read):
        raise BrokenRecord(f"{name} is {read}; it must be a finite number.")
    return read


def fraction_box(
    left: Any, top: Any, width: Any, height: Any, page: tuple[float, float], angle_deg: Any = 0.0
) -> FractionBox | None:
    """The hull of an element turned about its centre, clipped to the page, as fractions; None if nothing is left.

    Args:
        left: Px of the page; may be negative.
        top: Px.
        width: Px; a negative one means that ``left`` is the right edge.
        height: Px; likewise.
        page: Width and height, px.
        angle_deg: Degrees clockwise.

    Raises:
        BrokenRecord: For numbers that are not finite.
    """
    x, y, w, h = (
        number(value, name) for value, name in ((left, "left"), (top, "top"), (width, "width"), (height, "height"))
    )
    angle = math.radians(number(angle_deg, "angle"))
    centre_x, centre_y = x + w / 2, y + h / 2
    cos, sin = abs(math.cos(angle)), abs(math.sin(angle))
    if w == 0 or h == 0:
        return None
    half_w = (abs(w) * cos + abs(h) * sin) / 2
    half_h = (abs(w) * sin + abs(h) * cos) / 2
    return clipped((centre_x - half_w, centre_y - half_h, centre_x + half_w, centre_y + half_h), page)


def corner_box(corners: Sequence[Any], page: tuple[float, float]) -> FractionBox | None:
    """As :func:`fraction_box` for left, top, right and bottom in px.

    Raises:
        BrokenRecord: If these are not four finite numbers.
    """
    if not isinstance(corners, list | tuple) or len(corners) != 4:
        raise BrokenRecord(f"A box is {str(corners)[:60]!r}; it must be four numbers: left, top, right, bottom.")
    x1, y1, x2, y2 = (number(value, "a side of a box") for value in corners)
    return clipped((x1, y1, x2, y2), page)


def clipped(corners: tuple[float, float, float, float], page: tuple[float, float]) -> FractionBox | None:
    """The part of a box (px, corners in any order) that lies on the page, as fractions; None if there is none."""
    width, height = page
    x1, x2 = (min(max(value, 0.0), width) for value in sorted((corners[0], corners[2])))
    y1, y2 = (min(max(value, 0.0), height) for value in sorted((corners[1], corners[3])))
    if x2 - x1 < MIN_SIDE_PX or y2 - y1 < MIN_SIDE_PX:
        return None
    return (x1 / width, y1 / height, x2 / width, y2 / height)


def page_size(width: Any, height: Any) -> tuple[int, int]:
    """Width and height of a page, whole px.

    Raises:
        BrokenRecord: If they are not numbers of at least 1.
    """
    sides = [number(value, name) for value, name in ((width, "canvas_width"), (height, "canvas_height"))]
    if min(sides) < 1:
        raise BrokenRecord(f"The page is {sides[0]:g} x {sides[1]:g} px; both sides must be at least 1 px.")
    return round(sides[0]), round(sides[1])
