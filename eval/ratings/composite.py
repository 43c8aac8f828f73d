"""From single ratings to one value a drawing, as PainterBench section 4 does it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.eval.ratings.answers import Answers, answers_to
from designgym.eval.ratings.rating import Exclusion, Rating


@dataclass(frozen=True)
class Composite:
    """What drawings were rated in one respect.

    Attributes:
        question: ``"creativity"`` or ``"recognisability"``.
        values: Drawing -> its composite, 0 (lowest of all) to 1 (highest of all).
        raters: Drawing -> how many raters it is an average of.
        excluded: Raters that were left out.
    """

    question: str
    values: Mapping[str, float]
    raters: Mapping[str, int]
    excluded: tuple[Exclusion, ...] = ()


def composite(ratings: Iterable[Rating], question: str) -> Composite:
    """Z-scores of each rater over all their answers, averaged by drawing, scaled to [0, 1] (PainterBench, section 4).

    The standard deviation is that of the population (divided by n). If all averages are equal they are all 0.

    Args:
        ratings: At most one for each drawing and rater.
        question: ``"creativity"`` or ``"recognisability"``.
    """
    answers, excluded = answers_to(ratings, question)
    means = min_max(averages(answers))
    values = dict(zip(answers.drawings, means.tolist(), strict=True))
    raters = dict(zip(answers.drawings, answers.counts.tolist(), strict=True))
    return Composite(question, values, raters, excluded)


def averages(answers: Answers) -> NDArray[np.float64]:
    """Mean z-score of each drawing, float64 [drawings].

    Raises:
        ValueError: If a rater has no spread; ``answers_to`` leaves such raters out.
    """
    if not len(answers.value):
        return np.zeros(0)
    number = np.bincount(answers.rater)
    mean = np.bincount(answers.rater, answers.value) / number
    away = answers.value - mean[answers.rater]
    sd = np.sqrt(np.bincount(answers.rater, away**2) / number)
    if not sd.all():
        raise ValueError(f"The answers of rater {answers.raters[int(np.argmin(sd))]!r} are all equal: no z-score.")
    z = away / sd[answers.rater]
    means: NDArray[np.float64] = np.bincount(answers.drawing, z) / answers.counts
    return means


def min_max(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values moved and stretched to [0, 1]; zeros if they are all equal."""
    if not len(values) or values.max() == values.min():
        return np.zeros(len(values))
    scaled: NDArray[np.float64] = (values - values.min()) / (values.max() - values.min())
    return scaled
