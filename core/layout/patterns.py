"""Patterns that cover a page, each as one outline: dots, confetti, stripes. Points are fractions of the pattern's box.

An outline has no gaps, so marks are strung on a thread that runs out and back along itself and thus has no area.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

Points = tuple[tuple[float, float], ...]
Point = tuple[float, float]


@lru_cache(maxsize=64)
def dots(columns: int, rows: int, radius: float, aspect: float) -> Points:
    """Dots in staggered rows; ``radius`` is a share of the box's width, ``aspect`` the box's width over height."""
    marks = [
        _ring((column + (0.75 if row % 2 else 0.25)) / columns, (row + 0.5) / rows, radius, radius * aspect, 10, 0.0)
        for row in range(rows)
        for column in range(columns)
    ]
    return _strung(marks)


@lru_cache(maxsize=64)
def confetti(variant: int, count: int, size: float, aspect: float) -> Points:
    """Small turned oblongs, spread evenly; the arguments are as for :func:`dots`."""
    rng = np.random.default_rng(variant)
    side = math.ceil(math.sqrt(count))
    marks = []
    for index in range(side * side):
        x = (index % side + 0.2 + 0.6 * rng.random()) / side
        y = (index // side + 0.2 + 0.6 * rng.random()) / side
        angle, long = rng.random() * math.pi, size * (0.7 + 0.6 * rng.random())
        cos, sin = math.cos(angle) * long, math.sin(angle) * long
        across = 0.38
        corners = [(1.0, across), (-1.0, across), (-1.0, -across), (1.0, -across)]
        marks.append([(x + a * cos - b * sin, y + (a * sin + b * cos) * aspect) for a, b in corners])
    return _strung(marks)


@lru_cache(maxsize=16)
def stripes(count: int, slope: float) -> Points:
    """Stripes across the box, as wide as their gaps; ``slope`` is how far, in heights, they lean over its width."""
    marks = []
    step = (1.0 + abs(slope)) / count
    for index in range(count):
        y = index * step - max(0.0, slope)
        marks.append([(0.0, y), (1.0, y + slope), (1.0, y + slope + step / 2), (0.0, y + step / 2)])
    return _strung(marks)


def _ring(cx: float, cy: float, rx: float, ry: float, count: int, turn: float) -> list[Point]:
    return [
        (cx + rx * math.cos(2 * math.pi * i / count + turn), cy + ry * math.sin(2 * math.pi * i / count + turn))
        for i in range(count)
    ]


def _strung(marks: list[list[Point]]) -> Points:
    """All marks as one outline: out along their first points, around each, and back along the same way."""
    out: list[Point] = []
    for mark in marks:
        out += [*mark, mark[0]]
    back = [mark[0] for mark in reversed(marks[:-1])]
    return tuple((round(x, 5), round(y, 5)) for x, y in (*out, *back))
