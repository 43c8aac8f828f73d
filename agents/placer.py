"""A scripted hand for the design setting ``placement``: it lays the picture and the text where the brief wants them.

Privileged: it reads the places behind the brief's words. With its options it is an imperfect demonstrator, such as a
beginner who moves things the right way but not far enough, by eye, and now and then to another place than was asked.
"""

from __future__ import annotations

import copy
import math
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np

from designgym.agents.base import Action, Info, Observation
from designgym.agents.design.calls import as_plan
from designgym.agents.drawing.numbers import numbers
from designgym.agents.template_designer import mode_of
from designgym.envs.design import text
from designgym.envs.design.briefs.brief import PAGE_PX, Brief
from designgym.envs.design.experts import FIRST_EXPERT
from designgym.envs.design.placement import POSITIONS, PlacementTasks
from designgym.envs.design.task import Task
from designgym.errors import UserError
from designgym.graphics.assets import asset_image
from designgym.graphics.document import Document
from designgym.rewards.judges.meanings import Position

PICTURE, TEXT = "picture", "text"
"""What it calls its layers."""

_ROWS = {name: (POSITIONS.index(name) // 3, POSITIONS.index(name) % 3) for name in POSITIONS}


class Placer:
    """Makes the postcard: new page, import, move, write, move, finish.

    Args:
        mode: ``"interactive"``, or ``"plan"`` to hand the same calls in as one plan.
        seed: Seed of what it draws; it depends on the task as well.
        short: Share of the way from the page's middle by which it stops before a place. 1 leaves all in the middle.
        wobble: Standard deviation by which it misses, across and down, as a share of the page's width and height.
        mistake: Probability that it takes a part to another place than the brief's, any of the eight.
    """

    about = "a scripted hand that knows the places that a brief asks for"

    def __init__(
        self, mode: str = "interactive", seed: int = 0, short: float = 0.0, wobble: float = 0.0, mistake: float = 0.0
    ) -> None:
        self.mode = mode
        self.seed = seed
        self.short = short
        self.wobble = wobble
        self.mistake = mistake
        self._left: dict[str, list[Action]] = {}

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Look the places of the new episode up. Several may be under way at once."""
        self._left[info["task"]] = self.calls(env.unwrapped.tasks.task(info["task"]))  # type: ignore[attr-defined]

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The next call of the episode that ``begin`` announced."""
        left = self._left.get(info["task"])
        if not left:
            raise RuntimeError("The placer was asked before begin(env, info); call that after every reset.")
        if self.mode == "plan":
            del self._left[info["task"]]
            return as_plan([_by_first(each) for each in left])
        call = left.pop(0)
        if not left:
            del self._left[info["task"]]
        return copy.deepcopy(dict(call))

    def calls(self, task: Task) -> list[Action]:
        """All calls that make a task's page, the delivery last."""
        brief = Brief.from_dict(task.brief)
        (file,) = task.files
        drawn = asset_image(file.data)
        words = brief.texts[0].content
        rng = numbers("placer", self.seed, task.id)
        picture = self._corner(rng, brief.visuals[0].position, (drawn.width(), drawn.height()))
        message = self._corner(rng, brief.texts[0].position, _extent(words))
        return [
            _call("CreateDocument", docType=brief.type),
            _call("ImportObject", fileName=file.name, layerName=PICTURE),
            _call("RepositionObject", fileName=PICTURE, posX=picture[0], posY=picture[1]),
            _call("CreateText", layerName=TEXT, textString=words),
            _call("RepositionText", layerName=TEXT, posX=message[0], posY=message[1]),
            _call("finish"),
        ]

    def _corner(self, rng: np.random.Generator, asked: Position | None, size: tuple[float, float]) -> tuple[int, int]:
        """Where the top left corner of a part goes, page px: all of it stays on the page."""
        assert asked is not None  # briefs of this setting leave no place open
        place = POSITIONS.index(asked)
        if rng.random() < self.mistake:
            place = (place + 1 + int(rng.random() * (len(POSITIONS) - 1))) % len(POSITIONS)
        row, column = _ROWS[POSITIONS[place]]
        corner = []
        for third, page, length in zip((column, row), PAGE_PX["postcard"], size, strict=True):
            centre = 0.5 + (1 - self.short) * (third - 1) / 3 + rng.normal(0.0, self.wobble)
            corner.append(round(min(max(0.0, centre * page - length / 2), page - length)))
        return corner[0], corner[1]


def build(
    env: gym.Env[Any, Any], seed: int = 0, short: float = 0.0, wobble: float = 0.0, mistake: float = 0.0
) -> Placer:
    """Lays picture and text of a ``placement`` brief where they belong, or as a beginner would.

    Raises:
        UserError: If the environment has no ``placement`` briefs, or an option is out of range.
    """
    mode = mode_of(env, "placer")
    design: Any = env.unwrapped
    if not isinstance(design.tasks, PlacementTasks):
        raise UserError(
            f"The agent 'placer' lays out one text and one picture, and the briefs {design.tasks.name!r} ask for more; "
            "make the environment with briefs='placement'."
        )
    for name, value, most in (("short", short, 1), ("wobble", wobble, math.inf), ("mistake", mistake, 1)):
        if isinstance(value, bool) or not 0 <= value <= most or not math.isfinite(value):
            raise UserError(f"{name} is {value!r}; it must be {f'from 0 to {most}' if most == 1 else '0 or more'}.")
    return Placer(mode, seed, float(short), float(wobble), float(mistake))


def _call(name: str, /, **arguments: Any) -> Action:
    return {"name": name, "arguments": arguments}


def _by_first(call: Action) -> Action:
    """The call with the expert whom a plan has to name."""
    return {**call, "arguments": {**call["arguments"], "expert": FIRST_EXPERT}}


@lru_cache(maxsize=1024)
def _extent(words: str) -> tuple[float, float]:
    """Width and height that a text has on a postcard, px."""
    document, _ = text.create(Document(*PAGE_PX["postcard"]), {"layerName": TEXT, "textString": words})
    written = document.layers[-1]
    return written.width, written.height
