"""Krippendorff's alpha of ratings: agreement of single raters beyond chance, whatever is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.eval.ratings.answers import Answers
from designgym.eval.ratings.icc import Coefficient
from designgym.krippendorff import Level, alpha, coincidences


def krippendorff_alpha(answers: Answers, level: Level = "ordinal") -> Coefficient:
    """Krippendorff's alpha; drawings with one rating are left out, as in the definition.

    Args:
        answers: The ratings.
        level: How different two ratings are.

    Returns:
        None with a reason where nothing was rated twice or all ratings are equal.
    """
    if len(answers.raters) < 2:
        return Coefficient(None, "one rater only" if len(answers.raters) else "no ratings")
    values, parts = contributions(answers)
    if not len(parts):
        return Coefficient(None, "no drawing was rated twice")
    value = alpha(parts.sum(axis=0), level, values)
    return Coefficient(value, "" if value is not None else "all ratings are equal")


def contributions(answers: Answers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each drawing that was rated twice adds to the coincidences of ratings.

    Returns:
        The values that occur, float64 [v], and for each such drawing how often they meet, float64 [drawings, v, v].
    """
    paired = answers.counts[answers.drawing] > 1
    values, code = np.unique(answers.value[paired], return_inverse=True)
    drawings, unit = np.unique(answers.drawing[paired], return_inverse=True)
    counts = np.zeros((len(drawings), len(values)))
    np.add.at(counts, (unit, code), 1.0)
    return values, coincidences(counts)
