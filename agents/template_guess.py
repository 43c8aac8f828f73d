"""A designer that reads no word of the brief but imports every file that came with it, on a decent page of the type.

It shows how much of a score comes from using the given pictures at all, where and as large as most designs have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from designgym.agents.base import Action, Info
from designgym.agents.design import calls
from designgym.agents.template_designer import INK, PAPER, TEXT_FACE, Template, mode_of, texts_of
from designgym.envs.design.importing import laid
from designgym.envs.design.pages import PAGES
from designgym.envs.design.sandbox import File
from designgym.graphics.assets import asset_image

FACE = "Playfair Display Bold"

_MARGIN = 0.09  # of the page's shorter side
_UPRIGHT = (0.09, 0.31, 0.91, 0.70)
"""Where pictures go on upright pages: left, top, right and bottom as shares of the page ..."""
_WIDE = (0.56, 0.16, 0.93, 0.84)
"""... and on wide ones."""
_GAP = 0.06  # between pictures, of the room's width
_LARGEST = 0.45  # of the page, in width and height: what most would call medium


class Guess(Template):
    """Makes a page of the brief's type with all of its pictures."""

    def __init__(self, mode: str = "interactive") -> None:
        super().__init__(mode)
        self.about = "imports every file and ignores the brief's words"

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Look up what is to be designed and the files. Several episodes may be under way at once."""
        task = env.unwrapped.tasks.task(info["task"])  # type: ignore[attr-defined]
        self._left[info["task"]] = [*guess(task.type, task.files), calls.finish()]


def build(env: gym.Env[Any, Any], seed: int = 0) -> Guess:
    """The guessing designer for an environment of design actions.

    Raises:
        UserError: If the environment is no workbench.
    """
    return Guess(mode_of(env, "template-guess"))


def guess(type: str, files: Sequence[File]) -> list[Action]:
    """The calls that make the page of a type with some pictures, without the delivery."""
    title, line, last = texts_of(type)
    width, height = PAGES[type]
    wide = width > height
    made = [*calls.new_page(type, PAPER), *_pictures(files, width, height, _WIDE if wide else _UPRIGHT)]
    left = _MARGIN * min(width, height)
    sizes = (72, 36, 28) if wide else (124, 56, 46)
    tops = (0.3, 0.5, 0.62) if wide else (0.09, 0.76, 0.85)
    for name, words, size, top in zip(("title", "line", "last"), (title, line, last), sizes, tops, strict=True):
        made += calls.text(name, words, FACE if name == "title" else TEXT_FACE, size, INK, "left", left, top * height)
    return made


def _pictures(files: Sequence[File], width: int, height: int, room: tuple[float, float, float, float]) -> list[Action]:
    """All pictures side by side in their room, each as large as its share of it lets it be, in its proportions."""
    left, top, right, bottom = room[0] * width, room[1] * height, room[2] * width, room[3] * height
    gap = _GAP * (right - left)
    made: list[Action] = []
    for number, file in enumerate(files):
        across = (right - left - gap * (len(files) - 1)) / len(files)
        picture = asset_image(laid(file))
        most = min(across, _LARGEST * width), min(bottom - top, _LARGEST * height)
        factor = min(most[0] / picture.width(), most[1] / picture.height())
        size = picture.width() * factor, picture.height() * factor
        x = left + number * (across + gap) + (across - size[0]) / 2
        made += calls.picture(f"picture {number + 1}", file.name, x, (top + bottom - size[1]) / 2, *size)
    return made
