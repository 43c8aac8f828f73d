"""The methods of training by the ``kind`` of their stages.

To add one: its section in `designgym.train.stages`, its file, and its line here. A method's file holds
``check(config, stage, env)``, which refuses what cannot work before any work is done, and
``trainer(stage, local, pages, tasks, folder, *, seed, bf16, workers, callbacks)``, which makes a trainer of
transformers; the caller runs and saves it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import gymnasium as gym

from designgym.agents.qwen.local import LocalModel
from designgym.train.config import TrainConfig
from designgym.train.stages import Stage

if TYPE_CHECKING:
    from designgym.train.data import Pages

METHODS = {
    "sft": "designgym.train.methods.sft",
    "grpo": "designgym.train.methods.grpo",
    "rloo": "designgym.train.methods.rloo",
    "dpo": "designgym.train.methods.dpo",
}


class Method(Protocol):
    """A method's module."""

    def check(self, config: TrainConfig, stage: Any, env: gym.Env[Any, Any]) -> None:
        """Refuse what cannot work.

        Args:
            config: The run.
            stage: One of its stages, of this method's kind.
            env: An environment of the stage.

        Raises:
            UserError: With the way out.
        """
        ...

    def trainer(
        self,
        stage: Any,
        local: LocalModel,
        pages: Pages,
        tasks: Sequence[str],
        folder: Path,
        *,
        seed: int,
        bf16: bool = False,
        workers: int = 0,
        callbacks: Sequence[Any] = (),
    ) -> Any:
        """A trainer of transformers.

        Args:
            stage: Steps, batch size, learning rate and so on.
            local: The model to train, in place.
            pages: Makes prompts; its environment also pays the rewards.
            tasks: Training task ids; empty for a stage that brings its own.
            folder: The stage's folder.
            seed: Order of the data, sampling, and what a teacher draws.
            bf16: Compute in bfloat16.
            workers: Processes that prepare batches.
            callbacks: Callbacks of transformers.
        """
        ...


def method(stage: Stage) -> Method:
    """The method of a stage."""
    return cast(Method, importlib.import_module(METHODS[stage.kind]))  # type: ignore[attr-defined]
