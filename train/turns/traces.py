"""Imitating the best of what was recorded: rejection sampling from the traces of a model, or learning from another's.

    stages:
      - name: best
        kind: sft
        teacher: {name: traces, options: {path: runs/sampled, per_task: 1, threshold: 0.5}}

The traces are those of ``designgym eval`` with ``split: train``, or of any `designgym.trace.TraceWriter`. Such a stage
has no tasks beside theirs. Kept are episodes that came to their end, were scored, and in which no call was refused.
"""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
from pydantic import Field, ValidationError

from designgym import exact_json
from designgym.agents.base import Info, Observation, Reply
from designgym.config import Section
from designgym.config_errors import dotted, explain
from designgym.errors import UserError
from designgym.eval.record import TRACES
from designgym.trace import Step, read_episodes
from designgym.train.turns.demonstrations import Item

_FREE = ("split", "reward", "reward_mode", "render_mode")
"""Arguments of an environment that an episode's course does not hang on; the split is checked by itself."""


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


@dataclass(frozen=True)
class Recorded:
    """An episode of a trace.

    Attributes:
        task: Its task.
        reward: What it earned.
        turns: What was written and the action that was carried out, turn by turn.
    """

    task: str
    reward: float
    turns: tuple[tuple[str, Any], ...]


class TraceTeacher:
    """Plays recorded episodes again.

    Args:
        options: Which ones.
        env: An environment of the kind to be played.

    Raises:
        UserError: If a trace cannot be read, is of another environment than this or of another split than training, or
            no episode is good enough.
    """

    def __init__(self, options: TraceOptions, env: gym.Env[Any, Any]) -> None:
        whole = [
            episode
            for path in trace_files(options.path)
            for steps in read_episodes(path)
            if (episode := _recorded(path, steps, env)) is not None
        ]
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


def trace_files(paths: str | Sequence[str]) -> list[Path]:
    """The traces that paths name.

    Raises:
        UserError: If there are none.
    """
    found: list[Path] = []
    for path in map(Path, [paths] if isinstance(paths, str) else paths):
        files = sorted(path.rglob(TRACES)) if path.is_dir() else [path]
        if not files or not files[0].is_file():
            raise UserError(f"There are no traces in '{path}'; name a {TRACES}, or a folder that holds some.")
        found += files
    return found


def _recorded(path: Path, steps: Sequence[Step], env: gym.Env[Any, Any]) -> Recorded | None:
    """What an episode teaches; None if nothing."""
    _check_same_environment(path, steps[0], env)
    if not steps[-1].done or steps[-1].info.get("scored", True) is False or any(step.error for step in steps):
        return None
    turns = tuple((step.reply, exact_json.decode(step.action)) for step in steps[1:])
    return Recorded(steps[0].task, sum(step.reward for step in steps), turns)


def _check_same_environment(path: Path, first: Step, env: gym.Env[Any, Any]) -> None:
    design: Any = env.unwrapped
    if first.split != "train":
        raise UserError(f"'{path}' holds episodes of the split '{first.split}'; only those of 'train' are trained on.")
    if first.env != design.spec.id:
        raise UserError(f"'{path}' was recorded in '{first.env}', and the stage trains in '{design.spec.id}'.")
    was, now = (_arguments(design, kwargs) for kwargs in (exact_json.decode(first.kwargs), design.spec.kwargs))
    for name in was.keys() | now.keys():
        if was.get(name) != now.get(name):
            raise UserError(
                f"'{path}' was recorded with {name}={was.get(name)!r}, and the stage's environment has "
                f"{now.get(name)!r}; episodes would not go as they did. Make them equal."
            )


def _arguments(design: Any, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments of an environment that its episodes hang on, defaults included, as JSON has them."""
    parameters = inspect.signature(type(design).__init__).parameters.values()
    known = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    merged = {name: value for name, value in {**known, **kwargs}.items() if name not in _FREE}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in merged.items()}
