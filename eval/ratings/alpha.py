"""Krippendorff's alpha of ratings: agreement of single raters beyond chance, whatever is missing."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from designgym.eval.ratings.answers import Answers
from designgym.eval.ratings.icc import Coefficient

Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(answers: Answers, level: Level = "ordinal") -> Coefficient:
    """Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

    1 is perfect agreement, 0 what chance would bring. Numbers of raters may differ; drawings with one rating are left
    out, as in the definition.

    Args:
        answers: The ratings.
        level: How different two ratings are: ``"nominal"``, all alike; ``"ordinal"``, by the ratings that lie between
            them; ``"interval"``, by their difference.

    Returns:
        None with a reason where nothing was rated twice or all ratings are equal.
    """
    if len(answers.raters) < 2:
        return Coefficient(None, "one rater only" if len(answers.raters) else "no ratings")
    values, parts = contributions(answers)
    if not len(parts):
        return Coefficient(None, "no drawing was rated twice")
    value = from_contributions(values, parts.sum(axis=0), level)
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
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(values))
    return values, pairs / (counts.sum(axis=1) - 1)[:, None, None]


def from_contributions(values: NDArray[np.float64], observed: NDArray[np.float64], level: Level) -> float | None:
    """Alpha of coincidences, float64 [v, v], of these values; None if only one value occurs."""
    totals = observed.sum(axis=0)
    apart = _distances(values, totals, level)
    expected = float(totals @ apart @ totals)
    if expected == 0:
        return None
    return 1.0 - float(totals.sum() - 1) * float(np.sum(observed * apart)) / expected


def _distances(values: NDArray[np.float64], totals: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """Squared differences of all pairs of values, float64 [values, values]."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    # Ordinal: half of both values' ratings and all ratings between them, that is, the difference of mid-ranks.
    place = values if level == "interval" else np.cumsum(totals) - totals / 2
    apart: NDArray[np.float64] = (place[:, None] - place[None, :]) ** 2
    return apart
