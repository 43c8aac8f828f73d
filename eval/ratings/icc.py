"""Intraclass correlations of ratings: how much of what raters say is about the drawings.

Names after McGraw and Wong (1996) and, in brackets, Shrout and Fleiss (1979):

========  ========  ==============================================================================================
ICC(1)    (1,1)     one rating; everything that varies between two ratings of a drawing is error, severity included
ICC(A,1)  (2,1)     one rating; raters' severity is error
ICC(C,1)  (3,1)     one rating; raters' severity is taken off
ICC(C,k)  (3,k)     the average of k ratings; severity is taken off. What the composite has (PainterBench, section 4)
========  ========  ==============================================================================================

The two-way coefficients come from variance components by Henderson's third method: each factor's sum of squares with
the other one taken off by least squares. On a complete table that gives exactly Shrout and Fleiss's formulas. It stays
defined where answers are missing, and where each rater rates one batch of drawings: then it pools the mean squares of
the batches, so drawings are compared within their batch and raters within theirs. In ICC(C,k), k is the harmonic mean
of the numbers of ratings of a drawing, unless another is asked for.

The one-way coefficient compares all drawings whatever their batch, with the usual correction for unequal numbers
(Donner 1986): raters of a batch who are severe together count as a difference between its drawings and those of others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.eval.ratings.answers import Answers

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Coefficient:
    """A reliability, at most 1; below 0 where drawings differ less than chance would have it. None with a reason."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True)
class Variances:
    """Variance components of ratings; estimates, so they may be negative.

    Attributes:
        drawing: Of drawings around the mean of their batch.
        rater: Of raters' severity within a batch.
        residual: What is left.
        batches: Number of sets of drawings that share no rater.
        drawing_df: Degrees of freedom of drawings.
        residual_df: Degrees of freedom of the residual.
        per_drawing: Ratings that a drawing's mean square counts; on a complete table the number of raters.
    """

    drawing: float
    rater: float
    residual: float
    batches: int
    drawing_df: int
    residual_df: int
    per_drawing: float


class Undefined(ValueError):
    """There is too little in the ratings to say how reliable they are; the message is the reason."""


def icc_1(answers: Answers) -> Coefficient:
    """One-way ICC of a single rating: the rho_1 of PainterBench's Appendix G.2.

    Drawings may have different numbers of ratings; those with one tell about the spread of drawings only.
    """
    try:
        _require(answers)
    except Undefined as reason:
        return Coefficient(None, str(reason))
    value = float(one_way(*sufficient(answers)))
    return Coefficient(value) if np.isfinite(value) else Coefficient(None, "all ratings are equal")


def sufficient(answers: Answers) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """All that :func:`one_way` needs of each drawing: number, sum and inner sum of squares, float64 [drawings] each."""
    centred = answers.value - answers.value.mean()  # so that sums of squares do not cancel
    counts = answers.counts.astype(np.float64)
    sums: NDArray[np.float64] = np.bincount(answers.drawing, centred).astype(np.float64)
    away = (centred - (sums / counts)[answers.drawing]) ** 2
    inner: NDArray[np.float64] = np.bincount(answers.drawing, away).astype(np.float64)
    return counts, sums, inner


def one_way(
    counts: NDArray[np.float64], sums: NDArray[np.float64], inner: NDArray[np.float64]
) -> NDArray[np.float64] | np.float64:
    """ICC(1) from the drawings' numbers, sums and inner sums of squares.

    Args:
        counts: Number of ratings, float64 [..., drawings].
        sums: Their sums, likewise.
        inner: Sums of squares around the drawing's own mean, likewise.

    Returns:
        The coefficient of each leading index, NaN where it is undefined.
    """
    n, drawings = counts.sum(-1), counts.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.maximum((sums**2 / counts).sum(-1) - sums.sum(-1) ** 2 / n, 0) / (drawings - 1)
        within = inner.sum(-1) / (n - drawings)
        k = (n - (counts**2).sum(-1) / n) / (drawings - 1)
        value: NDArray[np.float64] = (between - within) / (between + (k - 1) * within)
    return value


