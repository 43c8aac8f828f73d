"""Scoring recorded episodes with rewards that compare those of a group, such as `diversity`, without the agent."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym import exact_json
from designgym.episode import Episode
from designgym.errors import UserError
from designgym.eval.drawings import final
from designgym.eval.runner import make
from designgym.rewards.table import Spec, resolve
from designgym.score import Score
from designgym.trace import read_episodes


def scored_in_groups(path: str | Path, reward: Spec) -> dict[str, Score]:
    """Play the episodes of a trace again and score them all at once.

    Episodes of one group are compared with one another: the trials of a task, in the traces of evaluations. An episode
    that stops before its end is left out. All of them are held in memory, some 0.3 MB each on the canvas.

    Args:
        path: The trace.
        reward: Such as ``"diversity"``; see :func:`designgym.rewards.table.resolve`.

    Returns:
        The scores by the episode's name in the trace.

    Raises:
        UserError: If the trace cannot be read or holds no finished episode, or no group of it has two.
    """
    judge = resolve(reward)
    played: dict[str, Episode] = {}
    environments: dict[str, gym.Env[Any, Any]] = {}
    try:
        for steps in read_episodes(path):
            if steps[-1].done:
                first = steps[0]
                key = repr((first.env, first.kwargs))
                if key not in environments:
                    environments[key] = make(first.env, exact_json.decode(first.kwargs))
                played[first.episode] = dataclasses.replace(final(environments[key], steps), group=first.group)
    finally:
        for env in environments.values():
            env.close()
    if not played:
        raise UserError(f"'{path}' holds no finished episode.")
    groups = [episode.group for episode in played.values() if episode.group]
    if len(set(groups)) == len(groups) and getattr(judge, "of_groups", False):
        raise UserError(
            f"'{path}' has no two episodes of one group, so there is nothing for {judge.name!r} to compare. Evaluate "
            "with --set replicates=5, say: the trials of a task are a group."
        )
    return dict(zip(played, judge.score_batch(list(played.values())), strict=True))
