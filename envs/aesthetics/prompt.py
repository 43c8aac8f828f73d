"""What a model is told in the aesthetics environments; agents and training build their prompts here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from designgym.boxes import NumberFrame
from designgym.history import Turn
from designgym.prompt import Message, Wording, describe_tools, message
from designgym.tools import FRACTIONS, ToolTable

_TASK = """\
You judge the quality of graphic designs. You see one design and a question about one aesthetic indicator. In most \
designs one element was harmed so that the answer to the question is no; in the others every element is as it should be.

Find the one element that harms the design in the respect asked about and answer with its bounding box \
[x1, y1, x2, y2]: left, top, right and bottom, measured from the top left corner, {frame}. The box should \
enclose the visible part of that element exactly. If no element harms the design in this respect, answer null.

Answer once, by calling the tool `answer`."""

_METADATA = """\
The elements of the page are listed from back to front as JSON. Their places there are in pixels of the page, not in \
the numbers of your answer."""


def build_prompt(
    observation: Mapping[str, Any],
    tool_table: ToolTable,
    *,
    history: Sequence[Turn] = (),
    wording: Wording = "full",
    frame: NumberFrame = FRACTIONS,
    tools_in_text: bool = False,
    growing: bool = False,
) -> list[Message]:
    """The messages that ask a model for its answer.

    Args:
        observation: ``image``, ``task`` and ``text`` as the environment gives them.
        tool_table: The environment's tools.
        history: Left out of account: one question is asked, and answered in one step.
        wording: ``"full"`` explains task and answer and expects the tools' schemas to be passed beside it; ``"brief"``
            is one message of some 25 words, for models that learn the task from nothing.
        frame: How the model writes boxes.
        tools_in_text: Say in the prompt how tools are called, for models that cannot be passed schemas (``full`` only).
        growing: Left out of account like the history.

    Returns:
        A user message with image and question, after a system message if the wording is full. The page's metadata,
        where the environment gives it, stands in the user message.
    """
    shown = [observation["task"], *metadata_lines(observation["text"])]
    if wording == "brief":
        return [message("user", observation["image"], " ".join([*shown, describe_tools(tool_table, "brief", frame)]))]
    task = _TASK.format(frame=frame.sentence)
    if len(shown) > 1:
        task += "\n\n" + _METADATA
    if tools_in_text:
        task += "\n\n" + describe_tools(tool_table, "full", frame)
    return [message("system", task), message("user", observation["image"], "\n".join(shown))]


def metadata_lines(text: str) -> list[str]:
    """The lines of the environment's text that tell of the design rather than of the episode."""
    return [line for line in text.split("\n") if line.startswith("Elements: ")]
