"""ViDrA-adapted: the head refitted on rated drawings of agents, tested on models and stimuli that it has not seen.

PainterBench, section 4.1. Three schemes: random 70/10/20 partitions; each model's drawings left out in turn; each
stimulus's drawings left out in turn. A head that has learned who drew, or what was drawn on, does well in the first and
badly in the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.errors import UserError
from designgym.eval.creativity.correlation import spearman
from designgym.eval.ratings.splits import Fold, held_back, leave_one_out, partition
from designgym.eval.statistics import Interval, Spread, spread
from designgym.rewards.kernel_head import KernelHead
from designgym.train.scorers.fitting import Accuracy, Data, Settings, accuracy, choose_gamma, fit
from designgym.train.scorers.vidra import FEWEST, PARTITIONS, Trial


@dataclass(frozen=True)
class LeftOut:
    """One fold: the group that was left out, its number of drawings, the width used, and accuracy on it."""

    group: str
    n: int
    gamma: float
    head: Accuracy


@dataclass(frozen=True)
class CrossValidation:
    """What leaving groups out in turn gives.

    Attributes:
        by: ``"model"`` or ``"stimulus"``.
        folds: One for each group.
        pooled: Accuracy of the held-out predictions of all folds together.
        means: Spearman's rho of the groups' mean prediction with their mean rating.
        ink: Spearman's rho of the held-out predictions with the share of ink.
        reason: Why there are no folds.
    """

    by: str
    folds: tuple[LeftOut, ...] = ()
    pooled: Accuracy | None = None
    means: Interval | None = None
    ink: Interval | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Adapted:
    """A head refitted on all rated drawings, and how heads like it do on drawings that they have not seen.

    Attributes:
        head: Fitted on all drawings.
        trials: One for each random partition.
        schemes: Leaving out models, and stimuli.
        ink: Accuracy of the share of ink on all drawings.
    """

    head: KernelHead
    trials: tuple[Trial, ...]
    schemes: tuple[CrossValidation, ...]
    ink: Accuracy

    def summary(self) -> dict[str, Spread]:
        """Mean and standard deviation of r and rho over the random partitions."""
        return {
            "r": spread([trial.head.r.mean for trial in self.trials]),
            "rho": spread([trial.head.rho.mean for trial in self.trials]),
        }


def fit_adapted(
    data: Data,
    models: Sequence[str],
    stimuli: Sequence[str],
    settings: Settings,
    *,
    seed: int = 0,
    partitions: int = PARTITIONS,
    ratings_hash: str = "",
    done: Callable[[int], object] | None = None,
) -> Adapted:
    """Refit the head, and cross-validate it.

    With gamma None each fold chooses its own on an eighth of its training drawings, and is then fitted on all of them;
    random partitions choose on their validation part. The final head chooses on the first partition's.

    Args:
        data: Rated drawings.
        models: Who made each of them.
        stimuli: What each of them started from.
        settings: Of the fits.
        seed: Of partitions and of what is held back.
        partitions: How many random ones.
        ratings_hash: Noted with the head.
        done: Is told how many fits are done, of :func:`fits`.

    Raises:
        UserError: For fewer than 20 drawings.
    """
    n = len(data.y)
    if n < FEWEST:
        raise UserError(f"There are {n} rated drawings that can be used; {FEWEST} are the least.")
    count = 0

    def one_more() -> None:
        nonlocal count
        count += 1
        if done is not None:
            done(count)

    trials = []
    for number in range(partitions):
        parts = partition(n, seed + number)
        gamma = settings.gamma
        if gamma is None:
            gamma = choose_gamma(data, parts.train, parts.validation, settings.alpha)
        head = fit(data, parts.train, Settings(settings.alpha, gamma), "vidra-adapted")
        measured = accuracy(head.predict(data.x[parts.test]), data.y[parts.test])
        trials.append(Trial(seed + number, gamma, measured, accuracy(data.ink[parts.test], data.y[parts.test])))
        one_more()
    schemes = tuple(
        cross_validate(data, groups, by, settings, seed, one_more)
        for by, groups in (("model", models), ("stimulus", stimuli))
    )
    final = Settings(settings.alpha, trials[0].gamma)
    head = fit(data, np.arange(n), final, "vidra-adapted", ratings=ratings_hash, models=sorted(set(models)))
    return Adapted(head, tuple(trials), schemes, accuracy(data.ink, data.y))


def fits(models: Sequence[str], stimuli: Sequence[str], partitions: int = PARTITIONS) -> int:
    """How many heads :func:`fit_adapted` tests."""
    return partitions + len(leave_one_out(models)) + len(leave_one_out(stimuli))


def cross_validate(
    data: Data,
    groups: Sequence[str],
    by: str,
    settings: Settings,
    seed: int = 0,
    done: Callable[[], object] | None = None,
) -> CrossValidation:
    """Leave each group out in turn: predict its drawings by a head that was fitted on all others."""
    folds = leave_one_out(groups)
    if not folds:
        return CrossValidation(by, reason=f"the drawings are of one {by} only")
    if any(len(fold.train) < FEWEST // 2 for fold in folds):
        return CrossValidation(by, reason=f"without one {by} fewer than {FEWEST // 2} drawings are left to fit on")
    predicted = np.empty(len(data.y))
    found = []
    for fold in folds:
        gamma = _gamma(data, fold, settings, seed)
        predicted[fold.test] = fit(data, fold.train, Settings(settings.alpha, gamma), "fold").predict(data.x[fold.test])
        found.append(LeftOut(fold.left_out, len(fold.test), gamma, accuracy(predicted[fold.test], data.y[fold.test])))
        if done is not None:
            done()
    return CrossValidation(
        by,
        tuple(found),
        pooled=accuracy(predicted, data.y),
        means=spearman(_means(predicted, folds), _means(data.y, folds)),
        ink=spearman(predicted, data.ink),
    )


def _gamma(data: Data, fold: Fold, settings: Settings, seed: int) -> float:
    if settings.gamma is not None:
        return settings.gamma
    train, validation = held_back(fold.train, seed)
    return choose_gamma(data, train, validation, settings.alpha)


def _means(values: NDArray[np.float64], folds: Sequence[Fold]) -> NDArray[np.float64]:
    return np.array([values[fold.test].mean() for fold in folds])
