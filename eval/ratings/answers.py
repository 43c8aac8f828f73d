"""The answers to one question as arrays, which all statistics of ratings work on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.eval.ratings.rating import Exclusion, Rating

CONSTANT = "rater who gave every drawing the same answer"
SINGLE = "rater who answered about one drawing only"


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers to one question, at most one for each drawing and rater.

    Attributes:
        drawing: Index into ``drawings``, int [n].
        rater: Index into ``raters``, int [n].
        value: The answers, float64 [n].
        drawings: Names of the drawings.
        raters: Names of the raters.
    """

    drawing: NDArray[np.int64]
    rater: NDArray[np.int64]
    value: NDArray[np.float64]
    drawings: tuple[str, ...]
    raters: tuple[str, ...]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of answers about each drawing, int [drawings], each 1 or more."""
        return np.bincount(self.drawing, minlength=len(self.drawings))

    @property
    def mean_raters(self) -> float:
        """Harmonic mean of the number of answers about a drawing: what the noise of an average depends on."""
        return float(len(self.drawings) / np.sum(1.0 / self.counts)) if len(self.drawings) else 0.0


def answers_to(ratings: Iterable[Rating], question: str) -> tuple[Answers, tuple[Exclusion, ...]]:
    """The answers to a question, without raters whose answers carry nothing.

    Raters who gave every drawing the same answer are left out (PainterBench, section 4), and so are those with one
    answer only: neither has a z-score. Another question's answers of theirs still count.

    Args:
        ratings: At most one for each drawing and rater.
        question: ``"creativity"`` or ``"recognisability"``.

    Returns:
        The answers, and the raters left out. Drawings that nobody else answered about are left out with them.
    """
    given = [
        (rating.image, rating.rater, value) for rating in ratings if (value := rating.answer(question)) is not None
    ]
    seen: dict[str, set[float]] = {}
    for _, rater, value in given:
        seen.setdefault(rater, set()).add(value)
    number = Counter(rater for _, rater, _ in given)
    dull = {rater for rater, values in seen.items() if len(values) == 1}
    excluded = tuple(
        Exclusion(f"{question}: {SINGLE if number[rater] == 1 else CONSTANT}", rater) for rater in seen if rater in dull
    )
    return _arrays([row for row in given if row[1] not in dull]), excluded


def from_table(table: Sequence[Sequence[float]] | NDArray[np.float64]) -> Answers:
    """Answers from a table with a row a drawing and a column a rater, NaN where there is no answer."""
    values = np.asarray(table, dtype=np.float64)
    present = np.argwhere(~np.isnan(values))
    return _arrays([(f"d{d}", f"r{r}", float(values[d, r])) for d, r in present.tolist()])


def _arrays(rows: Sequence[tuple[str, str, float]]) -> Answers:
    drawings: dict[str, int] = {}
    raters: dict[str, int] = {}
    drawing = [drawings.setdefault(image, len(drawings)) for image, _, _ in rows]
    rater = [raters.setdefault(name, len(raters)) for _, name, _ in rows]
    return Answers(
        np.array(drawing, dtype=np.int64),
        np.array(rater, dtype=np.int64),
        np.array([value for _, _, value in rows], dtype=np.float64),
        tuple(drawings),
        tuple(raters),
    )
