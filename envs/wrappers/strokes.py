"""Flat actions, an array of numbers, that become strokes on the canvas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, MultiDiscrete

from designgym.env import MisuseError
from designgym.envs.canvas.tools import FINISH, OPERATIONS
from designgym.nearest import nearest
from designgym.spaces import ToolCall
from designgym.tools import Array, Declined, Record, Rounded, ToolTable

Form = Literal["box", "multidiscrete"]
Numbers = npt.NDArray[Any]

TITLE = "A drawing"
"""Given to ``drawing_finished``, since numbers name nothing."""
MAX_BINS = 10_000


class StrokeActions(gym.ActionWrapper[Any, Numbers, Any], gym.utils.RecordConstructorArgs):
    r"""Draw by an array of numbers: each action is one operation of one drawing tool, a straight stroke by default.

    For canvas drawing, with any stock implementation of an algorithm for ``Box`` or ``MultiDiscrete`` actions. The
    numbers are the fields of the tool's operations in the order of its declaration, for ``draw_lines`` x1, y1, x2, y2:

    * ``form="box"``: ``Box(0, 1, (k,), float32)``; 0 and 1 stand for the ends of the field's range, so that a stroke
      from (0, 0) to (1, 1) is the canvas's diagonal, from (0, 0) to (399, 399) px. The environment rounds.
    * ``form="multidiscrete"``: ``MultiDiscrete([bins] * k)``, int64; a bin stands for the middle of its part of the
      range.

    An episode ends by the environment's budget, ``max_calls``. With ``finish=True`` there is one number more, and if it
    is above 0.5 (in bins: 1 of 0 and 1) the step draws nothing and calls ``drawing_finished`` instead.

    No action raises. Numbers beyond the space, infinite ones too, are clipped to it. NaN is handed on, and the
    environment skips the operation as malformed. What is no array of k numbers costs the step as ``format``. A vector
    version is :class:`designgym.envs.wrappers.vector.StrokeActions`.

    Example:
        >>> import gymnasium as gym
        >>> import numpy as np
        >>> import designgym
        >>> from designgym.envs.wrappers import StrokeActions
        >>> env = StrokeActions(gym.make("designgym/CanvasDrawing-v0", max_calls=3))
        >>> env.action_space
        Box(0.0, 1.0, (4,), float32)
        >>> observation, info = env.reset(seed=0)
        >>> observation, reward, terminated, truncated, info = env.step(np.array([0.1, 0.5, 0.9, 0.5], np.float32))
        >>> observation["text"]
        'OK\nCalls left: 2.'
        >>> StrokeActions(env.env, form="multidiscrete", bins=16, finish=True).action_space
        MultiDiscrete([16 16 16 16  2])

    Change log:
     * v0.1.0 - Initially added
    """

    def __init__(
        self,
        env: gym.Env[Any, dict[str, Any]],
        form: Form = "box",
        tool: str = "draw_lines",
        finish: bool = False,
        bins: int = 32,
    ):
        """Choose what the numbers mean.

        Args:
            env: A canvas drawing environment whose actions are tool calls.
            form: ``"box"`` or ``"multidiscrete"``.
            tool: A drawing tool whose operations are made of numbers alone: any but ``draw_polylines`` and
                ``draw_polygons``.
            finish: Whether a further number can end the episode.
            bins: Bins a number, 2 to 10,000; for ``"multidiscrete"`` alone.

        Raises:
            MisuseError: For another kind of environment, or an argument that is not as said here.
        """
        gym.utils.RecordConstructorArgs.__init__(self, form=form, tool=tool, finish=finish, bins=bins)
        gym.ActionWrapper.__init__(self, env)
        self.strokes = strokes(env.action_space, form, tool, finish, bins)
        self.action_space = self.strokes.space()

    def action(self, action: Numbers) -> Any:
        """The tool call of an action; what is no array of k numbers becomes a declined one."""
        return self.strokes.call(action)


@dataclass(frozen=True)
class Strokes:
    """How numbers become calls.

    Attributes:
        form: See :class:`StrokeActions`.
        tool: The tool.
        fields: The fields of its operations.
        low: The low end of each field's range.
        high: The high end.
        finish: Whether a last number can end the episode.
        bins: Bins a number.
    """

    form: Form
    tool: str
    fields: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    finish: bool
    bins: int

    @property
    def length(self) -> int:
        """Numbers of an action."""
        return len(self.fields) + self.finish

    def space(self) -> Box | MultiDiscrete:
        """The space of actions, new at each call."""
        if self.form == "box":
            return Box(0.0, 1.0, (self.length,), np.float32)
        return MultiDiscrete([self.bins] * len(self.fields) + [2] * self.finish)

    def call(self, action: Any) -> dict[str, Any] | Declined:
        """The tool call that numbers stand for."""
        try:
            numbers = np.asarray(action, np.float64)
        except (TypeError, ValueError, OverflowError):
            return Declined("format", f"A stroke is an array of {self.length} numbers; this is none.")
        if numbers.shape != (self.length,):
            return Declined("format", f"A stroke is {self.length} numbers; this array has the shape {numbers.shape}.")
        shares = self._shares(numbers).tolist()
        if self.finish and shares.pop() > 0.5:
            return {"name": FINISH, "arguments": {"label": TITLE}}
        operation = {
            field: low + share * (high - low)
            for field, low, high, share in zip(self.fields, self.low, self.high, shares, strict=True)
        }
        return {"name": self.tool, "arguments": {OPERATIONS[self.tool]: [operation]}}

    def _shares(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Where in their ranges the numbers are, 0 to 1; NaN stays NaN."""
        if self.form == "box":
            return np.clip(numbers, 0.0, 1.0)
        bins = np.array([self.bins] * len(self.fields) + [2] * self.finish)
        return (np.clip(np.floor(numbers), 0, bins - 1) + 0.5) / bins


