"""What the Latin families lack: which embedded face draws Hebrew, Arabic and emoji, and which way a line runs.

A character that a layer's own font has is always drawn with it. For others the supplements of ``fonts.SUPPLEMENTS`` are
asked in their order. **Emoji** are drawn as outlines in the colour of the text, as other letters are (Noto Emoji), with
sequences, skin tones and flags joined by the shaper; a coloured picture is an image layer's task.

A line runs **right to left** if the first of its letters that has a direction says so, as Unicode's algorithm has it
for paragraphs; alignment stays physical: ``left`` is the left edge for every script.
"""

from __future__ import annotations

import re
import unicodedata

from designgym.graphics.fonts import SUPPLEMENTS
from designgym.graphics.typefaces import Face, supplement_face

JOINERS = frozenset("\u200c\u200d")
"""They decide how Arabic letters and emoji join."""
MARKS = frozenset("\u061c\u200e\u200f")
"""Directions of neutral characters beside them; unlike overrides they cannot turn letters round."""
SELECTORS = frozenset("\ufe0e\ufe0f")
"""They ask for an emoji as text or as picture; both are drawn alike."""

RIGHT_TO_LEFT_EMBEDDING = "\u202b"  # the binding of skia's paragraphs has no way to set their direction
_SHAPED = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u2300-\u2bff\U0001f000-\U0001faff]")


def is_shaped(text: str) -> bool:
    """Whether the text has letters of a script that joins or turns, or emoji: there invisible characters matter."""
    return not text.isascii() and _SHAPED.search(text) is not None


def runs_right_to_left(line: str) -> bool:
    """Whether a line's first letter with a direction is Hebrew, Arabic or another that runs right to left."""
    if line.isascii():
        return False
    for character in line:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL", "L"):
            return direction != "L"
    return False


def with_directions(text: str) -> str:
    """The text as the shaper needs it: lines that run right to left are marked as such."""
    if text.isascii():
        return text
    lines = text.split("\n")
    return "\n".join(RIGHT_TO_LEFT_EMBEDDING + line if runs_right_to_left(line) else line for line in lines)


def supplementing_faces(characters: frozenset[str], weight: int) -> tuple[Face, ...]:
    """The faces that draw some of these characters, which the layer's own font lacks; in the order they are asked."""
    found = []
    for supplement in SUPPLEMENTS if characters else ():
        face = supplement_face(supplement, weight)
        drawn = frozenset(character for character in characters if face.draws(character))
        if drawn:
            found.append(face)
            characters -= drawn
    return tuple(found)
