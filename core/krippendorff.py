"""Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability") from counts.

1 is perfect agreement, 0 what chance would bring. Numbers of raters may differ from thing to thing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["nominal", "ordinal", "interval"]
"""How different two ratings are: all alike; by the ratings that lie between them; by their difference."""

Floats = NDArray[np.float64]


def coincidences(counts: Floats) -> Floats:
    """How often two values meet on a thing, by thing.

    Args:
        counts: How often each thing got each value, float64 [things, values]; two ratings at least of each thing.

    Returns:
        float64 [things, values, values].
    """
    pairs: Floats = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    return pairs / (counts.sum(axis=1) - 1)[:, None, None]


def alpha(observed: Floats, level: Level, values: Floats | None = None) -> float | None:
    """Alpha of coincidences, float64 [values, values], summed over things; None if only one value occurs, or none.

    Args:
        observed: See :func:`coincidences`.
        level: How values differ.
        values: What stands behind rows and columns, ascending; needed for ``"interval"`` alone.
    """
    totals = observed.sum(axis=0)
    apart = _distances(totals, level, values)
    expected = float(totals @ apart @ totals)
    if expected == 0:
        return None
    return 1.0 - float(totals.sum() - 1) * float(np.sum(observed * apart)) / expected


def _distances(totals: Floats, level: Level, values: Floats | None) -> Floats:
    """Squared differences of all pairs of values, float64 [values, values]."""
    if level == "nominal":
        return 1.0 - np.eye(len(totals))
    # Ordinal: half of both values' ratings and all ratings between them, that is, the difference of mid-ranks.
    place = values if level == "interval" and values is not None else np.cumsum(totals) - totals / 2
    apart: Floats = (place[:, None] - place[None, :]) ** 2
    return apart
