"""Imitating the best of what was recorded: rejection sampling from the traces of a model, or learning from another's.

    stages:
      - name: best
        kind: sft
        teacher: {name: traces, options: {path: runs/sampled, per_task: 1, threshold: 0.5}}

Such a stage has no tasks beside those of the traces (`designgym.train.turns.recorded`). Kept are episodes that came to
their end, were scored, and in which no call was refused.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
from pydantic import Field, ValidationError

from designgym.agents.base import Info, Observation, Reply
from designgym.config import Section
from designgym.config_errors import dotted, explain
from designgym.errors import UserError
from designgym.train.turns.demonstrations import Item
from designgym.train.turns.recorded import Recorded, read_recorded

__all__ = ["Recorded", "TraceOptions", "TraceTeacher", "best", "trace_options"]


class TraceOptions(Section):
    """Which episodes are imitated."""

    path: str | tuple[str, ...]
    """Traces, or folders that hold some, at any depth."""
    per_task: int | None = Field(None, ge=1)
    """At most so many episodes of a task, the best ones; None: all."""
    share: float = Field(1.0, gt=0, le=1)
    """Of these, the best so large a share (rounded up)."""
    threshold: float | None = None
    """Of these, those whose reward is this or more; None: all."""


def trace_options(options: Mapping[str, Any]) -> TraceOptions:
    """The options as a configuration writes them, checked.

    Raises:
        UserError: If something is wrong with them.
    """
    try:
        return TraceOptions.model_validate(options)
    except ValidationError as error:
        told = explain(error, TraceOptions, dict(options), lambda path: f"options.{dotted(path)}")
        raise UserError(f"The teacher 'traces': {told}") from error


class TraceTeacher:
    """Plays recorded episodes again, of one answer or of several calls.

    Args:
        options: Which ones.
        env: An environment of the kind to be played.

    Raises:
        UserError: If a trace cannot be read, is of another environment than this or of another split than training, or
            no episode is good enough.
    """

    def __init__(self, options: TraceOptions, env: gym.Env[Any, Any]) -> None:
        whole = [episode for episode in read_recorded(options.path, env) if not episode.refused]
        self._kept: dict[str, list[Recorded]] = defaultdict(list)
        for episode in best(whole, options):
            self._kept[episode.task].append(episode)
        if not self._kept:
            raise UserError(
                f"{options.path!r} holds {len(whole)} finished episodes without refused calls, and none of them has a "
                f"reward of {options.threshold} or more; record others, or lower the threshold."
                if whole
                else f"{options.path!r} holds no finished episode in which no call was refused; record others."
            )

    def items(self, tasks: Sequence[str]) -> list[Item]:
        """The kept episodes, of each task the best one first, as number 0; ``tasks`` are ignored."""
        return [(task, number) for task, episodes in self._kept.items() for number in range(len(episodes))]

    def player(self, task: str, seed: int) -> Callable[[Observation, Info], Reply]:
        """The episode of a task with this number, to be played in order."""
        turns = iter(self._kept[task][seed].turns)

        def play(observation: Observation, info: Info) -> Reply:
            text, action = next(turns)
            return Reply(text, (action,))

        return play


def best(episodes: Sequence[Recorded], options: TraceOptions) -> list[Recorded]:
    """The episodes that are good enough, best first; of equally good ones, the one recorded first."""
    ranked = sorted(episodes, key=lambda episode: -episode.reward)
    if options.per_task is not None:
        counts: dict[str, int] = defaultdict(int)
        some = []
        for episode in ranked:
            counts[episode.task] += 1
            if counts[episode.task] <= options.per_task:
                some.append(episode)
        ranked = some
    ranked = ranked[: math.ceil(len(ranked) * options.share - 1e-9)]
    return [each for each in ranked if options.threshold is None or each.reward >= options.threshold]
