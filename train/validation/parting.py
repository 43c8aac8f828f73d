"""Whether a model gets better by what it is trained on while it gets worse by what it is judged by.

The rule looks at the last validation, so many before it (``over`` in all), and the one before these, where they start.
It holds if

* at each of them the training reward was above, and the score below, where they started, and
* by the last one both have moved by more than chance explains: by more than 1.96 standard errors of the difference.

Both halves are needed. Series that only wander are on one side of their start now and then, and single values of a
small validation are far apart by chance. A score's standard error is taken from its 95 % interval over tasks; as the
tasks are always the same, that is more than the error of the difference, so the rule errs to the side of silence. That
of a training reward is the spread of the points that were logged since the validation before; a single point has none,
and only the order counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

Z = 1.96
"""Half the width of a 95 % interval, in standard errors."""


@dataclass(frozen=True)
class Estimate:
    """A mean and how far it may be off.

    Attributes:
        mean: The mean.
        error: Its standard error, 0 or more.
    """

    mean: float
    error: float


def estimate(values: Iterable[float]) -> Estimate | None:
    """The mean of finite values with its standard error; None if there are none."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return None
    return Estimate(fmean(finite), stdev(finite) / math.sqrt(len(finite)) if len(finite) > 1 else 0.0)


def parted(trained: Sequence[Estimate | None], judged: Sequence[Estimate | None], over: int) -> bool:
    """Whether the rule of this module holds at the last of a series of validations.

    Args:
        trained: Training rewards, a validation each; None where there is none, as before the first step.
        judged: Scores by the same validations; None where nothing could be scored.
        over: Validations in a row over which both must move apart, 2 or more.
    """
    window = list(zip(trained, judged, strict=True))[-over - 1 :]
    rewards = [reward for reward, _ in window if reward is not None]
    scores = [score for _, score in window if score is not None]
    if not len(rewards) == len(scores) == over + 1:
        return False
    rises = all(reward.mean > rewards[0].mean for reward in rewards[1:])
    falls = all(score.mean < scores[0].mean for score in scores[1:])
    return rises and falls and _apart(rewards[0], rewards[-1]) and _apart(scores[0], scores[-1])


def _apart(one: Estimate, other: Estimate) -> bool:
    return abs(one.mean - other.mean) > Z * math.hypot(one.error, other.error)
