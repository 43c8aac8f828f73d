"""Policies for judgment and region selection that never look at the page: every result is to be read beside theirs."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from designgym.agents.aesthetics.answering import call, require
from designgym.agents.base import Action, Info, Observation
from designgym.agents.constant import Constant
from designgym.envs.aesthetics.questions import LETTERS, split_question


def always_yes(env: gym.Env[Any, Any], seed: int = 0) -> Constant:
    """Finds an issue everywhere."""
    return Constant(call(require(env, "always-yes", "verdict"), "yes"), "answers that there is an issue")


def always_no(env: gym.Env[Any, Any], seed: int = 0) -> Constant:
    """Finds no issue anywhere."""
    return Constant(call(require(env, "always-no", "verdict"), "no"), "answers that there is no issue")


def always_a(env: gym.Env[Any, Any], seed: int = 0) -> Constant:
    """Takes the first region."""
    return Constant(call(require(env, "always-a", "choice"), "A"), "answers with the first region")


class NoneIfOffered:
    """Takes None where it is offered, else the first region; it reads the options and nothing else."""

    about = "answers None where it is offered, else with the first region"

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The letter of None, or A."""
        _, _, options = split_question(observation["task"])
        return call("choice", LETTERS[options.index(None)] if None in options else LETTERS[0])


def none_if_offered(env: gym.Env[Any, Any], seed: int = 0) -> NoneIfOffered:
    """Under the released options this is always right on good designs."""
    require(env, "none-if-offered", "choice")
    return NoneIfOffered()
