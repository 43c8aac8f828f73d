"""The arguments with which a run makes its environments: the split has one place, and is never the configuration's."""

from __future__ import annotations

from typing import Any

from designgym.train.config import TrainConfig
from designgym.train.stages import Stage


def stage_kwargs(config: TrainConfig, stage: Stage) -> dict[str, Any]:
    """The environment's arguments in a stage."""
    return {**config.env.kwargs, **stage.env, "split": "train"}


def evaluation_kwargs(config: TrainConfig) -> dict[str, Any]:
    """The environment's arguments in the evaluation."""
    return {**config.env.kwargs, "split": config.evaluation.split}


def validation_kwargs(config: TrainConfig) -> dict[str, Any]:
    """The environment's arguments in held-out evaluations during the training."""
    return {**config.env.kwargs, "split": "validation"}
