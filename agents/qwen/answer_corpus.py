"""The tiny tokenizer's texts for judgment and region selection: what the environments ask, and the few answers.

Each explanation of an indicator, each question, what a prompt says about the answer, and each whole answer is a token.
"""

from __future__ import annotations

import numpy as np

from designgym.agents.qwen.conversation import announce_tools
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.prompt import build_prompt, task_of
from designgym.envs.aesthetics.questions import LETTERS, question, split_question
from designgym.prompt import describe_tools, render_call
from designgym.tools import ToolTable

_FRAME = NumberFrame("thousand")
_OPTIONS = ((0.05, 0.1, 0.45, 0.3), (0.5, 0.1, 0.95, 0.625), None, (0.05, 0.775, 0.4, 0.95))
"""Regions of an example; the corpus needs their form."""

OPTION_TOKENS = (*(f"{letter}: [" for letter in LETTERS), *(f"{letter}: None\n" for letter in LETTERS), ", ", "]\n")
"""What stands between the numbers of the regions that a prompt offers."""


def vocabulary(tools: ToolTable, values: tuple[str, ...]) -> Vocabulary:
    """The texts of a task that is answered with one of a few words; numbers are thousandths of the page.

    Args:
        tools: The environment's tools.
        values: Every value of the one argument of ``answer``.
    """
    (argument,) = tools["answer"].record.names
    answers = tuple(render_call("answer", {argument: value}) for value in values)
    return Vocabulary(prompt_corpus(tools), (*prompt_phrases(tools), *answers), int(_FRAME.limits[0]))


def prompt_phrases(tools: ToolTable) -> tuple[str, ...]:
    """The sentences that prompts repeat word for word, and the fixed parts of the regions that they offer."""
    asked = [split_question(text)[:2] for text in _questions(tools)]
    sentences = [*(explanation for explanation, _ in asked), *(sentence for _, sentence in asked)]
    offered = OPTION_TOKENS if task_of(tools) == "selection" else ()
    return (*sentences, describe_tools(tools, "brief", _FRAME), *offered)


def prompt_corpus(tools: ToolTable) -> tuple[str, ...]:
    """Every question in both wordings, in a fixed order; the brief ones often, as they are what a tiny model reads."""
    texts = ["system\nuser\nassistant\n"] * 20
    for text in _questions(tools):
        observation = {"image": np.zeros((1, 1, 3), np.uint8), "task": text, "text": ""}
        brief = build_prompt(observation, tools, wording="brief", frame=_FRAME)
        full = announce_tools(build_prompt(observation, tools, wording="full", frame=_FRAME), tools, _FRAME)
        texts += [message.text for message in brief] * 20 + [message.text for message in full]
    return tuple(texts)


def _questions(tools: ToolTable) -> list[str]:
    task = task_of(tools)
    options = _OPTIONS if task == "selection" else ()
    return [question(task, indicator, options) for indicator in INDICATORS.values()]
