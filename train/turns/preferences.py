"""Pairs of recorded episodes of a task, of which the one that earned more is preferred.

A pair stands at the first turn in which the two called differently: until then the environment went the same way, so
that both replies answer the same question. What is compared is the reward of the whole episodes. That is a choice: no
credit is assigned to turns, and what came after the first difference may have decided. Episodes that were sampled from
one model differ there by its own doubt, and over many pairs the rest averages out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import gymnasium as gym

from designgym.errors import UserError
from designgym.train.stages import DpoStage
from designgym.train.turns.recorded import Recorded, read_recorded

Written = tuple[str, Any]
"""What a model wrote, and the call (or the text without one) that was carried out."""


@dataclass(frozen=True)
class Pair:
    """Two replies to one question.

    Attributes:
        better: The episode that earned more, and in which no call was refused.
        worse: The other one, of the same task.
        turn: The first turn in which they called differently, from 0.
    """

    better: Recorded
    worse: Recorded
    turn: int

    @property
    def gap(self) -> float:
        """By how much the rewards differ."""
        return self.better.reward - self.worse.reward

    @property
    def chosen(self) -> Written:
        """The preferred reply."""
        return self.better.turns[self.turn]

    @property
    def rejected(self) -> Written:
        """The other reply."""
        return self.worse.turns[self.turn]


def read_pairs(stage: DpoStage, env: gym.Env[Any, Any]) -> list[Pair]:
    """The pairs that a stage learns from.

    Args:
        stage: Its traces, least difference and pairs of a task.
        env: An environment of the stage.

    Raises:
        UserError: If a trace cannot be read, is of another environment than this or of another split than training,
            the episodes were scored by different rewards, or there is no pair.
    """
    episodes = read_recorded(stage.traces, env)
    paths = ", ".join(map(str, stage.traces if isinstance(stage.traces, tuple) else (stage.traces,)))
    scorers = sorted({episode.scored_by for episode in episodes})
    if len(scorers) > 1:
        raise UserError(
            f"Stage '{stage.name}': the episodes of '{paths}' were scored by different rewards, which cannot be "
            f"compared: {' and '.join(scorers)}. Name traces of one."
        )
    found = choose(episodes, min_gap=stage.min_gap, per_task=stage.pairs_per_task)
    if not found:
        possible = list(candidates(episodes))
        largest = max((pair.gap for pair in possible), default=0.0)
        raise UserError(
            f"Stage '{stage.name}': '{paths}' holds {len(episodes)} finished episodes of "
            f"{len({episode.task for episode in episodes})} tasks, and none of their {len(possible)} pairs differs by "
            f"min_gap {stage.min_gap:g} or more in its reward (the most is {largest:g}). Record more trials of each "
            "task at a higher temperature, or lower min_gap."
        )
    return found


def choose(episodes: Sequence[Recorded], *, min_gap: float, per_task: int) -> list[Pair]:
    """The pairs with the largest differences, task by task in the order of the recording.

    Of equal differences the pair comes first whose better episode, then whose worse one, was recorded first. Of pairs
    with the same two calls at the same turn, one is kept.

    Args:
        episodes: Any number of any tasks.
        min_gap: Least difference in reward.
        per_task: Most pairs of a task.
    """
    kept: dict[str, list[Pair]] = defaultdict(list)
    for pair in sorted(candidates(episodes), key=lambda pair: -pair.gap):
        taken = kept[pair.better.task]
        calls = (pair.turn, pair.chosen[1], pair.rejected[1])
        known = [(other.turn, other.chosen[1], other.rejected[1]) for other in taken]
        if pair.gap >= min_gap and len(taken) < per_task and calls not in known:
            taken.append(pair)
    return [pair for task in dict.fromkeys(episode.task for episode in episodes) for pair in kept[task]]


def candidates(episodes: Sequence[Recorded]) -> Iterator[Pair]:
    """All pairs of episodes of a task with different rewards that part at a turn which both were shown alike."""
    tasks: dict[str, list[Recorded]] = defaultdict(list)
    for episode in episodes:
        tasks[episode.task].append(episode)
    for group in tasks.values():
        for better, worse in permutations(group, 2):
            if better.reward > worse.reward and not better.refused:
                turn = parting(better, worse)
                if turn is not None and better.shown[: turn + 1] == worse.shown[: turn + 1]:
                    yield Pair(better, worse, turn)


def parting(one: Recorded, other: Recorded) -> int | None:
    """The first turn in which two episodes called differently, from 0; None if one of them ends before."""
    for turn, ((_, ours), (_, theirs)) in enumerate(zip(one.turns, other.turns, strict=False)):
        if ours != theirs:
            return turn
    return None
