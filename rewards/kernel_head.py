"""Kernel ridge regression from features to a rating: how ViDrA scores a drawing (PainterBench, section 4.1)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from designgym.errors import UserError, require
from designgym.score import Backend

ALPHA, GAMMA = 0.1, 1e-5
"""The paper's settings, for features of DINOv2 (section 4.1)."""

_ROWS = 256  # drawings at a time, so that the kernel's block stays small beside the support


class HeadError(UserError, ValueError):
    """A head that cannot be read, made or used with these features."""


@dataclass(frozen=True, eq=False)
class KernelHead:
    """A fitted head: prediction(x) = sum over i of dual_i exp(-gamma |x - support_i|^2).

    Attributes:
        support: Features of the drawings that it was fitted on, float32 m x d.
        dual: Their coefficients, float64 (m,).
        gamma: Width of the kernel, above 0.
        features: What the features are made by. Those of anything else are refused.
        name: What it is, such as ``"vidra"``.
        facts: What is known about the fit, as JSON data: ``alpha``, ``n``, a hash of the corpus and the like.

    Raises:
        HeadError: If the parts do not fit together or hold numbers that are not finite.
    """

    support: NDArray[np.float32]
    dual: NDArray[np.float64]
    gamma: float
    features: Backend
    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        support = np.ascontiguousarray(self.support, np.float32)
        dual = np.ascontiguousarray(self.dual, np.float64)
        if support.ndim != 2 or dual.shape != support.shape[:1] or not support.size:
            raise HeadError(
                f"A head has a matrix of features and a coefficient for each of its rows; these are {support.shape} "
                f"and {dual.shape}."
            )
        if not (np.isfinite(support).all() and np.isfinite(dual).all()):
            raise HeadError(f"The head {self.name!r} holds numbers that are not finite.")
        if not (math.isfinite(self.gamma) and self.gamma > 0):
            raise HeadError(f"A kernel's gamma is a number above 0, not {self.gamma}.")
        object.__setattr__(self, "support", support)
        object.__setattr__(self, "dual", dual)

    def predict(self, features: ArrayLike) -> NDArray[np.float64]:
        """Ratings of drawings, not clipped.

        Distances and kernel are float32; a prediction alone and one in a batch may differ by some 1e-6.

        Args:
            features: n x d, made by what the head was fitted on.

        Returns:
            float64 (n,).

        Raises:
            HeadError: If their number or length is wrong, or one of them is not finite.
        """
        rows = np.asarray(features, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.support.shape[1]:
            raise HeadError(
                f"The head {self.name!r} takes n x {self.support.shape[1]} features of {self.features.id}; these are "
                f"{rows.shape}."
            )
        if not np.isfinite(rows).all():
            raise HeadError(f"The head {self.name!r} was given features that are not finite.")
        centre, support, lengths = self._prepared
        found = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS):
            # Distances from the centre are small numbers, of which float32 keeps more digits.
            block = rows[start : start + _ROWS] - centre
            kernel = block @ support.T
            kernel *= 2
            kernel -= lengths
            kernel -= np.square(block).sum(axis=1, keepdims=True)
            np.minimum(kernel, 0, out=kernel)
            kernel *= np.float32(self.gamma)
            np.exp(kernel, out=kernel)
            found[start : start + _ROWS] = kernel @ self.dual
        return found

    def check_features(self, features: Backend) -> None:
        """Refuse features that it was not fitted on: numbers of different backbones mean different things.

        Raises:
            HeadError: If they are others.
        """
        if features != self.features:
            raise HeadError(
                f"The head {self.name!r} was fitted on features of {self.features.id} and cannot read those of "
                f"{features.id}; take the features that it was fitted on, or fit a head on these."
            )

    @property
    def backend(self) -> Backend:
        """Name and version of the features, and the hash of the head, in which that of their weights is included."""
        return Backend(f"{self.name} on {self.features.id}", "1", self.hash)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of all that the head is, however it was saved."""
        whole = hashlib.sha256(json.dumps(self.description(), sort_keys=True, allow_nan=False).encode())
        whole.update(self.support.astype("<f4").tobytes())
        whole.update(self.dual.astype("<f8").tobytes())
        return whole.hexdigest()

    def description(self) -> dict[str, Any]:
        """All but the arrays, as JSON data."""
        made_by = {"name": self.features.name, "version": self.features.version, "hash": self.features.hash}
        return {
            "name": self.name,
            "gamma": float(self.gamma),
            "shape": list(self.support.shape),
            "features": made_by,
            "facts": dict(self.facts),
        }

    def save(self, folder: str | Path) -> None:
        """Write it as ``head.safetensors`` and ``head.json``; see :mod:`designgym.rewards.head_files`."""
        from designgym.rewards.head_files import save_head

        save_head(self, folder)

    @classmethod
    def load(cls, folder: str | Path) -> KernelHead:
        """Read what ``save`` wrote; see :mod:`designgym.rewards.head_files`."""
        from designgym.rewards.head_files import load_head

        return load_head(folder)

    @cached_property
    def _prepared(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """The support's mean, the support without it, and the squared lengths of what is left."""
        centre = self.support.mean(axis=0, dtype=np.float64).astype(np.float32)
        moved = self.support - centre
        return centre, moved, np.square(moved).sum(axis=1)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_prepared", "hash")}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelHead) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


def fit_kernel_head(
    x: ArrayLike,
    y: ArrayLike,
    alpha: float = ALPHA,
    gamma: float = GAMMA,
    *,
    features: Backend,
    name: str = "vidra",
    facts: Mapping[str, Any] | None = None,
) -> KernelHead:
    """Fit a head with scikit-learn's ``KernelRidge``, in float64 and without an intercept.

    Args:
        x: Features of rated drawings, n x d. The kernel takes n^2 numbers: 1 GB for 11,075 drawings, twice.
        y: Their ratings, (n,); rewards take them to lie in [0, 1].
        alpha: Strength of the penalty, above 0.
        gamma: Width of the kernel, above 0.
        features: What made the features.
        name: What the head will be called.
        facts: What else is known of the fit; ``alpha`` and ``n`` are added.

    Raises:
        HeadError: If numbers are missing or not finite.
        MissingExtra: Without scikit-learn.
    """
    rows, ratings = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if rows.ndim != 2 or ratings.shape != rows.shape[:1] or len(rows) < 2:
        raise HeadError(f"A fit needs n x d features and n ratings, n > 1; these are {rows.shape} and {ratings.shape}.")
    for what, numbers in (("features", rows), ("ratings", ratings)):
        if not np.isfinite(numbers).all():
            raise HeadError(f"A head cannot be fitted on {what} that are not finite.")
    if not (math.isfinite(alpha) and alpha > 0 and math.isfinite(gamma) and gamma > 0):
        raise HeadError(f"alpha and gamma are numbers above 0, not {alpha} and {gamma}.")
    ridge: Any = require("sklearn.kernel_ridge", extra="scorers").KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma)
    ridge.fit(rows, ratings)
    facts = {**(facts or {}), "alpha": float(alpha), "n": len(rows)}
    return KernelHead(rows.astype(np.float32), ridge.dual_coef_, float(gamma), features, name, facts)
