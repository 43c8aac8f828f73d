"""Tests of two policies on the same items, and the correction for making several of them. Needs scipy.

AesEval-Bench (appendix H) compares accuracies by McNemar's test and IoU by a paired t-test; these are both, with
effect sizes. They take items as independent; where several questions share a design, read them beside an interval that
is resampled by design (``designgym.eval.statistics.bootstrap`` with clusters).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.errors import require


@dataclass(frozen=True)
class Significance:
    """A two-sided test of a paired difference.

    Attributes:
        p: None where the data allow no test.
        effect: The effect size; None where it is undefined.
        effect_name: ``"odds ratio"`` (first right alone to second right alone) or ``"Cohen's d"`` (of the differences).
        n: Number of pairs.
        method: The test, or why there is none.
        statistic: t, or the number of items that only the first got right.
    """

    p: float | None
    effect: float | None
    effect_name: str
    n: int
    method: str
    statistic: float | None = None


def mcnemar(first: Sequence[bool] | NDArray[Any], second: Sequence[bool] | NDArray[Any]) -> Significance:
    """McNemar's exact test of two policies' right and wrong answers to the same questions.

    Only the questions that one of the two got right count: under the null hypothesis either is as likely, so their
    split is binomial with 1/2. The effect is the conditional odds ratio b / c, infinite where c is 0 and b is not.

    Args:
        first: Whether the first policy was right, a question each.
        second: The same of the second policy, in the same order.

    Raises:
        ValueError: If the lengths differ.
    """
    left, right = np.asarray(first, bool), np.asarray(second, bool)
    _same_length(left, right)
    only_first, only_second = int((left & ~right).sum()), int((~left & right).sum())
    differing = only_first + only_second
    if differing == 0:
        method = "none (no pair differs)" if len(left) else "none (no pairs)"
        return Significance(1.0 if len(left) else None, None, "odds ratio", len(left), method, 0.0)
    stats = require("scipy.stats", extra="eval")
    p = float(stats.binomtest(only_first, differing, 0.5).pvalue)
    ratio = only_first / only_second if only_second else math.inf
    return Significance(p, ratio, "odds ratio", len(left), "McNemar's exact test", float(only_first))


def paired_t(first: Sequence[float] | NDArray[Any], second: Sequence[float] | NDArray[Any]) -> Significance:
    """Student's paired t-test, with Cohen's d of the differences (their mean over their standard deviation).

    Args:
        first: A finite value an item.
        second: The same of the second policy, in the same order.

    Returns:
        Without a p for fewer than two pairs, or where all pairs differ by the same amount other than 0.

    Raises:
        ValueError: If the lengths differ or a value is not finite.
    """
    left, right = np.asarray(first, float), np.asarray(second, float)
    _same_length(left, right)
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise ValueError("A paired t-test needs finite values; leave out the pairs that lack one.")
    differences = left - right
    n = len(differences)
    if n < 2:
        return Significance(None, None, "Cohen's d", n, "none (fewer than two pairs)")
    if differences.min() == differences.max():
        same = bool(differences[0] == 0)
        method = "none (no pair differs)" if same else "none (all pairs differ by the same amount)"
        return Significance(1.0 if same else None, 0.0 if same else None, "Cohen's d", n, method)
    stats = require("scipy.stats", extra="eval")
    t = float(differences.mean() / (differences.std(ddof=1) / math.sqrt(n)))
    p = float(2 * stats.t.sf(abs(t), n - 1))
    return Significance(p, t / math.sqrt(n), "Cohen's d", n, f"paired t-test, {n - 1} degrees of freedom", t)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values after Holm (1979): each can be compared with the level that all of them together shall keep.

    Args:
        p_values: None marks tests that could not be made; they stay None and do not count.

    Raises:
        ValueError: For a p outside of 0 to 1.
    """
    for p in p_values:
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"{p!r} is no p value; they lie between 0 and 1.")
    order = sorted((i for i, p in enumerate(p_values) if p is not None), key=lambda i: (p_values[i], i))
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * (p_values[index] or 0.0)))
        adjusted[index] = least
    return adjusted


def _same_length(first: NDArray[Any], second: NDArray[Any]) -> None:
    if len(first) != len(second):
        raise ValueError(f"Paired values must be of equal length; got {len(first)} and {len(second)}.")
