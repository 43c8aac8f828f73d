"""Means of means: scores that weight groups of items (such as indicators) rather than items, resampled by cluster."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.eval.statistics import Interval

RESAMPLES = 5_000
_CHUNK = 200_000  # cluster draws held at a time


def stratified(
    values: Sequence[float] | NDArray[Any],
    strata: Sequence[Hashable],
    clusters: Sequence[Hashable],
    combinations: Mapping[str, Mapping[Any, float]],
    seed: int = 0,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> dict[str, Interval]:
    """Weighted means of the means of strata, with percentile intervals from a bootstrap of whole clusters.

    All combinations share the same resamples. A stratum that a resample (or the data) lacks is left out of it, and the
    weights of the others keep their proportions.

    Args:
        values: A finite number an item.
        strata: Which group each item belongs to, such as its indicator.
        clusters: What is resampled as a whole, such as the design that several questions are about.
        combinations: Name -> stratum -> weight, not negative; strata that are not named have none.
        seed: Seed of the resampling.
        level: Coverage, 0 to 1.
        resamples: Number of bootstrap samples.

    Returns:
        An interval a combination; ``n`` counts the items of its strata. Without limits for fewer than two clusters.

    Raises:
        ValueError: If the lengths differ or a value is not finite.
    """
    numbers = np.asarray(values, np.float64)
    if not len(numbers) == len(strata) == len(clusters):
        raise ValueError(f"There are {len(numbers)} values, {len(strata)} strata and {len(clusters)} cluster keys.")
    if not np.isfinite(numbers).all():
        raise ValueError("A mean of means needs finite values; leave out the items that lack one.")
    names = list(dict.fromkeys(strata))
    groups = list(dict.fromkeys(clusters))
    column = {name: i for i, name in enumerate(names)}
    row = {name: i for i, name in enumerate(groups)}
    sums, counts = np.zeros((2, len(groups), len(names)))
    at = ([row[c] for c in clusters], [column[s] for s in strata])
    np.add.at(sums, at, numbers)
    np.add.at(counts, at, 1.0)
    weights = {key: np.array([float(chosen.get(s, 0.0)) for s in names]) for key, chosen in combinations.items()}
    drawn: dict[str, list[NDArray[np.float64]]] = {key: [] for key in combinations}
    if len(groups) > 1:
        for picked in _draws(len(groups), resamples, np.random.default_rng(seed)):
            means = _means(picked @ sums, picked @ counts)
            for key, chosen in weights.items():
                drawn[key].append(_weighted(means, chosen))
    observed = _means(sums.sum(axis=0), counts.sum(axis=0))
    found = {}
    for key, chosen in weights.items():
        used = chosen > 0
        n = int(counts[:, used].sum()) if len(names) else 0
        mean = float(_weighted(observed[None], chosen)[0]) if n else None
        held = [v for s, v in zip(strata, numbers, strict=True) if combinations[key].get(s, 0.0) > 0]
        found[key] = _interval(mean, held, drawn[key], len(groups), n, level)
    return found


def _interval(
    mean: float | None, held: list[float], drawn: list[NDArray[np.float64]], clusters: int, n: int, level: float
) -> Interval:
    if mean is None:
        return Interval(None, None, None, 0, "none (no values)", level=level)
    if clusters < 2:
        return Interval(mean, None, None, n, "none (one cluster)", level=level)
    if min(held) == max(held):
        return Interval(held[0], held[0], held[0], n, "none (all values equal)", True, level=level)
    samples = np.concatenate(drawn)
    low, high = np.nanquantile(samples, [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean, float(low), float(high), n, "percentile bootstrap over clusters", level=level)


def _draws(clusters: int, resamples: int, rng: np.random.Generator) -> Any:
    """How often each cluster is drawn, resamples x clusters, some rows at a time."""
    size = max(1, _CHUNK // clusters)
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        picked = rng.integers(clusters, size=(rows, clusters)) + clusters * np.arange(rows)[:, None]
        yield np.bincount(picked.ravel(), minlength=rows * clusters).reshape(rows, clusters).astype(np.float64)


def _means(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def _weighted(means: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted mean over the strata that are present, for every row of means; NaN where none is."""
    present = np.isfinite(means)
    total = np.where(present, weights, 0.0).sum(axis=-1)
    summed = np.where(present, means, 0.0) @ weights
    return np.divide(summed, total, out=np.full_like(summed, np.nan), where=total > 0)