def strokes(calls: gym.Space[Any], form: Form, tool: str, finish: bool, bins: int) -> Strokes:
    """How numbers become calls out of a space of calls, checked; for the arguments see :class:`StrokeActions`.

    Raises:
        MisuseError: If the space is not that of canvas drawing, or an argument is wrong.
    """
    if not isinstance(calls, ToolCall) or FINISH not in calls.table:
        raise MisuseError(f"StrokeActions needs canvas drawing whose actions are tool calls; the actions are {calls}.")
    table = calls.table
    if form not in get_args(Form):
        raise MisuseError(f"form is {form!r}; it must be 'box' or 'multidiscrete'.")
    if isinstance(bins, bool) or not isinstance(bins, int) or not 2 <= bins <= MAX_BINS:
        raise MisuseError(f"bins is {bins!r}; it must be a whole number from 2 to {MAX_BINS}.")
    if not isinstance(finish, bool):
        raise MisuseError(f"finish is {finish!r}; it must be True or False.")
    known = {entry.name: ranges for entry in table if (ranges := _ranges(table, entry.name))}
    if not known:
        raise MisuseError(f"StrokeActions needs drawing tools, and the environment has {', '.join(table.names)}.")
    if tool not in known:
        close = nearest(tool, known) if isinstance(tool, str) else None
        hint = f" Did you mean {close!r}?" if close else ""
        raise MisuseError(f"tool is {tool!r}; it must be one of {', '.join(known)}.{hint}")
    fields, low, high = zip(*known[tool], strict=True)
    return Strokes(form, tool, fields, low, high, finish, bins)


def _ranges(table: ToolTable, tool: str) -> list[tuple[str, float, float]]:
    """Name and range of each field of a drawing tool's operations; empty if they are not all plain numbers."""
    if tool not in OPERATIONS:
        return []
    listed = table[tool].record.fields[0].type
    record = listed.items if isinstance(listed, Array) else None
    if not isinstance(record, Record):
        return []
    types = [(field.name, field.type) for field in record.fields]
    found = [(name, float(kind.low), float(kind.high)) for name, kind in types if isinstance(kind, Rounded)]
    return found if len(found) == len(types) else []
