"""Whom a supervised stage imitates: an agent by name, or the truth itself."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from designgym.agents.base import Beginning
from designgym.agents.constant import answer
from designgym.agents.table import build
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.train.data import Teacher


class Truth:
    """Answers with the true box: the labels that the upper reference is trained on."""

    def __init__(self) -> None:
        self._bbox: Any = None

    def begin(self, env: gym.Env[Any, Any], info: Any) -> None:
        """Read the truth of the new episode."""
        self._bbox = env.unwrapped.episode().truth["bbox"]  # type: ignore[attr-defined]

    def __call__(self, observation: Any, info: Any) -> Any:
        """The true answer."""
        return answer(self._bbox)


def make_teacher(section: AgentSection, env: gym.Env[Any, Any], seed: int) -> Teacher:
    """The teacher that a stage names.

    Args:
        section: Name and options; ``truth`` needs none.
        env: The stage's environment.
        seed: Seed of what the teacher draws.

    Raises:
        UserError: If there is no such agent, or it has nothing to look at.
    """
    if section.name == "truth":
        if section.options:
            raise UserError(f"The teacher 'truth' has no options; it was given {sorted(section.options)}.")
        return Truth()
    agent = build(section.name, env, seed, **section.options)
    if isinstance(agent, Beginning):
        return agent
    return _Onlooker(agent)


class _Onlooker:
    """An ordinary agent as a teacher: it sees what the model sees."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent

    def begin(self, env: gym.Env[Any, Any], info: Any) -> None:
        pass

    def __call__(self, observation: Any, info: Any) -> Any:
        return self.agent(observation, info)
