"""ViDrA: a head fitted on human drawings, and how well it tells their ratings (PainterBench, section 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from designgym.errors import UserError
from designgym.eval.ratings.corpus import PRIMARY
from designgym.eval.ratings.splits import partition
from designgym.eval.statistics import Spread, spread
from designgym.rewards.kernel_head import KernelHead
from designgym.train.scorers.fitting import Accuracy, Data, Settings, accuracy, choose_gamma, fit

PARTITIONS = 10
FittedOn = Literal["train", "all"]
FEWEST = 20
"""Drawings without which there is nothing to part into fitting, choosing and testing."""


@dataclass(frozen=True)
class Trial:
    """One random partition: the width that was used, and accuracy on its test drawings."""

    seed: int
    gamma: float
    head: Accuracy
    ink: Accuracy


@dataclass(frozen=True, eq=False)
class Vidra:
    """A fitted head and what is known about it.

    Attributes:
        head: What scores drawings.
        trials: One for each partition.
        parts: Names of the primary drawings of the head's own partition: train, validation and test.
        fitted_on: Whether the head saw its partition's training drawings or all primary ones.
        elsewhere: Other sets of the corpus -> accuracy of the head and of ink there; neither was seen in fitting.
    """

    head: KernelHead
    trials: tuple[Trial, ...]
    parts: Mapping[str, tuple[str, ...]]
    fitted_on: FittedOn
    elsewhere: Mapping[str, tuple[Accuracy, Accuracy]]

    def summary(self) -> dict[str, Spread]:
        """Mean and standard deviation over the partitions of r and rho, of the head and of ink."""
        return {
            "r": spread([trial.head.r.mean for trial in self.trials]),
            "rho": spread([trial.head.rho.mean for trial in self.trials]),
            "ink_r": spread([trial.ink.r.mean for trial in self.trials]),
            "ink_rho": spread([trial.ink.rho.mean for trial in self.trials]),
        }


def fit_vidra(
    sets: Mapping[str, Data],
    names: tuple[str, ...],
    settings: Settings,
    *,
    seed: int = 0,
    partitions: int = PARTITIONS,
    fitted_on: FittedOn = "train",
    corpus_hash: str = "",
    done: Callable[[int], object] | None = None,
) -> Vidra:
    """Fit and test a head on random 70/10/20 partitions of the primary drawings.

    The head that is returned is the first partition's, fitted on its training drawings, so that the test drawings stay
    unseen and can serve as a human reference. With ``fitted_on="all"`` it is fitted on all primary drawings, at the
    first partition's gamma; the figures of the partitions are then those of heads like it.

    Args:
        sets: The corpus's sets with features, the primary one among them.
        names: Names of the primary drawings.
        settings: With gamma None, each partition chooses its own on its validation drawings.
        seed: The partitions have this seed and the following ones.
        partitions: How many.
        fitted_on: What the returned head is fitted on.
        corpus_hash: Noted with the head.
        done: Is told how many partitions are done.

    Raises:
        UserError: For fewer than 20 primary drawings.
    """
    data = sets[PRIMARY]
    if len(data.y) < FEWEST:
        raise UserError(f"The primary set has {len(data.y)} drawings that can be used; {FEWEST} are the least.")
    trials: list[Trial] = []
    first: KernelHead | None = None
    for number in range(partitions):
        parts = partition(len(data.y), seed + number)
        gamma = settings.gamma
        if gamma is None:
            gamma = choose_gamma(data, parts.train, parts.validation, settings.alpha)
        head = fit(data, parts.train, Settings(settings.alpha, gamma), "vidra", corpus=corpus_hash, seed=seed + number)
        first = first or head
        test = parts.test
        measured = accuracy(head.predict(data.x[test]), data.y[test])
        trials.append(Trial(seed + number, gamma, measured, accuracy(data.ink[test], data.y[test])))
        if done is not None:
            done(number + 1)
    assert first is not None
    own = partition(len(data.y), seed)
    if fitted_on == "all":
        everything = np.arange(len(data.y))
        first = fit(data, everything, Settings(settings.alpha, trials[0].gamma), "vidra", corpus=corpus_hash)
    elsewhere = {
        name: (accuracy(first.predict(other.x), other.y), accuracy(other.ink, other.y))
        for name, other in sets.items()
        if name != PRIMARY and len(other.y)
    }
    named = {part: tuple(names[i] for i in getattr(own, part)) for part in ("train", "validation", "test")}
    return Vidra(first, tuple(trials), named, fitted_on, elsewhere)
