"""Answers in words: what a model writes where its prompt asks for no tool call, and what it should have written.

The prompts of the aesthetics tasks can ask for a word, a letter or a box as text (their framings ``original`` and
``optimized``). The environment receives a tool call all the same: the text is read by ``designgym.answers`` in the
frame and order that the prompt told the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from designgym.agents.base import Action, Reply
from designgym.answers import Order, Protocol, read_answer, write_answer
from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.prompt import task_of, text_form
from designgym.tools import ToolTable

FRAMINGS = ("original", "optimized")
"""The framings that ask for words."""


def in_words(settings: Mapping[str, Any]) -> bool:
    """Whether a prompt with these settings (`designgym.agents.prompts.prompt_settings`) asks for words."""
    return settings.get("framing") in FRAMINGS


def read_words(text: str, tools: ToolTable, frame: NumberFrame, options: Mapping[str, Any]) -> Reply:
    """A model's text as one turn: its one answer as a call of ``answer``, or no call if it holds none or several.

    Args:
        text: What the model wrote, without special tokens.
        tools: The environment's tools, which say what is asked for.
        frame: How the model writes boxes.
        options: The environment's ``prompt_options()``; its protocol decides how the text is read.
    """
    own, order, protocol = _form(frame, options)
    arguments = read_answer(text, task_of(tools), own, order, protocol)
    return Reply(text) if arguments is None else Reply(text, ({"name": "answer", "arguments": arguments},))


def write_words(action: Action, tools: ToolTable, frame: NumberFrame, options: Mapping[str, Any]) -> str:
    """The words for a call of ``answer``, as :func:`read_words` reads them: a target of training."""
    own, order, _ = _form(frame, options)
    return write_answer(action["arguments"], task_of(tools), own, order)


def _form(frame: NumberFrame, options: Mapping[str, Any]) -> tuple[NumberFrame, Order, Protocol]:
    protocol: Protocol = options.get("protocol", "strict")
    own, order = text_form(frame, protocol, options.get("page", (1, 1)))
    return own, order, protocol
