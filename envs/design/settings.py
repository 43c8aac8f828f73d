"""Which variant of design actions is played: the arguments of the environment that decide what is asked and seen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from designgym.envs.design.task import TaskSource
from designgym.nearest import nearest

Mode = Literal["interactive", "plan"]

IMAGE_SIZES = (32, 1024)


@dataclass(frozen=True)
class DesignSettings:
    """The arguments of design actions beside those that all environments have.

    Attributes:
        mode: ``"interactive"``: a step is an action. ``"plan"``: one step is a whole workflow.
        briefs: ``"generated"``; ``"placement"``, one text and one picture at their places on an empty postcard, which
            six calls solve; the path of GraphicBench's released files, or a source of tasks.
        image_size: Side of the square picture, px, 32 to 1024. The page's longer side fills it.
        layers: Whether the text also tells the open document's layers, as JSON.
    """

    mode: Mode = "interactive"
    briefs: str | Path | TaskSource = "generated"
    image_size: int = 448
    layers: bool = False

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            close = nearest(self.mode, get_args(Mode)) if isinstance(self.mode, str) else None
            hint = f" Did you mean {close!r}?" if close else ""
            known = ", ".join(map(repr, get_args(Mode)))
            raise ValueError(f"mode is {self.mode!r}; it must be one of {known}.{hint}")
        low, high = IMAGE_SIZES
        side = self.image_size
        if isinstance(side, bool) or not isinstance(side, int) or not low <= side <= high:
            raise ValueError(f"image_size is {side!r}; it must be a whole number from {low} to {high} px.")
        if not isinstance(self.layers, bool):
            raise ValueError(f"layers is {self.layers!r}; it must be True or False.")
