"""How the evaluator released with AesEval-Bench reads choices and boxes, with its quirks.

After what is known of that code: a choice is the first of the letters A to D anywhere in the text; a box is the first
four numbers anywhere; and a text without four numbers, such as that of a model that failed, scores full on a design
without flaw, as if it said None.
"""

from __future__ import annotations

import re
from typing import Any

from designgym.boxes import Box, NumberFrame, Order

_LETTER = re.compile("[A-Da-d]")
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,17})?")


def released_choice(text: str) -> dict[str, Any] | None:
    """The first letter a to d of any word: "The answer is B" gives ``{"choice": "A"}``. None if there is none."""
    letter = _LETTER.search(text)
    return {"choice": letter.group().upper()} if letter else None


def released_box(text: str, frame: NumberFrame, order: Order) -> dict[str, Any]:
    """The first four numbers as fractions of the page, clipped to it; ``{"bbox": None}`` where there are fewer.

    "bbox_2d" contributes its 2. Clipping is ours, since the environments take no box beyond the page.
    """
    numbers: list[float] = []
    for number in _NUMBER.finditer(text):
        numbers.append(float(number.group()))
        if len(numbers) == 4:
            box = Box.of(numbers, frame.frame, order).convert("fraction", size=frame.size, resized=frame.size).clip()
            return {"bbox": list(box.xyxy)}
    return {"bbox": None}
