"""What a model is shown in the canvas environment; agents and training build their prompts here.

Every round is asked anew, in one system and one user message, as PainterBench's harness does (section 3): the task, an
instruction, the current canvas, the latest calls with their results, and a strip of the latest canvases. Messages are
a function of the arguments alone. All words are in ``designgym.envs.canvas.wording``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym import exact_json
from designgym.boxes import NumberFrame
from designgym.envs.canvas import wording as words
from designgym.envs.canvas.condition import Axes
from designgym.envs.canvas.prompt_settings import WHOLE_CONTEXT, Context, Framing, PromptSettings
from designgym.errors import UserError
from designgym.history import Turn
from designgym.prompt import Message, Wording, describe_tools, message, plain
from designgym.tools import FRACTIONS, ToolTable

__all__ = ["Context", "PromptSettings", "build_prompt", "strip"]

Image = npt.NDArray[np.uint8]

HISTORY_CALLS = 10
"""Calls in the history (PainterBench, section 3)."""
STRIP_CANVASES = 3
"""Canvases in the strip (PainterBench, section 3)."""
GAP_PX = 4
"""Width of the bars between the canvases of a strip."""
GAP_GREY = 128
"""Their shade, between ink and paper."""
CALL_CHARACTERS = 2000
"""A call of the history with more characters of JSON loses its middle: some 50 operations are shown whole."""
RESULT_CHARACTERS = 500
"""The same for a result."""

_STATUS = ("Calls left: ", "No calls left: ", "The episode is over.")
"""How the line of the environment's text begins that is not about the last call."""


def build_prompt(
    observation: Mapping[str, Any],
    tool_table: ToolTable,
    *,
    history: Sequence[Turn] = (),
    wording: Wording = "full",
    frame: NumberFrame = FRACTIONS,
    tools_in_text: bool = False,
    framing: Framing = "canonical",
    context: Context = WHOLE_CONTEXT,
    stimulus: bool = True,
    subject: str | None = None,
    axes: Axes = "none",
    growing: bool = False,
) -> list[Message]:
    """The messages that ask a model for its next call.

    Args:
        observation: ``image``, ``task`` and ``text`` as the environment gives them.
        tool_table: The environment's tools; their names tell interface and vocabulary.
        history: All turns so far, the reset first and the one that led to ``observation`` last.
        wording: ``"full"`` explains everything and expects the tools' schemas to be passed beside it; ``"brief"`` is
            one message of images and short lines, for models that learn the task from nothing.
        frame: How the model writes boxes; these tools have none.
        tools_in_text: Say in the prompt how tools are called, for models that cannot be passed schemas (``full`` only).
        framing: How the task is put (``full`` only); see :data:`designgym.envs.canvas.prompt_settings.Framing`.
        context: What is shown beside the task and the last result. What is left out leaves neither text nor image.
        stimulus: Whether there is a starting shape; this and the following come from the environment's
            ``prompt_options()``.
        subject: What is to be drawn; None leaves the choice to the model.
        axes: Whether the images carry pixel coordinates.
        growing: The messages begin a conversation in which the result of each call follows with an image of the
            canvas, and all that came before stays. There is no use for histories and strips in it.

    Returns:
        A user message, after a system message if the wording is full. Its images are those of ``observation`` and the
        strip, as far as the context has them, in this order.

    Raises:
        UserError: For an unknown framing, one beside the brief wording, a strip of canvases that the history lacks, or
            a growing conversation without canvases.
    """
    if growing:
        if not context.canvas:
            raise UserError("A growing conversation shows the canvas after every call; keep 'canvas' in the context.")
        context = Context(history=False, canvas=True, strip=False)
    canvas = [observation["image"]] if context.canvas else []
    shown = [strip(_latest_canvases(observation["image"], history))] if context.strip else []
    calls = [step for step in history if step.action is not None][-HISTORY_CALLS:] if context.history else []
    if wording == "brief":
        if framing != "canonical":
            raise UserError(f'The brief wording has no framing {framing!r}; take wording="full".')
        lines = [_line(step) for step in calls]
        names = words.TOOLS.format(names=", ".join(tool_table.names))
        lines.append(f"{observation['task']} {plain(observation['text'].replace(chr(10), ' '))} {names}")
        return [message("user", *canvas, *shown, "\n".join(lines))]
    drawing_tools = [name for name in tool_table.names if name.startswith("draw_")]
    options: dict[str, Any] = {"framing": framing, "context": context, "axes": axes, "growing": growing}
    told = words.system_prompt(drawing_tools, stimulus=stimulus, subject=subject, **options)
    if tools_in_text:
        told += "\n\n" + describe_tools(tool_table, "full", frame)
    asked: list[str | Image] = [observation["task"]]
    for image in canvas:
        asked += [words.CANVAS, image]
    if context.history:
        asked.append("\n".join([words.HISTORY, *map(_line, calls)]) if calls else words.NO_HISTORY)
    for image in shown:
        asked += [words.STRIP, image]
    asked.append(_status(observation["text"]))
    return [message("system", told), message("user", *_spaced(asked))]


