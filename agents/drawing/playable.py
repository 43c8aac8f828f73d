"""Which environments the scripted drawing agents play."""

from __future__ import annotations

from typing import Any

from designgym.envs.canvas.env import CanvasDrawing
from designgym.envs.canvas.tools import tool_table
from designgym.errors import UserError


def require_canvas(env: Any, name: str, *, shape: bool, free_subject: bool) -> CanvasDrawing:
    """The canvas that an agent is made for.

    Args:
        env: The environment, wrapped or not.
        name: The agent's name, for the message.
        shape: Whether the agent needs a starting shape.
        free_subject: Whether it chooses what to draw.

    Raises:
        UserError: If the environment is no canvas, or a condition that the agent does not play; it says which.
    """
    canvas = env.unwrapped
    if not isinstance(canvas, CanvasDrawing):
        raise UserError(f"The agent '{name}' draws on a canvas, which {type(canvas).__name__} does not offer.")
    condition = canvas.condition
    if canvas.tool_table.names != tool_table().names:
        raise UserError(
            f"The agent '{name}' needs all drawing tools, and here there are {', '.join(canvas.tool_table.names)}. "
            'Play it with interface="tools" and vocabulary="full".'
        )
    if shape and condition.stimulus is None:
        raise UserError(f"The agent '{name}' goes on from a starting shape; play it with stimulus=\"bank\".")
    if free_subject and condition.subject is not None:
        raise UserError(
            f"The agent '{name}' chooses itself what to draw, and subject is {condition.subject!r}; "
            "play it with subject=None."
        )
    return canvas