def variances(answers: Answers) -> Variances:
    """Variance components of drawings and raters by Henderson's third method.

    Raises:
        Undefined: With fewer than two raters or drawings, or if no batch has two of both.
    """
    _require(answers)
    value = answers.value - answers.value.mean()
    n, drawings, raters = len(value), len(answers.drawings), len(answers.raters)
    batch = batches(answers)
    count = int(batch.max()) + 1
    free = n - drawings - raters + count
    if drawings == count or raters == count or free <= 0:
        raise Undefined("no two raters rated the same two drawings")
    by_drawing, by_rater = _left(value, answers.drawing), _left(value, answers.rater)
    both = by_drawing - sum(_explained(answers, value, batch == b) for b in range(count))
    both = both if both > _ROUNDING * float(value @ value) else 0.0
    residual = both / free
    drawing = ((by_rater - both) - (drawings - count) * residual) / (n - raters)
    rater = ((by_drawing - both) - (raters - count) * residual) / (n - drawings)
    per_drawing = (n - raters) / (drawings - count)
    return Variances(float(drawing), float(rater), float(residual), count, drawings - count, free, per_drawing)


def icc_a1(answers: Answers) -> Coefficient:
    """Two-way ICC(A,1), absolute agreement of single ratings: Shrout and Fleiss's ICC(2,1)."""
    return _share(answers, 1.0, severity=True)


def icc_c1(answers: Answers) -> Coefficient:
    """Two-way ICC(C,1), consistency of single ratings: Shrout and Fleiss's ICC(3,1)."""
    return _share(answers, 1.0)


def icc_ck(answers: Answers, k: float | None = None) -> Coefficient:
    """Two-way ICC(C,k), consistency of averages: Shrout and Fleiss's ICC(3,k).

    Args:
        answers: The ratings.
        k: Ratings that are averaged; None takes the harmonic mean of the drawings' numbers.
    """
    return _share(answers, answers.mean_raters if k is None else k)


def icc_ak(answers: Answers, k: float | None = None) -> Coefficient:
    """Two-way ICC(A,k), absolute agreement of averages: Shrout and Fleiss's ICC(2,k). ``k`` as in :func:`icc_ck`."""
    return _share(answers, answers.mean_raters if k is None else k, severity=True)


def batches(answers: Answers) -> NDArray[np.int64]:
    """Number of the batch that each answer belongs to, from 0, int [n]: no two batches share a drawing or a rater."""
    drawing = np.arange(len(answers.drawings))
    while True:  # every drawing takes the smallest label that it can reach over one rater, until nothing changes
        rater = np.full(len(answers.raters), len(drawing))
        np.minimum.at(rater, answers.rater, drawing[answers.drawing])
        reached = drawing.copy()
        np.minimum.at(reached, answers.drawing, rater[answers.rater])
        reached = reached[reached]
        if np.array_equal(reached, drawing):
            numbers: NDArray[np.int64] = np.unique(drawing[answers.drawing], return_inverse=True)[1]
            return numbers
        drawing = reached


def _share(answers: Answers, k: float, *, severity: bool = False) -> Coefficient:
    try:
        found = variances(answers)
    except Undefined as reason:
        return Coefficient(None, str(reason))
    noise = found.residual + (found.rater if severity else 0.0)
    whole = found.drawing + noise / k
    if whole <= _ROUNDING * float(answers.value.var()):
        return Coefficient(None, "drawings do not differ" if len(set(answers.value)) > 1 else "all ratings are equal")
    return Coefficient(found.drawing / whole)


def _require(answers: Answers) -> None:
    if len(answers.raters) < 2:
        raise Undefined("one rater only" if len(answers.raters) else "no ratings")
    if len(answers.drawings) < 2:
        raise Undefined("one drawing only")
    if answers.counts.max() < 2:
        raise Undefined("no drawing was rated twice")


def _left(value: NDArray[np.float64], group: NDArray[np.int64]) -> float:
    """Sum of squares around the means of groups."""
    means = np.bincount(group, value) / np.bincount(group)
    return float(np.sum((value - means[group]) ** 2))


def _explained(answers: Answers, value: NDArray[np.float64], chosen: NDArray[np.bool_]) -> float:
    """What raters explain of a batch beyond its drawings, a sum of squares: normal equations, drawings absorbed."""
    drawings, drawing = np.unique(answers.drawing[chosen], return_inverse=True)
    raters, rater = np.unique(answers.rater[chosen], return_inverse=True)
    rated = np.zeros((len(drawings), len(raters)))
    rated[drawing, rater] = 1.0
    counts = rated.sum(axis=1)
    away = value[chosen] - (np.bincount(drawing, value[chosen]) / counts)[drawing]
    right = np.bincount(rater, away)
    left = np.diag(rated.sum(axis=0)) - rated.T @ (rated / counts[:, None])
    return float(right @ np.linalg.lstsq(left, right, rcond=None)[0])
