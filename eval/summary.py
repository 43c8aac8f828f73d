"""From the results of several policies on the same tasks to the tables of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from designgym.eval import drawings, localization, process
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result, clusters
from designgym.eval.statistics import Interval, bootstrap, proportion
from designgym.eval.trials import Trial

CONSTANTS = "Constants"
"""The group of policies that see nothing."""


@dataclass(frozen=True)
class Policy:
    """A policy and what it did.

    Attributes:
        name: As it stands in the tables.
        results: Of its one way of answering, or of greedy decoding.
        sampled: The same tasks with sampled answers, where it was asked so too.
        group: Rows of a group stand together.
        note: A few words under the name.
        emphasis: The row that the report is about.
        trials: How its drawings came about, by the trial's name, where it drew and traces were kept.
        ood: Of tasks out of distribution, where such were played too.
        env: Arguments of the environment that are its own.
        recruited: Experts whom it recruited for a design, by task, where it recruits and that was kept.
    """

    name: str
    results: Sequence[Result]
    sampled: Sequence[Result] = ()
    group: str = ""
    note: str = ""
    emphasis: bool = False
    trials: Mapping[str, Trial] = field(default_factory=dict)
    ood: Sequence[Result] = ()
    env: Mapping[str, Any] = field(default_factory=dict)
    recruited: Mapping[str, Sequence[str]] = field(default_factory=dict)


def results_table(policies: Sequence[Policy], reward: str, *, seed: int = 0, title: str = "Results") -> Table:
    """A row a policy: mean reward with its interval, what the kind of task adds, and how often no answer got through.

    Args:
        policies: With results on the same tasks.
        reward: Name of the reward, such as ``"hurdle"``.
        seed: Seed of the intervals.
        title: Of the table.
    """
    located = all(localization.applies(policy.results) for policy in policies)
    drawn = all(drawings.applies(policy.results) and policy.trials for policy in policies)
    sampled = any(policy.sampled for policy in policies)
    failed = any(result.failure for policy in policies for result in [*policy.results, *policy.sampled])
    unscored = any(not result.scored for policy in policies for result in [*policy.results, *policy.sampled])
    name = _REWARD_NAMES.get(reward, reward.replace("_", " ").capitalize())
    measures = [
        Measure("reward", f"{name}, greedy" if sampled else name, _REWARD_NOTES.get(reward, ""), plot=(0.0, 1.0)),
        *([Measure("sampled", f"{name}, sampled", "the same pages, answers sampled")] if sampled else []),
        *(localization.MEASURES if located else ()),
        *(process.ENDINGS if drawn else (_INVALID,)),
        *([Measure("failed", "Failures", "trials in which the agent raised; they keep reward 0")] if failed else []),
        *([Measure("unscored", "Unscored", "trials that no reward could judge; not in the means")] if unscored else []),
    ]
    rows = []
    for policy in policies:
        cells: dict[str, Cell] = {
            "reward": mean_reward(policy.results, seed),
            "sampled": mean_reward(policy.sampled, seed) if policy.sampled else None,
            "invalid": None if drawn else proportion(_without_answer(policy.results), len(policy.results)),
            "failed": sum(bool(r.failure) for r in policy.results),
            "unscored": sum(not r.scored for r in policy.results),
        }
        if located:
            cells |= localization.cells(policy.results, seed)
        if drawn:
            cells |= process.endings(list(policy.trials.values()), seed)
        rows.append(Row(policy.name, cells, policy.group, policy.note, policy.emphasis))
    sizes = sorted({len(policy.results) for policy in policies})
    tasks = (
        f"{sizes[0]:,} tasks" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} tasks" if sizes else "no tasks"
    )
    played = {len(policy.results) // max(1, len({r.task for r in policy.results})) for policy in policies}
    if max(played, default=1) > 1:
        tasks = f"{tasks.removesuffix('tasks')}trials, {max(played)} of each task"
    caption = (
        f"Means over {tasks}, the same for every policy, with 95 % intervals in brackets: bootstrap over tasks for "
        "means, Wilson for shares. They cover the choice of tasks and nothing else."
    )
    return Table(title, tuple(measures), tuple(rows), caption=caption)


def mean_reward(results: Sequence[Result], seed: int = 0) -> Interval:
    """Mean reward with its interval, over designs where they share some; trials without a score are missing."""
    return bootstrap([result.value for result in results], seed, clusters=clusters(results))


def _without_answer(results: Sequence[Result]) -> int:
    return sum(result.answer is None for result in results)


_INVALID = Measure("invalid", "Invalid answers", "trials in which no call was readable and valid", percent=True)

_REWARD_NAMES = {"iou": "IoU", "vqa": "VQA"}

_REWARD_NOTES = {
    "accuracy": "1 for the right answer, else 0",
    "hurdle": "1 for a right None, 0.5 + 0.5 IoU where truth and answer are boxes, else 0",
    "iou": "1 for a right None, IoU where truth and answer are boxes, else 0",
    "vqa": "items passed beyond those of a blank page, of all beyond these; an item is a question and its twin",
    "figural": "incorporation × extension × structure × novelty × ink, 0 to 1; no human ratings are behind it",
    "closure": "open ends joined × economy of ink, 0 to 1; shapes without open ends are not scored",
}
