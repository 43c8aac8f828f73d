"""Reliabilities with 95 % intervals. Needs scipy.

Intraclass correlations: by the F distribution (Shrout and Fleiss 1979; McGraw and Wong 1996), which takes ratings as
normal. Exact on complete tables; with gaps and batches the degrees of freedom of their pooled mean squares stand in.
Alpha: percentile bootstrap over drawings.
"""

from __future__ import annotations

import numpy as np

from designgym.errors import require
from designgym.eval.ratings.allocation import spearman_brown
from designgym.eval.ratings.alpha import contributions, krippendorff_alpha
from designgym.eval.ratings.answers import Answers
from designgym.eval.ratings.icc import Undefined, icc_1, icc_ck, variances
from designgym.eval.statistics import Interval
from designgym.krippendorff import alpha

RESAMPLES = 2_000


def one_way_interval(answers: Answers, level: float = 0.95) -> Interval:
    """ICC(1) of one rating; the mean is None where it is undefined, and the method says why."""
    found = icc_1(answers)
    n, drawings = len(answers.value), len(answers.drawings)
    if found.value is None:
        return _none(found.reason, drawings, level)
    k = (n - float(np.sum(answers.counts**2)) / n) / (drawings - 1)
    low, high = _limits(found.value, k, drawings - 1, n - drawings, level)
    return Interval(found.value, low, high, drawings, "F distribution", level=level)


def composite_interval(answers: Answers, level: float = 0.95) -> Interval:
    """ICC(C,k) of the average of a drawing's ratings; likewise."""
    drawings = len(answers.drawings)
    try:
        parts = variances(answers)
    except Undefined as reason:
        return _none(str(reason), drawings, level)
    found = icc_ck(answers)
    if found.value is None:
        return _none(found.reason, drawings, level)
    single = parts.drawing / (parts.drawing + parts.residual)
    limits = _limits(single, parts.per_drawing, parts.drawing_df, parts.residual_df, level)
    k = answers.mean_raters
    low, high = (spearman_brown(limit, k) if limit > -1 / (k - 1) else None for limit in limits)
    return Interval(found.value, low, high, drawings, "F distribution", level=level)


def alpha_interval(answers: Answers, seed: int = 0, *, resamples: int = RESAMPLES, level: float = 0.95) -> Interval:
    """Krippendorff's ordinal alpha; likewise."""
    found = krippendorff_alpha(answers)
    drawings = len(answers.drawings)
    if found.value is None:
        return _none(found.reason, drawings, level)
    _, parts = contributions(answers)
    rng = np.random.default_rng(seed)
    share = np.full(len(parts), 1 / len(parts))
    drawn = []
    for _ in range(resamples):
        times = rng.multinomial(len(parts), share)
        drawn.append(alpha(np.tensordot(times, parts, 1), "ordinal"))
    kept = np.array([value for value in drawn if value is not None])
    tail = (1 - level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail]).tolist() if len(kept) else (None, None)
    return Interval(found.value, low, high, drawings, "percentile bootstrap over drawings", level=level)


def _limits(rho: float, k: float, between: float, within: float, level: float) -> tuple[float, float]:
    """Limits of a single rating's correlation, whose F ratio it is a function of."""
    if rho >= 1:
        return 1.0, 1.0
    f = require("scipy.stats", extra="scorers").f
    ratio, reach = (1 + (k - 1) * rho) / (1 - rho), (1 + level) / 2
    limits = ratio / float(f.ppf(reach, between, within)), ratio * float(f.ppf(reach, within, between))
    low, high = ((limit - 1) / (limit + k - 1) for limit in limits)
    return low, high


def _none(reason: str, n: int, level: float) -> Interval:
    return Interval(None, None, None, n, f"none ({reason})", level=level)
