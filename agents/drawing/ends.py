"""Things that hang on the end of a stroke, stand on it or trail it, for shapes that no sketch fits.

Each is drawn with the point by which it is attached at (0, 0), about 100 px large, upright.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from designgym.agents.drawing.sketch import Part, dot, oval, path

Side = Literal["above", "below", "beside"]


@dataclass(frozen=True)
class Thing:
    """Something attached to an end.

    Attributes:
        one: Its name with an article.
        many: What several are called.
        side: Where it lies, seen from the end; ``"beside"`` is to the right, or mirrored.
        parts: Its parts.
        box: Left, top, right and bottom, px.
    """

    one: str
    many: str
    side: Side
    parts: tuple[Part, ...]
    box: tuple[float, float, float, float]


THINGS = (
    Thing(
        "A balloon", "Balloons", "above",
        (oval(0, -62, 42, 50), path("M 0 -12 L -9 0 H 9 Z"), path("M -24 -74 C -24 -88 -16 -96 -6 -98")),
        (-42, -112, 42, 0),
    ),
    Thing(
        "A tulip", "Tulips", "above",
        (
            path("M 0 0 C -42 -4 -48 -50 -38 -88 L -18 -62 L 0 -92 L 18 -62 L 38 -88 C 48 -50 42 -4 0 0 Z"),
            path("M 0 0 C -12 -20 -16 -40 -18 -62 M 0 0 C 12 -20 16 -40 18 -62"),
        ),
        (-44, -92, 44, 0),
    ),
    Thing(
        "A daisy", "Daisies", "above",
        (
            oval(0, -50, 17), oval(0, -83, 15), oval(24, -73, 15), oval(33, -50, 15), oval(24, -26, 15),
            oval(0, -17, 15), oval(-24, -26, 15), oval(-33, -50, 15), oval(-24, -73, 15),
        ),
        (-48, -98, 48, 0),
    ),
    Thing(
        "A kite", "Kites", "above",
        (path("M 0 0 L -44 -66 L 0 -108 L 44 -66 Z"), path("M 0 0 V -108 M -44 -66 H 44")),
        (-44, -108, 44, 0),
    ),
    Thing(
        "A fish on a line", "Fish on their lines", "below",
        (
            path("M 0 0 C 44 26 44 76 0 110 C -44 76 -44 26 0 0 Z"),
            path("M 0 110 C 14 122 26 136 32 146 C 10 140 -10 140 -32 146 C -26 136 -14 122 0 110"),
            path("M -31 46 C -12 58 12 58 31 46 M 36 60 L 56 78 L 34 84"), oval(13, 28, 5),
        ),
        (-36, 0, 56, 146),
    ),
    Thing(
        "A spider on its thread", "Spiders on their threads", "below",
        (
            oval(0, 20, 20), oval(0, 66, 30, 32),
            path("M -24 50 C -50 36 -58 44 -66 64 M -29 62 C -54 56 -64 66 -70 90 M -29 72 C -52 76 -56 90 -60 110"),
            path("M 24 50 C 50 36 58 44 66 64 M 29 62 C 54 56 64 66 70 90 M 29 72 C 52 76 56 90 60 110"),
            dot(-7, 24), dot(7, 24),
        ),
        (-70, 0, 70, 110),
    ),
    Thing(
        "A lamp", "Lamps", "below",
        (path("M -14 18 H 14 L 54 76 H -54 Z"), path("M 0 0 V 18"), path("M -20 76 A 20 20 0 0 0 20 76"),
         path("M -40 92 L -54 108 M 0 102 V 120 M 40 92 L 54 108")),
        (-54, 0, 54, 120),
    ),
    Thing(
        "A cherry", "Cherries", "below",
        (
            oval(0, 42, 40), path("M -24 38 C -24 26 -18 18 -8 16"),
            path("M 0 2 C 20 -22 48 -24 66 -10 C 46 8 20 10 0 2 L 44 -8"),
        ),
        (-40, -22, 66, 82),
    ),
    Thing(
        "A mouse with a long tail", "Mice with long tails", "beside",
        (
            path("M 0 0 C -2 -70 92 -78 146 -6 C 148 4 140 6 130 6 H 12 C 4 6 0 4 0 0 Z"),
            oval(84, -56, 19), dot(146, -4), path("M 20 -2 C 12 -30 44 -44 58 -22"),
            path("M 132 -10 L 158 -26 M 134 -6 L 164 -8"), oval(112, -26, 4),
        ),
        (0, -76, 164, 8),
    ),
    Thing(
        "A paper plane on its way", "Paper planes on their way", "beside",
        (path("M 0 0 L 124 -40 L 30 52 L 22 14 Z"), path("M 22 14 L 124 -40 L 40 28")),
        (0, -40, 124, 52),
    ),
    Thing(
        "A snake", "Snakes", "beside",
        (
            path("M 0 0 C 4 -32 52 -32 64 -6 C 66 0 66 4 62 8 C 46 26 8 24 0 0"), oval(38, -9, 5),
            path("M 66 2 H 90 M 90 2 L 104 -8 M 90 2 L 104 12"),
        ),
        (0, -28, 104, 22),
    ),
)  # fmt: skip
"""What there is to attach."""
