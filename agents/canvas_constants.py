"""Drawing policies that see nothing: an empty canvas and a full one, between which every drawing has to be judged."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from designgym.agents import template_designer
from designgym.agents.base import Action, Agent, Info, Observation
from designgym.envs.canvas.tools import FINISH, MAX_OPERATIONS, SIDE_PX, STROKE_PX, SVG
from designgym.envs.design.env import DesignActions
from designgym.errors import UserError

_CENTRES = range(STROKE_PX // 2, SIDE_PX, STROKE_PX)
"""Of strokes that lie side by side over the whole canvas, px."""
_ENDS = (-STROKE_PX, SIDE_PX + STROKE_PX)
"""Beyond the canvas, so that the ends of strokes leave no paper."""
_DOTS = range(0, SIDE_PX, 3)
"""Dots are round: set closer than they are wide, they leave no paper in between."""


class Script:
    """The same calls in every trial. ``about`` says what comes of them.

    Args:
        calls: One call a round; the last one ends the trial.
        max_calls: The environment's budget, from which the place in the script is counted.
        about: For tables.
    """

    def __init__(self, calls: Sequence[Action], max_calls: int, about: str) -> None:
        self.calls = tuple(calls)
        self.max_calls = max_calls
        self.about = about

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The call that is next, as a fresh copy."""
        made = self.max_calls - int(info["calls_left"])
        return copy.deepcopy(dict(self.calls[min(made, len(self.calls) - 1)]))


def blank(env: gym.Env[Any, Any], seed: int = 0) -> Agent:
    """Finishes at once and adds nothing: hands in the canvas as it was, or an empty page."""
    if isinstance(env.unwrapped, DesignActions):
        return template_designer.blank(env, seed)
    return _script(env, "blank", (), "finishes at once")


def full_ink(env: gym.Env[Any, Any], seed: int = 0) -> Script:
    """Fills the whole canvas with ink, by whichever tool there is."""
    names = env.unwrapped.tool_table.names  # type: ignore[attr-defined]
    if "draw_lines" in names:
        lines = [{"x1": _ENDS[0], "y1": y, "x2": _ENDS[1], "y2": y} for y in _CENTRES]
        calls = [_call("draw_lines", lines=lines, erase=False)]
    elif SVG in names:
        data = "".join(f"M{_ENDS[0]} {y}H{_ENDS[1]}" for y in _CENTRES)
        calls = [_call(SVG, svg=f'<path d="{data}"/>', erase=False)]
    else:
        dots = [{"x": x, "y": y} for y in _DOTS for x in _DOTS]
        parts = (dots[start : start + MAX_OPERATIONS] for start in range(0, len(dots), MAX_OPERATIONS))
        calls = [_call("draw_dots", dots=part, erase=False) for part in parts]
    return _script(env, "full-ink", calls, "fills the canvas with ink")


def _script(env: gym.Env[Any, Any], name: str, calls: Sequence[Action], about: str) -> Script:
    """A script that ends with the finishing call.

    Raises:
        UserError: If the environment is none in which one draws.
    """
    design: Any = env.unwrapped
    if FINISH not in design.tool_table:
        found = env.spec.id if env.spec else type(design).__name__
        raise UserError(
            f"The agent '{name}' draws, which {found!r} does not ask for (its tools are "
            f"{', '.join(design.tool_table.names)}). Use 'random' or an agent made for it."
        )
    return Script((*calls, _call(FINISH, label=name)), design.max_calls, about)


def _call(name: str, /, **arguments: Any) -> Action:
    return {"name": name, "arguments": arguments}
