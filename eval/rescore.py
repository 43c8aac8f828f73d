"""Scoring recorded episodes again with other rewards: they are played again, without the agent."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from designgym.eval.replay import Replayed, replay
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import bootstrap, spearman
from designgym.score import Reward, Score

BATCH = 64
"""Episodes that a reward scores at once; so many final pages are in memory."""


@dataclass(frozen=True)
class Rescored:
    """One episode with its scores.

    Attributes:
        policy: Who played.
        episode: Its name in the trace.
        task: Task id.
        reward: Sum of the rewards that were recorded.
        backend: What gave it, as recorded.
        scores: Name of a reward -> its score.
        differences: What is not as it was recorded: then the scores are of another page than the agent's.
    """

    policy: str
    episode: str
    task: str
    reward: float
    backend: str
    scores: Mapping[str, Score]
    differences: tuple[str, ...]


def rescore(trace: Path, rewards: Sequence[Reward], policy: str) -> Iterator[Rescored]:
    """Play a trace's episodes again and score how each ended; memory does not grow with their number.

    Args:
        trace: The trace.
        rewards: With different names.
        policy: Who played.

    Raises:
        UserError: As ``replay``; ``UnsuitableReward`` for a reward that the environment's episodes cannot have.
    """
    episodes = replay(trace, images=False)
    while batch := list(islice(episodes, BATCH)):
        scores = {reward.name: _scores(reward, batch) for reward in rewards}
        for number, again in enumerate(batch):
            backend = again.steps[0].backend
            yield Rescored(
                policy=policy,
                episode=again.name,
                task=again.steps[0].task,
                reward=sum(step.reward for step in again.steps),
                backend=f"{backend.get('name')}@{backend.get('version')}",
                scores={name: found[number] for name, found in scores.items()},
                differences=again.differences,
            )


def _scores(reward: Reward, batch: Sequence[Replayed]) -> list[Score]:
    check = getattr(reward, "check", None)
    if check is not None:
        check(batch[0].episode)
    return reward.score_batch([again.episode for again in batch])


def as_csv(rescored: Sequence[Rescored]) -> str:
    """A line an episode: who, what, the recorded reward, and every new score with its parts; empty: not scored."""
    parts_of = [[part for score in each.scores.values() for part in score.components] for each in rescored]
    columns = list(dict.fromkeys(part for parts in parts_of for part in parts))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["policy", "episode", "task", "recorded", *columns, "as_recorded"])
    for each in rescored:
        parts = {part: value for score in each.scores.values() for part, value in score.components.items()}
        values = ["" if (value := parts.get(column)) is None else repr(float(value)) for column in columns]
        writer.writerow(
            [each.policy, each.episode, each.task, repr(each.reward), *values, "no" if each.differences else "yes"]
        )
    return stream.getvalue()


def table(rescored: Sequence[Rescored], seed: int = 0) -> Table:
    """A row a policy: the mean of the recorded reward and of every new one, and how far they order episodes alike."""
    names = list(rescored[0].scores)
    measures = [Measure("recorded", "Recorded", "mean of the reward that was paid"), Measure("episodes", "Episodes")]
    for name in names:
        measures.append(Measure(name, name.replace("_", " ").capitalize(), "mean over the episodes it could score"))
        measures.append(Measure(f"rho/{name}", f"ρ {name}", "Spearman's rank correlation with the recorded reward"))
    rows = []
    for policy in dict.fromkeys(each.policy for each in rescored):
        own = [each for each in rescored if each.policy == policy]
        recorded = [each.reward for each in own]
        tasks = [each.task for each in own]  # replicates of a task belong together
        cells: dict[str, Cell] = {"recorded": bootstrap(recorded, seed, clusters=tasks), "episodes": len(own)}
        for name in names:
            values = [each.scores[name].value for each in own]
            cells[name] = bootstrap(values, seed, clusters=tasks)
            cells[f"rho/{name}"] = spearman(recorded, values).rho
        rows.append(Row(policy, cells))
    backends = ", ".join(sorted({each.backend for each in rescored}))
    new = ", ".join(f"{name} by {score.backend.id}" for name, score in rescored[0].scores.items())
    caption = f"Recorded by {backends}; scored again: {new}. 95 % bootstrap intervals over tasks."
    return Table("Scored again", tuple(measures), tuple(rows), caption=caption)
