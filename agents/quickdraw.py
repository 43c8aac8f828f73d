"""An agent that replays people's vector drawings over the starting shape, out of a file in the Quick, Draw! format.

Privileged as far as it reads where the shape and its open ends are behind the task id. It pays no heed to what the
shape could be, so it stands for drawings that are recognisable and touch the shape, but do not use it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from designgym.agents.base import Action, Info, Observation
from designgym.agents.drawing.marks import simplified, whole
from designgym.agents.drawing.numbers import numbers
from designgym.agents.drawing.placing import placed
from designgym.agents.drawing.playable import require_canvas
from designgym.agents.drawing.quickdraw_file import QuickDrawing, QuickDrawings, read_quickdraw
from designgym.agents.drawing.sketch import Points
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.envs.canvas.tools import FINISH, MAX_OPERATIONS, MAX_POINTS, MAX_POINTS_TOGETHER
from designgym.errors import UserError
from designgym.nearest import did_you_mean

STROKES_A_CALL = 3
MOST_PLANS = 256
LISTED = 5
"""So many bad lines are named in the warning."""


class QuickDraw:
    """Draws one drawing a task, a few strokes a call in the order in which they were drawn, and finishes with its word.

    What it does is a function of seed, task and calls left alone.

    Args:
        drawings: To choose from.
        max_calls: The environment's budget; with few calls, each has more strokes.
        seed: Another seed chooses another drawing.
        on_shape: Whether there is a starting shape to lay it over.
    """

    def __init__(self, drawings: Sequence[QuickDrawing], max_calls: int, seed: int = 0, on_shape: bool = True) -> None:
        self.drawings = tuple(drawings)
        self.max_calls = max_calls
        self.seed = seed
        self.on_shape = on_shape
        self._plans: dict[str, tuple[Action, ...]] = {}

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The next call of the drawing."""
        task = info["task"]
        if task not in self._plans:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[task] = self.calls_of(task)  # an episode asks at every step
        calls = self._plans[task]
        made = self.max_calls - int(info["calls_left"])
        return calls[min(made, len(calls) - 1)]

    def chosen(self, task: str) -> QuickDrawing:
        """The drawing for a task."""
        return self.drawings[int(numbers("quickdraw", self.seed, task).integers(len(self.drawings)))]

    def calls_of(self, task: str) -> tuple[Action, ...]:
        """All calls of a task, the last of them ``drawing_finished``."""
        drawing = self.chosen(task)
        strokes = placed(drawing.strokes, stimulus(task) if self.on_shape else None)
        calls = batched([_operation(stroke) for stroke in strokes], max(1, self.max_calls - 1))
        return (*calls, {"name": FINISH, "arguments": {"label": drawing.word}})


def batched(polylines: Sequence[dict[str, Any]], most_calls: int) -> list[Action]:
    """Calls that draw polylines in order, a few each; more where calls are few, as far as the tool's limits allow."""
    a_call = min(max(STROKES_A_CALL, math.ceil(len(polylines) / most_calls)), MAX_OPERATIONS)
    batches: list[list[dict[str, Any]]] = []
    points = 0
    for polyline in polylines:
        points += len(polyline["points"])
        if not batches or len(batches[-1]) == a_call or points > MAX_POINTS_TOGETHER:
            batches.append([])
            points = len(polyline["points"])
        batches[-1].append(polyline)
    return [{"name": "draw_polylines", "arguments": {"polylines": batch}} for batch in batches]


def _operation(stroke: Points) -> dict[str, Any]:
    stray_px = 0.6
    while len(thinned := simplified(stroke, stray_px)) > MAX_POINTS:
        stray_px *= 2
    points = [[whole(x), whole(y)] for x, y in thinned]
    return {"points": points if len(points) > 1 else points * 2}  # a stroke of one point is a dot


def build(env: Any, seed: int = 0, *, drawings: str, word: str = "") -> QuickDraw:
    """Replays people's drawings, from a file in the Quick, Draw! format, over the starting shape.

    Args:
        env: A canvas with all tools.
        seed: Another seed chooses other drawings.
        drawings: Path of the ndjson file, gzipped or not.
        word: Only drawings of this, such as ``"cat"``; empty: of anything in the file.

    Raises:
        UserError: If the environment is none, the file cannot be read or holds no drawing, or none of that word.
    """
    canvas = require_canvas(env, "quickdraw", shape=False, free_subject=False)
    found = read_quickdraw(drawings)
    if found.bad:
        warnings.warn(_told(drawings, found), stacklevel=2)
    chosen = [drawing for drawing in found.drawings if not word or drawing.word == word]
    if not chosen:
        words = {drawing.word for drawing in found.drawings}
        raise UserError(f"'{drawings}' has no drawing of {word!r}.{did_you_mean(word, words)}")
    return QuickDraw(chosen, canvas.max_calls, seed, canvas.condition.stimulus is not None)


def _told(path: str, found: QuickDrawings) -> str:
    """Which lines of a file hold no drawing, in a sentence."""
    lines = ", ".join(f"{number} ({reason})" for number, reason in found.bad[:LISTED])
    more = f" and {len(found.bad) - LISTED} more" if len(found.bad) > LISTED else ""
    return f"'{path}': {len(found.bad)} lines hold no drawing and were left out: {lines}{more}."
