"""How far drawings lie from one another and from a corpus, by the cosine of their features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.errors import UserError

NEIGHBOURS = 10
"""Section 4.2 of PainterBench."""
_CHUNK = 512  # rows compared at a time

Matrix = NDArray[np.floating]


def nearest(vectors: Matrix, corpus: Matrix, neighbours: int = NEIGHBOURS) -> NDArray[np.float64]:
    """Mean cosine distance of each drawing to its nearest neighbours in a corpus.

    Args:
        vectors: Features of the drawings, n x d.
        corpus: Features of the corpus, m x d, of the same backend.
        neighbours: How many count; the corpus must have that many.

    Returns:
        float64 (n,), 0 to 2.

    Raises:
        UserError: If the corpus is too small.
        ValueError: If features differ in number, are not finite, or are all zero for a drawing.
    """
    return _nearest(_unit(vectors), _unit(corpus), neighbours, own=False)


def leave_one_out(corpus: Matrix, neighbours: int = NEIGHBOURS) -> NDArray[np.float64]:
    """The same of every drawing of the corpus, among the others; float64 (m,).

    Raises:
        UserError: If the corpus is too small.
        ValueError: As :func:`nearest`.
    """
    unit = _unit(corpus)
    return _nearest(unit, unit, neighbours, own=True)


def in_sd(distances: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances in standard deviations of the corpus's own ones, above their median (section 4.2).

    The standard deviation is the population's, for the corpus is all that is compared with.

    Args:
        distances: Of drawings (:func:`nearest`).
        own: Of the corpus (:func:`leave_one_out`).

    Raises:
        UserError: If the corpus's own distances are all equal, so that they are no unit.
    """
    sd = float(own.std())
    if sd < 1e-12:
        raise UserError("The drawings of the corpus are all equally far from one another; that is no unit of distance.")
    found: NDArray[np.float64] = (distances - float(np.median(own))) / sd
    return found


def mean_pairwise(vectors: Matrix) -> float | None:
    """Mean cosine distance over all pairs of drawings, 0 to 2; None for fewer than two.

    Raises:
        ValueError: As :func:`nearest`.
    """
    if len(vectors) < 2:
        return None
    unit = _unit(vectors)
    n, total = len(unit), unit.sum(axis=0)
    return max(0.0, float(1 - (total @ total - n) / (n * (n - 1))))


def _nearest(unit: Matrix, corpus: Matrix, neighbours: int, *, own: bool) -> NDArray[np.float64]:
    if len(corpus) - own < neighbours:
        raise UserError(
            f"The corpus has {len(corpus)} drawings, and {neighbours} nearest neighbours of each are asked for; "
            f"it needs at least {neighbours + own}."
        )
    if unit.shape[1] != corpus.shape[1]:
        raise ValueError(f"Features of {unit.shape[1]} and of {corpus.shape[1]} numbers cannot be compared.")
    found = np.empty(len(unit))
    for start in range(0, len(unit), _CHUNK):
        distances = 1 - unit[start : start + _CHUNK] @ corpus.T
        if own:
            rows = np.arange(len(distances))
            distances[rows, start + rows] = np.inf
        closest = np.partition(distances, neighbours - 1, axis=1)[:, :neighbours]
        found[start : start + len(distances)] = closest.mean(axis=1)
    return np.maximum(found, 0.0)


def _unit(vectors: Matrix) -> NDArray[np.float64]:
    array = np.asarray(vectors, np.float64)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ValueError("The features contain NaN or an infinity, which has no distance to anything.")
    if not lengths.all():
        raise ValueError(f"The features of drawing {int(np.argmin(lengths))} are all 0, which has no direction.")
    unit: NDArray[np.float64] = array / lengths
    return unit
