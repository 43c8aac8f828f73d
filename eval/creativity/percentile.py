"""Where drawings stand among those of people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def percentile_of(value: float, reference: Sequence[float]) -> float | None:
    """Share of the reference below a value, equal ones counted half, 0 to 100; None without a reference.

    PainterBench's Table 2 asks it of an agent's mean.
    """
    people = np.asarray([v for v in reference if v == v], np.float64)
    if not len(people):
        return None
    return float(100 * ((people < value).mean() + (people == value).mean() / 2))


def relative(amounts: Sequence[float], reference: Sequence[float]) -> float | None:
    """How much larger the mean is than the reference's, as a share of that: 0.5 is half as much again.

    None without either, or for a reference of 0.
    """
    if not len(amounts) or not len(reference) or not np.mean(reference):
        return None
    return float(np.mean(amounts) / np.mean(reference) - 1)