def strip(canvases: Sequence[Image]) -> Image:
    """Canvases side by side with grey bars between them.

    Args:
        canvases: One or more, oldest first, each uint8 H x W x C.

    Returns:
        uint8 H x (n W + (n - 1) 4) x C for n canvases.
    """
    height, _, channels = canvases[0].shape
    bar = np.full((height, GAP_PX, channels), GAP_GREY, np.uint8)
    parts = [canvases[0]]
    for canvas in canvases[1:]:
        parts += [bar, canvas]
    return np.concatenate(parts, axis=1)


def _latest_canvases(current: Image, history: Sequence[Turn]) -> list[Image]:
    """The canvases of the strip: those after the reset and after each call that was carried out, oldest first.

    The last of them is the current one, whatever calls were refused since.
    """
    earlier = [step for step in history if step.carried_out][-STRIP_CANVASES:-1]
    images = [step.image for step in earlier]
    if any(image is None for image in images):
        raise UserError(
            f"The strip shows the {STRIP_CANVASES} latest canvases, and the history lacks the image of one of them. "
            "Keep the images, or leave 'strip' out of the context."
        )
    return [*(image for image in images if image is not None), current]


def _line(step: Turn) -> str:
    """A call and its result, on one line. The call is JSON as the parser of replies reads it, if it is not too long."""
    call = json.dumps(exact_json.encode(step.action), ensure_ascii=False, separators=(",", ":"))
    return f"{plain(_short(call, CALL_CHARACTERS))} -> {_short(_result(step.text), RESULT_CHARACTERS)}"


def _status(text: str) -> str:
    """The environment's text, with its lines told apart."""
    result = _result(text)
    rest = [line for line in text.split("\n") if line.startswith(_STATUS)]
    return "\n".join([*([words.RESULT.format(result=result)] if result else []), *rest])


def _result(text: str) -> str:
    """What became of the last call, as one line; empty at the reset."""
    return plain(" ".join(line for line in text.split("\n") if not line.startswith(_STATUS)))


def _short(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    return f"{text[:head]} ... ({len(text) - head - tail} characters left out) ... {text[-tail:]}"


def _spaced(parts: Sequence[str | Image]) -> list[str | Image]:
    """Parts with blank lines where chat templates join them without any, and neighbouring texts in one."""
    spaced: list[str | Image] = [parts[0]]
    for before, part in pairwise(parts):
        if isinstance(part, str) and isinstance(before, str):
            spaced[-1] = f"{spaced[-1]}\n\n{part}"
        elif isinstance(part, str):
            spaced.append(f"\n\n{part}")
        else:
            spaced[-1] = f"{spaced[-1]}\n"
            spaced.append(part)
    return spaced
