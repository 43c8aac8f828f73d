"""The reward of sampled answers: what the real environment pays when it is stepped with what the model wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.conversation import decode, read_reply
from designgym.agents.words import in_words, read_words
from designgym.episode import Episode
from designgym.train.data import Pages
from designgym.train.group_rewards import REWARD_STEP, GroupRewards


class EnvironmentReward:
    """Rewards sampled answers by playing them: reset to the page's task, one turn, and what the environment pays.

    The truth stays inside the environment. An answer that cannot be read costs the turn, as it does an agent; an
    episode that a failed judge could not score gives None, which keeps it out of the group's mean and of the loss.

    Args:
        env: An environment of one answer an episode.
        pages: The same that made the prompts; knows the tools and the frame of boxes.
        groups: What is added for how the answers to a page compare with one another.
    """

    __name__ = "environment"  # TRL names the reward's curves by it

    def __init__(self, env: gym.Env[Any, Any], pages: Pages, groups: GroupRewards | None = None) -> None:
        self.env = env
        self.pages = pages
        self.groups = groups

    def __call__(
        self,
        *,
        completion_ids: Sequence[Sequence[int]],
        task: Sequence[str],
        log_metric: Callable[[str, float], None],
        **unused: Any,
    ) -> list[float | None]:
        """A reward for every sampled answer; the environment's parts and the share of bad calls go into the curves."""
        rewards: list[float | None] = []
        episodes: list[Episode] = []
        sums: Counter[str] = Counter()
        for ids, page in zip(completion_ids, task, strict=True):
            reward, parts = self.play(decode(self.pages.local.processor, ids), page)
            rewards.append(reward)
            sums.update(parts)
            if self.groups is not None:
                episodes.append(self.env.unwrapped.episode())  # type: ignore[attr-defined]
        if self.groups is not None:
            rewards, added = self.groups.add(rewards, episodes)
            for more in added:
                sums.update({f"reward/{name}": value for name, value in more.items()})
        for name, total in sums.items():
            log_metric(name, total / len(rewards))
        return rewards

    def play(self, text: str, task: str) -> tuple[float | None, dict[str, float]]:
        """The reward of one reply, and what there is to count: refused calls, None answers, the reward's parts."""
        observation, _ = self.env.reset(options={"task": task})
        options = self.env.unwrapped.prompt_options()  # type: ignore[attr-defined]
        frame = self.pages.frame(observation, options)
        if in_words(self.pages.settings):
            reply = read_words(text, self.pages.tools, frame, options)
        else:
            reply = read_reply(text, self.pages.tools, frame)
        total = 0.0
        for action in reply.calls or (reply.text,):
            _, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        first = reply.calls[0] if reply.calls and not info["error"] else None
        arguments = {} if first is None or isinstance(first, str) else first["arguments"]
        parts = {
            "answers/refused": float(bool(info["error"])),
            "answers/none": float(any(value is None for value in arguments.values())),
            **{key: float(value) for key, value in info.items() if key.startswith("reward/")},
        }
        if not info["scored"]:
            return None, parts
        return round(total / REWARD_STEP) * REWARD_STEP, parts
