"""The reward of sampled answers: what the real environment pays when it is stepped with what the model wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.conversation import decode, read_reply
from designgym.agents.words import in_words, read_words
from designgym.episode import Episode
from designgym.train.data import Pages
from designgym.train.methods.group_rewards import REWARD_STEP, GroupRewards


@dataclass(frozen=True)
class Played:
    """A sampled answer and what it earned.

    Attributes:
        task: The task.
        text: What the model wrote.
        reward: With what was added for how the answers of a group compare; None if it could not be scored.
        parts: The reward's parts by name.
        error: The environment's kind of error; empty for an answer that it could read.
        end: Why the episode ended.
    """

    task: str
    text: str
    reward: float | None
    parts: Mapping[str, float]
    error: str = ""
    end: str = ""


class EnvironmentReward:
    """Rewards sampled answers by playing them: reset to the page's task, one turn, and what the environment pays.

    The truth stays inside the environment. An answer that cannot be read costs the turn, as it does an agent; an
    episode that a failed judge could not score gives None, which keeps it out of the group's mean and of the loss.

    Attributes:
        played: The answers that were rewarded last, in this process.

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
        self.played: list[Played] = []
        self._info: Mapping[str, Any] = {}

    def __call__(
        self,
        *,
        completion_ids: Sequence[Sequence[int]],
        task: Sequence[str],
        log_metric: Callable[[str, float], None],
        made: Sequence[Any] = (),
        **unused: Any,
    ) -> list[float | None]:
        """A reward for every sampled answer; the environment's parts and the share of bad calls go into the curves."""
        for page, what in dict(zip(task, made, strict=False)).items():
            if what is not None:  # by the process that made the prompts
                self.env.unwrapped.take_over(page, what)  # type: ignore[attr-defined]
        rewards: list[float | None] = []
        episodes: list[Episode] = []
        sums: Counter[str] = Counter()
        self.played = []
        for ids, page in zip(completion_ids, task, strict=True):
            text = decode(self.pages.local.processor, ids)
            reward, parts = self.play(text, page)
            rewards.append(reward)
            sums.update(parts)
            own = {name.removeprefix(_PART): value for name, value in parts.items() if name.startswith(_PART)}
            end, error = (str(self._info.get(key, "")) for key in ("end", "error"))
            self.played.append(Played(page, text, reward, own, error, end))
            if self.groups is not None:
                episodes.append(self.env.unwrapped.episode())  # type: ignore[attr-defined]
        if self.groups is not None:
            rewards, added = self.groups.add(rewards, episodes)
            for more in added:
                sums.update({f"{_PART}{name}": value for name, value in more.items()})
            self.played = [
                replace(each, reward=reward, parts={**each.parts, **more})
                for each, reward, more in zip(self.played, rewards, added, strict=True)
            ]
        for name, total in sums.items():
            log_metric(name, total / len(rewards))
        return rewards

    def play(self, text: str, task: str) -> tuple[float | None, dict[str, float]]:
        """The reward of one reply, and what there is to count: refused calls, None answers, the reward's parts."""
        observation, _ = self.env.reset(options={"task": task})
        reply = self.read(text, observation)
        total = 0.0
        for action in reply.calls or (reply.text,):
            _, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            if terminated or truncated:
                break
        self._info = info
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

    def read(self, text: str, observation: Any) -> Any:
        """A reply as the environment, which was just reset, is stepped with it."""
        options = self.env.unwrapped.prompt_options()  # type: ignore[attr-defined]
        frame = self.pages.frame(observation, options)
        if in_words(self.pages.settings):
            return read_words(text, self.pages.tools, frame, options)
        return read_reply(text, self.pages.tools, frame)


_PART = "reward/"
