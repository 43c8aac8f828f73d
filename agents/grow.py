"""A scripted agent that makes something recognisable out of any starting shape: a reference drawing without a model.

It has a repertoire of sketches (``agents/drawing/``), each with one part missing. The shape is compared with that part;
where it fits, the sketch is moved, scaled, turned a little and bent until the shape takes the part's place, and what is
left of it is drawn, joined to the shape's ink. A shape that no sketch fits gets things on its open ends (a balloon, a
mouse), and an object comes to life.

Privileged: it does not look at the image but reads the shape's strokes behind the task id.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from designgym.agents.base import Action, Info, Observation
from designgym.agents.drawing.choose import ideas
from designgym.agents.drawing.marks import calls
from designgym.agents.drawing.numbers import numbers
from designgym.agents.drawing.playable import require_canvas
from designgym.agents.drawing.wobble import check_wobble, unsteady
from designgym.envs.canvas.stimuli.stimulus import stimulus


class Grow:
    """Draws one idea a task, a call for each tool that it takes, and finishes with its title.

    What it does is a function of seed, task and calls left alone. Seed 0 takes the idea that fits best, and others go
    through the rest, over and over.

    Args:
        max_calls: The environment's budget, from which it tells how many calls it has made.
        seed: Another seed may draw another thing.
        wobble: An unsteady hand: standard deviation of where strokes run, px.
    """

    def __init__(self, max_calls: int, seed: int = 0, wobble: float = 0.0) -> None:
        self.max_calls = max_calls
        self.seed = seed
        self.wobble = check_wobble(wobble)

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The next call of the drawing."""
        drawing = drawing_of(info["task"], self.seed, self.wobble)
        made = self.max_calls - int(info["calls_left"])
        return drawing[min(made, len(drawing) - 1)]


@lru_cache(maxsize=256)  # an episode asks at every step
def drawing_of(task: str, seed: int = 0, wobble: float = 0.0) -> tuple[Action, ...]:
    """All calls of the drawing that the agent makes of a task, the last of them ``drawing_finished``."""
    known = ideas(stimulus(task))
    idea = known[seed % len(known)]
    marks = unsteady(idea.marks, wobble, numbers("wobble", seed, task)) if wobble else idea.marks
    return calls(marks, idea.title)


def build(env: Any, seed: int = 0, wobble: float = 0.0) -> Grow:
    """Draws something recognisable that grows out of the starting shape.

    Raises:
        UserError: If the environment is no canvas with a starting shape, all tools and a free choice of subject, or
            ``wobble`` is out of range.
    """
    return Grow(require_canvas(env, "grow", shape=True, free_subject=True).max_calls, seed, wobble)
