"""Rewards that compare the episodes of a group: added to what the environment paid, once the whole group is played."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.rewards.compose import WeightedSum
from designgym.rewards.table import resolve

REWARD_STEP = 2.0**-16
"""Rewards are rounded to this step (1.5e-5), which makes the mean of a group exact in float32.

Without it, seven rewards of 0.7 have a mean that is off by 6e-8 and advantages of 6e-4 instead of 0: rounding noise,
divided by a spread that is rounding noise too.
"""


class GroupRewards:
    """A weighted sum of rewards of groups.

    Args:
        spec: Names, or dicts with ``name``, ``weight`` and arguments, as :func:`designgym.rewards.table.resolve` takes
            them in a list.
        group_size: Episodes of a group, which follow one another over all processes.

    Raises:
        UserError: For an unknown reward, or one that needs no group.
    """

    def __init__(self, spec: Sequence[Any], group_size: int) -> None:
        found = resolve(list(spec))
        assert isinstance(found, WeightedSum)  # a list is one
        for _, reward in found.parts:
            if not getattr(reward, "of_groups", False):
                raise UserError(
                    f"The reward {reward.name!r} among 'group_rewards' needs no group: the environment itself pays it. "
                    "Write it under env.kwargs.reward."
                )
        self.sum = found
        self.group_size = group_size

    def check(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment whose episodes cannot be compared so.

        Raises:
            UserError: With what is missing.
        """
        env.reset(seed=0)
        self.sum.check(env.unwrapped.episode())  # type: ignore[attr-defined]

    def add(
        self, rewards: Sequence[float | None], episodes: Sequence[Episode]
    ) -> tuple[list[float | None], list[dict[str, float]]]:
        """What each episode of this process earned in all, and the parts that were added, before their weights.

        An episode that was not scored is not compared with and stays without a reward. All processes call it at once.

        Args:
            rewards: What the environment paid; None where it could not score.
            episodes: The episodes, as many.
        """
        from accelerate import PartialState
        from accelerate.utils import gather_object

        every = gather_object([(each, reward is not None) for each, reward in zip(episodes, rewards, strict=True)])
        named = [
            dataclasses.replace(episode, group=str(index // self.group_size) if scored else "")
            for index, (episode, scored) in enumerate(every)
        ]
        start = PartialState().process_index * len(episodes)
        scores = self.sum.score_batch(named)[start : start + len(episodes)]
        totals: list[float | None] = []
        parts: list[dict[str, float]] = []
        for reward, score in zip(rewards, scores, strict=True):
            # One whose group was not scored otherwise has nothing to be unlike to.
            own = {reward.name: score.components[reward.name] or 0.0 for _, reward in self.sum.parts}
            more = sum(weight * own[reward.name] for weight, reward in self.sum.parts)
            totals.append(None if reward is None else round((reward + more) / REWARD_STEP) * REWARD_STEP)
            parts.append({} if reward is None else own)
        return totals, parts
