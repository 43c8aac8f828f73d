"""The texts that the tiny tokenizer learns its merges from: the project's own prompts and Qwen's tool-call syntax."""

from __future__ import annotations

import numpy as np

from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools
from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.env import LOCALIZATION_TOOLS
from designgym.envs.aesthetics.item import INDICATORS
from designgym.prompt import describe_tools, render_call

_FRAME = NumberFrame("thousand")


def prompt_phrases() -> list[str]:
    """The sentences that prompts repeat word for word: each question, and how to answer."""
    return [*INDICATORS.values(), describe_tools(LOCALIZATION_TOOLS, "brief", _FRAME)]


def prompt_corpus() -> list[str]:
    """Every question of the aesthetics environments in both wordings, roles and an answer, in a fixed order.

    The brief prompts come often, so that their words become single tokens: they are what the tiny model reads.
    """
    build = prompt_builder("designgym/AestheticLocalization-v0")
    texts = ["system\nuser\nassistant\n", render_call("answer", {"bbox": [12, 340, 567, 890]})]
    for question in INDICATORS.values():
        observation = {"image": np.zeros((1, 1, 3), np.uint8), "task": question, "text": ""}
        brief = build(observation, LOCALIZATION_TOOLS, wording="brief", frame=_FRAME)
        full = announce_tools(
            build(observation, LOCALIZATION_TOOLS, wording="full", frame=_FRAME), LOCALIZATION_TOOLS, _FRAME
        )
        texts += [message.text for message in brief] * 20 + [message.text for message in full]
    return texts
