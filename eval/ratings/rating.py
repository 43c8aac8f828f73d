"""What people answered about drawings, and what of it was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

QUESTIONS = ("creativity", "recognisability")
"""The two questions about every drawing (PainterBench, section 4)."""
SCALE = (1.0, 5.0)
"""Ends of the five-point scale of both questions, from "not at all" to "very" (PainterBench, section 4)."""


@dataclass(frozen=True)
class Rating:
    """What one rater answered about one drawing.

    Attributes:
        image: Name of the drawing, usually its file.
        rater: Who answered.
        model: Who made the drawing; empty if unknown.
        stimulus: The shape that it started from; empty if unknown.
        creativity: 1 to 5; None if it was not answered.
        recognisability: Likewise.
    """

    image: str
    rater: str
    model: str = ""
    stimulus: str = ""
    creativity: float | None = None
    recognisability: float | None = None

    def answer(self, question: str) -> float | None:
        """The answer to one of the ``QUESTIONS``; None if there is none."""
        value: float | None = getattr(self, question)
        return value


@dataclass(frozen=True)
class Exclusion:
    """Something that was left out.

    Attributes:
        reason: Why, in a few words that are the same for all cases of a kind.
        place: Where it stood, or whom it concerns: a file and line, a rater, a drawing.
    """

    reason: str
    place: str


@dataclass(frozen=True)
class Ratings:
    """Ratings and what was left out on the way to them.

    Attributes:
        ratings: At most one for each drawing and rater.
        excluded: In the order in which it was found.
    """

    ratings: tuple[Rating, ...]
    excluded: tuple[Exclusion, ...] = ()

    def without(self, excluded: Iterable[Exclusion], keep: Iterable[Rating]) -> Ratings:
        """Only the ratings to keep, with the further exclusions noted."""
        return replace(self, ratings=tuple(keep), excluded=(*self.excluded, *excluded))


def counted(excluded: Iterable[Exclusion]) -> dict[str, int]:
    """Reason -> how often, the most frequent first."""
    return dict(Counter(exclusion.reason for exclusion in excluded).most_common())


def first_places(excluded: Iterable[Exclusion]) -> dict[str, str]:
    """Reason -> where it was found first."""
    places: dict[str, str] = {}
    for exclusion in excluded:
        places.setdefault(exclusion.reason, exclusion.place)
    return places
