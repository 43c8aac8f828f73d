"""A scripted agent for the goal ``closure``: it joins the open ends of the starting shape by straight lines.

Privileged: it reads the ends behind the task id. With ``wobble`` it is an imperfect demonstrator, whose lines miss the
ends by a Gaussian error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from designgym.agents.base import Action, Info, Observation
from designgym.agents.drawing.numbers import numbers
from designgym.agents.drawing.playable import require_canvas
from designgym.agents.drawing.wobble import check_wobble
from designgym.envs.canvas.raster import PAPER, Canvas8
from designgym.envs.canvas.stimulus import stimulus
from designgym.envs.canvas.tools import FINISH, SIDE_PX

Point = tuple[float, float]
Pair = tuple[Point, Point]

ON_INK_PX = 10.0
"""What a px of a line along the shape's own ink counts: it adds no ink, so it joins nothing."""
CLEAR_PX = 8.0
"""The first and last px of a line are on the ends' own ink anyway."""
MOST_PAIRED = 10
"""Of more ends the first are paired at best, and the rest as they come."""
TITLE = "The shape, closed"


class JoinEnds:
    """Draws the joining lines in one call and finishes.

    Args:
        max_calls: The environment's budget, from which it tells how many calls it has made.
        seed: Seed of the errors.
        wobble: Standard deviation by which each line misses its ends, in x and in y, px.
    """

    def __init__(self, max_calls: int, seed: int = 0, wobble: float = 0.0) -> None:
        self.max_calls = max_calls
        self.seed = seed
        self.wobble = check_wobble(wobble)

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The lines, or the end."""
        lines = joining_lines(info["task"], self.seed, self.wobble)
        if not lines or info["calls_left"] < self.max_calls:
            return {"name": FINISH, "arguments": {"label": TITLE}}
        operations = [{"x1": x1, "y1": y1, "x2": x2, "y2": y2} for (x1, y1), (x2, y2) in lines]
        return {"name": "draw_lines", "arguments": {"lines": operations}}


@lru_cache(maxsize=1024)
def joining_lines(task: str, seed: int = 0, wobble: float = 0.0) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """The lines that join the open ends of a task's shape, px; none if it has fewer than two ends."""
    shape = stimulus(task)
    rng = numbers("join", seed, task)

    def missed(end: Point) -> tuple[int, int]:
        x, y = np.clip(np.array(end) + rng.normal(0.0, wobble, 2), 0, SIDE_PX - 1)
        return math.floor(x + 0.5), math.floor(y + 0.5)

    return tuple((missed(a), missed(b)) for a, b in pairing(shape.open_ends, shape.pixels))


def pairing(ends: Sequence[Point], page: Canvas8) -> tuple[Pair, ...]:
    """Partners for open ends such that the lines between them are shortest together.

    A px along ink counts tenfold, since a line on top of the shape joins nothing. With an odd number of ends one is
    joined to the end that is nearest to it, which has another partner too.

    Args:
        ends: The ends, px.
        page: The shape, uint8 400 x 400, ink darker than paper.
    """
    if len(ends) < 2:
        return ()

    @lru_cache(maxsize=None)
    def cost(a: int, b: int) -> float:
        return _cost(ends[a], ends[b], page)

    @lru_cache(maxsize=None)
    def best(left: tuple[int, ...]) -> tuple[float, tuple[tuple[int, int], ...]]:
        if not left:
            return 0.0, ()
        first, rest = left[0], left[1:]
        found = []
        partners = rest[:1] if len(left) > MOST_PAIRED else rest
        for partner in partners:
            value, pairs = best(tuple(index for index in rest if index != partner))
            found.append((value + cost(first, partner), ((first, partner), *pairs)))
        if len(left) % 2:  # it stays over, and is led to an end that another one is joined to
            partner = min((index for index in range(len(ends)) if index != first), key=lambda index: cost(first, index))
            value, pairs = best(rest)
            found.append((value + cost(first, partner), ((first, partner), *pairs)))
        return min(found)

    return tuple((ends[a], ends[b]) for a, b in best(tuple(range(len(ends))))[1])


def _cost(a: Point, b: Point, page: Canvas8) -> float:
    length = math.dist(a, b)
    if length <= 2 * CLEAR_PX:
        return length
    at = np.linspace(CLEAR_PX, length - CLEAR_PX, max(2, round(length - 2 * CLEAR_PX))) / length
    xs = np.rint(a[0] + at * (b[0] - a[0])).astype(int)
    ys = np.rint(a[1] + at * (b[1] - a[1])).astype(int)
    return length + (ON_INK_PX - 1) * float(np.count_nonzero(page[ys, xs] != PAPER))


def build(env: Any, seed: int = 0, wobble: float = 0.0) -> JoinEnds:
    """Joins the open ends of the starting shape by straight lines.

    Raises:
        UserError: If the environment is no canvas with a starting shape and all tools, or ``wobble`` is out of range.
    """
    return JoinEnds(require_canvas(env, "join-ends", shape=True, free_subject=False).max_calls, seed, wobble)
