"""Setting one text: the box that it takes at a size and width, lines of even length, and the largest size that fits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from designgym.graphics.document import Align, TextLayer
from designgym.graphics.text import measure_text

_UNBOUNDED_PX = 6000.0
_SPARE_PX = 1.0  # boxes are this much wider than their longest line, so that rounding never breaks it


@dataclass(frozen=True)
class Type:
    """How a text is set: face, size in page px, line height (multiple of the size), letter spacing in ems."""

    font: str
    size_px: float
    weight: int = 400
    italic: bool = False
    line_height: float = 1.4
    spacing_em: float = 0.0

    def at(self, size_px: float) -> Type:
        """The same at another size."""
        return replace(self, size_px=size_px)


@dataclass(frozen=True)
class SetText:
    """A text broken into lines: what it says, how, and the box it takes, page px."""

    text: str
    type: Type
    lines: int
    width: float
    height: float

    def layer(self, layer_id: str, x: float, y: float, color: str, align: Align, name: str) -> TextLayer:
        """The layer whose box has its top left corner at ``x``, ``y``."""
        return _layer(self.text, self.type, self.width, layer_id, x, y, self.height, color, align, name)


@lru_cache(maxsize=65536)
def set_text(text: str, type: Type, width: float, even: bool = True) -> SetText | None:
    """Break a text to a width; None if a word is wider than that.

    Args:
        text: What it says; its own line breaks are kept.
        type: How it is set.
        width: Room, page px.
        even: Whether the lines are made of like length, by taking the least width that needs no further line.

    Returns:
        The text with the box that it takes, which is as wide as its longest line.
    """
    if max(_word_width(word, type) for word in text.split()) > width:
        return None
    measure = measure_text(_layer(text, type, width))
    if even and measure.lines > 1:
        low, high = measure.width / 2, measure.width
        for _ in range(6):
            middle = (low + high) / 2
            if measure_text(_layer(text, type, middle)).lines > measure.lines or _breaks_word(text, type, middle):
                low = middle
            else:
                high = middle
        measure = measure_text(_layer(text, type, high))
    box = float(math.ceil(measure.width + _SPARE_PX))
    if measure_text(_layer(text, type, box)).lines != measure.lines:
        return None
    return SetText(text, type, measure.lines, box, float(math.ceil(measure.height)))


def largest(
    text: str, type: Type, sizes: tuple[float, ...], width: float, height: float, max_lines: int
) -> SetText | None:
    """The text at the first of the sizes at which it fits; None if it fits at none.

    Args:
        text: What it says.
        type: How it is set, but for the size.
        sizes: Page px, largest first.
        width: Room, page px.
        height: Room, page px.
        max_lines: Most lines.
    """
    for size in sizes:
        if size * type.line_height > height:
            continue
        done = set_text(text, type.at(size), width)
        if done is not None and done.lines <= max_lines and done.height <= height:
            return done
    return None


@lru_cache(maxsize=65536)
def _word_width(word: str, type: Type) -> float:
    return measure_text(_layer(word, type, _UNBOUNDED_PX)).width


def _breaks_word(text: str, type: Type, width: float) -> bool:
    return any(_word_width(word, type) > width for word in text.split())


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
