"""Transformations of the plane: SVG's six numbers, their products, and the ``transform`` attribute."""

from __future__ import annotations

Matrix = tuple[float, float, float, float, float, float]
"""a, b, c, d, e, f as in SVG: x' = a x + c y + e, y' = b x + d y + f."""

IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

_MAX_ENTRY = 1e9  # products of more are a billion, so that a deep nest of enlargements stays finite


def apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Where a point goes."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def compose(outer: Matrix, inner: Matrix) -> Matrix:
    """First ``inner``, then ``outer``, as in ``<g transform="outer"><path transform="inner"/></g>``."""
    a, b = apply((*outer[:4], 0.0, 0.0), inner[0], inner[1])
    c, d = apply((*outer[:4], 0.0, 0.0), inner[2], inner[3])
    e, f = apply(outer, inner[4], inner[5])
    return _bounded(a), _bounded(b), _bounded(c), _bounded(d), _bounded(e), _bounded(f)


def _bounded(entry: float) -> float:
    return min(max(entry, -_MAX_ENTRY), _MAX_ENTRY)
