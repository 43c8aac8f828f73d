"""How the reasoning paths put things: seeded choice of wording, names of elements, boxes and numbers in text."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from designgym.agents.qwen.frames import to_model
from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.sample import Element, FractionBox
from designgym.prompt import plain
from designgym.tools import BoundingBox, Parameter, Tool, ToolTable

QUOTED_WORDS = 5
"""Of longer texts only so many words are quoted."""
_QUOTED_CHARACTERS = 40

_BOXES = ToolTable((Tool("box", "", (Parameter("bbox", BoundingBox(), ""),)),))

_ROLES = {
    "title": ("title", "headline", "heading"),
    "subtitle": ("subtitle", "second line of text", "subheading"),
    "body": ("body text", "paragraph", "running text"),
    "detail": ("small print", "detail line", "line of detail"),
    "badge": ("badge", "label"),
    "panel": ("panel", "coloured panel"),
    "picture": ("picture", "image", "illustration"),
    "shape": ("shape", "graphic shape"),
    "background": ("background", "ground of the page"),
}
_KINDS = {
    "text": ("text", "line of text", "text block"),
    "picture": ("picture", "image", "illustration"),
    "shape": ("shape", "graphic element"),
    "background": ("background", "ground of the page"),
    "group": ("group of elements", "group"),
}


class Pen:
    """Writes parts of sentences; the same seed writes the same.

    Args:
        rng: Draws the wording.
        frame: How boxes are written.
    """

    def __init__(self, rng: np.random.Generator, frame: NumberFrame) -> None:
        self._rng = rng
        self.frame = frame

    def pick(self, options: Sequence[str]) -> str:
        """One of them."""
        return options[int(self._rng.integers(len(options)))]

    def say(self, options: Sequence[str], **slots: str) -> str:
        """One of the templates with its slots filled."""
        return self.pick(options).format(**slots)

    def chance(self, probability: float) -> bool:
        """True so often."""
        return bool(self._rng.random() < probability)

    def shuffled(self, elements: Sequence[Element]) -> list[Element]:
        """The elements in another order."""
        return [elements[int(index)] for index in self._rng.permutation(len(elements))]

    def box(self, box: FractionBox) -> str:
        """A box as the answer writes it, such as ``[120, 40, 610, 233]``."""
        return json.dumps(written(box, self.frame))

    def noun(self, element: Element) -> str:
        """What an element is, with the first words of what it says: ``title “Summer sale”``."""
        noun = self.pick(_nouns(element))
        quoted = quotation(element.text) if element.kind == "text" else ""
        return f"{noun} {quoted}" if quoted and self.chance(0.75) else noun

    def region(self, element: Element) -> str:
        """An element with its box, as a subject: ``the title “Summer sale” at [120, 40, 610, 233]``."""
        slots = {"noun": self.noun(element), "box": self.box(element.box)}
        return self.say(
            (
                "the {noun} at {box}",
                "the {noun} {box}",
                "the {noun} in {box}",
                "the {noun} with the box {box}",
                "the {noun}, {box},",
            ),
            **slots,
        )


def _nouns(element: Element) -> tuple[str, ...]:
    left, top, right, bottom = element.box
    if element.kind == "background" and (right - left) * (bottom - top) < 0.8:
        return ("backdrop", "background shape", "part of the background")
    return _ROLES.get(element.role) or _KINDS[element.kind]


def written(box: FractionBox, frame: NumberFrame) -> list[float]:
    """A box as the numbers that the answer has: whole ones, or fractions with three decimals."""
    if frame.whole:
        values: list[float] = to_model({"name": "box", "arguments": {"bbox": list(box)}}, _BOXES, frame)["arguments"][
            "bbox"
        ]
        return values
    numbers = [round(float(value), 3) for value in box]
    for low, high in ((0, 2), (1, 3)):
        if numbers[low] >= numbers[high] and box[low] < box[high]:  # rounding must not flatten it
            numbers[high] = min(1.0, round(numbers[low] + 0.001, 3))
            numbers[low] = round(numbers[high] - 0.001, 3)
    return numbers


def quotation(text: str) -> str:
    """The first words of a text in quotation marks; empty for none. Nothing in it passes for markup."""
    words = plain(text).replace("“", "").replace("”", "").split()
    kept = " ".join(words[:QUOTED_WORDS])
    cut = kept[:_QUOTED_CHARACTERS].rstrip()
    if not cut:
        return ""
    return f"“{cut}…”" if len(words) > QUOTED_WORDS or cut != kept else f"“{cut}”"


def ratio(value: float) -> str:
    """``4.5:1``."""
    return f"{value:.1f}:1"


def percent(value: float) -> str:
    """A share as ``12 %``, small ones with a decimal."""
    shown = 100 * value
    return f"{shown:.1f} %" if abs(shown) < 3 else f"{shown:.0f} %"


def times(value: float) -> str:
    """``2.5 times``."""
    return f"{value:.1f} times"


def pixels(value: float) -> str:
    """``12 px``; below 10 with a decimal where there is one."""
    return f"{value:.0f} px" if abs(value) >= 10 or abs(value - round(value)) < 0.05 else f"{value:.1f} px"


def sentence(text: str) -> str:
    """With a capital at the beginning and a full stop at the end."""
    text = " ".join(text.split()).rstrip(" ,")
    for clumsy, better in ((" ,", ","), (",,", ","), (",.", ".")):  # where a box in commas meets other marks
        text = text.replace(clumsy, better)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", ".”")) else ".")
