"""The tiny tokenizer's texts for localization: the environment's own prompts and Qwen's tool-call syntax."""

from __future__ import annotations

import numpy as np

from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.blocks.item import INDICATORS
from designgym.envs.aesthetics.localization import LOCALIZATION_TOOLS
from designgym.prompt import describe_tools, render_call

_FRAME = NumberFrame("thousand")

ANSWER_TOKENS = (
    '<tool_call>\n{"name": "answer", "arguments": {"bbox": [',
    ", ",
    "]}}\n</tool_call>",
    '<tool_call>\n{"name": "answer", "arguments": {"bbox": null}}\n</tool_call>',
)
"""The fixed parts of ``answer`` with a box, and the whole call without one."""


def vocabulary() -> Vocabulary:
    """The texts; boxes are thousandths of the page."""
    return Vocabulary(tuple(prompt_corpus()), (*prompt_phrases(), *ANSWER_TOKENS), int(_FRAME.limits[0]))


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
