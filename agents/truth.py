"""Answers what is true, for the tasks with one right answer: the demonstrator of exact labels, and a check of rewards.

Privileged: it reads the truth from the environment, so it says nothing about how hard a task is.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium as gym

from designgym.agents.aesthetics.answering import ARGUMENTS, Argument, call, require
from designgym.agents.base import Action, Info, Observation


class Truth:
    """Answers with the right verdict, the right letter, or the first right box (None where no element is to blame).

    Args:
        argument: What the environment asks for.
    """

    about = "answers what is true"

    def __init__(self, argument: Argument) -> None:
        self.argument = argument
        self._known: dict[str, Any] = {}

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Read the truth of the new episode. Several may be under way at once."""
        self._known[info["task"]] = copy.deepcopy(env.unwrapped.episode().truth[self.argument])  # type: ignore[attr-defined]

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The true answer of the episode; it is forgotten then."""
        return call(self.argument, self._known.pop(info["task"]))


def build(env: gym.Env[Any, Any], seed: int = 0) -> Truth:
    """The truth for an aesthetics environment; it draws nothing at random.

    Raises:
        UserError: If the environment asks for neither a verdict nor a region nor a box.
    """
    return Truth(require(env, "truth", *ARGUMENTS))
