"""Traces: what happened in episodes, a JSON object a line, a line a step.

Every line stands for itself, so a trace can be streamed, cut, joined, and read after a crash up to the last whole step.
With the environment's id and arguments, the task, the seed and the calls it holds enough to play an episode again to
the same bytes (`designgym replay`) and to score it with another reward without the agent.

Format version 1, by key: ``format``; ``episode`` (its name); ``step`` (0 is the reset); ``round`` (the model's turn);
``env``, ``kwargs``, ``split``, ``task``, ``seed``, ``group``; ``action`` (null at the reset); ``reply`` (the
model's text); ``text`` (what the environment said); ``error``; ``reward``; ``terminated``, ``truncated``; ``info``;
``backends`` (what scored it: name, version, hash); ``image`` (sha256 and shape of the observed image).
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from designgym import exact_json
from designgym.errors import UserError
from designgym.jsonl import JsonlWriter, read_jsonl

FORMAT_VERSION = 1


@dataclass(frozen=True)
class ImageDigest:
    """What a trace keeps of an image: the sha256 of its bytes in C order, and its shape."""

    sha256: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, image: npt.NDArray[Any]) -> Self:
        """Return the digest of an image."""
        return cls(hashlib.sha256(np.ascontiguousarray(image).tobytes()).hexdigest(), tuple(image.shape))

    @property
    def file_name(self) -> str:
        """Name of the image's file where a trace keeps its images."""
        return f"{self.sha256[:24]}.png"


@dataclass(frozen=True)
class Step:
    """One line of a trace; the module's docstring tells its fields."""

    episode: str
    step: int
    round: int
    env: str
    kwargs: Mapping[str, Any]
    split: str
    task: str
    seed: int | None
    action: Any
    image: ImageDigest
    text: str = ""
    reply: str = ""
    error: str = ""
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    info: Mapping[str, Any] = field(default_factory=dict)
    backends: Sequence[Mapping[str, Any]] = ()
    group: str = ""

    @property
    def done(self) -> bool:
        """Whether the episode ended with this step."""
        return self.terminated or self.truncated

    def to_json(self) -> dict[str, Any]:
        """Return the line's data."""
        data = {name: getattr(self, name) for name in _FIELDS}
        data["image"] = {"sha256": self.image.sha256, "shape": list(self.image.shape)}
        for name in ("kwargs", "action", "info", "backends", "reward"):
            data[name] = exact_json.encode(data[name])
        return {"format": FORMAT_VERSION, **data}

    @classmethod
    def from_json(cls, data: Any, place: str) -> Self:
        """Return the step that a line holds.

        Args:
            data: The line's data.
            place: File and line number, for messages.

        Raises:
            UserError: If the line is no step of a trace of this format version.
        """
        if not isinstance(data, dict) or "format" not in data:
            raise UserError(f"{place}: this is no line of a trace (it has no 'format').")
        if data["format"] != FORMAT_VERSION:
            raise UserError(
                f"{place}: the trace has format version {data['format']!r}; this version of designgym reads "
                f"version {FORMAT_VERSION}."
            )
        if missing := sorted(_FIELDS.keys() - data.keys()):
            raise UserError(f"{place}: the trace's line lacks {', '.join(missing)}.")
        for name, kinds in _FIELDS.items():
            value = data[name]
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                raise UserError(f"{place}: '{name}' of the trace's line is {value!r}, which is no {kinds[0].__name__}.")
        image = data["image"]
        if not isinstance(image.get("sha256"), str) or not isinstance(image.get("shape"), list):
            raise UserError(f"{place}: 'image' of the trace's line must have 'sha256' and 'shape'.")
        values = {name: data[name] for name in _FIELDS}
        values["image"] = ImageDigest(image["sha256"], tuple(image["shape"]))
        values["reward"] = exact_json.decode(data["reward"])
        return cls(**values)


_FIELDS: dict[str, tuple[type, ...]] = {
    "episode": (str,),
    "step": (int,),
    "round": (int,),
    "env": (str,),
    "kwargs": (dict,),
    "split": (str,),
    "task": (str,),
    "seed": (int, type(None)),
    "group": (str,),
    "action": (object, bool),
    "reply": (str,),
    "text": (str,),
    "error": (str,),
    "reward": (float, int),
    "terminated": (bool,),
    "truncated": (bool,),
    "info": (dict,),
    "backends": (list,),
    "image": (dict,),
}


class TraceWriter:
    """Appends episodes to a trace; each step is written when it happens. Episodes may be under way side by side.

    Args:
        path: The trace, ``*.jsonl``; made with its folder at the first step, else appended to.
        images: A folder in which every observed image is kept as PNG, once; None keeps only their hashes.
    """

    def __init__(self, path: str | Path, *, images: str | Path | None = None) -> None:
        self.path = Path(path)
        self._images = None if images is None else Path(images)
        self._lines = JsonlWriter(path)
        self._begun = 0

    def begin(
        self,
        env_id: str,
        env_kwargs: Mapping[str, Any],
        *,
        seed: int | None,
        observation: Mapping[str, Any],
        info: Mapping[str, Any],
        episode: str = "",
        group: str = "",
    ) -> EpisodeTrace:
        """Write the reset of an episode and return what its steps are recorded with.

        Args:
            env_id: Registered id.
            env_kwargs: The keyword arguments of ``gym.make``; plain data.
            seed: What ``reset`` was given.
            observation: What ``reset`` returned, of the environment itself (not of an observation wrapper).
            info: What ``reset`` returned.
            episode: The episode's name, unique in the file; by default ``task#n``, n being the count of episodes so far.
            group: Name of the group that it is compared within.
        """
        name = episode or f"{info['task']}#{self._begun}"
        self._begun += 1
        first = Step(
            episode=name,
            step=0,
            round=0,
            env=env_id,
            kwargs=env_kwargs,
            split=str(env_kwargs.get("split", "train")),
            task=str(info["task"]),
            seed=seed,
            group=group,
            action=None,
            image=ImageDigest.of(observation["image"]),
            text=str(observation["text"]),
            error=str(info.get("error", "")),
            info=info,
        )
        self._write(first, observation["image"])
        return EpisodeTrace(self, first)

    def _write(self, step: Step, image: npt.NDArray[Any]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._images is not None:
                _keep(image, self._images / step.image.file_name)
        except OSError as error:
            raise UserError(
                f"The trace '{self.path}' cannot be written: {error.strerror} ({error.filename})."
            ) from error
        self._lines.write(step.to_json())

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
        backends: Sequence[Mapping[str, Any]] = (),
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
            backends: What scored the step, each with name, version and hash.
        """
        index = self._last.step + 1
        self._last = dataclasses.replace(
            self._last,
            step=index,
            round=index - 1 if round is None else round,
            action=action,
            image=ImageDigest.of(observation["image"]),
            text=str(observation["text"]),
            reply=reply,
            error=str(info.get("error", "")),
            reward=float(reward),
            terminated=bool(terminated),
            truncated=bool(truncated),
            info=info,
            backends=backends,
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
