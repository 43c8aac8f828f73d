"""What the agents of the aesthetics tasks share: which argument is asked for, and the call that gives it."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium as gym

from designgym.agents.base import Action
from designgym.errors import UserError

Argument = Literal["verdict", "choice", "bbox"]
"""The one argument of the tool ``answer``: of judgment, region selection and localization."""

ARGUMENTS: tuple[Argument, ...] = ("verdict", "choice", "bbox")

_ASKED = {"verdict": "with yes or no", "choice": "with the letter of a region", "bbox": "with a box"}


def call(argument: Argument, value: Any) -> Action:
    """The tool call with this answer."""
    return {"name": "answer", "arguments": {argument: value}}


def argument_of(env: gym.Env[Any, Any]) -> Argument | None:
    """What an environment asks for; None if it is none of the aesthetics tasks."""
    table = env.unwrapped.tool_table  # type: ignore[attr-defined]
    if table.names == ("answer",):
        for argument in ARGUMENTS:
            if table["answer"].record.names == (argument,):
                return argument
    return None


def require(env: gym.Env[Any, Any], name: str, *arguments: Argument) -> Argument:
    """What an environment asks for, if an agent can answer it.

    Raises:
        UserError: If the environment asks for something else.
    """
    argument = argument_of(env)
    if argument not in arguments:
        found = env.spec.id if env.spec else type(env.unwrapped).__name__
        ways = " or ".join(_ASKED[one] for one in arguments)
        tools = ", ".join(env.unwrapped.tool_table.names)  # type: ignore[attr-defined]
        raise UserError(
            f"The agent '{name}' answers {ways}, which {found!r} does not ask for (its tools are {tools}). "
            "Use 'random' or an agent made for it."
        )
    assert argument is not None
    return argument
