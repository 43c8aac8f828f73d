"""Playing the episodes of a trace again, and comparing every step with what was recorded."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from designgym import exact_json
from designgym.episode import Episode
from designgym.errors import UserError
from designgym.eval.runner import make
from designgym.nearest import did_you_mean
from designgym.trace import ImageDigest, Step, read_episodes

Image = npt.NDArray[np.uint8]

SHOWN_CHARACTERS = 80

RENDERER = "renderer"
"""Where the info of a reset names the library that draws, with its version."""
_DRAWN = ("image", "reward", "info")
"""What may change with that library."""


@dataclass(frozen=True)
class Replayed:
    """An episode that was played again.

    Attributes:
        steps: What was recorded.
        images: What is to be seen now: after the reset and after each round, uint8 H x W x C; none if not asked for.
        rounds: The numbers of those rounds, one fewer than images.
        differences: Sentences, one for each thing that is not as it was recorded; empty if all is equal.
        note: A sentence on another version of the library that draws, if it was recorded with one and all is equal.
        episode: All that a reward sees, as the last step left it.
    """

    steps: tuple[Step, ...]
    images: tuple[Image, ...]
    rounds: tuple[int, ...]
    differences: tuple[str, ...]
    note: str
    episode: Episode

    @property
    def name(self) -> str:
        """The episode's name in the trace."""
        return self.steps[0].episode

    @property
    def finished(self) -> bool:
        """Whether the recorded episode came to its end."""
        return self.steps[-1].done


def replay(path: str | Path, episodes: Sequence[str] = (), *, images: bool = True) -> Iterator[Replayed]:
    """Play the episodes of a trace again, one at a time.

    Args:
        path: The trace.
        episodes: Names of the episodes to play; all if empty.
        images: Keep what is to be seen after each round of the episode at hand.

    Raises:
        UserError: If the trace cannot be read, has no such episode, or names an environment that cannot be made.
    """
    environments: dict[str, gym.Env[Any, Any]] = {}
    names: list[str] = []
    try:
        for steps in read_episodes(path):
            names.append(steps[0].episode)
            if not episodes or steps[0].episode in episodes:
                key = repr((steps[0].env, steps[0].kwargs))
                if key not in environments:
                    environments[key] = _make(steps[0])
                yield _play(environments[key], steps, images)
    finally:
        for env in environments.values():
            env.close()
    for name in episodes:
        if name not in names:
            raise UserError(f"'{path}' has no episode '{name}'.{did_you_mean(name, names)}")
    if not names:
        raise UserError(f"'{path}' holds no episodes.")


def _make(first: Step) -> gym.Env[Any, Any]:
    # Only registered ids: the "module:id" form would import whatever a trace names.
    if first.env not in gym.registry:
        hint = did_you_mean(first.env, [name for name in gym.registry if name.startswith("designgym/")])
        raise UserError(f"The trace was recorded in '{first.env}', which is not registered here.{hint}")
    try:
        return make(first.env, exact_json.decode(first.kwargs))
    except ValueError as error:
        why = str(error).rstrip(".")
        raise UserError(f"The environment '{first.env}' of the trace cannot be made again: {why}.") from error


def _play(env: gym.Env[Any, Any], steps: tuple[Step, ...], keep: bool) -> Replayed:
    images: list[Image] = []
    rounds: list[int] = []
    differences: list[str] = []
    drawn: list[int] = []
    """Steps in which what hangs on the library that draws is another."""
    observation, info = env.reset(seed=steps[0].seed, options={"task": steps[0].task})
    renderers = (steps[0].info.get(RENDERER), info.get(RENDERER))
    design: Any = env.unwrapped
    reward, terminated, truncated = 0.0, False, False
    for recorded in steps:
        if recorded.step > 0:
            try:
                action = exact_json.decode(recorded.action)
            except ValueError as error:
                differences.append(f"step {recorded.step}: the action cannot be repeated: {error}")
                break
            observation, value, terminated, truncated, info = env.step(action)
            reward = float(value)
        if keep and rounds and rounds[-1] == recorded.round:
            images[-1] = observation["image"]
        elif keep:
            images.append(observation["image"])
            rounds += [recorded.round] if recorded.step > 0 else []
        found = {
            "image": ImageDigest.of(observation["image"]),
            "text": observation["text"],
            "reward": reward,
            "error": info["error"],
            "terminated": terminated,
            "truncated": truncated,
            "info": exact_json.encode(info),
            "split": design.split,
            "task": info["task"],
            "backend": exact_json.encode(dataclasses.asdict(design.reward.backend)),
        }
        for name, value in found.items():
            before = getattr(recorded, name)
            if value == before or (value != value and before != before):  # NaN is equal to itself here
                continue
            if renderers[0] != renderers[1] and name in _DRAWN:
                if name != "info" or recorded.step > 0:  # the first one names the library
                    drawn.append(recorded.step)
                continue
            was, now = _shown(before, value)
            differences.append(f"step {recorded.step}: {name} was {was}, is now {now}")
        if (terminated or truncated) and not recorded.done:
            break  # the rest cannot be played: the episode is over
    note = "" if renderers[0] == renderers[1] else f"recorded with {renderers[0]} and played with {renderers[1]}"
    if drawn:
        differences.insert(
            0,
            f"step {drawn[0]}: from here on, pictures or what is scored from them differ. It was {note}, which may "
            f"draw strokes otherwise; to compare the bytes, install {renderers[0]}",
        )
    note = "" if drawn else note
    return Replayed(steps, tuple(images), tuple(rounds), tuple(differences), note, design.episode())


def _shown(before: Any, now: Any) -> tuple[str, str]:
    """Return both values in print; of long ones the part where they begin to differ."""
    if isinstance(before, ImageDigest):
        return _digest(before), _digest(now)
    was, is_now = repr(before), repr(now)
    if max(len(was), len(is_now)) <= SHOWN_CHARACTERS:
        return was, is_now
    equal = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(was, is_now, strict=False)))
    start = max(0, equal - SHOWN_CHARACTERS // 4)
    return _part(was, start), _part(is_now, start)


def _digest(image: ImageDigest) -> str:
    return f"{image.sha256[:12]} {'x'.join(map(str, image.shape))}"


def _part(text: str, start: int) -> str:
    end = start + SHOWN_CHARACTERS
    return ("..." if start else "") + text[start:end] + ("..." if end < len(text) else "")
