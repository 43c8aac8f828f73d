"""What is asked about a design: three questions for each indicator, after AesEval-Bench (section 3.1), in our words.

A question is an explanation of the indicator on a line of its own, the question itself on the next, and under it the
options where regions are offered. Boxes in it are fractions of the page, xyxy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from designgym.boxes import Box, NumberFrame, Order
from designgym.envs.aesthetics.indicators import INDICATORS, Indicator
from designgym.envs.aesthetics.sample import FractionBox
from designgym.envs.aesthetics.settings import TaskKind
from designgym.tools import FRACTIONS

LETTERS = ("A", "B", "C", "D")
"""Names of the regions offered."""

QUESTION_DECIMALS = 4
"""Of fractions in questions: enough to write the same boxes in any other frame."""

_ASKED: dict[TaskKind, str] = {
    "judgment": "Is there an issue with the design's {respect}?",
    "selection": "Which of these regions holds an element that harms the design's {respect}?",
    "localization": "Which element harms the design's {respect}, if any does?",
}

_EXPLANATIONS = frozenset(indicator.explanation for indicator in INDICATORS.values())
_OPTION = re.compile(r"([A-D]): (?:None|\[([0-9.]+), ([0-9.]+), ([0-9.]+), ([0-9.]+)\])")


def question(task: TaskKind, indicator: Indicator, options: Sequence[FractionBox | None] = ()) -> str:
    """The question of a task.

    Args:
        task: What is asked for.
        indicator: What it is about.
        options: The regions offered, A first, as fractions of the page; None stands for "no element".
    """
    asked = _ASKED[task].format(respect=f"{indicator.dimension} {indicator.title.lower()}")
    return "\n".join([indicator.explanation, asked, *option_lines(options, FRACTIONS, decimals=QUESTION_DECIMALS)])


def split_question(text: str) -> tuple[str, str, tuple[FractionBox | None, ...]]:
    """A question's explanation (empty if it has none), the question itself, and the regions offered."""
    lines = text.split("\n")
    explanation = lines.pop(0) if lines[0] in _EXPLANATIONS else ""
    asked: list[str] = []
    options: list[FractionBox | None] = []
    for line in lines:
        found = _OPTION.fullmatch(line)
        if found is None:
            asked.append(line)
        else:
            options.append(None if found[2] is None else tuple(map(float, found.groups()[1:])))  # type: ignore[arg-type]
    return explanation, "\n".join(asked), tuple(options)


def option_lines(
    options: Sequence[FractionBox | None], frame: NumberFrame, order: Order = "xyxy", decimals: int = 3
) -> list[str]:
    """The regions offered, a line each, such as ``A: [120, 40, 460, 300]`` or ``B: None``."""
    spelled = ("None" if box is None else spelled_box(box, frame, order, decimals) for box in options)
    return [f"{letter}: {text}" for letter, text in zip(LETTERS, spelled, strict=False)]


def spelled_box(box: FractionBox, frame: NumberFrame, order: Order = "xyxy", decimals: int = 3) -> str:
    """A box as text: whole numbers, halves up, or fractions of so many decimals."""
    width, height = frame.limits
    sides = [value * limit for value, limit in zip(box, (width, height, width, height), strict=True)]
    if frame.whole:
        sides = [float(math.floor(side + 0.5)) for side in sides]
    shown = Box.of(sides).ltwh if order == "ltwh" else sides
    return f"[{', '.join(f'{side:.0f}' if frame.whole else f'{side:.{decimals}f}' for side in shown)}]"
