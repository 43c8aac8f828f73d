"""The policy that makes nothing: it hands in an empty canvas or an empty page."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from designgym.agents import canvas_constants, template_designer
from designgym.agents.base import Agent
from designgym.envs.design.env import DesignActions


def build(env: gym.Env[Any, Any], seed: int = 0) -> Agent:
    """The policy for a canvas or a workbench.

    Raises:
        UserError: If the environment is neither.
    """
    if isinstance(env.unwrapped, DesignActions):
        return template_designer.blank(env, seed)
    return canvas_constants.blank(env, seed)
