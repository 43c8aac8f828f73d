"""A second judge of held-out episodes: a reward that nothing is trained or chosen by.

A model that is trained towards one reward learns its weaknesses too. Another reward, which it does not see, tells
whether what the first pays for is still what was meant. The episodes are played again out of their traces, without the
model, by `designgym.eval.rescore`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import gymnasium as gym

from designgym.errors import UserError
from designgym.eval.record import TRACES
from designgym.eval.rescore import rescore
from designgym.eval.results import Result
from designgym.rewards.table import resolve
from designgym.score import Reward
from designgym.train.config import TrainConfig, ValidationSection
from designgym.train.stages import SamplingStage


def second_judge(section: ValidationSection) -> Reward | None:
    """The reward that the validation names, or None.

    Raises:
        UserError: If there is no such reward, or it only compares episodes with one another.
    """
    if section.second_reward is None:
        return None
    try:
        reward = resolve(cast(Any, section.second_reward))
    except UserError as error:
        raise UserError(f"validation.second_reward: {error}") from error
    if getattr(reward, "of_groups", False):
        raise UserError(
            f"validation.second_reward: '{reward.name}' compares the episodes of a group and cannot score one; "
            "name another reward."
        )
    return reward


def judge_name(section: ValidationSection | None) -> str:
    """What the second judge is called in print; empty without one."""
    spec = None if section is None else section.second_reward
    return str(spec.get("name")) if isinstance(spec, dict) else spec or ""


def check_second_judge(config: TrainConfig, section: ValidationSection, env: gym.Env[Any, Any], task: str) -> None:
    """Find out before any work whether the second judge can score the environment's episodes.

    Args:
        config: The run.
        section: Its validation.
        env: An environment of the validation; it is reset.
        task: One of its tasks.

    Raises:
        UserError: If it cannot, or is the reward that is trained on.
    """
    reward = second_judge(section)
    if reward is None:
        return
    env.reset(options={"task": task})
    design: Any = env.unwrapped
    if reward.name == design.reward.name and section.second_reward == config.env.kwargs.get(
        "reward", section.second_reward
    ):
        raise UserError(
            f"validation.second_reward is '{reward.name}', which the model is trained on; a second judge must be "
            "another reward to tell anything. Name another one, or leave it out."
        )
    for stage in config.stages:
        if isinstance(stage, SamplingStage) and stage.env.get("reward") == section.second_reward:
            raise UserError(
                f"validation.second_reward is '{reward.name}', which stage '{stage.name}' is trained on; a second "
                "judge must be another reward to tell anything. Name another one, or leave it out."
            )
    check = getattr(reward, "check", None)
    try:
        if check is not None:
            check(design.episode())
    except UserError as error:
        raise UserError(f"validation.second_reward: {error}") from error


def judged(reward: Reward, folder: Path, say: Callable[[str], None]) -> list[Result]:
    """What the reward gives to the episodes that were recorded in a folder.

    Args:
        reward: The second judge.
        folder: Where the runner put them.
        say: Told of episodes that could not be played again as they were: they are not scored.

    Returns:
        A result for each, with this reward alone.
    """
    if not (folder / TRACES).is_file():
        return []  # this process had none of the tasks
    found = []
    for each in rescore(folder / TRACES, [reward], ""):
        score = each.scores[reward.name]
        value = None if each.differences else score.value
        if each.differences:
            say(f"The second judge cannot score '{each.task}', which went otherwise again: {each.differences[0]}")
        parts = {name: float(part) for name, part in score.components.items() if part is not None}
        found.append(Result(each.task, value or 0.0, parts, scored=value is not None))
    return found
