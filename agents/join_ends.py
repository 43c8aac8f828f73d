"""A scripted agent for the goal ``closure``: it joins the open ends of the starting shape by short lines.

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
from designgym.agents.drawing.joining import Route, joined
from designgym.agents.drawing.marks import whole
from designgym.agents.drawing.numbers import numbers
from designgym.agents.drawing.playable import require_canvas
from designgym.agents.drawing.wobble import check_wobble
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.envs.canvas.tools import FINISH, SIDE_PX, STROKE_PX
from designgym.errors import UserError
from designgym.rewards.closure import REACH_PX

TITLE = "The shape, closed"
MOST_TRIES = 3
"""So often at most one line is drawn."""


class JoinEnds:
    """Draws the joining lines and finishes.

    Args:
        max_calls: The environment's budget, from which it tells how many calls it has made.
        seed: Seed of the errors.
        wobble: Standard deviation by which each corner and end of a line is off, in x and in y, px.
        one_by_one: A straight line a call, from left to right, even where it lies on the shape's own ink and so joins
            nothing; otherwise all lines in one call, around that ink.
        retry: Probability that it draws anew a line that has missed an end, one by one.
        short: Share of a line's length by which it stops before each end, one by one.
    """

    def __init__(
        self,
        max_calls: int,
        seed: int = 0,
        wobble: float = 0.0,
        one_by_one: bool = False,
        retry: float = 0.0,
        short: float = 0.0,
    ) -> None:
        self.max_calls = max_calls
        self.seed = seed
        self.wobble = check_wobble(wobble)
        self.one_by_one = one_by_one
        self.retry = retry
        self.short = short

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The lines, or the end."""
        lines = joining_lines(info["task"], self.seed, self.wobble, self.one_by_one, self.retry, self.short)
        made = int(self.max_calls - info["calls_left"])
        if self.one_by_one:
            lines = lines[made : made + 1]
        elif made:
            lines = ()
        if not lines:
            return {"name": FINISH, "arguments": {"label": TITLE}}
        if all(len(line) == 2 for line in lines):
            straight = [{"x1": x1, "y1": y1, "x2": x2, "y2": y2} for (x1, y1), (x2, y2) in lines]
            return {"name": "draw_lines", "arguments": {"lines": straight}}
        return {"name": "draw_polylines", "arguments": {"polylines": [{"points": list(line)} for line in lines]}}


@lru_cache(maxsize=1024)  # an episode asks at every step
def joining_lines(
    task: str,
    seed: int = 0,
    wobble: float = 0.0,
    one_by_one: bool = False,
    retry: float = 0.0,
    short: float = 0.0,
) -> tuple[tuple[list[int], ...], ...]:
    """The points of the lines that join the ends of a task's shape, whole px; none if it has fewer than two ends."""
    shape = stimulus(task)
    rng = numbers("join", seed, task)

    def missed(route: Route) -> tuple[list[int], ...]:
        points = np.clip(np.array(route) + rng.normal(0.0, wobble, (len(route), 2)), 0, SIDE_PX - 1)
        return tuple([whole(x), whole(y)] for x, y in points)

    routes = joined(shape.open_ends, shape.pixels)
    if not one_by_one:
        return tuple(missed(route) for route in routes)
    lines = []
    # One order of lines and of ends, so that who imitates it has one answer to learn.
    for start, end in sorted(tuple(sorted((route[0], route[-1]))) for route in routes):
        inset = [short * (b - a) for a, b in zip(start, end, strict=True)]
        meant = tuple((x + sign * inset[0], y + sign * inset[1]) for (x, y), sign in ((start, 1), (end, -1)))
        lines.append(missed(meant))
        for _ in range(MOST_TRIES - 1):
            if all(reaches(lines[-1], place) for place in (start, end)) or rng.random() >= retry:
                break
            lines.append(missed(meant))
    return tuple(lines)


def reaches(line: Sequence[Sequence[float]], end: Sequence[float]) -> bool:
    """Whether a straight line's ink comes so near to an end that the goal takes it as reached."""
    (ax, ay), (bx, by) = line[0], line[-1]
    along = np.array([bx - ax, by - ay], np.float64)
    share = np.clip(np.dot(np.array(end) - line[0], along) / max(1e-9, float(along @ along)), 0, 1)
    return math.dist(end, line[0] + share * along) - STROKE_PX / 2 <= REACH_PX


def build(
    env: Any,
    seed: int = 0,
    wobble: float = 0.0,
    one_by_one: bool = False,
    retry: float = 0.0,
    short: float = 0.0,
) -> JoinEnds:
    """Joins the open ends of the starting shape by straight lines, around its own ink where they would lie on it.

    Raises:
        UserError: If the environment is no canvas with a starting shape and all tools, or ``wobble`` or ``retry`` is
            out of range.
    """
    if isinstance(retry, bool) or not isinstance(retry, int | float) or not 0 <= retry <= 1:
        raise UserError(f"retry is {retry!r}; it must be a probability from 0 to 1.")
    if isinstance(short, bool) or not isinstance(short, int | float) or not 0 <= short < 0.5:
        raise UserError(f"short is {short!r}; it must be a share of a line's length from 0 to less than .5.")
    if (retry or short) and not one_by_one:
        raise UserError("retry and short are for lines that are drawn one_by_one; set that too.")
    max_calls = require_canvas(env, "join-ends", shape=True, free_subject=False).max_calls
    return JoinEnds(max_calls, seed, wobble, one_by_one, float(retry), float(short))
