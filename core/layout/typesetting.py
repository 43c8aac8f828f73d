"""Setting one text: where it breaks at a size and width, in lines of even length, and the box that it takes.

Sizes are searched for, so texts are broken by adding up widths of words, which are measured once for each face and are
proportional to the size. Boxes leave a little spare room; ``checks`` measures every finished layer with the shaper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from designgym.graphics.document import Align, TextLayer
from designgym.graphics.text import measure_text

_MEASURED_PX = 200.0  # words are measured at this size
_UNBOUNDED_PX = 8000.0
_SPARE_SHARE = 0.004  # boxes are so much wider than their longest line, since pairs of words may be kerned


@dataclass(frozen=True)
class Type:
    """How a text is set: face, size in page px, line height (multiple of the size), letter spacing in ems."""

    font: str
    size_px: float
    weight: int = 400
    italic: bool = False
    line_height: float = 1.4
    spacing_em: float = 0.0


@dataclass(frozen=True)
class SetText:
    """A text broken into lines: what it says, how, and the box it takes, page px."""

    text: str
    type: Type
    lines: int
    width: float
    height: float
    evenness: float = 1.0
    """Length of the shortest line over that of the longest."""

    def layer(self, layer_id: str, x: float, y: float, color: str, align: Align, name: str) -> TextLayer:
        """The layer whose box has its top left corner at ``x``, ``y``."""
        return _layer(self.text, self.type, self.width, layer_id, x, y, self.height, color, align, name)


@lru_cache(maxsize=65536)
def set_text(text: str, type: Type, width: float) -> SetText | None:
    """Break a text into as few lines as a width allows, of like length; None if a word is wider than that.

    Args:
        text: What it says.
        type: How it is set.
        width: Room, page px.

    Returns:
        The text with the box that it takes, which is as wide as its longest line.
    """
    words, space = _ems(text, type.font, type.weight, type.italic, type.spacing_em)
    room = width / type.size_px / (1 + _SPARE_SHARE) - 0.01
    if not words or max(words) > room:
        return None
    lines, longest, shortest = _break(words, space, room)
    if lines > 1:
        low, high = max(max(words), longest / 2), longest
        for _ in range(7):
            middle = (low + high) / 2
            needed, length, short = _break(words, space, middle)
            if needed > lines:
                low = middle
            else:
                high, longest, shortest = length, length, short
                if low >= high:
                    break
    box = float(math.ceil(longest * type.size_px * (1 + _SPARE_SHARE) + 1.0))
    height = float(math.ceil(lines * type.line_height * type.size_px))
    return SetText(text, type, lines, box, height, shortest / longest)


def largest_px(text: str, type: Type, width: float) -> float:
    """The largest size at which no word of a text is wider than a width, page px."""
    words, _ = _ems(text, type.font, type.weight, type.italic, type.spacing_em)
    return width / (1 + _SPARE_SHARE) / (max(words) + 0.01)


def _break(words: tuple[float, ...], space: float, room: float) -> tuple[int, float, float]:
    """Number of lines, length of the longest and of the shortest, filling line after line; lengths in ems."""
    lines, longest, shortest, current = 1, 0.0, math.inf, 0.0
    for word in words:
        longer = current + space + word if current else word
        if current and longer > room + 1e-9:
            lines += 1
            longest, shortest, current = max(longest, current), min(shortest, current), word
        else:
            current = longer
    return lines, max(longest, current), min(shortest, current)


@lru_cache(maxsize=16384)
def _ems(text: str, font: str, weight: int, italic: bool, spacing_em: float) -> tuple[tuple[float, ...], float]:
    """The widths of a text's words and of a space, ems."""
    one, two = _width("n", font, weight, italic), _width("n n", font, weight, italic)
    words = tuple(_word(word, font, weight, italic) + spacing_em * len(word) for word in text.split())
    return words, two - 2 * one + spacing_em


@lru_cache(maxsize=32768)
def _word(word: str, font: str, weight: int, italic: bool) -> float:
    """The width of a word, ems: the larger of those before a space and at the end of a text.

    Faces kern against the space, and script faces draw other ends there.
    """
    rest = _width("n n", font, weight, italic) - _width("n", font, weight, italic)
    return max(_width(f"{word} n", font, weight, italic) - rest, _width(word, font, weight, italic))


@lru_cache(maxsize=4096)
def _width(text: str, font: str, weight: int, italic: bool) -> float:
    return measure_text(_layer(text, Type(font, _MEASURED_PX, weight, italic), _UNBOUNDED_PX)).width / _MEASURED_PX


def _layer(
    text: str,
    type: Type,
    width: float,
    layer_id: str = "measured",
    x: float = 0.0,
    y: float = 0.0,
    height: float = 1.0,
    color: str = "#000000",
    align: Align = "left",
    name: str = "",
) -> TextLayer:
    return TextLayer(
        id=layer_id, name=name, x=x, y=y, width=width, height=height, text=text, font=type.font, size_px=type.size_px,
        weight=type.weight, italic=type.italic, color=color, align=align, line_height=type.line_height,
        letter_spacing_px=round(type.spacing_em * type.size_px, 2),
    )  # fmt: skip
