"""Correlations with 95 % intervals: Pearson's, Spearman's, and Pearson's with a third variable held fixed. Needs scipy.

An undefined correlation has no mean and its method says why; values that are missing on either side (None or NaN) are
left out in pairs and counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.errors import require
from designgym.eval.statistics import Interval

Values = Sequence[float | None] | NDArray[Any]
Floats = NDArray[np.float64]

RESAMPLES = 2_000
_CHUNK = 400_000  # numbers drawn at a time, so that memory stays at a few megabytes


def pearson(x: Values, y: Values, *, level: float = 0.95) -> Interval:
    """Pearson's r with Fisher's interval, which takes pairs as independent.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    (left, right), missing = complete(x, y)
    if reason := undefined(left, right):
        return _none(reason, len(left), missing, level)
    return fisher(_r(left, right), len(left), missing=missing, level=level)


def partial(x: Values, y: Values, given: Values, *, level: float = 0.95) -> Interval:
    """Pearson's r of what a line in ``given`` leaves of x and of y, with Fisher's interval for one variable held fixed.

    Args:
        x: A value an item.
        y: Likewise.
        given: What is held fixed, such as the logarithm of the ink.
        level: Coverage, 0 to 1.

    Returns:
        Undefined where x or y is constant, or a line in ``given`` up to rounding.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    (left, right, third), missing = complete(x, y, given)
    if reason := undefined(left, right):
        return _none(reason, len(left), missing, level)
    if third.min() == third.max():
        return fisher(_r(left, right), len(left), missing=missing, level=level)  # nothing to hold fixed
    first, second = _r(left, third), _r(right, third)
    for name, r in (("first", first), ("second", second)):
        if 1 - r * r < 1e-9:
            return _none(f"the {name} variable is a line in what is held fixed", len(left), missing, level)
    r = (_r(left, right) - first * second) / math.sqrt((1 - first * first) * (1 - second * second))
    return fisher(min(1.0, max(-1.0, r)), len(left), held=1, missing=missing, level=level)


def spearman(x: Values, y: Values, seed: int = 0, *, resamples: int = RESAMPLES, level: float = 0.95) -> Interval:
    """Spearman's rho (midranks for ties) with a percentile bootstrap interval over pairs.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    (left, right), missing = complete(x, y)
    if reason := undefined(left, right):
        return _none(reason, len(left), missing, level)
    rho = float(rank_correlation(left[None], right[None])[0])
    if len(left) < 4:
        return Interval(rho, None, None, len(left), "Spearman (too few pairs for an interval)", missing=missing)
    drawn = bootstrapped(left, right, np.random.default_rng(seed), resamples)
    low, high = percentiles(drawn, level)
    return Interval(rho, low, high, len(left), "Spearman, percentile bootstrap", missing=missing, level=level)


def bootstrapped(x: Floats, y: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    """Spearman's rho of so many resamples of pairs, float64 (resamples,); NaN where one side came out constant."""
    rows = max(1, _CHUNK // len(x))
    places = [np.unique(side, return_inverse=True)[1] for side in (x, y)]
    parts = []
    for start in range(0, resamples, rows):
        chosen = rng.integers(0, len(x), (min(rows, resamples - start), len(x)))
        parts.append(_correlation(*(_midranks(side[chosen], int(side.max()) + 1) for side in places)))
    return np.concatenate(parts)


def _midranks(places: NDArray[np.int64], count: int) -> Floats:
    """Midranks row by row of places in an order, 0 to ``count`` - 1: counted, since sorting every row takes long."""
    rows = np.arange(len(places))[:, None]
    held = np.bincount((places + count * rows).ravel(), minlength=count * len(places)).reshape(len(places), count)
    ranks: Floats = (np.cumsum(held, axis=1) - (held - 1) / 2)[rows, places]
    return ranks


def rank_correlation(x: Floats, y: Floats) -> Floats:
    """Spearman's rho row by row, (rows, n) each -> (rows,); NaN where a row is constant."""
    stats = require("scipy.stats", extra="eval")
    return _correlation(stats.rankdata(x, axis=1), stats.rankdata(y, axis=1))


def _correlation(x: Floats, y: Floats) -> Floats:
    """Pearson's r row by row; NaN where a row is constant."""
    left, right = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    scale = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    with np.errstate(all="ignore"):
        found: Floats = np.where(scale > 0, (left * right).sum(axis=1) / scale, np.nan)
    return found


def percentiles(values: Floats, level: float) -> tuple[float | None, float | None]:
    """The ends of the middle share of the values that are defined; None if none is."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None, None
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)


def fisher(r: float, n: int, *, held: int = 0, missing: int = 0, level: float = 0.95) -> Interval:
    """The interval of a Pearson correlation over n pairs, with so many variables held fixed, by Fisher's z."""
    method = "Fisher's z" if not held else "Fisher's z, one variable held fixed"
    free = n - 3 - held
    if free < 1:
        return Interval(r, None, None, n, f"{method} (too few pairs for an interval)", missing=missing, level=level)
    if abs(r) >= 1:
        return Interval(r, r, r, n, method, degenerate=True, missing=missing, level=level)
    stats = require("scipy.stats", extra="eval")
    half = float(stats.norm.ppf((1 + level) / 2)) / math.sqrt(free)
    z = math.atanh(r)
    return Interval(r, math.tanh(z - half), math.tanh(z + half), n, method, missing=missing, level=level)


def complete(*columns: Values) -> tuple[list[Floats], int]:
    """The columns where all of them have a value, float64, and how many rows were left out.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(str(len(column)) for column in columns)
        raise ValueError(f"Correlated values must be of equal length; got {lengths}.")
    arrays = [np.array([math.nan if v is None else float(v) for v in column], np.float64) for column in columns]
    if any(np.isinf(array).any() for array in arrays):
        raise ValueError("The values contain an infinity, with which nothing correlates; leave it out first.")
    keep = ~np.isnan(np.array(arrays)).any(axis=0)
    return [array[keep] for array in arrays], int((~keep).sum())


def undefined(x: Floats, y: Floats) -> str:
    """Why the correlation is undefined; empty if it is defined."""
    if len(x) < 2:
        return "fewer than two pairs"
    for name, side in (("first", x), ("second", y)):
        if side.min() == side.max():
            return f"the {name} variable is constant"
    return ""


def _r(x: Floats, y: Floats) -> float:
    left, right = x - x.mean(), y - y.mean()
    return float(np.clip(left @ right / math.sqrt(float(left @ left) * float(right @ right)), -1, 1))


def _none(reason: str, n: int, missing: int, level: float) -> Interval:
    return Interval(None, None, None, n, f"none ({reason})", missing=missing, level=level)
