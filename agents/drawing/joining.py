"""Which open ends of a shape are joined to which, and by what lines, so that these are shortest together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from designgym.envs.canvas.raster import PAPER, Canvas8
from designgym.envs.canvas.tools import SIDE_PX

Point = tuple[float, float]
Route = tuple[Point, ...]
"""The corners of a line, from one end to the other."""

ASIDE_PX = (12.0, -12.0, 20.0, -20.0, 32.0, -32.0)
"""So far a line runs beside the straight one where that would lie on ink."""
CROSSING_PX = 11
"""A line that is on ink for longer does not cross it but lies on it: nothing is drawn there, and nothing is joined."""
CLEAR_PX = 5.0
"""The first and last px of a line are on the ends' own ink anyway."""
ON_INK = 20.0
"""A px on ink counts as so many, which is worth a way around."""
MOST_PAIRED = 10
"""Beyond this number ends are joined as they come; nothing in the bank has more."""


def joined(ends: Sequence[Point], page: Canvas8) -> tuple[Route, ...]:
    """Lines that join every end to another: the shortest together that do not lie on the shape's ink.

    With an odd number of ends, one is joined to an end that has another partner.

    Args:
        ends: The ends, px; fewer than two cannot be joined.
        page: The shape, uint8 400 x 400, ink darker than paper.
    """
    if len(ends) < 2:
        return ()

    @cache
    def way(a: int, b: int) -> tuple[float, Route]:
        return min((cost(route, page), route) for route in routes(ends[a], ends[b]))

    @cache
    def best(left: tuple[int, ...]) -> tuple[float, tuple[tuple[int, int], ...]]:
        if not left:
            return 0.0, ()
        first, rest = left[0], left[1:]
        found = []
        for partner in rest[:1] if len(left) > MOST_PAIRED else rest:
            value, pairs = best(tuple(index for index in rest if index != partner))
            found.append((value + way(first, partner)[0], ((first, partner), *pairs)))
        if len(left) % 2:
            partner = min((index for index in range(len(ends)) if index != first), key=lambda index: way(first, index))
            value, pairs = best(rest)
            found.append((value + way(first, partner)[0], ((first, partner), *pairs)))
        return min(found)

    return tuple(way(a, b)[1] for a, b in best(tuple(range(len(ends))))[1])


def routes(a: Point, b: Point) -> Iterator[Route]:
    """The straight line between two points, and lines that run beside it."""
    yield a, b
    length = math.dist(a, b)
    if not length:
        return
    across = (-(b[1] - a[1]) / length, (b[0] - a[0]) / length)
    for aside in ASIDE_PX:
        x, y = aside * across[0], aside * across[1]
        route = (a, (a[0] + x, a[1] + y), (b[0] + x, b[1] + y), b)
        if all(0 <= value <= SIDE_PX - 1 for point in route for value in point):
            yield route


def cost(route: Route, page: Canvas8) -> float:
    """The length of a line, px, where px on ink count many times."""
    length = sum(math.dist(a, b) for a, b in pairwise(route))
    before = np.concatenate([[0.0], np.cumsum([math.dist(a, b) for a, b in pairwise(route)])])
    at = np.arange(CLEAR_PX, length - CLEAR_PX)
    xs, ys = (np.rint(np.interp(at, before, [point[axis] for point in route])).astype(int) for axis in (0, 1))
    edges = np.flatnonzero(np.diff(np.concatenate([[False], page[ys, xs] != PAPER, [False]]).astype(np.int8)))
    runs = edges[1::2] - edges[::2]
    return length + (ON_INK - 1) * float(runs[runs > CROSSING_PX].sum())
