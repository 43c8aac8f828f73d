"""Where a brief wants its texts and pictures: arrangements in which everything finds room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from designgym.envs.design.briefs.brief import PAGE_PX, DesignType
from designgym.rewards.judges.meanings import ImageSize, Position


@dataclass(frozen=True)
class Place:
    """Where a picture goes, and how large it may be there."""

    position: Position
    sizes: tuple[ImageSize, ...]


@dataclass(frozen=True)
class Arrangement:
    """Places for all pictures, and for each text the positions that are left.

    Attributes:
        pictures: A place each.
        texts: Positions that a text may have, from the top of the page to its end; each holds up to two texts, one
            above the other.
        weight: How often it is drawn, relative to the others.
    """

    pictures: tuple[Place, ...]
    texts: tuple[Position, ...]
    weight: float = 1.0


def _row(*positions: Position) -> tuple[Place, ...]:
    """Small pictures side by side."""
    return tuple(Place(position, ("small",)) for position in positions)


_UPRIGHT = (
    Arrangement((Place("center", ("medium", "large", "huge")),), ("top center", "bottom center"), 3),
    Arrangement((Place("center", ("large", "huge")),), ("top", "bottom"), 1),
    Arrangement((Place("top center", ("small", "medium")),), ("center", "bottom center"), 2),
    Arrangement((Place("bottom center", ("small", "medium")),), ("top center", "center"), 2),
    Arrangement((Place("top left", ("small",)),), ("center", "bottom center"), 0.7),
    Arrangement((Place("top right", ("small",)),), ("center", "bottom center"), 0.7),
    Arrangement((Place("bottom left", ("small",)),), ("top center", "center"), 0.7),
    Arrangement((Place("bottom right", ("small",)),), ("top center", "center"), 0.7),
    Arrangement((Place("bottom right", ("small",)),), ("top left", "center"), 0.3),
    Arrangement((Place("center left", ("small", "medium")), Place("center right", ("small", "medium"))),
                ("top center", "bottom center"), 2),
    Arrangement((Place("top left", ("small",)), Place("top right", ("small",))), ("center", "bottom center")),
    Arrangement((Place("bottom left", ("small",)), Place("bottom right", ("small",))), ("top center", "center")),
    Arrangement(_row("bottom left", "bottom center", "bottom right"), ("top center", "center")),
    Arrangement(_row("center left", "center", "center right"), ("top center", "bottom center")),
)  # fmt: skip

_WIDE = (
    Arrangement((Place("center left", ("medium", "large")),), ("top right", "center right", "bottom right"), 2),
    Arrangement((Place("left", ("medium", "large")),), ("right",), 0.7),
    Arrangement((Place("center right", ("medium", "large")),), ("top left", "center left", "bottom left"), 2),
    Arrangement((Place("right", ("medium", "large")),), ("left",), 0.7),
    Arrangement((Place("top left", ("small",)),), ("center", "bottom center")),
    Arrangement((Place("top right", ("small",)),), ("center", "bottom center")),
    Arrangement((Place("bottom left", ("small",)),), ("top center", "center")),
    Arrangement((Place("bottom right", ("small",)),), ("top center", "center")),
    Arrangement((Place("bottom right", ("small",)),), ("top left", "center left"), 0.5),
    Arrangement((Place("center", ("medium",)),), ("top center", "bottom center")),
    Arrangement((Place("top center", ("small",)),), ("center", "bottom center"), 0.7),
    Arrangement((Place("center left", ("small",)), Place("center right", ("small",))), ("top center", "bottom center")),
    Arrangement((Place("bottom left", ("small",)), Place("bottom right", ("small",))), ("top center", "center")),
    Arrangement((Place("top left", ("small",)), Place("bottom right", ("small",))), ("center",)),
    Arrangement((Place("top left", ("small",)), Place("top right", ("small",))), ("center", "bottom center")),
    Arrangement(_row("bottom left", "bottom center", "bottom right"), ("top center", "center")),
)  # fmt: skip

WHOLE_PAGE = Arrangement((Place("center", ("full",)),), ("top center", "bottom center"))
"""A picture behind everything, as some postcards have."""

TEXTS_EACH = 2
"""How many texts a position holds."""


def arrangements(type: DesignType, pictures: int, texts: int) -> tuple[Arrangement, ...]:
    """The arrangements of a type of page with room for so many pictures (1 to 3) and texts (1 to 4); at least one."""
    return tuple(_fitting(type, pictures, texts))


@cache
def _upright(type: DesignType) -> bool:
    width, height = PAGE_PX[type]
    return height > width


def _fitting(type: DesignType, pictures: int, texts: int) -> Iterator[Arrangement]:
    for arrangement in _UPRIGHT if _upright(type) else _WIDE:
        if len(arrangement.pictures) == pictures and texts <= TEXTS_EACH * len(arrangement.texts):
            yield arrangement


def text_positions(positions: tuple[Position, ...], texts: int, split: int) -> tuple[Position, ...]:
    """Deal positions to texts in their order.

    Args:
        positions: Those of an arrangement, in reading order.
        texts: How many texts; at most ``TEXTS_EACH`` a position.
        split: Which of the ways to deal them, any whole number.
    """
    ways = _ways(len(positions), texts)
    return tuple(positions[index] for index in ways[split % len(ways)])


@cache
def _ways(positions: int, texts: int) -> tuple[tuple[int, ...], ...]:
    """All ways to deal texts to positions in order, none holding too many; the first text takes the first two or so."""

    def extend(way: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(way) == texts:
            yield way
            return
        for index in range(way[-1] if way else 0, positions):
            if way.count(index) < TEXTS_EACH:
                yield from extend((*way, index))

    return tuple(extend(()))
