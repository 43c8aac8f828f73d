"""The agent that knows nothing: a random tool with random valid arguments."""

from __future__ import annotations

import hashlib
from typing import Any

import gymnasium as gym
import numpy as np

from designgym.agents.base import Action, Info, Observation
from designgym.tools import ToolTable


class Random:
    """Chooses a tool evenly, then its arguments as the tool samples them.

    Its choice is a function of the seed, the trial (or where there is none, the task) and the calls left, so that it
    plays the same way whatever else is played, and in whatever order.

    Args:
        tools: The environment's tools.
        seed: Another seed plays otherwise.
    """

    def __init__(self, tools: ToolTable, seed: int = 0) -> None:
        self.tools = tools
        self.seed = seed

    def __call__(self, observation: Observation, info: Info) -> Action:
        """A random call."""
        place = f"{self.seed}/{info.get('trial', info['task'])}/{info['calls_left']}"
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(place.encode()).digest()[:16]))
        tool = self.tools[self.tools.names[int(rng.integers(len(self.tools)))]]
        return {"name": tool.name, "arguments": tool.sample(rng)}


def build(env: gym.Env[Any, Any], seed: int = 0) -> Random:
    """A random agent for this environment's tools."""
    return Random(env.unwrapped.tool_table, seed)  # type: ignore[attr-defined]
