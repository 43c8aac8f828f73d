"""Which prompt builder belongs to which environment; agents and training ask here, so that both ask models alike."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.prompt import Message, Wording
from designgym.tools import ToolTable

PROMPTS = {"designgym/AestheticLocalization-v0": "designgym.envs.aesthetics.prompt:build_prompt"}
"""Environment id -> import string of its prompt builder."""


class PromptBuilder(Protocol):
    """Turns an observation into the messages that ask a model for its next call."""

    def __call__(
        self, observation: Mapping[str, Any], tool_table: ToolTable, *, wording: Wording, frame: NumberFrame
    ) -> list[Message]:
        """Messages in the given wording, with boxes described in the given frame."""
        ...


def prompt_builder(env_id: str) -> PromptBuilder:
    """The prompt builder of an environment.

    Raises:
        UserError: If none is known for the id.
    """
    if env_id not in PROMPTS:
        raise UserError(f"There is no prompt for the environment '{env_id}'; there is one for {', '.join(PROMPTS)}.")
    module, _, name = PROMPTS[env_id].partition(":")
    builder: PromptBuilder = getattr(importlib.import_module(module), name)
    return builder
