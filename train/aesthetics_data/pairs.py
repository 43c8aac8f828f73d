"""A pair: the prompt about a design, its page, and the reasoning path that ends in the right call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.agents.qwen.conversation import announce_tools
from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.items import Item
from designgym.envs.aesthetics.judgment import JUDGMENT_TOOLS
from designgym.envs.aesthetics.localization import LOCALIZATION_TOOLS
from designgym.envs.aesthetics.prompt import build_prompt
from designgym.envs.aesthetics.selection import SELECTION_TOOLS
from designgym.prompt import Message, render_call, to_transformers
from designgym.tools import ToolTable
from designgym.train.aesthetics_data.facts import Facts
from designgym.train.aesthetics_data.paths import reasoning_path
from designgym.train.aesthetics_data.pen import Pen, written
from designgym.train.aesthetics_data.settings import DataSettings, Task

TOOLS: dict[Task, ToolTable] = {
    "judgment": JUDGMENT_TOOLS,
    "selection": SELECTION_TOOLS,
    "localization": LOCALIZATION_TOOLS,
}


@dataclass(frozen=True, eq=False)
class Question:
    """An item as a model is asked about it.

    Attributes:
        item: Question and truth.
        page: uint8 H x W x 3, as it is shown.
        frame: How boxes are written on it.
    """

    item: Item
    page: NDArray[np.uint8]
    frame: NumberFrame

    def messages(self, settings: DataSettings) -> list[Message]:
        """The prompt, as agents and evaluations ask."""
        tools = TOOLS[self.item.task]
        observation = {"image": self.page, "task": self.item.question, "text": ""}
        messages = build_prompt(observation, tools, wording=settings.wording, frame=self.frame)
        return announce_tools(messages, tools, self.frame) if settings.wording == "full" else messages

    def call(self) -> str:
        """The right call, boxes in the model's frame."""
        arguments = self.item.answer()
        if arguments.get("bbox") is not None:
            arguments = {"bbox": written(tuple(arguments["bbox"]), self.frame)}
        return render_call("answer", arguments)

    def facts(self) -> Facts:
        """What can be read off the page."""
        return Facts(self.item.sample, self.page)


def ask(item: Item, settings: DataSettings) -> Question:
    """Render an item's page and choose how boxes are written on it."""
    page = item.sample.page(settings.image_size)
    return Question(item, page, settings.number_frame(page.shape[1], page.shape[0]))


def path_by_rule(question: Question, settings: DataSettings, number: int) -> str:
    """The reasoning path of pair ``number`` that the measured quantities give."""
    rng = np.random.default_rng((settings.seed, 0xFA, number))
    return reasoning_path(question.item, question.facts(), Pen(rng, question.frame))


def completion(path: str, call: str) -> str:
    """What the model is to write: the path, if any, and the call."""
    return f"{path}\n{call}" if path else call


def conversation(question: Question, settings: DataSettings, text: str) -> dict[str, Any]:
    """``prompt`` and ``completion`` as TRL takes them, the image's place marked in the prompt."""
    return {
        "prompt": to_transformers(question.messages(settings), embed_images=False),
        "completion": [{"role": "assistant", "content": [{"type": "text", "text": text}]}],
    }
