"""What happened in an episode, as plain data: all that a reward sees and all that is needed to score it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym.graphics.document import Document


@dataclass(frozen=True)
class Call:
    """One step.

    Attributes:
        name: The tool's name; empty where the action named none that exists.
        arguments: The arguments in canonical form, every parameter present; empty if the call was refused.
        error: Kind of error, empty if the call was carried out.
        round: The model's turn that the call belongs to, from 0; a turn may hold several calls.
    """

    name: str
    arguments: Mapping[str, Any]
    error: str = ""
    round: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Call:
        return self  # nobody changes a call that was made, and snapshots of long episodes would copy all of them


@dataclass(frozen=True, eq=False)
class Episode:
    """An episode, finished or under way.

    Attributes:
        env_id: Such as ``"designgym/AestheticLocalization-v0"``.
        split: ``"train"``, ``"validation"`` or ``"test"``.
        task: Task id, such as ``"test-000123"``.
        image: What is on the page now, uint8 H x W x 3 (or H x W), read-only; None if it was not kept.
        stimulus: What was there at the start and cannot be changed, where the environment has such a layer: uint8
            H x W, 0 ink and 255 paper, read-only.
        document: The page's document, where the environment has one.
        questions: What is asked, in words; one entry for a single question.
        truth: What rewards compare with, by name; JSON data. Never shown to agents.
        calls: The steps in order.
        group: Which episodes are compared with one another (by rewards such as diversity); empty: none.
    """

    env_id: str
    split: str
    task: str
    image: npt.NDArray[np.uint8] | None = None
    stimulus: npt.NDArray[np.uint8] | None = None
    document: Document | None = None
    questions: tuple[str, ...] = ()
    truth: Mapping[str, Any] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()
    group: str = ""

    @property
    def done_calls(self) -> tuple[Call, ...]:
        """The calls that were carried out, without the refused ones."""
        return tuple(call for call in self.calls if not call.error)

    def to_json(self) -> dict[str, Any]:
        """JSON data without image and stimulus; :meth:`from_json` reads it back."""
        return {
            "env_id": self.env_id,
            "split": self.split,
            "task": self.task,
            "document": None if self.document is None else self.document.to_json(),
            "questions": list(self.questions),
            "truth": dict(self.truth),
            "calls": [
                {"name": call.name, "arguments": dict(call.arguments), "error": call.error, "round": call.round}
                for call in self.calls
            ],
            "group": self.group,
        }

    @classmethod
    def from_json(
        cls,
        data: Mapping[str, Any],
        image: npt.NDArray[np.uint8] | None = None,
        stimulus: npt.NDArray[np.uint8] | None = None,
    ) -> Episode:
        """An episode from its JSON data, with image and stimulus that were kept elsewhere."""
        document = data["document"]
        return cls(
            env_id=data["env_id"],
            split=data["split"],
            task=data["task"],
            image=image,
            stimulus=stimulus,
            document=None if document is None else Document.from_json(document),
            questions=tuple(data["questions"]),
            truth=dict(data["truth"]),
            calls=tuple(Call(**call) for call in data["calls"]),
            group=data["group"],
        )
