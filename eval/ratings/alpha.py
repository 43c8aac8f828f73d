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
    paired = answers.counts[answers.drawing] > 1
    if not paired.any():
        return Coefficient(None, "no drawing was rated twice")
    values, code = np.unique(answers.value[paired], return_inverse=True)
    if len(values) < 2:
        return Coefficient(None, "all ratings are equal")
    drawings, unit = np.unique(answers.drawing[paired], return_inverse=True)
    counts = np.zeros((len(drawings), len(values)))
    np.add.at(counts, (unit, code), 1.0)
    weight = 1.0 / (counts.sum(axis=1) - 1)
    observed = (counts * weight[:, None]).T @ counts - np.diag(weight @ counts)  # coincidences
    totals = counts.sum(axis=0)
    apart = _distances(values, totals, level)
    expected = float(totals @ apart @ totals)
    return Coefficient(1.0 - float(totals.sum() - 1) * float(np.sum(observed * apart)) / expected)


def _distances(values: NDArray[np.float64], totals: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """Squared differences of all pairs of values, float64 [values, values]."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    # Ordinal: half of both values' ratings and all ratings between them, that is, the difference of mid-ranks.
    place = values if level == "interval" else np.cumsum(totals) - totals / 2
    apart: NDArray[np.float64] = (place[:, None] - place[None, :]) ** 2
    return apart
