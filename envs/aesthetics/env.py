"""What the three aesthetics environments have in common: one question about one design, and one answer."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from designgym.env import DesignEnv, Facts, MisuseError, Outcome, RewardMode
from designgym.envs.aesthetics.deal import in_square, item, page_of, place, source_of, take_over
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import Item
from designgym.envs.aesthetics.metadata import design_metadata
from designgym.envs.aesthetics.settings import Protocol, Settings, TaskKind
from designgym.rewards import resolve
from designgym.rewards.table import Spec
from designgym.tasks import SPLITS, Split, TaskIds
from designgym.tools import Accepted, ToolTable

TEXT_LENGTH = 2_000
BLOCKS_TEXT_LENGTH = 20_000
METADATA_LENGTH = 1_000_000
"""Most characters of what is said; a design of 200 layers with all the text they may hold stays below."""


@dataclass
class Answer:
    """All state of an episode beside its calls: which item is asked about, and what was answered."""

    task: str
    value: Any = None


class AestheticQuestion(DesignEnv[Answer]):
    """Base of the aesthetics environments; a subclass names its task, its tool and its default reward.

    The class attributes ``kind``, ``tool``, ``default_reward`` and ``env_id`` say all that differs, beside
    :meth:`told`. For the arguments see :class:`designgym.envs.aesthetics.settings.Settings` and
    :class:`designgym.env.DesignEnv`.
    """

    kind: ClassVar[TaskKind]
    tool: ClassVar[ToolTable]
    default_reward: ClassVar[str]

    def __init__(
        self,
        *,
        split: Split = "train",
        reward: Spec | None = None,
        reward_mode: RewardMode = "terminal",
        max_calls: int = 1,
        render_mode: str | None = None,
        designs: str | Path = "layouts",
        indicators: Sequence[str] | None = None,
        clean_share: float | None = None,
        image_size: int = 448,
        metadata: bool = False,
        protocol: Protocol = "strict",
        flaws: Sequence[str] | None = None,
        elements: Sequence[int] | None = None,
    ):
        about: dict[str, Any] = {"designs": designs, "indicators": indicators, "clean_share": clean_share}
        own: dict[str, Any] = {"flaws": flaws, "elements": elements}
        self.settings = Settings(self.kind, image_size=image_size, metadata=metadata, protocol=protocol, **about, **own)
        source = source_of(self.settings)
        length = BLOCKS_TEXT_LENGTH if self.settings.designs == "blocks" else METADATA_LENGTH
        super().__init__(
            tool_table=self.tool,
            image_shape=(image_size, image_size, 3),
            reward=resolve(self.default_reward if reward is None else reward),
            split=split,
            reward_mode=reward_mode,
            max_calls=max_calls,
            render_mode=render_mode,
            text_length=length if metadata else TEXT_LENGTH,
            identity=(self.settings, source.name),
        )
        self.task_ids(split)

    @abstractmethod
    def told(self, value: Any) -> Any:
        """An answer or truth as ``info`` holds it."""

    def task_ids(self, split: Split | None = None) -> Sequence[str]:
        """``"test-000000"`` and on; a sequence that makes ids when asked for them."""
        chosen = split or self.split
        if chosen not in SPLITS:
            raise MisuseError(f"There is no split {chosen!r}; the splits are {', '.join(SPLITS)}.")
        source = source_of(self.settings)
        size = source.size(chosen)
        if size == 0:
            there = [name for name in SPLITS if source.size(name)]
            raise MisuseError(f"The designs {source.name!r} have no split {chosen!r}; they have {', '.join(there)}.")
        return TaskIds(chosen, size)

    def task_facts(self, task: str) -> Mapping[str, Any]:
        """``indicator``, its ``dimension``, and ``harmed``: whether the design has an issue in this respect."""
        asked = self.item(task)
        dimension = INDICATORS[asked.indicator].dimension
        return {"indicator": asked.indicator, "dimension": dimension, "harmed": asked.verdict == "yes"}

    def begin(self, task: str) -> Answer:
        """The question is open."""
        return Answer(task)

    def call(self, content: Answer, call: Accepted) -> Outcome:
        """Record the answer."""
        (content.value,) = call.arguments.values()
        return Outcome("The answer is recorded.", end="submit")

    def picture(self, content: Answer) -> npt.NDArray[np.uint8]:
        """The design: the page at the top left, grey beside it where it is not square."""
        return in_square(self._page(content.task), self.settings.image_size)

    def question(self, content: Answer) -> str:
        """What is asked."""
        return self.item(content.task).question

    def facts(self, content: Answer) -> Facts:
        """Question, truth and document."""
        asked = self.item(content.task)
        truth: dict[str, Any] = {
            "task": asked.task,
            "indicator": asked.indicator,
            "flaw": asked.flaw,
            "magnitude": asked.magnitude,
            "condition": asked.condition,
            "design": asked.sample.id,
            "protocol": asked.protocol,
            **asked.answer(),
        }
        if asked.task == "selection":
            truth["options"] = [None if box is None else list(box) for box in asked.options]
        if asked.task == "localization":
            truth["boxes"] = [list(box) for box in asked.boxes]
        return Facts((asked.question,), truth, asked.sample.document)

    def standing_text(self, content: Answer) -> str:
        """The design's elements as JSON, if asked for."""
        if not self.settings.metadata:
            return ""
        sample = self.item(content.task).sample
        known = dict(sample.metadata)
        if not known and sample.document is not None:
            known = design_metadata(sample.document)
        return "Elements: " + json.dumps(known, ensure_ascii=False)

    def starting_info(self, content: Answer) -> dict[str, Any]:
        """The page's size in the picture, and the regions offered."""
        height, width = self._page(content.task).shape[:2]
        info: dict[str, Any] = {"page": [float(width), float(height)]}
        if self.kind == "selection":
            info["options"] = [[float(side) for side in box or ()] for box in self.item(content.task).options]
        return info

    def ending_info(self, content: Answer) -> dict[str, Any]:
        """Truth, answer and kind of flaw."""
        asked = self.item(content.task)
        (truth,) = asked.answer().values()
        return {"truth": self.told(truth), "answer": self.told(content.value), "flaw": asked.flaw}

    def hand_over(self, task: str) -> Any:
        """The task's item and its page."""
        return self.item(task), self._page(task)

    def take_over(self, task: str, made: Any) -> None:
        """See :meth:`hand_over`."""
        take_over(self.settings, *place(task, self.settings), *made)

    def prompt_options(self) -> dict[str, Any]:
        """The page's size in the picture, px, and the protocol."""
        height, width = self._page(self._running("prompt_options").task).shape[:2]
        return {"page": (width, height), "protocol": self.settings.protocol}

    def item(self, task: str) -> Item:
        """The item behind a task id of any split, with its truth; for privileged agents and for reports."""
        return item(task, self.settings)

    def _page(self, task: str) -> npt.NDArray[np.uint8]:
        """The page alone, read-only."""
        return page_of(self.settings, *place(task, self.settings))
