"""Played episodes of many turns as they are kept for a person to read."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from PIL import Image

from designgym.agents.qwen.dialogue import TokenRow
from designgym.train.tracking.samples import Sample, png
from designgym.train.turns.rollout import Trajectory

_PADS = re.compile(r"(?:<\|image_pad\|>)+")


def sample(trajectory: Trajectory, stage: str, step: int, tokenizer: Any, advantage: float | None = None) -> Sample:
    """An episode as it is kept.

    Args:
        trajectory: The episode.
        stage: Name of the stage.
        step: The step.
        tokenizer: The model's, to read the prompts.
        advantage: What the step learnt from it.
    """
    texts = tokenizer.batch_decode([_shown(row) for row in trajectory.rows], skip_special_tokens=False)
    return Sample(
        stage,
        step,
        trajectory.task,
        trajectory.reward,
        dict(trajectory.parts),
        trajectory.end,
        trajectory.steps,
        dict(trajectory.errors),
        [_PADS.sub("<|image_pad|>", text) for text in texts],
        list(trajectory.replies),
        pictures(trajectory),
        advantage,
    )


def pictures(trajectory: Trajectory) -> list[bytes]:
    """The images of an episode as PNG, in the order of their first showing; one that is shown again comes once.

    The page as it was left comes last, which the model is not shown any more.
    """
    images = {id(image): image for row in trajectory.rows for image in row.images}.values()
    shown = [png(image) for image in images]
    if trajectory.observation is not None:
        shown.append(png(Image.fromarray(np.squeeze(trajectory.observation["image"]))))
    return list(dict.fromkeys(shown))


def _shown(row: TokenRow) -> list[int]:
    """The tokens before the model's last reply."""
    end = len(row.mask)
    while end and row.mask[end - 1]:
        end -= 1
    return [*row.prompt_ids, *row.completion_ids[:end]]
