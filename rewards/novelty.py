"""How unlike a drawing is, in form, to drawings that no idea went into: its distance from a frozen set of those."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FILE = "figural_reference.npz"
SHA256 = "25f2a1adace15fc8ecd94175687fdf3f1586a322fc507423faecb9b4a12fec09"
"""Of the file. ``python docs/figural_reference.py`` makes it and says the new one."""

NEIGHBOURS = 10
USUAL, UNUSUAL = 0.7, 1.2
"""Distances, in those of the neighbours, at which novelty begins and is complete: drawings of the reference set's kinds
lie around 1."""


class WrongReference(RuntimeError):
    """The installed reference set is not the one that scores are made with."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Reference drawings in a space where those of a kind scatter alike in all directions.

    Attributes:
        points: The drawings, n x d.
        reach: The mean distance of each from its ten nearest others, n.
        whitening: From features to this space, d x d.
    """

    points: Floats
    reach: Floats
    whitening: Floats


@cache
def reference() -> Reference:
    """The frozen set.

    Raises:
        WrongReference: If the file does not hold what it should.
    """
    data = resources.files("designgym.rewards").joinpath(FILE).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise WrongReference(
            f"The reference drawings '{FILE}' have the hash {found[:12]} instead of {SHA256[:12]}; install the package "
            "anew, so that scores stay comparable."
        )
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return fitted(arrays["features"].astype(np.float64), arrays["whitening"].astype(np.float64))


def fitted(features: Floats, whitening: Floats) -> Reference:
    """A reference set from the features of its drawings, n x d, and their whitening."""
    points = features @ whitening
    apart = np.array([np.sort(_distances(point, points))[1 : NEIGHBOURS + 1].mean() for point in points])
    return Reference(points, apart, whitening)


def whitening_of(features: Floats, kinds: NDArray[np.int64], shrink: float = 0.1) -> Floats:
    """The map after which drawings of one kind scatter alike in all directions, d x d.

    Args:
        features: n x d.
        kinds: The kind of each drawing, from 0.
        shrink: How far correlations are shrunk towards 0.
    """
    means = np.array([features[kinds == kind].mean(axis=0) for kind in range(kinds.max() + 1)])
    apart = features - means[kinds]
    spread = apart.std(axis=0)
    related = (1 - shrink) * (apart.T @ apart) / len(apart) / np.outer(spread, spread) + shrink * np.eye(len(spread))
    found: Floats = (np.linalg.cholesky(np.linalg.inv(related)).T / spread).T
    return found


def outlying(features: Floats, others: Reference | None = None) -> float:
    """The mean distance of a drawing from its ten nearest in the reference set, in units of the same of those ten.

    A local outlier factor, simplified (Schubert, Zimek and Kriegel 2014): 1 is as far from them as they are from one
    another.

    Args:
        features: The drawing's, d.
        others: The reference set; the frozen one by default.
    """
    others = others or reference()
    apart = _distances(features @ others.whitening, others.points)
    nearest = np.argpartition(apart, NEIGHBOURS)[:NEIGHBOURS]
    return float(apart[nearest].mean() / others.reach[nearest].mean())


def novelty(features: Floats) -> float:
    """0 for what is as usual as a drawing can be, 1 for what is unlike every reference drawing."""
    return min(1.0, max(0.0, (outlying(features) - USUAL) / (UNUSUAL - USUAL)))


def _distances(point: Floats, points: Floats) -> Floats:
    found: Floats = np.sqrt(((points - point) ** 2).mean(axis=1))
    return found
