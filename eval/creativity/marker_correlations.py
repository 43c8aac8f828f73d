"""How process markers go with a score: over all drawings and within agents (PainterBench, section 4.2 and Table 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from designgym.eval.creativity.correlation import bootstrapped, complete, percentiles, spearman, undefined
from designgym.eval.markers import FIELDS, Markers
from designgym.eval.statistics import Interval

RESAMPLES = 500


@dataclass(frozen=True)
class MarkerCorrelation:
    """Spearman's rho of one marker with a score.

    Attributes:
        marker: One of ``designgym.eval.markers.FIELDS``.
        pooled: Over all drawings, whoever made them.
        within: The plain mean of each agent's own rho, with an interval over drawings within agents; ``n`` is the
            number of agents whose rho is defined, ``missing`` that of the others.
    """

    marker: str
    pooled: Interval
    within: Interval


def marker_correlations(
    markers: Mapping[str, Sequence[Markers]], scores: Mapping[str, Sequence[float | None]], seed: int = 0
) -> list[MarkerCorrelation]:
    """Correlate each of the eleven markers with the score.

    Args:
        markers: Agent -> the markers of its drawings.
        scores: Agent -> their scores in the same order; None and NaN are left out.
        seed: Of the resampling.

    Returns:
        One entry a marker, in the order of :data:`designgym.eval.markers.FIELDS`.

    Raises:
        ValueError: If an agent has markers and scores of different number.
    """
    found = []
    for name in FIELDS:
        columns = {who: [_number(getattr(own, name)) for own in markers[who]] for who in markers}
        pooled = spearman(
            [value for who in markers for value in columns[who]],
            [value for who in markers for value in scores[who]],
            seed,
        )
        found.append(MarkerCorrelation(name, pooled, within_agents(columns, scores, seed)))
    return found


def within_agents(
    columns: Mapping[str, Sequence[float | None]], scores: Mapping[str, Sequence[float | None]], seed: int
) -> Interval:
    """The plain mean of each agent's own rho, as in :class:`MarkerCorrelation`; of each agent a value a drawing."""
    rng = np.random.default_rng(seed)
    rhos: list[float] = []
    drawn = []
    for who, values in columns.items():
        (left, right), _ = complete(values, scores[who])
        if undefined(left, right):
            continue
        rho = spearman(left, right, resamples=1).mean
        assert rho is not None
        rhos.append(rho)
        drawn.append(bootstrapped(left, right, rng, RESAMPLES))
    missing = len(columns) - len(rhos)
    if not rhos:
        return Interval(None, None, None, 0, "none (constant within every agent)", missing=missing)
    # A resample in which the marker came out constant has no rho; the mean is over the others.
    defined = np.array(drawn)
    keep = ~np.isnan(defined).all(axis=0)
    low, high = percentiles(np.nanmean(defined[:, keep], axis=0), 0.95)
    return Interval(float(np.mean(rhos)), low, high, len(rhos), "mean rho, bootstrap within agents", missing=missing)


def _number(value: float | int | None) -> float | None:
    return None if value is None else float(value)
