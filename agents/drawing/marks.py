"""Marks: what is laid on the canvas in the end, and the tool calls that draw it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from designgym.agents.base import Action
from designgym.agents.drawing.sketch import Points
from designgym.envs.canvas.tools import FINISH, OPERATIONS

STRAY_PX = 0.6
"""So far a stroke's points may be from the line that is drawn in their place."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A stroke through points (n x 2, px), n at least 2."""

    points: Points
    closed: bool = False


@dataclass(frozen=True)
class Ring:
    """An upright ellipse's outline by centre and radii, px."""

    x: float
    y: float
    rx: float
    ry: float


@dataclass(frozen=True)
class Spot:
    """A dot by its centre, px."""

    x: float
    y: float


Mark = Stroke | Ring | Spot


def calls(marks: Sequence[Mark], title: str) -> tuple[Action, ...]:
    """The calls that draw marks and finish the drawing, one for each tool that is needed, in the order of the marks."""
    operations: dict[str, list[dict[str, Any]]] = {}
    for mark in marks:
        tool, operation = _operation(mark)
        operations.setdefault(tool, []).append(operation)
    drawing = [{"name": tool, "arguments": {OPERATIONS[tool]: batch}} for tool, batch in operations.items()]
    return (*drawing, {"name": FINISH, "arguments": {"label": title}})


def _operation(mark: Mark) -> tuple[str, dict[str, Any]]:
    if isinstance(mark, Spot):
        return "draw_dots", {"x": whole(mark.x), "y": whole(mark.y)}
    if isinstance(mark, Ring):
        x, y, rx, ry = whole(mark.x), whole(mark.y), max(1, whole(mark.rx)), max(1, whole(mark.ry))
        if rx == ry:
            return "draw_circles", {"x": x, "y": y, "radius": rx}
        return "draw_ellipses", {"x1": x - rx, "y1": y - ry, "x2": x + rx, "y2": y + ry}
    kept = simplified(np.concatenate([mark.points, mark.points[:1]]))[:-1] if mark.closed else simplified(mark.points)
    points = [[whole(x), whole(y)] for x, y in kept]
    if len(points) == 2:
        (x1, y1), (x2, y2) = points
        return "draw_lines", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    if mark.closed and len(points) <= 8:  # few points are corners
        return "draw_polygons", {"points": points}
    return "draw_polylines", {"points": points, "closed": mark.closed}


def simplified(points: Points, stray_px: float = STRAY_PX) -> Points:
    """Fewer of the points of a line, its ends among them, so that none of the others strays farther from it.

    Douglas and Peucker 1973.
    """
    keep = np.zeros(len(points), bool)
    keep[[0, -1]] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        inner, start = points[first + 1 : last], points[first]
        along = points[last] - start
        length = math.hypot(*along)
        if length < 1e-9:
            away = np.hypot(*(inner - start).T)
        else:
            away = np.abs((inner - start) @ np.array([-along[1], along[0]])) / length
        worst = int(away.argmax())
        if away[worst] > stray_px:
            middle = first + 1 + worst
            keep[middle] = True
            spans += [(first, middle), (middle, last)]
    return points[keep]


def whole(value: float) -> int:
    """To whole px, half up; libraries differ in the last bit of what is half a px, so that is rounded off before."""
    return math.floor(round(value, 6) + 0.5)
