"""What is told about a rollout in the curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from designgym.train.turns.rollout import UNFINISHED, Trajectory

LOCAL = (
    "episodes", "turns", "steps", "format", "refused", "lengths", "cut", "tokens",
    "learnt", "rows", "learnt_tokens", "environment_seconds", "model_seconds", "processes",
)  # fmt: skip
"""Names of the figures that are added up over processes."""

_MEANS = ("kl", "entropy", "clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean")


def episode_metrics(trajectory: Trajectory) -> dict[str, float]:
    """Figures of one episode, of which the curves show the mean over all."""
    return {
        **{f"reward/{name}": value for name, value in trajectory.parts.items()},
        "episodes/turns": float(trajectory.turns),
        "episodes/unfinished": float(trajectory.end in UNFINISHED),
        "episodes/unscored": float(trajectory.reward is None),
    }


def local_sums(
    trajectories: Sequence[Trajectory], lengths: Sequence[int], cut: int, learnt: int, rows: int, learnt_tokens: int
) -> dict[str, float]:
    """What `LOCAL` names, of one process.

    Args:
        trajectories: Its episodes.
        lengths: Tokens that the model wrote in each turn.
        cut: Turns without an end token: the budget was too short for them.
        learnt: Rows that are learnt from.
        rows: Rows in the batch, padding included.
        learnt_tokens: Tokens that are learnt from.
    """
    every = [row for trajectory in trajectories for row in trajectory.rows]
    return {
        "episodes": len(trajectories),
        "turns": sum(each.turns for each in trajectories),
        "steps": sum(each.steps for each in trajectories),
        "format": sum(each.errors.get("format", 0) for each in trajectories),
        "refused": sum(sum(each.errors.values()) for each in trajectories),
        "lengths": sum(lengths),
        "cut": cut,
        "tokens": sum(len(row.prompt_ids) + len(row.completion_ids) for row in every),
        "learnt": learnt,
        "rows": rows,
        "learnt_tokens": learnt_tokens,
        "environment_seconds": sum(each.environment_seconds for each in trajectories),
        "model_seconds": sum(each.model_seconds for each in trajectories),
        "processes": 1,
    }


def means(total: Mapping[str, float]) -> dict[str, float]:
    """The curves, from the sums over all processes.

    ``completions/`` are of single turns; ``calls/`` are shares of the calls that environments were given; seconds are
    those of a mean process.
    """
    turns, steps, rows = max(1, total["turns"]), max(1, total["steps"]), max(1, total["rows"])
    return {
        "completions/mean_length": total["lengths"] / turns,
        "completions/clipped_ratio": total["cut"] / turns,
        "calls/format": total["format"] / steps,
        "calls/refused": total["refused"] / steps,
        "rows/learnt": total["learnt"] / total["processes"],
        "rows/padding": 1 - total["learnt"] / rows,
        "rows/tokens": total["learnt_tokens"] / max(1, total["learnt"]),
        "seconds/environment": total["environment_seconds"] / total["processes"],
        "seconds/model": total["model_seconds"] / total["processes"],
    }


def forget_empty_pass(trainer: Any, inputs: dict[str, Any]) -> None:
    """Take a forward pass in which nothing is learnt out of TRL's curves, where it would stand as an entropy of 0.

    All processes call it, after TRL's loss.

    Args:
        trainer: A ``GRPOTrainer``.
        inputs: The batch of the forward pass.
    """
    mask = inputs["completion_mask"]
    mask = mask * inputs["tool_mask"] if "tool_mask" in inputs else mask
    if trainer.accelerator.reduce(mask.sum(), reduction="sum") > 0:
        return
    curves = trainer._metrics["train"]
    for name in _MEANS:
        if curves.get(name):
            curves[name][-1] = math.nan  # TRL's log passes over it
