"""The weight of the reward ``shaped`` in the course of a reinforced stage: it falls evenly to 0."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import gymnasium as gym
from transformers import TrainerCallback

from designgym.errors import UserError
from designgym.rewards.shaped import Shaped


class AnnealShaping(TrainerCallback):
    """Sets the weight before each step, from the step's number alone, so that a resumed run has the same.

    Args:
        env: The environment that pays, with the reward ``shaped``.
        steps: Steps after which the weight is 0.

    Raises:
        UserError: If the environment pays by another reward.
    """

    def __init__(self, env: gym.Env[Any, Any], steps: int) -> None:
        self.design = cast(Any, env.unwrapped)
        self.steps = steps
        if not isinstance(self.design.reward, Shaped):
            raise UserError(
                f"anneal_shaping is set, but the reward is {self.design.reward.name!r}; it works on 'shaped' alone. "
                "Write reward: shaped under env.kwargs, or leave anneal_shaping out."
            )
        self.whole = self.design.reward

    def on_step_begin(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        """The weight for the step that begins."""
        self.design.reward = annealed(self.whole, state.global_step, self.steps)


def annealed(reward: Shaped, step: int, steps: int) -> Shaped:
    """The reward of a step: its weight falls from the reward's own at step 0 to 0 at ``steps`` and stays there."""
    return dataclasses.replace(reward, shaping=reward.shaping * max(0.0, 1.0 - step / steps))
