"""An honest baseline for all three aesthetics tasks: it sees the picture, the question and the options, nothing else.

It finds the elements of the page, judges each by the rule of the indicator that is asked about, and answers with the
one that is most to blame, or that none is. Where the environment shows the design's elements as JSON, it takes their
boxes instead of looking for elements. What the rules take for a flaw was set on training pages of the layouts.

On 348 of those, at the default shares of good designs: judgment .69 (a constant word .50), selection .69 (None .25),
localization .58 under ``hurdle`` (the best fixed box .37), with 95 % intervals of about .05 to both sides. It is best
at quality, contrast and the colours; of hierarchy and relevance it knows next to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.agents.aesthetics.answering import Argument, call
from designgym.agents.aesthetics.rules import RULES
from designgym.agents.aesthetics.seeing import see
from designgym.agents.base import Action, Info, Observation
from designgym.agents.regions import Rect
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.prompt import metadata_lines
from designgym.envs.aesthetics.questions import LETTERS, split_question
from designgym.envs.aesthetics.sample import FractionBox

BAR = 1.0
"""An element is to blame from this score of its rule on."""
OPTION_BAR = 0.6
"""The same for a region that is offered: of offered regions three in four hold a flaw."""

Page = NDArray[np.uint8]


class PixelHeuristic:
    """See the module. Where it does not know the indicator it finds nothing to blame.

    Args:
        argument: What the environment asks for: ``"verdict"``, ``"choice"`` or ``"bbox"``.
    """

    def __init__(self, argument: Argument) -> None:
        self.argument = argument

    def __call__(self, observation: Observation, info: Info) -> Action:
        """Answer by the rule of the question's indicator."""
        page = _page(observation["image"], info)
        indicator = indicator_of(observation["task"])
        if self.argument == "choice":
            _, _, options = split_question(observation["task"])
            return call("choice", choose(page, indicator, options))
        blamed = blame(page, indicator, known_boxes(observation["text"], page))
        if self.argument == "verdict":
            return call("verdict", "no" if blamed is None else "yes")
        return call("bbox", None if blamed is None else list(blamed))


def blame(page: Page, indicator: str, known: list[Rect]) -> FractionBox | None:
    """The box of the element that is most to blame, xyxy fractions of the page; None where none is.

    Args:
        page: uint8 H x W x 3, the page alone.
        indicator: What is asked about; empty where it is not known.
        known: Boxes of the design's elements, px; empty where they have to be found.
    """
    if indicator not in RULES:
        return None
    scene = see(page, known)
    scores = [RULES[indicator](one, scene) for one in (scene.looks[: scene.given] if known else scene.looks)]
    if not scores or max(scores) < BAR:
        return None
    left, top, right, bottom = scene.looks[int(np.argmax(scores))].rect
    return (left / scene.width, top / scene.height, right / scene.width, bottom / scene.height)


def choose(page: Page, indicator: str, options: tuple[FractionBox | None, ...]) -> str:
    """The letter of the region that is most to blame, or of None where none is and None is offered."""
    rects = {letter: _rect(page, box) for letter, box in zip(LETTERS, options, strict=False) if box is not None}
    none = LETTERS[options.index(None)] if None in options else ""
    if indicator not in RULES or not rects:
        return none or LETTERS[0]
    scene = see(page, list(rects.values()))
    by_rect = {one.rect: RULES[indicator](one, scene) for one in scene.looks[: scene.given]}
    scores = {letter: by_rect.get(rect, 0.0) for letter, rect in rects.items()}
    best = max(scores, key=lambda letter: scores[letter])
    return none if none and scores[best] < OPTION_BAR else best


def indicator_of(text: str) -> str:
    """The name of the indicator that a question is about; empty if it names none."""
    explanation, asked, _ = split_question(text)
    for name, indicator in INDICATORS.items():
        if explanation == indicator.explanation:
            return name
    words = asked.casefold()
    titles = {name: one.title.casefold() for name, one in INDICATORS.items()}
    named = {words.find(title): name for name, title in titles.items() if title in words}
    return named[min(named)] if named else ""


def known_boxes(text: str, page: Page) -> list[Rect]:
    """Boxes of the elements that the environment lists as JSON, px of the page; empty where it lists none."""
    lines = metadata_lines(text)
    if not lines:
        return []
    listed: Mapping[str, Any] = json.loads(lines[0].partition(": ")[2])
    across, down = page.shape[1] / listed["canvas_width"], page.shape[0] / listed["canvas_height"]
    rects = []
    for element in listed["elements"]:
        left, top, width, height = (float(element[name]) for name in ("left", "top", "width", "height"))
        if element["type"] != "ColoredBackground" and width > 0 and height > 0:
            rect = (left * across, top * down, (left + width) * across, (top + height) * down)
            rects.append(_clipped(rect, page))
    return [rect for rect in rects if rect[0] < rect[2] and rect[1] < rect[3]]


def _page(image: Page, info: Info) -> Page:
    """The page alone: the environment tells its size at the reset."""
    width, height = info.get("page") or (image.shape[1], image.shape[0])
    return image[: int(height), : int(width)]


def _rect(page: Page, box: FractionBox) -> Rect:
    height, width = page.shape[:2]
    return _clipped((box[0] * width, box[1] * height, box[2] * width, box[3] * height), page)


def _clipped(rect: tuple[float, float, float, float], page: Page) -> Rect:
    height, width = page.shape[:2]
    left, top, right, bottom = (round(side) for side in rect)
    return (max(0, left), max(0, top), min(width, right), min(height, bottom))
