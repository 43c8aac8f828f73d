"""PainterBench's effort index: how much drawing goes on in a trial, compared with the other trials of a study."""

from __future__ import annotations

import math
from collections.abc import Sequence

from designgym.eval.markers import Markers

COMPONENTS = ("tool_calls", "drawing_operations", "rounds", "tool_diversity")
"""The four markers that it averages (section 4, "Process measures")."""


def effort(study: Sequence[Markers]) -> list[float]:
    """The effort index of every trial: the mean of the z-scores of its four components (section 4).

    Means and standard deviations are over all trials given, of all policies together. The standard deviation is the
    population's (divided by n), for the trials are all that is compared and no sample; at the paper's 2,100 the choice
    moves no digit that it prints. A component in which all trials are equal contributes 0.

    Args:
        study: The markers of all trials of the study.

    Returns:
        One number a trial, in standard deviations; they sum to 0.
    """
    scores = [standardized([float(getattr(trial, name)) for trial in study]) for name in COMPONENTS]
    return [math.fsum(parts) / len(COMPONENTS) for parts in zip(*scores, strict=True)]


def standardized(values: Sequence[float]) -> list[float]:
    """Z-scores with the population's standard deviation; zeros where all values are equal."""
    if not values or min(values) == max(values):
        return [0.0] * len(values)
    mean = math.fsum(values) / len(values)
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / sd for value in values]
