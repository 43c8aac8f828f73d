"""Whether those who play beside the model can play the environment, found before any work."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from designgym.agents.constant import require_answer_tool
from designgym.agents.table import AGENTS, build, check
from designgym.eval.config import AgentSection

FITTED = ("mean-box", "best-fixed-box")
"""Agents that draw thousands of training pages when they are made."""
SERVED = ("chat", "graphictown")
"""Agents that ask a server when they are made, which need not be up before the training is done."""


def check_player(agent: AgentSection, env: gym.Env[Any, Any], seed: int) -> None:
    """Find out whether an agent has its options, and can play the environment, by making it.

    Of agents of one's own only the options are looked at, for making them may load anything, and so with `SERVED`.

    Args:
        agent: Its name and options.
        env: An environment of the kind to be played; it is looked at, not stepped.
        seed: Seed of what the agent draws.

    Raises:
        UserError: If not.
    """
    check(agent.name, agent.options)
    if agent.name in FITTED:
        require_answer_tool(env, agent.name)
    elif agent.name in AGENTS and agent.name not in SERVED:
        build(agent.name, env, seed, **agent.options)
