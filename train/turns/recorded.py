"""Recorded episodes as what training can use: what was written turn by turn, and what the whole of it earned.

The traces are those of ``designgym eval`` with ``split: train``, or of any `designgym.trace.TraceWriter`.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym import exact_json
from designgym.errors import UserError
from designgym.eval.record import TRACES
from designgym.trace import ImageDigest, Step, read_episodes

Paths = str | Path | Sequence[str | Path]
"""Traces, or folders that hold some, at any depth."""

_FREE = ("split", "reward", "reward_mode", "render_mode")
"""Arguments of an environment that an episode's course does not hang on; the split is checked by itself."""


@dataclass(frozen=True)
class Recorded:
    """An episode of a trace that came to its end and was scored.

    Attributes:
        task: Its task.
        reward: What it earned.
        turns: What was written and the action that was carried out, turn by turn.
        seed: Of its reset.
        refused: Whether one of its calls was refused.
        shown: The image and the text that were shown before each turn.
        scored_by: The reward, as the environment was told it, and its version.
    """

    task: str
    reward: float
    turns: tuple[tuple[str, Any], ...]
    seed: int | None = None
    refused: bool = False
    shown: tuple[tuple[ImageDigest, str], ...] = ()
    scored_by: str = ""


def read_recorded(paths: Paths, env: gym.Env[Any, Any]) -> list[Recorded]:
    """The episodes of traces that came to their end and were scored, in the order in which they ended.

    Args:
        paths: Traces, or folders that hold some, at any depth.
        env: An environment of the kind to be played.

    Raises:
        UserError: If there are none, one cannot be read, or is of another environment than this or of another split
            than training.
    """
    return [
        episode
        for path in trace_files(paths)
        for steps in read_episodes(path)
        if (episode := _recorded(path, steps, env)) is not None
    ]


def trace_files(paths: Paths) -> list[Path]:
    """The traces that paths name.

    Raises:
        UserError: If there are none.
    """
    found: list[Path] = []
    for path in map(Path, [paths] if isinstance(paths, str | Path) else paths):
        files = sorted(path.rglob(TRACES)) if path.is_dir() else [path]
        if not files or not files[0].is_file():
            raise UserError(f"There are no traces in '{path}'; name a {TRACES}, or a folder that holds some.")
        found += files
    return found


def _recorded(path: Path, steps: Sequence[Step], env: gym.Env[Any, Any]) -> Recorded | None:
    """What an episode teaches; None if nothing."""
    first = steps[0]
    _check_same_environment(path, first, env)
    if not steps[-1].done or steps[-1].info.get("scored", True) is False:
        return None
    return Recorded(
        task=first.task,
        reward=sum(step.reward for step in steps),
        turns=tuple((step.reply, exact_json.decode(step.action)) for step in steps[1:]),
        seed=first.seed,
        refused=any(step.error for step in steps),
        shown=tuple((step.image, step.text) for step in steps[:-1]),
        scored_by=_scorer(first, env),
    )


def _scorer(first: Step, env: gym.Env[Any, Any]) -> str:
    """The reward that an environment was told, or its default, and the version of what scores."""
    told = {**_defaults(env.unwrapped), **exact_json.decode(first.kwargs)}.get("reward")
    backend = first.backend
    digest = f"#{backend['hash'][:12]}" if backend.get("hash") else ""
    return f"{'the default' if told is None else repr(told)} ({backend.get('name')}@{backend.get('version')}{digest})"


def _check_same_environment(path: Path, first: Step, env: gym.Env[Any, Any]) -> None:
    design: Any = env.unwrapped
    if first.split != "train":
        raise UserError(
            f"'{path}' holds episodes of the split '{first.split}'; only those of 'train' are trained on. Record them "
            "by `designgym eval` with --split train."
        )
    if first.env != design.spec.id:
        raise UserError(
            f"'{path}' was recorded in '{first.env}', and the stage trains in '{design.spec.id}'; name traces of "
            "that one."
        )
    was, now = (_arguments(design, kwargs) for kwargs in (exact_json.decode(first.kwargs), design.spec.kwargs))
    for name in was.keys() | now.keys():
        if was.get(name) != now.get(name):
            raise UserError(
                f"'{path}' was recorded with {name}={was.get(name)!r}, and the stage's environment has "
                f"{now.get(name)!r}; episodes would not go as they did. Make them equal."
            )


def _arguments(design: Any, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments of an environment that its episodes hang on, defaults included, as JSON has them."""
    merged = {name: value for name, value in {**_defaults(design), **kwargs}.items() if name not in _FREE}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in merged.items()}


def _defaults(design: Any) -> dict[str, Any]:
    """The arguments of an environment that have defaults."""
    parameters = inspect.signature(type(design).__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
