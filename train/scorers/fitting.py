"""Fitting a head on some drawings and testing it on others, with the kernel's width given or chosen."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.eval.creativity.correlation import pearson, spearman
from designgym.eval.ratings.splits import Indices
from designgym.eval.statistics import Interval
from designgym.rewards.kernel_head import ALPHA, GAMMA, KernelHead, fit_kernel_head
from designgym.score import Backend

WIDTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Candidates for gamma, in units of one by the median squared distance of two drawings."""
_SAMPLE = 1000


@dataclass(frozen=True)
class Settings:
    """How heads are fitted.

    Attributes:
        alpha: Strength of the penalty (PainterBench, section 4.1).
        gamma: Width of the kernel (likewise, for DINOv2); None chooses it on drawings that are held back.
    """

    alpha: float = ALPHA
    gamma: float | None = GAMMA


@dataclass(frozen=True)
class Accuracy:
    """How predictions go with ratings: Pearson's r and Spearman's rho, each with its interval."""

    r: Interval
    rho: Interval


@dataclass(frozen=True, eq=False)
class Data:
    """Rated drawings.

    Attributes:
        x: Features, float32 [n, d].
        y: Ratings, 0 to 1, float64 [n].
        ink: Share of inked pixels, float64 [n].
        features: What made the features.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float64]
    ink: NDArray[np.float64]
    features: Backend


def accuracy(
    predicted: Sequence[float] | NDArray[np.float64], rated: Sequence[float] | NDArray[np.float64]
) -> Accuracy:
    """Correlations of predictions with ratings; undefined ones say why in their method."""
    return Accuracy(pearson(predicted, rated), spearman(predicted, rated))


def candidates(x: NDArray[np.float32], seed: int = 0) -> tuple[float, ...]:
    """The gammas to choose from: the paper's, and multiples of one by the median squared distance."""
    rows = x if len(x) <= _SAMPLE else x[np.sort(np.random.default_rng(seed).choice(len(x), _SAMPLE, replace=False))]
    rows = rows.astype(np.float64)
    lengths = np.sum(rows**2, axis=1)
    apart = lengths[:, None] + lengths[None, :] - 2 * rows @ rows.T
    median = float(np.median(apart[np.triu_indices(len(rows), 1)]))
    if median <= 0:
        return (GAMMA,)
    return tuple(sorted({GAMMA, *(width / median for width in WIDTHS)}))


def choose_gamma(data: Data, train: Indices, validation: Indices, alpha: float) -> float:
    """The candidate whose head, fitted on ``train``, correlates best with the ratings of ``validation``; or smallest.

    The candidates are those of the training drawings.
    """
    scores = {}
    for gamma in candidates(data.x[train]):
        head = fit(data, train, Settings(alpha, gamma), "candidate")
        r = _plain_r(head.predict(data.x[validation]), data.y[validation])
        scores[gamma] = -np.inf if r is None else r
    return max(scores, key=lambda gamma: (scores[gamma], -gamma))


def fit(data: Data, train: Indices, settings: Settings, name: str, **facts: object) -> KernelHead:
    """A head fitted on some of the drawings; ``settings.gamma`` must be given."""
    if settings.gamma is None:
        raise ValueError("The kernel's width has to be chosen before a head is fitted.")
    with warnings.catch_warnings():
        # Nearly singular kernels are what small gammas make; the penalty is there for that.
        warnings.filterwarnings("ignore", message="Singular matrix")
        return fit_kernel_head(
            data.x[train],
            data.y[train],
            alpha=settings.alpha,
            gamma=settings.gamma,
            features=data.features,
            name=name,
            facts=facts,
        )


def _plain_r(predicted: NDArray[np.float64], rated: NDArray[np.float64]) -> float | None:
    return pearson(predicted, rated).mean
