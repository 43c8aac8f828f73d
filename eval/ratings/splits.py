"""Which drawings a head is fitted on and which it is tested on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partition:
    """Three parts of n drawings, as sorted indices; together all of them, each once."""

    train: Indices
    validation: Indices
    test: Indices


@dataclass(frozen=True, eq=False)
class Fold:
    """One group left out: fitted on all others, tested on it."""

    left_out: str
    train: Indices
    test: Indices


def partition(n: int, seed: int) -> Partition:
    """A random partition into 70 % to fit on, 10 % to choose settings on, 20 % to test on (PainterBench, section 4.1).

    Args:
        n: Number of drawings, 10 or more.
        seed: The same seed gives the same parts.

    Raises:
        ValueError: For fewer than ten drawings.
    """
    if n < 10:
        raise ValueError(f"{n} drawings cannot be parted 70/10/20; ten are the least.")
    order = np.random.default_rng((seed, 0x5711)).permutation(n)
    test, validation = round(0.2 * n), round(0.1 * n)
    train = n - test - validation
    parts = np.split(order, [train, train + validation])
    return Partition(*(np.sort(part) for part in parts))


def leave_one_out(groups: Sequence[str]) -> tuple[Fold, ...]:
    """A fold for each group, by name; empty if there are fewer than two.

    Args:
        groups: The group of each drawing.
    """
    names, codes = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    if len(names) < 2:
        return ()
    return tuple(
        Fold(str(name), np.flatnonzero(codes != i), np.flatnonzero(codes == i)) for i, name in enumerate(names)
    )


def held_back(train: Indices, seed: int) -> tuple[Indices, Indices]:
    """A fold's drawings in two: those to fit on, and one in eight (as 10 % beside 70 %) to choose settings on."""
    order = np.random.default_rng((seed, 0x4E1D)).permutation(train)
    count = max(2, round(len(train) / 8))
    return np.sort(order[count:]), np.sort(order[:count])
