"""Whether two measures rank agents alike, by the means of each agent's drawings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from designgym.eval.creativity.correlation import Values, complete, percentiles, rank_correlation, undefined
from designgym.eval.statistics import Interval

RESAMPLES = 1_000


def rank_agreement(
    x: Values,
    y: Values,
    models: Sequence[str],
    stimuli: Sequence[str],
    seed: int = 0,
    *,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval:
    """Spearman's rho between the models' means of x and of y, with a bootstrap interval over stimuli.

    Args:
        x: A value a drawing; None or NaN count as missing on both sides.
        y: Likewise, in the same order.
        models: Who made each drawing.
        stimuli: The shape that each drawing started from; whole shapes are resampled.
        seed: Of the resampling.
        resamples: Number of bootstrap samples.
        level: Coverage, 0 to 1.

    Returns:
        ``n`` is the number of models. Undefined for one model, and where all models have the same mean.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    who, where = (np.unique(np.asarray(names), return_inverse=True)[1].astype(float) for names in (models, stimuli))
    (left, right, known, shapes), missing = complete(x, y, who, where)
    model, stimulus = (np.unique(codes, return_inverse=True)[1] for codes in (known, shapes))
    n = int(model.max()) + 1 if len(model) else 0
    if n < 2:
        reason = "none (one model only: nothing to rank)" if n else "none (no drawing has both values)"
        return Interval(None, None, None, n, reason, missing=missing, level=level)
    means = [_means(side, model, n) for side in (left, right)]
    if reason := undefined(*means):
        return Interval(None, None, None, n, f"none ({reason} over models)", missing=missing, level=level)
    rho = float(rank_correlation(means[0][None], means[1][None])[0])
    places = int(stimulus.max()) + 1
    if places < 2 or n < 3:
        why = "one stimulus" if places < 2 else "two models"
        return Interval(rho, None, None, n, f"Spearman of means (no interval for {why})", missing=missing, level=level)
    cell = stimulus * n + model
    sums = [np.bincount(cell, side, places * n).reshape(places, n) for side in (left, right)]
    counts = np.bincount(cell, minlength=places * n).reshape(places, n).astype(float)
    drawn = np.random.default_rng(seed).multinomial(places, np.full(places, 1 / places), resamples).astype(float)
    weights = drawn @ counts
    whole = (weights > 0).all(axis=1)  # a resample that has no drawing of some model ranks nothing
    left_means, right_means = (drawn[whole] @ part / weights[whole] for part in sums)
    low, high = percentiles(rank_correlation(left_means, right_means), level)
    if low is not None and high is not None:  # near ±1 resamples lie on one side of the estimate
        low, high = min(low, rho), max(high, rho)
    return Interval(rho, low, high, n, "Spearman of means, bootstrap over stimuli", missing=missing, level=level)


def _means(values: NDArray[np.float64], model: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    return np.bincount(model, values, n) / np.bincount(model, minlength=n)
