"""Which prompt builder belongs to which environment; agents and training ask here, so that both ask models alike."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.history import Turn
from designgym.nearest import did_you_mean
from designgym.prompt import Message, Wording
from designgym.tools import ToolTable

_AESTHETICS = "designgym.envs.aesthetics.prompt"

PROMPTS = {
    "designgym/AestheticJudgment-v0": f"{_AESTHETICS}:build_prompt",
    "designgym/RegionSelection-v0": f"{_AESTHETICS}:build_prompt",
    "designgym/AestheticLocalization-v0": f"{_AESTHETICS}:build_prompt",
    "designgym/CanvasDrawing-v0": "designgym.envs.canvas.prompt:build_prompt",
    "designgym/DesignActions-v0": "designgym.envs.design.prompt:build_prompt",
}
"""Environment id -> import string of its prompt builder."""

SETTINGS = {
    "designgym/AestheticJudgment-v0": f"{_AESTHETICS}:PromptSettings",
    "designgym/RegionSelection-v0": f"{_AESTHETICS}:PromptSettings",
    "designgym/AestheticLocalization-v0": f"{_AESTHETICS}:PromptSettings",
    "designgym/CanvasDrawing-v0": "designgym.envs.canvas.prompt:PromptSettings",
    "designgym/DesignActions-v0": "designgym.envs.design.prompt:PromptSettings",
}
"""Environment id -> import string of what of its prompt can be chosen beside the wording, where there is any."""


class PromptBuilder(Protocol):
    """Turns the history of an episode and its current observation into the messages that ask for the next call."""

    def __call__(
        self,
        observation: Mapping[str, Any],
        tool_table: ToolTable,
        *,
        history: Sequence[Turn] = (),
        wording: Wording,
        frame: NumberFrame,
        growing: bool = False,
        **options: Any,
    ) -> list[Message]:
        """The messages, a function of the arguments alone.

        Args:
            observation: What the environment gave last.
            tool_table: The environment's tools.
            history: All turns so far, the reset first and the one that led to ``observation`` last.
            wording: How much is explained.
            frame: How the model writes boxes.
            growing: The messages only begin a conversation: each later observation follows as the answer to a call,
                and all that came before stays.
            options: What the environment's ``prompt_options()`` and :func:`prompt_settings` return.
        """
        ...


def prompt_builder(env_id: str) -> PromptBuilder:
    """The prompt builder of an environment.

    Raises:
        UserError: If none is known for the id.
    """
    if env_id not in PROMPTS:
        raise UserError(f"There is no prompt for the environment '{env_id}'; there is one for {', '.join(PROMPTS)}.")
    builder: PromptBuilder = _load(PROMPTS[env_id])
    return builder


def prompt_settings(env_id: str, **chosen: Any) -> dict[str, Any]:
    """What a configuration chose about an environment's prompt, checked, as keywords for its builder.

    Args:
        env_id: The environment.
        chosen: Settings by name, such as ``framing="depictive"``; None stands for one that was not chosen.

    Raises:
        UserError: For a setting that the environment's prompt does not have, or a value that it does not know.
    """
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if not chosen:
        return {}
    if env_id not in SETTINGS:
        raise UserError(f"The prompt of '{env_id}' has no setting '{next(iter(chosen))}'; leave it out.")
    settings = _load(SETTINGS[env_id])
    known = [field.name for field in dataclasses.fields(settings)]
    for name in chosen:
        if name not in known:
            raise UserError(f"The prompt of '{env_id}' has no setting '{name}'.{did_you_mean(name, known)}")
    keywords: dict[str, Any] = settings(**chosen).keywords()
    return keywords


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
