"""Transformations of the plane: SVG's six numbers, their products, and the ``transform`` attribute."""

from __future__ import annotations

import math
import re

from designgym.envs.canvas.svg.numbers import SEPARATOR, SPACES, WHITE_SPACE, bounded, read_numbers

Matrix = tuple[float, float, float, float, float, float]
"""a, b, c, d, e, f as in SVG: x' = a x + c y + e, y' = b x + d y + f."""

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

MAX_FUNCTIONS = 20
"""A ``transform`` attribute with more counts as invalid."""

_MAX_ENTRY = 1e9  # products of more are a billion, so that a deep nest of enlargements stays finite

_FUNCTION = re.compile(f"(matrix|translate|scale|rotate|skewX|skewY){SPACES}\\(([^()]*)\\){SEPARATOR}")
_COUNTS = {"matrix": (6,), "translate": (1, 2), "scale": (1, 2), "rotate": (1, 3), "skewX": (1,), "skewY": (1,)}


def apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Where a point goes."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def compose(outer: Matrix, inner: Matrix) -> Matrix:
    """First ``inner``, then ``outer``, as in ``<g transform="outer"><path transform="inner"/></g>``."""
    a, b, c, d = outer[:4]
    ia, ib, ic, id_, ie, if_ = inner
    product = (a * ia + c * ib, b * ia + d * ib, a * ic + c * id_, b * ic + d * id_, *apply(outer, ie, if_))
    return _matrix(*product)


def translation(x: float, y: float) -> Matrix:
    """A shift."""
    return _matrix(1.0, 0.0, 0.0, 1.0, x, y)


def scaling(x: float, y: float) -> Matrix:
    """An enlargement from the origin."""
    return _matrix(x, 0.0, 0.0, y, 0.0, 0.0)


def rotation(angle_deg: float, x: float = 0.0, y: float = 0.0) -> Matrix:
    """A turn, clockwise as seen, around a point."""
    cos, sin = math.cos(math.radians(angle_deg % 360)), math.sin(math.radians(angle_deg % 360))
    return _matrix(cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y)


def is_flat(matrix: Matrix) -> bool:
    """Whether it leaves nothing of an area. SVG draws nothing through such a transformation."""
    return matrix[0] * matrix[3] == matrix[1] * matrix[2]


def read_transform(text: str) -> Matrix | None:
    """A ``transform`` attribute, functions with commas or spaces between them; None if it is invalid.

    The functions are those of SVG, spelt as there, and numbers have no units. An empty list and ``none`` are no change.
    """
    text = text.strip(WHITE_SPACE)
    if text == "none":
        return IDENTITY
    matrix, at = IDENTITY, 0
    for _ in range(MAX_FUNCTIONS):
        if at == len(text):
            return matrix
        match = _FUNCTION.match(text, at)
        if match is None:
            return None
        numbers, rest = read_numbers(match[2], 6)
        if rest or match[2].rstrip(WHITE_SPACE).endswith(",") or len(numbers) not in _COUNTS[match[1]]:
            return None
        matrix, at = compose(matrix, _function(match[1], numbers)), match.end()
    return matrix if at == len(text) else None


def _function(name: str, numbers: list[float]) -> Matrix:
    if name == "translate":
        return translation(numbers[0], numbers[1] if len(numbers) > 1 else 0.0)
    if name == "scale":
        return scaling(numbers[0], numbers[-1])
    if name == "rotate":
        return rotation(*numbers)
    if name == "skewX":
        return _matrix(1.0, 0.0, math.tan(math.radians(numbers[0] % 180)), 1.0, 0.0, 0.0)
    if name == "skewY":
        return _matrix(1.0, math.tan(math.radians(numbers[0] % 180)), 0.0, 1.0, 0.0, 0.0)
    return _matrix(*numbers)


def _matrix(*entries: float) -> Matrix:
    a, b, c, d, e, f = (bounded(entry, _MAX_ENTRY) for entry in entries)
    return a, b, c, d, e, f
