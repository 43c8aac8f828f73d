"""How many raters a drawing needs, from a pilot: PainterBench's allocation rule (Appendix G.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from designgym.eval.ratings.answers import Answers
from designgym.eval.ratings.icc import icc_1, one_way, sufficient

TARGET = 0.75
"""Reliability of the average that is asked for: "good" by Koo and Li (2016), Appendix G.2."""
CAP = 25
"""Most ratings of a drawing that are collected (Appendix G.2)."""
RESAMPLES = 10_000
_DRAWN = 2_000_000  # numbers drawn at a time


@dataclass(frozen=True)
class Bound:
    """A single rater's reliability from a pilot.

    Attributes:
        estimate: One-way ICC, the rho_1 of Appendix G.2; None where undefined.
        low: Its one-sided lower confidence bound; None where undefined.
        drawings: Number of drawings in the pilot.
        resamples: Number of bootstrap samples in which it was defined.
        level: Coverage of the bound.
        reason: Why there is no estimate or bound.
    """

    estimate: float | None
    low: float | None
    drawings: int
    resamples: int
    level: float = 0.95
    reason: str = ""


@dataclass(frozen=True)
class Allocation:
    """How many ratings to collect of every drawing.

    Attributes:
        demanded: Question -> the number that its lower bound demands; None if no number reaches the target.
        collected: The largest of them, at most the cap.
        capped: Whether the cap is less than what is demanded.
    """

    demanded: Mapping[str, int | None]
    collected: int
    capped: bool


def spearman_brown(rho: float, k: float) -> float:
    """Reliability of the average of k ratings whose single reliability is ``rho`` (Spearman 1910, Brown 1910).

    Raises:
        ValueError: For k <= 0, or a ``rho`` for which there is none (at most -1 / (k - 1), or above 1).
    """
    if k <= 0:
        raise ValueError(f"The number of ratings is {k}; it must be above 0.")
    whole = 1 + (k - 1) * rho
    if rho > 1 or whole <= 0:
        raise ValueError(f"A reliability of {rho} of one rating has no average of {k}.")
    return k * rho / whole


def raters_needed(rho: float, target: float = TARGET) -> int | None:
    """The smallest number of ratings whose average is as reliable as the target (Appendix G.2).

    Args:
        rho: Reliability of one rating.
        target: Of the average, above 0 and below 1; .75 makes it ``ceil(3 (1 - rho) / rho)``.

    Returns:
        1 or more; None for a reliability of 0 or less, of which no number makes a reliable average.

    Raises:
        ValueError: For a target that is not between 0 and 1, or a reliability above 1 or NaN.
    """
    if not 0 < target < 1:
        raise ValueError(f"The target is {target}; it must lie between 0 and 1, both excluded.")
    if not rho <= 1:
        raise ValueError(f"The reliability of one rating is {rho}; it is at most 1.")
    if rho <= 0:
        return None
    exact = target * (1 - rho) / (rho * (1 - target))
    # At rho = .20 the quotient is 12.000000000000002 and the answer 12, so a few roundings' width is taken off.
    return max(1, math.ceil(exact * (1 - 1e-12)))


def lower_bound(answers: Answers, seed: int = 0, *, level: float = 0.95, resamples: int = RESAMPLES) -> Bound:
    """One-way ICC of a pilot with a one-sided lower bound: percentile bootstrap over drawings (Appendix G.2).

    Drawings are drawn with replacement, with all their ratings. Samples in which the coefficient is undefined, as when
    one drawing is drawn throughout, are left out and not counted in ``resamples``.
    """
    found = icc_1(answers)
    drawings = len(answers.drawings)
    if found.value is None:
        return Bound(None, None, drawings, 0, level, found.reason)
    parts = sufficient(answers)
    rng = np.random.default_rng(seed)
    samples = []
    for start in range(0, resamples, step := max(1, _DRAWN // drawings)):
        drawn = rng.integers(0, drawings, (min(step, resamples - start), drawings))
        samples.append(one_way(*(part[drawn] for part in parts)))
    values = np.concatenate(samples)
    values = values[np.isfinite(values)]
    if not len(values):
        return Bound(found.value, None, drawings, 0, level, "no bootstrap sample has a defined coefficient")
    return Bound(found.value, float(np.quantile(values, 1 - level)), drawings, len(values), level)


def allocate(bounds: Mapping[str, float], target: float = TARGET, cap: int = CAP) -> Allocation:
    """The number of ratings to collect: the larger of what the questions demand, up to the cap (Appendix G.2).

    Args:
        bounds: Question -> reliability of one rating, usually its lower bound.
        target: Reliability of the average.
        cap: Most ratings of a drawing.

    Raises:
        ValueError: Without a question, or for a cap below 1.
    """
    if not bounds or cap < 1:
        raise ValueError("There is nothing to allocate by." if not bounds else f"The cap is {cap}; it is 1 or more.")
    demanded = {question: raters_needed(rho, target) for question, rho in bounds.items()}
    largest = max(math.inf if number is None else number for number in demanded.values())
    return Allocation(demanded, int(min(largest, cap)), largest > cap)
