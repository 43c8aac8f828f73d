"""The seven SVG elements that draw: from their attributes to a pen.

An attribute that is missing or cannot be read takes SVG's default, which is 0 for positions: a circle with
``cy="ninety"`` is drawn on the upper edge, as in PainterBench (Appendix E.2). What leaves no geometry is not drawn, and
the function says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from designgym.envs.canvas.svg.numbers import read_length, read_numbers
from designgym.envs.canvas.svg.path import draw_path
from designgym.envs.canvas.svg.pen import Pen

Attributes = Mapping[str, str]


class Size(NamedTuple):
    """What percentages are of, in the coordinates of the element."""

    width: float
    height: float

    @property
    def diagonal(self) -> float:
        """What percentages of a radius are of."""
        return math.hypot(self.width, self.height) / math.sqrt(2)


class NoGeometry(ValueError):
    """An element with nothing that can be drawn; the message says what it lacks."""


def path(pen: Pen, attributes: Attributes, size: Size) -> str:
    """Lines and curves after the commands of ``d``."""
    data = attributes.get("d", "")
    if not data.strip() or data.strip() == "none":
        raise NoGeometry("d is empty" if "d" in attributes else "d is missing")
    problem = draw_path(pen, data)
    if not pen.has_drawn:
        raise NoGeometry(problem or "it only moves")
    return problem


def line(pen: Pen, attributes: Attributes, size: Size) -> str:
    """A straight line; a dot, if it has no length."""
    names = ("x1", "y1", "x2", "y2")
    ends = [_length(attributes, name, whole) for name, whole in zip(names, 2 * size, strict=True)]
    if all(end is None for end in ends):
        raise NoGeometry("none of x1, y1, x2, y2 is a number")
    x1, y1, x2, y2 = (end or 0.0 for end in ends)
    pen.move_to(x1, y1)
    pen.line_to(x2, y2)
    return ""


def polyline(pen: Pen, attributes: Attributes, size: Size) -> str:
    """Straight lines from point to point."""
    return _points(pen, attributes)


def polygon(pen: Pen, attributes: Attributes, size: Size) -> str:
    """A polyline, closed."""
    problem = _points(pen, attributes)
    pen.close()
    return problem


def rect(pen: Pen, attributes: Attributes, size: Size) -> str:
    """A rectangle, its corners round if it has ``rx`` or ``ry``."""
    x, y = _length(attributes, "x", size.width) or 0.0, _length(attributes, "y", size.height) or 0.0
    width, height = _extent(attributes, "width", size.width), _extent(attributes, "height", size.height)
    rx, ry = _radii(attributes, size)
    rx, ry = min(rx or 0.0, width / 2), min(ry or 0.0, height / 2)
    right, bottom = x + width, y + height
    if not rx or not ry:
        pen.move_to(x, y)
        pen.line_to(right, y)
        pen.line_to(right, bottom)
        pen.line_to(x, bottom)
    else:
        pen.move_to(x + rx, y)
        pen.line_to(right - rx, y)
        pen.arc_to(rx, ry, 0, False, True, right, y + ry)
        pen.line_to(right, bottom - ry)
        pen.arc_to(rx, ry, 0, False, True, right - rx, bottom)
        pen.line_to(x + rx, bottom)
        pen.arc_to(rx, ry, 0, False, True, x, bottom - ry)
        pen.line_to(x, y + ry)
        pen.arc_to(rx, ry, 0, False, True, x + rx, y)
    pen.close()
    return ""


def circle(pen: Pen, attributes: Attributes, size: Size) -> str:
    """A circle by centre and radius."""
    radius = _extent(attributes, "r", size.diagonal)
    pen.ellipse(*_centre(attributes, size), radius, radius)
    return ""


def ellipse(pen: Pen, attributes: Attributes, size: Size) -> str:
    """An ellipse by centre and semi-axes; one of them stands for the other where that is missing, as in SVG 2."""
    rx, ry = _radii(attributes, size)
    if not rx or not ry:
        raise NoGeometry(_lacks(attributes, "rx" if not rx else "ry"))
    pen.ellipse(*_centre(attributes, size), rx, ry)
    return ""


SHAPES: dict[str, Callable[[Pen, Attributes, Size], str]] = {
    "path": path,
    "line": line,
    "polyline": polyline,
    "polygon": polygon,
    "rect": rect,
    "circle": circle,
    "ellipse": ellipse,
}
"""Tag -> what draws it and returns what was wrong with it, if it drew only a part; raises :class:`NoGeometry`."""


def _points(pen: Pen, attributes: Attributes) -> str:
    numbers, rest = read_numbers(attributes.get("points", ""), 2 * pen.points_left + 2)
    if len(numbers) < 2:
        raise NoGeometry("points has no point" if "points" in attributes else "points is missing")
    pen.move_to(numbers[0], numbers[1])
    for x, y in zip(numbers[2::2], numbers[3::2], strict=False):
        pen.line_to(x, y)
    if len(numbers) < 4:
        pen.line_to(numbers[0], numbers[1])
    if rest:
        return f"points is no list of numbers from {rest[:20]!r} on"
    return "points has an odd number of numbers; the last is left out" if len(numbers) % 2 else ""


def _centre(attributes: Attributes, size: Size) -> tuple[float, float]:
    return _length(attributes, "cx", size.width) or 0.0, _length(attributes, "cy", size.height) or 0.0


def _radii(attributes: Attributes, size: Size) -> tuple[float | None, float | None]:
    """``rx`` and ``ry``. What is missing, negative or no length is what the other is."""
    rx, ry = _length(attributes, "rx", size.width), _length(attributes, "ry", size.height)
    rx, ry = (None if radius is None or radius < 0 else radius for radius in (rx, ry))
    return (ry if rx is None else rx), (rx if ry is None else ry)


def _extent(attributes: Attributes, name: str, whole: float) -> float:
    extent = _length(attributes, name, whole)
    if extent is None or extent <= 0:
        raise NoGeometry(_lacks(attributes, name))
    return extent


def _length(attributes: Attributes, name: str, whole: float) -> float | None:
    text = attributes.get(name)
    return None if text is None else read_length(text, whole)


def _lacks(attributes: Attributes, name: str) -> str:
    text = attributes.get(name)
    return f"{name} is missing" if text is None else f"{name} is {text.strip()[:20]!r}, not a length above 0"
