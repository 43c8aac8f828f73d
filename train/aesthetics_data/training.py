"""Pairs as a supervised stage takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym.agents.aesthetics.answering import argument_of
from designgym.agents.qwen.families import Family
from designgym.agents.qwen.frames import number_frame
from designgym.answers import ARGUMENT
from designgym.errors import UserError, require
from designgym.prompt import Wording
from designgym.train.aesthetics_data.folder import read_manifest
from designgym.train.aesthetics_data.settings import DataSettings


def check_pairs(
    folder: Path, stage: str, env: gym.Env[Any, Any], wording: Wording, family: Family, image_processor: Any
) -> None:
    """Find out, before any work, whether a stage can be trained on a folder.

    Args:
        folder: The folder.
        stage: The stage's name, for messages.
        env: The stage's environment.
        wording: How the model is asked in the evaluation.
        family: The model's family.
        image_processor: The model's image processor.

    Raises:
        UserError: If the folder is not finished, its questions are not the environment's, or its prompts or boxes are
            not those of the evaluation.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise UserError(
            f"Stage '{stage}': '{folder}' holds no finished pairs; write them with: designgym data aesthetics "
            f"--out {folder}"
        )
    settings = DataSettings.from_json(manifest["settings"])
    if argument_of(env) not in [ARGUMENT[task] for task in settings.tasks]:
        asked = " and ".join(settings.tasks)
        raise UserError(
            f"Stage '{stage}': the pairs of '{folder}' are about {asked}, which the run's environment does not ask "
            "for; write pairs with --tasks for it, or choose another env.id."
        )
    if settings.wording != wording:
        raise UserError(
            f"Stage '{stage}': the pairs of '{folder}' ask in the wording '{settings.wording}', and the run asks in "
            f"'{wording}'; set prompt.wording={settings.wording}, or write pairs with --wording {wording}."
        )
    # Pages are as wide or high as the setting; what holds for such a square holds for all.
    size = (settings.image_size, settings.image_size)
    own, seen = settings.number_frame(*size), number_frame(family, image_processor, size)
    if own != seen:
        raise UserError(
            f"Stage '{stage}': the pairs of '{folder}' write boxes as {own.words}, and {family.name} writes "
            f"{seen.words}; write pairs with --frame {seen.frame}."
        )


def load_pairs(folder: Path) -> Any:
    """The pairs of a finished folder as a ``datasets.Dataset`` of ``prompt``, ``completion`` and ``images``."""
    datasets = require("datasets", extra="train")
    return datasets.load_dataset(str(folder), split="train").select_columns(["prompt", "completion", "images"])
