"""Setting a text for the workbench: which face, where its lines break, and the box that it takes there."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

from designgym.envs.design.text import FONT
from designgym.graphics.document import TextLayer
from designgym.graphics.text import measure_text

_MEASURED_PX = 200.0  # words are measured at this size
_SHORTEST = 0.3  # of the longest line; shorter ones are not broken off even where the sense ends


@dataclass(frozen=True)
class Face:
    """A font as ``ApplyFont`` takes it.

    Attributes:
        family: Such as ``"Montserrat"``.
        bold: Whether it is set bold.
    """

    family: str = FONT
    bold: bool = False

    @property
    def name(self) -> str:
        """Such as ``"Montserrat Bold"``."""
        return f"{self.family} Bold" if self.bold else self.family


@dataclass(frozen=True)
class Lines:
    """A text with its lines broken.

    Attributes:
        text: Its words, with line breaks.
        width: Of its box, page px.
        height: Of its box, page px.
    """

    text: str
    width: float
    height: float


@lru_cache(maxsize=4096)
def broken(text: str, face: Face, size_px: float, room_px: float) -> Lines | None:
    """Break a text into as few lines as its room allows, of like length; None if a word is wider than the room.

    Args:
        text: What it says.
        face: Its font.
        size_px: Its size, page px.
        room_px: The most that a line may be wide, page px.
    """
    words = text.split()
    if not words:
        return None
    best: list[str] | None = None
    for count in range(1, len(words) + 1):
        best = _by_sense(tuple(words), face, count, room_px / size_px) or _evenly(tuple(words), face, count)
        if best and max(_width(line, face) for line in best) * size_px <= room_px:
            break
    else:
        return None
    assert best is not None
    joined = "\n".join(line.removesuffix(" |") for line in best[:-1]) + "\n" + best[-1] if len(best) > 1 else best[0]
    measure = measure_text(_layer(joined, face, size_px, 8000.0))
    return Lines(joined, measure.width, measure.height)


def _by_sense(words: tuple[str, ...], face: Face, count: int, room: float) -> list[str] | None:
    """The words in so many lines that end where the sense does, if these fit and none is much shorter; else None."""
    pauses = [number for number, word in enumerate(words[:-1], start=1) if word[-1] in ",.!?;:|"]
    best: list[str] | None = None
    least = room
    for cuts in combinations(pauses, count - 1) if count > 1 else ():
        edges = (0, *cuts, len(words))
        lines = [" ".join(words[start:stop]) for start, stop in pairwise(edges)]
        widths = [_width(line, face) for line in lines]
        if max(widths) <= least and min(widths) >= _SHORTEST * max(widths):
            best, least = lines, max(widths)
    return best


@lru_cache(maxsize=4096)
def _evenly(words: tuple[str, ...], face: Face, count: int) -> list[str] | None:
    """The words in so many lines, the longest of them as short as can be; None if there are fewer words."""
    if count == 1:
        return [" ".join(words)]
    best: list[str] | None = None
    least = float("inf")
    for first in range(1, len(words) - count + 2):
        head = " ".join(words[:first])
        if _width(head, face) >= least:
            break
        rest = _evenly(words[first:], face, count - 1)
        if rest is None:
            continue
        longest = max(_width(line, face) for line in (head, *rest))
        if longest < least:
            best, least = [head, *rest], longest
    return best


@lru_cache(maxsize=65536)
def _width(line: str, face: Face) -> float:
    """Of one line, ems."""
    return measure_text(_layer(line, face, _MEASURED_PX, 1e5)).width / _MEASURED_PX


_PLAIN = TextLayer(id="measured", text="", x=0.0, y=0.0, width=1.0, height=1.0)


def _layer(text: str, face: Face, size_px: float, width: float) -> TextLayer:
    weight = 700 if face.bold else 400
    return dataclasses.replace(_PLAIN, text=text, font=face.family, weight=weight, size_px=size_px, width=width)
