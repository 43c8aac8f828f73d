"""Where the lines of a text layer break, character by character: Crello writes lines down, a text layer wraps."""

from __future__ import annotations

import dataclasses

from designgym.graphics.document import TextLayer
from designgym.graphics.text import measure_text


def line_numbers(layer: TextLayer) -> list[int]:
    r"""The line of each character of the layer's text, from 0, as the layer is wrapped.

    A line feed and the blank at which a line is wrapped belong to the line that they end.
    """
    text = layer.text
    if measure_text(layer).lines == text.count("\n") + 1:
        return [text[:index].count("\n") for index in range(len(text))]
    numbers: list[int] = []
    line = 0
    for paragraph in text.split("\n"):
        rest = paragraph
        while True:
            end = _fitting(layer, rest)
            numbers += [line] * end
            rest = rest[end:]
            if not rest:
                break
            line += 1
        numbers.append(line)  # the line feed
        line += 1
    return numbers[: len(text)]


def _fitting(layer: TextLayer, text: str) -> int:
    """How many characters of the text stand on its first line, at least one unless it is empty."""

    def fits(end: int) -> bool:
        shown = dataclasses.replace(layer, text=text[:end].rstrip(" "))
        return not shown.text or measure_text(shown).lines == 1

    if fits(len(text)):
        return len(text)
    blanks = [index + 1 for index, character in enumerate(text) if character == " "]
    whole = [end for end in blanks if fits(end)]
    if whole:
        return whole[-1]
    return max([end for end in range(1, len(text)) if fits(end)], default=1)  # one word that is too wide
