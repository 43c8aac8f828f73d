"""A scripted designer of the workbench: it reads what a brief was made of, lays the page out and makes it by actions.

Privileged: it reads the brief's components from the environment instead of the client's words, so it says nothing about
how hard a task is; it proves that the tasks can be solved. Faces and their pairing are the layout engine's; places,
sizes and colours are the brief's.
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from designgym.agents.base import Action, Info, Observation
from designgym.agents.design import calls
from designgym.agents.design.arrange import Arranged, PlacedText, arrange
from designgym.agents.design.setting import Face
from designgym.agents.template_designer import mode_of
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.importing import laid
from designgym.envs.design.task import Task
from designgym.errors import UserError
from designgym.graphics.assets import asset_image
from designgym.graphics.color import contrast_ratio, to_hex
from designgym.layout.faces import PAIRS

_TALLEST = 1.25  # faces whose lines need more room than texts of the workbench have are left out
_PAIRS = tuple(pair for pairs in PAIRS.values() for pair in pairs if pair.line_height <= _TALLEST)
_SOFT = 0.16
"""How far a plate behind a picture is from the page's colour to white or black."""
_LIGHT_FROM = 1.6
"""Contrast of a page with white from which plates are lighter than it; on paler pages they are darker."""
_PLATE, _PLATE_LEAST = 1.16, 0.8
"""Usual and least size of a plate, over that of the circle around its picture."""

Color = tuple[int, int, int]


class Designer:
    """Makes the page that a brief asks for.

    Args:
        mode: ``"interactive"``, or ``"plan"`` to hand the same actions in as one plan.
        seed: Another seed draws other faces.
    """

    about = "a scripted designer that reads the brief's components"

    def __init__(self, mode: str = "interactive", seed: int = 0) -> None:
        self.mode = mode
        self.seed = seed
        self._left: dict[str, list[Action]] = {}

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Look the brief of the new episode up. Several may be under way at once."""
        task = env.unwrapped.tasks.task(info["task"])  # type: ignore[attr-defined]
        self._left[info["task"]] = design(task, self.seed)

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The next call of the episode that ``begin`` announced."""
        left = self._left.get(info["task"])
        if not left:
            raise RuntimeError("The designer was asked before begin(env, info); call that after every reset.")
        action = calls.as_plan(left) if self.mode == "plan" else left.pop(0)
        if self.mode == "plan" or not left:
            del self._left[info["task"]]
        return copy.deepcopy(dict(action))


def build(env: gym.Env[Any, Any], seed: int = 0) -> Designer:
    """The designer for an environment of design actions.

    Raises:
        UserError: If the environment is no workbench.
    """
    return Designer(mode_of(env, "designer"), seed)


def design(task: Task, seed: int = 0) -> list[Action]:
    """All calls that make a task's page, the delivery last.

    Raises:
        UserError: If the brief's parts find no room on its page in any face.
    """
    brief = Brief.from_dict(task.brief)
    files = {file.name: file for file in task.files}
    aspects = []
    for image in brief.images:
        drawn = asset_image(laid(files[image.file]))
        aspects.append(drawn.width() / drawn.height())
    digest = hashlib.sha256(f"designer {seed} {task.id}".encode()).digest()
    order = np.random.default_rng(int.from_bytes(digest[:16])).permutation(len(_PAIRS))
    for number in order:
        pair = _PAIRS[int(number)]
        page = arrange(brief, aspects, Face(pair.display, pair.weight >= 600), Face(pair.text))
        if page is not None:
            return [*_page(brief, page), calls.finish()]
    raise UserError(f"The parts of the brief {brief.id!r} find no room on a {brief.type}.")


def _page(brief: Brief, page: Arranged) -> list[Action]:
    ground = brief.background.rgb
    made = calls.new_page(brief.type, ground)
    made += _plates(page, ground)
    for number, (placed, image) in enumerate(zip(page.pictures, brief.images, strict=True), start=1):
        made += calls.picture(f"picture {number}", image.file, placed.left, placed.top, placed.width, placed.height)
    colors = _colors(brief)
    covered = any(placed.part.size == "full" for placed in page.pictures)
    for block, members in enumerate(page.blocks, start=1):
        texts = [page.texts[number] for number in members]
        if covered:
            made += _panel(f"panel {block}", texts, page, ground)
    for placed_text, color in zip(page.texts, colors, strict=True):
        made += calls.text(
            placed_text.part.role,
            placed_text.lines.text,
            placed_text.face.name,
            placed_text.size_px,
            color,
            placed_text.align,
            placed_text.left,
            placed_text.top,
        )
    return made


def _plates(page: Arranged, ground: Color) -> list[Action]:
    """A disc of a shade near the page's own behind every picture, if there is room for all of them."""
    made: list[Action] = []
    toward = 255 if contrast_ratio("#ffffff", to_hex(ground)) > _LIGHT_FROM else 0
    step = _SOFT if toward else _SOFT / 2
    shade = tuple(round(part + step * (toward - part)) for part in ground)
    for number, each in enumerate(page.pictures, start=1):
        x, y = each.left + each.width / 2, each.top + each.height / 2
        radius = _PLATE * math.hypot(each.width, each.height) / 2
        others = [(other.left, other.top, other.width, other.height) for other in page.pictures if other is not each]
        others += [(text.left, text.top, text.lines.width, text.lines.height) for text in page.texts]
        # As large as the page and its neighbours leave it, or not at all.
        free = min(x, y, page.width - x, page.height - y, *(_distance(x, y, box) for box in others))
        radius = min(radius, free - 0.012 * min(page.width, page.height))
        if radius >= _PLATE_LEAST * math.hypot(each.width, each.height) / 2:
            made += calls.circle(f"plate {number}", x, y, radius, shade)
        else:
            return []
    return made


def _distance(x: float, y: float, box: tuple[float, float, float, float]) -> float:
    """From a point to a box (left, top, width, height)."""
    left, top, width, height = box
    return math.hypot(max(left - x, 0.0, x - left - width), max(top - y, 0.0, y - top - height))


def _panel(name: str, texts: Sequence[PlacedText], page: Arranged, color: Color) -> list[Action]:
    """A ground of the page's colour under texts that lie on a picture."""
    pad = 0.03 * min(page.width, page.height)
    left, top = min(each.left for each in texts) - pad, min(each.top for each in texts) - pad / 2
    right = max(each.left + each.lines.width for each in texts) + pad
    bottom = max(each.top + each.lines.height for each in texts) + pad / 2
    return calls.rectangle(name, left, top, right - left, bottom - top, color)


def _colors(brief: Brief) -> list[Color]:
    """The colours of texts: the brief's, and where it leaves one open, that of another text or what reads best."""
    ground = to_hex(brief.background.rgb)
    given = [part.color.rgb for part in brief.texts if part.color]
    readable = [color for color in given if contrast_ratio(to_hex(color), ground) >= 4.5]
    plain = max(((255, 255, 255), (20, 20, 20)), key=lambda color: contrast_ratio(to_hex(color), ground))
    return [part.color.rgb if part.color else (readable[0] if readable else plain) for part in brief.texts]
