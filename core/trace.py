"""Traces: what happened in episodes, a JSON object a line, a line a step.

Every line stands for itself, so a trace can be streamed, cut, joined, and read after a crash up to the last whole step.
With the environment's id and arguments, the task, the seed and the calls it holds enough to play an episode again to
the same bytes (`designgym replay`) and to score it with another reward without the agent.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import gymnasium as gym
import numpy.typing as npt

from designgym.errors import UserError
from designgym.jsonl import JsonlWriter, dump_line, read_jsonl
from designgym.trace_step import FORMAT_VERSION, ImageDigest, Step

__all__ = ["FORMAT_VERSION", "EpisodeTrace", "ImageDigest", "Step", "TraceWriter", "read_episodes", "read_traces"]


class TraceWriter:
    """Appends episodes to a trace; each step is written when it happens. Episodes may be under way side by side.

    Args:
        path: The trace, ``*.jsonl``; made with its folder at the first step, else appended to.
        images: A folder in which every observed image is kept as PNG, once; None keeps only their hashes.
        lines: Where lines go in place of the file ``path``: called with each.
    """

    def __init__(
        self, path: str | Path, *, images: str | Path | None = None, lines: Callable[[str], object] | None = None
    ) -> None:
        self.path = Path(path)
        self._images = None if images is None else Path(images)
        self._lines = JsonlWriter(path)
        self._elsewhere = lines is not None
        self._write_line = lines or self._lines.write_line
        self._begun = 0

    def begin(
        self,
        env: gym.Env[Any, Any],
        observation: Mapping[str, Any],
        info: Mapping[str, Any],
        *,
        seed: int | None = None,
        episode: str = "",
        group: str = "",
    ) -> EpisodeTrace:
        """Write the reset of an episode and return what its steps are recorded with.

        Args:
            env: An environment of this package, made by ``gym.make``. What observation or action wrappers make of it is
                not played again: record what the environment itself sees and shows.
            observation: What ``reset`` returned.
            info: What ``reset`` returned.
            seed: What ``reset`` was given.
            episode: The episode's name, unique in the file; by default ``task#n``, n counting this writer's episodes.
            group: Name of the group that it is compared within.

        Raises:
            UserError: If the environment was not made by ``gym.make``, or the file cannot be written.
        """
        design: Any = env.unwrapped
        if design.spec is None:
            raise UserError(f'A trace needs an environment made by gym.make("{design.env_id}", ...), to make it again.')
        first = Step(
            episode=episode or f"{info['task']}#{self._begun}",
            step=0,
            round=0,
            env=design.spec.id,
            kwargs=design.spec.kwargs,
            split=design.split,
            task=info["task"],
            seed=seed,
            group=group,
            action=None,
            image=ImageDigest.of(observation["image"]),
            text=observation["text"],
            error=info["error"],
            info=info,
            backend=dataclasses.asdict(design.reward.backend),
        )
        self._begun += 1
        self._write(first, observation["image"])
        return EpisodeTrace(self, first)

    def _write(self, step: Step, image: npt.NDArray[Any]) -> None:
        try:
            if not (step.step or self._elsewhere):
                self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._images is not None:
                _keep(image, self._images / step.image.file_name)
        except OSError as error:
            raise UserError(
                f"The trace '{self.path}' cannot be written: {error.strerror} ({error.filename})."
            ) from error
        self._write_line(dump_line(step.to_json()))

    def write_lines(self, lines: Iterable[str]) -> None:
        """Append the lines of episodes that were recorded elsewhere."""
        for line in lines:
            self._write_line(line)

    def close(self) -> None:
        """Close the file."""
        self._lines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class EpisodeTrace:
    """Records the steps of one episode; made by :meth:`TraceWriter.begin`."""

    def __init__(self, writer: TraceWriter, first: Step) -> None:
        self._writer = writer
        self._last = first

    def step(
        self,
        action: Any,
        observation: Mapping[str, Any],
        reward: float,
        terminated: bool,
        truncated: bool,
        info: Mapping[str, Any],
        *,
        round: int | None = None,
        reply: str = "",
        usage: Mapping[str, float] | None = None,
    ) -> None:
        """Write one step.

        Args:
            action: What ``env.step`` was given.
            observation: What it returned, and so on in its order.
            reward: The reward.
            terminated: Whether the episode came to its end.
            truncated: Whether it was cut short from outside.
            info: The step's info.
            round: The model's turn, from 0; by default the step's index.
            reply: What the model wrote, if it was one; once a round is enough.
            usage: What the round took, by name; with its first call.
        """
        index = self._last.step + 1
        self._last = dataclasses.replace(
            self._last,
            step=index,
            round=index - 1 if round is None else round,
            action=action,
            image=ImageDigest.of(observation["image"]),
            text=observation["text"],
            reply=reply,
            usage=dict(usage or {}),
            error=info["error"],
            reward=float(reward),
            terminated=bool(terminated),
            truncated=bool(truncated),
            info=info,
        )
        self._writer._write(self._last, observation["image"])


def read_traces(path: str | Path) -> Iterator[Step]:
    """Yield the steps of a trace in the file's order; a cut-off last line is skipped with a ``CutOffWarning``.

    Raises:
        UserError: If the file cannot be read or holds anything but steps of a trace.
    """
    for line in read_jsonl(path):
        yield Step.from_json(line.value, f"{path}:{line.number}")


def read_episodes(path: str | Path) -> Iterator[tuple[Step, ...]]:
    """Yield the episodes of a trace, each with all its steps, in the order in which they end.

    Episodes that never ended (the run was stopped) come with the steps that they have: last, or when an episode of
    their name begins again.

    Raises:
        UserError: As :func:`read_traces`, and if an episode's steps are not numbered 0, 1, 2 and so on.
    """
    under_way: dict[str, list[Step]] = {}
    for step in read_traces(path):
        steps = under_way.setdefault(step.episode, [])
        if step.step == 0 and steps:  # a stopped run was started again
            yield tuple(steps)
            steps.clear()
        if step.step != len(steps):
            raise UserError(
                f"{path}: in episode '{step.episode}' step {step.step} stands where step {len(steps)} belongs. "
                "Lines are missing or two runs wrote to this file."
            )
        steps.append(step)
        if step.done:
            yield tuple(under_way.pop(step.episode))
    yield from (tuple(steps) for steps in under_way.values())


def _keep(image: npt.NDArray[Any], path: Path) -> None:
    if path.exists():
        return
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    Image.fromarray(image.squeeze()).save(temporary, format="PNG", compress_level=1)
    temporary.replace(path)
