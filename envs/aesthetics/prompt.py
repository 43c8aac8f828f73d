"""What a model is told in the aesthetics environments; agents and training build their prompts here.

All words are in ``designgym.envs.aesthetics.wording``. Which of the three tasks is asked follows from the tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym.boxes import NumberFrame, Order, Size
from designgym.envs.aesthetics import wording as words
from designgym.envs.aesthetics.prompt_settings import WHOLE_CONTEXT, Context, Framing, PromptSettings, check_framing
from designgym.envs.aesthetics.questions import LETTERS, option_lines, split_question
from designgym.envs.aesthetics.settings import Protocol, TaskKind
from designgym.errors import UserError
from designgym.history import Turn
from designgym.prompt import Message, Wording, describe_tools, message
from designgym.tools import FRACTIONS, ToolTable

__all__ = ["Context", "PromptSettings", "build_prompt", "metadata_lines", "task_of", "text_form"]

_TASK_OF: dict[str, TaskKind] = {"verdict": "judgment", "choice": "selection", "bbox": "localization"}

Image = npt.NDArray[np.uint8]


def build_prompt(
    observation: Mapping[str, Any],
    tool_table: ToolTable,
    *,
    history: Sequence[Turn] = (),
    wording: Wording = "full",
    frame: NumberFrame = FRACTIONS,
    tools_in_text: bool = False,
    growing: bool = False,
    framing: Framing = "tool",
    context: Context = WHOLE_CONTEXT,
    page: Size | None = None,
    protocol: Protocol = "strict",
) -> list[Message]:
    """The messages that ask a model for its answer.

    Args:
        observation: ``image``, ``task`` and ``text`` as the environment gives them.
        tool_table: The environment's tools.
        history: Left out of account: one question is asked, and answered in one step.
        wording: ``"full"`` explains task and answer and expects the tools' schemas to be passed beside it; ``"brief"``
            is one message of few words, for models that learn the task from nothing.
        frame: How the model writes boxes; the regions offered are written so, too.
        tools_in_text: Say in the prompt how tools are called, for models that cannot be passed schemas (``full`` only).
        growing: Left out of account like the history.
        framing: ``"tool"`` asks for a call; ``"original"`` and ``"optimized"`` ask for an answer in words, which
            ``designgym.answers`` reads, in one message without tools.
        context: What is shown beside the question.
        page: Width and height of the page in the image, px; None means all of it. This and the next come from the
            environment's ``prompt_options()``.
        protocol: Under ``"release"`` answers in words are asked for, and regions written, as the released evaluation
            does: see :func:`text_form`.

    Returns:
        A user message with the page and the question, after a system message if the wording is full and a call is asked
        for. The page's metadata, where the environment gives it, stands in the user message.

    Raises:
        UserError: For an unknown framing, one in words beside the brief wording, or where nothing of the design is
            shown.
    """
    check_framing(framing)
    task = task_of(tool_table)
    metadata = metadata_lines(observation["text"]) if context.metadata else []
    image = [_cropped(observation["image"], page)] if context.image else []
    if not image and not metadata:
        raise UserError("Nothing of the design is shown; add 'image' to the context, or set metadata=True.")
    if framing != "tool":
        if wording == "brief":
            raise UserError(f'The brief wording has no framing {framing!r}; take wording="full".')
        own, order = text_form(frame, protocol, page or _size(observation["image"]))
        told = _in_words(task, framing, own, order)
        options_frame = NumberFrame("pixel", page or _size(observation["image"])) if protocol == "release" else own
        asked = _question(observation["task"], context, options_frame, order)
        return [message("user", *image, "\n\n".join(["\n".join([asked, *metadata]), told]))]
    asked = _question(observation["task"], context, frame)
    if wording == "brief":
        joint = "\n" if "\n" in asked else " "
        return [message("user", *image, joint.join([asked, *metadata, describe_tools(tool_table, "brief", frame)]))]
    told = _system(task, frame, observation["task"], bool(image))
    if metadata:
        told += "\n\n" + words.METADATA
    if tools_in_text:
        told += "\n\n" + describe_tools(tool_table, "full", frame)
    return [message("system", told), message("user", *image, "\n".join([asked, *metadata]))]


def task_of(tool_table: ToolTable) -> TaskKind:
    """Which task it is that is answered by the one argument of ``answer``."""
    return _TASK_OF[tool_table["answer"].record.names[0]]


def text_form(frame: NumberFrame, protocol: Protocol, size: Size) -> tuple[NumberFrame, Order]:
    """How boxes of answers in words are written.

    Args:
        frame: How the model writes boxes.
        protocol: Under ``"strict"`` as the model does, by corners. Under ``"release"`` as left, top, width and height
            in fractions of the page, whatever the model; regions are then offered in px.
        size: Width and height of the page as shown, px.
    """
    return (FRACTIONS, "ltwh") if protocol == "release" else (frame, "xyxy")


def metadata_lines(text: str) -> list[str]:
    """The lines of the environment's text that tell of the design rather than of the episode."""
    return [line for line in text.split("\n") if line.startswith("Elements: ")]


def _system(task: TaskKind, frame: NumberFrame, asked: str, image: bool) -> str:
    explanation, _, _ = split_question(asked)
    if task == "localization" and not explanation:
        return words.BLOCKS.format(frame=frame.sentence)
    introduction = words.INTRODUCTION if image else words.NO_IMAGE
    return "\n\n".join([introduction, words.TASKS[task].format(frame=frame.sentence), words.ANSWER_ONCE])


def _in_words(task: TaskKind, framing: Framing, frame: NumberFrame, order: Order) -> str:
    texts = words.ORIGINAL if framing == "original" else words.STEP_BY_STEP
    box = words.EXTENT if order == "ltwh" else words.CORNERS
    return texts[task].format(box=box, frame=frame.sentence, letters=", ".join(LETTERS))


def _question(text: str, context: Context, frame: NumberFrame, order: Order = "xyxy") -> str:
    """The question with its explanation, if that is shown, and the regions in the model's numbers."""
    explanation, asked, options = split_question(text)
    before = [explanation] if explanation and context.explanation else []
    return "\n".join([*before, asked, *option_lines(options, frame, order)])


def _cropped(image: Image, page: Size | None) -> Image:
    """The page alone."""
    if page is None or page == _size(image):
        return image
    width, height = page
    return np.ascontiguousarray(image[:height, :width])


def _size(image: Image) -> Size:
    return image.shape[1], image.shape[0]
