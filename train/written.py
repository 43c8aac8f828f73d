"""How a model would write a turn that another took: a call in its own frame and on its own grid, or words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from designgym.agents.base import Action, Reply
from designgym.agents.qwen.conversation import read_reply
from designgym.agents.qwen.frames import to_model
from designgym.agents.qwen.grid import on_grid
from designgym.agents.words import in_words, read_words, write_words
from designgym.boxes import NumberFrame
from designgym.prompt import render_call
from designgym.tools import ToolTable


def written(
    turn: Action | Reply | str,
    tools: ToolTable,
    frame: NumberFrame,
    *,
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    number_step: int = 1,
) -> str:
    """The text of a turn, as `designgym.parse` or `designgym.agents.words` reads it.

    Args:
        turn: A call with boxes in fractions of the page; what a model wrote with the call that was read out of it; or a
            text. The words of a model are kept if they are read as the same call here: otherwise they are those of a
            model with other tools or coordinates, and the call alone is written.
        tools: The environment's tools.
        frame: How the model writes boxes.
        settings: What was chosen about the prompt: `designgym.agents.prompts.prompt_settings`.
        options: The environment's ``prompt_options()``.
        number_step: Grid of the model's numbers.

    Raises:
        ValueError: If the turn holds more than one call.
    """
    words = in_words(settings)
    if isinstance(turn, Reply):
        if len(turn.calls) > 1:
            raise ValueError(f"The teacher makes {len(turn.calls)} calls in one turn; a model is taught to make one.")
        if not turn.calls:
            return turn.text
        read = read_words(turn.text, tools, frame, options) if words else read_reply(turn.text, tools, frame)
        if read.calls == turn.calls:
            return turn.text
        turn = turn.calls[0]
    if isinstance(turn, str):
        return turn
    if words:
        return write_words(turn, tools, frame, options)
    call = on_grid(to_model(turn, tools, frame, step=number_step), tools, number_step)
    return render_call(call["name"], call["arguments"])
