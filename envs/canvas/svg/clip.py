"""Outlines cut off where they are far beyond the page, so that no raster ever sees a huge coordinate."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from designgym.envs.canvas.tools import BEYOND_PX, SIDE_PX

Point = tuple[float, float]
"""x and y, px."""

LOW, HIGH = float(-BEYOND_PX), float(SIDE_PX - 1 + BEYOND_PX)
"""What is cut off lies beyond these, in x or y."""


def out_of_reach(a: Point, b: Point, spare: float) -> bool:
    """Whether nothing within ``spare`` of the line from a to b is in reach, by the bounding box."""
    return (
        max(a[0], b[0]) + spare < LOW
        or min(a[0], b[0]) - spare > HIGH
        or max(a[1], b[1]) + spare < LOW
        or min(a[1], b[1]) - spare > HIGH
    )


def clip(points: list[Point], closed: bool) -> Iterable[tuple[list[Point], bool]]:
    """The parts of an outline within reach, each with whether it is closed; they draw on the page what the whole would.

    Moving far points nearer instead would turn the lines that lead to them.
    """
    if all(LOW <= x <= HIGH and LOW <= y <= HIGH for x, y in points):
        return [(points, closed)]
    if closed:
        points = [*points, points[0]]
    runs: list[list[Point]] = []
    for a, b in pairwise(points):
        part = _within(a, b)
        if part is None:
            continue
        if runs and runs[-1][-1] == part[0] == a:
            runs[-1].append(part[1])
        else:
            runs.append(list(part))
    if closed and len(runs) > 1 and runs[0][0] == runs[-1][-1] == points[0]:
        runs[0] = runs.pop() + runs[0][1:]
    return [(run, False) for run in runs]


def _within(a: Point, b: Point) -> tuple[Point, Point] | None:
    """The part of a line that is in reach (Liang and Barsky 1984)."""
    enter, leave = 0.0, 1.0
    for start, length in ((a[0], b[0] - a[0]), (a[1], b[1] - a[1])):
        if length == 0:
            if not LOW <= start <= HIGH:
                return None
            continue
        near, far = sorted(((LOW - start) / length, (HIGH - start) / length))
        enter, leave = max(enter, near), min(leave, far)
    if enter > leave:
        return None
    return (a if enter == 0 else _along(a, b, enter)), (b if leave == 1 else _along(a, b, leave))


def _along(a: Point, b: Point, t: float) -> Point:
    x, y = a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
    return min(max(x, LOW), HIGH), min(max(y, LOW), HIGH)  # rounding must not carry it over the edge
