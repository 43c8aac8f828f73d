"""What a model is shown at the workbench; agents and training build their prompts here.

Every round is asked anew, in one system and one user message: the brief and the files, the page as it is, the latest
calls with their results, and what became of the last one. All words are in ``designgym.envs.design.wording``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym import exact_json
from designgym.boxes import NumberFrame, Size
from designgym.envs.design import wording as words
from designgym.envs.design.experts import EXPERTS
from designgym.envs.design.prompt_settings import WHOLE_CONTEXT, Context, Framing, PromptSettings
from designgym.errors import UserError
from designgym.history import Turn
from designgym.prompt import Message, Wording, describe_tools, message, plain
from designgym.tools import FRACTIONS, ToolTable

__all__ = ["Context", "PromptSettings", "build_prompt"]

Image = npt.NDArray[np.uint8]

HISTORY_CALLS = 20
"""Calls in the history."""
CALL_CHARACTERS = 800
"""A call of the history with more characters of JSON loses its middle."""
RESULT_CHARACTERS = 300
"""The same for a result."""

_STATUS = ("Calls left: ", "No calls left: ", "The episode is over.")
_STANDING = ("At work: ", "Saved files: ", "Layers: ")
"""How the lines of the environment's text begin that are not about the last call."""


def build_prompt(
    observation: Mapping[str, Any],
    tool_table: ToolTable,
    *,
    history: Sequence[Turn] = (),
    wording: Wording = "full",
    frame: NumberFrame = FRACTIONS,
    tools_in_text: bool = False,
    growing: bool = False,
    framing: Framing = "canonical",
    context: Context = WHOLE_CONTEXT,
    mode: str = "interactive",
    page: Size | None = None,
) -> list[Message]:
    """The messages that ask a model for its next call, or for its plan.

    Args:
        observation: ``image``, ``task`` and ``text`` as the environment gives them.
        tool_table: The environment's tools.
        history: All turns so far, the reset first and the one that led to ``observation`` last.
        wording: ``"full"`` explains everything and expects the tools' schemas to be passed beside it; ``"brief"`` is
            one message of few words, for models that learn the task from nothing.
        frame: How the model writes boxes; these tools have none.
        tools_in_text: Say in the prompt how tools are called, for models that cannot be passed schemas (``full`` only).
        growing: The messages begin a conversation in which the result of each call follows with an image, and all that
            came before stays. There is no use for the history in it.
        framing: How the task is put (``full`` only).
        context: What is shown beside brief, files and the last result. What is left out leaves neither text nor image.
        mode: ``"interactive"``, or ``"plan"`` for a whole workflow at once. This and the next come from the
            environment's ``prompt_options()``.
        page: Width and height of the page in the image, px; None without an open document, which leaves the image out.

    Returns:
        A user message, after a system message if the wording is full. It holds the page alone, as its only image, where
        there is one and the context has it; a growing conversation always has the image.

    Raises:
        UserError: For an unknown framing, one beside the brief wording, or a growing conversation without images.
    """
    if growing:
        if not context.image:
            raise UserError("A growing conversation shows the page after every call; keep 'image' in the context.")
        context = Context(history=False, image=True, layers=context.layers)
    shown = _shown(observation["image"], page, context, growing)
    calls = [step for step in history if step.action is not None][-HISTORY_CALLS:] if context.history else []
    status = _status(observation["text"], context)
    if wording == "brief":
        if framing != "canonical":
            raise UserError(f'The brief wording has no framing {framing!r}; take wording="full".')
        lines = [plain(observation["task"]), *map(_line, calls), status]
        lines.append(words.SIGNATURES.format(signatures=words.signatures(), experts=", ".join(EXPERTS)))
        lines.append(words.ONE_PLAN if mode == "plan" else words.AT_THE_END)
        return [message("user", *shown, "\n".join(lines))]
    told = words.system_prompt(mode, framing=framing, context=context, growing=growing)
    if tools_in_text:
        told += "\n\n" + describe_tools(tool_table, "full", frame)
    asked: list[str] = [f"{words.BRIEF}\n{plain(observation['task'])}"]
    if mode == "interactive" and context.history:
        asked.append("\n".join([words.HISTORY, *map(_line, calls)]) if calls else words.NO_HISTORY)
    asked.append(status)
    if context.image and mode == "interactive":
        asked.append(words.PAGE if page is not None else words.NO_PAGE)
    return [message("system", told), message("user", "\n\n".join(asked), *shown)]


def _shown(image: Image, page: Size | None, context: Context, growing: bool) -> list[Image]:
    """The page alone; the square as it is where a conversation grows from nothing."""
    if not context.image or (page is None and not growing):
        return []
    if page is None:
        return [image]
    width, height = page
    return [np.ascontiguousarray(image[:height, :width])]


def _line(step: Turn) -> str:
    """A call and its result, on one line. The call is JSON as the parser of replies reads it, if it is not too long."""
    call = json.dumps(exact_json.encode(step.action), ensure_ascii=False, separators=(",", ":"))
    return f"{plain(_short(call, CALL_CHARACTERS))} -> {_short(_result(step.text), RESULT_CHARACTERS)}"


def _status(text: str, context: Context) -> str:
    """The environment's text, with its lines told apart."""
    result = _result(text)
    rest = [
        plain(line)
        for line in text.split("\n")
        if line.startswith((*_STATUS, *_STANDING)) and (context.layers or not line.startswith("Layers: "))
    ]
    return "\n".join([*([words.RESULT.format(result=result)] if result else []), *rest])


def _result(text: str) -> str:
    """What became of the last call, as one line; empty at the reset."""
    return plain(" ".join(line for line in text.split("\n") if not line.startswith((*_STATUS, *_STANDING))))


def _short(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    return f"{text[:head]} ... ({len(text) - head - tail} characters left out) ... {text[-tail:]}"
