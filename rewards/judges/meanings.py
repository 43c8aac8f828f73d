"""What the words of questions mean, exactly: places, sizes, colours and legibility as numbers that all judges share.

All lengths are shares of the page. A *box* (x1, y1, x2, y2) is the smallest one around what can be seen of a text or
picture, its *centre* the middle of that box.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from designgym.graphics.color import srgb_to_oklab

Position = Literal[
    "top left", "top center", "top right", "center left", "center", "center right", "bottom left", "bottom center",
    "bottom right", "top", "bottom", "left", "right",
]  # fmt: skip
"""The nine thirds-by-thirds, and whole rows and columns (``"top"``: the upper third, wherever across)."""

POSITIONS: tuple[Position, ...] = get_args(Position)

SLACK = 0.04
"""How far outside its third a centre may lie where yes is expected, as a share of the page; where no is expected the
third is as much smaller, so that no place is in both."""

ImageSize = Literal["small", "medium", "large", "huge", "full"]

EXTENTS: dict[ImageSize, tuple[float, float]] = {
    "small": (0.05, 0.32),
    "medium": (0.22, 0.55),
    "large": (0.42, 0.8),
    "huge": (0.62, 1.0),
    "full": (0.85, 1.0),
}
"""Size -> least and greatest extent of a picture: the larger of its box's width and height, each over the page's own.
Neighbours overlap, since people's words do; "small" and "large" do not."""

TEXT_SIZES: dict[str, float] = {"small": 0.026, "medium": 0.04, "large": 0.062, "huge": 0.095}
"""Size -> usual type size (em) as a share of the page's longer side. Only the order of sizes is asked for."""

LEAST_OWN = 0.5
"""A text is found where it makes up at least this share of the words of the paragraphs that it stands in, ..."""
MOST_BESIDE = 3
"""... and at most so many other words stand there with it ("By Alex Morgan"): the same words within a long other text,
such as a question about them with its answer, are no title."""

LARGER = 1.15
"""A text is larger than another if its type size (or its letters' height) is at least so many times the other's."""

COLOR_TOLERANCE = 0.1
"""Two colours are called by one name up to this distance in OKLab (black to white is 1)."""

BACKGROUND_SHARE = 0.5
"""The page has a background colour if at least this share of what is neither text nor picture is of it, ..."""
BACKGROUND_LEAST = 0.12
"""... and at least this share of the whole page."""

LEAST_READ = 0.008
"""Least type size (em) at which words are read at all, as a share of the page's longer side."""
LEAST_TYPE = 0.015
"""Least type size (em) of legible text, as a share of the page's longer side; capitals are about 0.7 of it."""
LEAST_CONTRAST = 3.0
"""Least WCAG contrast of legible text with what is around its letters (WCAG 2.2, criterion 1.4.3, large text)."""
LEAST_SHOWN = 0.97
"""Least visible share of the ink of a text or picture of which nothing is cut off or covered."""

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """A text's words as they are compared: without case, accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(char for char in plain if not unicodedata.combining(char)))


def says(shown: str, wanted: str) -> bool:
    """Whether the words of ``wanted`` stand in ``shown`` one after the other, as whole words."""
    have, want = words_of(shown), words_of(wanted)
    return bool(want) and any(have[start : start + len(want)] == want for start in range(len(have) - len(want) + 1))


def at_position(center: tuple[float, float], position: Position, slack: float = 0.0) -> bool:
    """Whether a centre (x, y) lies in a position's third or thirds, widened by ``slack`` (shrunk by a negative one)."""
    rows, columns = _THIRDS[position]
    return all(
        span is None or span[0] - slack <= place <= span[1] + slack
        for place, span in zip(center, (columns, rows), strict=True)
    )


def extent(box: Sequence[float]) -> float:
    """A box's extent: the larger of its width and height, shares of the page's own."""
    return max(box[2] - box[0], box[3] - box[1])


def of_size(box: Sequence[float], size: ImageSize) -> bool:
    """Whether a picture with this box is called of this size."""
    least, greatest = EXTENTS[size]
    return least <= extent(box) <= greatest + 1e-6


def color_distance(one: Sequence[int], two: Sequence[int]) -> float:
    """Distance of two sRGB colours (0 to 255) in OKLab."""
    first, second = srgb_to_oklab(np.array([one, two], np.float64))
    return float(np.linalg.norm(first - second))


def same_color(one: Sequence[int], two: Sequence[int]) -> bool:
    """Whether two sRGB colours are called by one name."""
    return color_distance(one, two) <= COLOR_TOLERANCE


def larger_type(one: float, two: float) -> bool:
    """Whether a text of size ``one`` (any unit) is set larger than one of size ``two``."""
    return two > 0 and one >= LARGER * two


def legible(type_share: float, contrast: float) -> bool:
    """Whether text can be read: its type size over the page's longer side, and its contrast (1 to 21)."""
    return type_share >= LEAST_TYPE and contrast >= LEAST_CONTRAST


_SPANS = {
    "top": (0.0, 1 / 3),
    "center": (1 / 3, 2 / 3),
    "bottom": (2 / 3, 1.0),
    "left": (0.0, 1 / 3),
    "right": (2 / 3, 1.0),
}


def _thirds(position: str) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """The spans of rows and columns; None where any will do."""
    row, _, column = position.partition(" ")
    if column:
        return _SPANS[row], _SPANS[column]
    if row == "center":
        return _SPANS[row], _SPANS[row]
    return (_SPANS[row], None) if row in ("top", "bottom") else (None, _SPANS[row])


_THIRDS = {position: _thirds(position) for position in POSITIONS}
