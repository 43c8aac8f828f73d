"""One line of a trace: a step of an episode, with all that is needed to play it again.

Format version 1, by key: ``format``; ``episode`` (its name); ``step`` (0 is the reset); ``round`` (the model's turn);
``env``, ``kwargs``, ``split``, ``task``, ``seed``, ``group``; ``action`` (null at the reset); ``reply`` (the model's
text); ``text`` (what the environment said); ``error``; ``reward``; ``terminated``, ``truncated``; ``info``; ``backend``
(what scores it: name, version, hash); ``image`` (sha256 and shape of the observed image); and, with the first call of a
turn whose agent tells it, ``usage`` (what the turn took, by name). Values that JSON lacks are
marked as ``designgym.exact_json`` says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from designgym import exact_json
from designgym.errors import UserError
from designgym.jsonl import check_fields

FORMAT_VERSION = 1


@dataclass(frozen=True)
class ImageDigest:
    """What a trace keeps of an image: the sha256 of its bytes in C order, and its shape."""

    sha256: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, image: npt.NDArray[Any]) -> Self:
        """Return the digest of an image."""
        return cls(hashlib.sha256(np.ascontiguousarray(image).data).hexdigest(), tuple(image.shape))

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
    backend: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """Whether the episode ended with this step."""
        return self.terminated or self.truncated

    def to_json(self) -> dict[str, Any]:
        """Return the line's data."""
        data = {name: getattr(self, name) for name in _FIELDS}
        data["image"] = {"sha256": self.image.sha256, "shape": list(self.image.shape)}
        for name in ("kwargs", "action", "info", "backend", "reward"):
            data[name] = exact_json.encode(data[name])
        told = {"usage": exact_json.encode(self.usage)} if self.usage else {}
        return {"format": FORMAT_VERSION, **data, **told}

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
        check_fields({"usage": {}, **data}, {**_FIELDS, "usage": (dict,)}, place, "the trace's line")
        image = data["image"]
        if not isinstance(image.get("sha256"), str) or not isinstance(image.get("shape"), list):
            raise UserError(f"{place}: 'image' of the trace's line must have 'sha256' and 'shape'.")
        values = {name: data[name] for name in _FIELDS} | {"usage": data.get("usage", {})}
        values["image"] = ImageDigest(image["sha256"], tuple(image["shape"]))
        try:
            values["reward"] = reward = exact_json.decode(data["reward"])
        except ValueError as error:
            raise UserError(f"{place}: 'reward' of the trace's line cannot be read: {error}.") from error
        if isinstance(reward, dict):
            raise UserError(f"{place}: 'reward' of the trace's line is {reward!r}, which is no float.")
        if data["seed"] is not None and data["seed"] < 0:
            raise UserError(f"{place}: 'seed' of the trace's line is {data['seed']}; seeds are 0 or more.")
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
    "reward": (float, int, dict),  # a dict for what JSON lacks
    "terminated": (bool,),
    "truncated": (bool,),
    "info": (dict,),
    "backend": (dict,),
    "image": (dict,),
}
