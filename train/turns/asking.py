"""How a model is asked in an environment that TRL plays, as plain data, and the prompts of its data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from designgym.agents.prompts import prompt_builder
from designgym.boxes import NumberFrame
from designgym.eval.runner import make
from designgym.history import turn
from designgym.prompt import Message, Wording, to_transformers


@dataclass(frozen=True, eq=False)
class Asking:
    """An environment and how a model is asked in it, as plain data.

    Attributes:
        env_id: The environment.
        kwargs: Its arguments.
        wording: ``"full"`` announces the tools' schemas; ``"brief"`` is one line.
        frame: How the model writes boxes.
        settings: What was chosen about the prompt, as keywords for its builder.
        tools: The tools' OpenAI function schemas: ``env.unwrapped.tools``, with boxes in the frame.
    """

    env_id: str
    kwargs: Mapping[str, Any]
    wording: Wording
    frame: NumberFrame
    settings: Mapping[str, Any]
    tools: list[dict[str, Any]]

    def begin(self, env: gym.Env[Any, Any], task: str | None, seed: int | None) -> tuple[Any, Any, list[Message]]:
        """Reset the environment; returns observation, info, and the messages that ask for the first call."""
        observation, info = env.reset(seed=seed, options=None if task is None else {"task": task})
        design: Any = env.unwrapped
        messages = prompt_builder(self.env_id)(
            observation,
            design.tool_table,
            history=(turn(None, observation, info),),
            wording=self.wording,
            frame=self.frame,
            growing=True,
            **{**design.prompt_options(), **self.settings},
        )
        return observation, info, messages


@dataclass(eq=False)
class Prompts:
    """The transform of a data set: adds what the environment says to a model before it shows anything."""

    asking: Asking
    env: gym.Env[Any, Any] | None = None

    def __call__(self, batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """The batch with its prompts."""
        prompts = {task: self.prompt(task) for task in dict.fromkeys(batch["task"])}
        return {**batch, "prompt": [prompts[task] for task in batch["task"]]}

    def prompt(self, task: str) -> list[dict[str, Any]]:
        """The messages of a task without what its user message holds."""
        self.env = self.env or make(self.asking.env_id, self.asking.kwargs)
        *before, asked = self.asking.begin(self.env, task, 0)[2]
        return [*to_transformers(before), {"role": asked.role, "content": ""}]

    def __getstate__(self) -> dict[str, Any]:
        # For fingerprints of data sets and for processes that prepare batches.
        return {**self.__dict__, "env": None}
