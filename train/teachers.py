"""Whom a supervised stage imitates: an agent by name, the truth itself, or the best of recorded episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from designgym.agents.base import Agent, Beginning
from designgym.agents.table import build
from designgym.agents.truth import build as build_truth
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.train.data import Teacher
from designgym.train.stages import TRACES
from designgym.train.turns.demonstrations import Item, TurnTeacher
from designgym.train.turns.traces import TraceTeacher, trace_options


def make_teacher(section: AgentSection, env: gym.Env[Any, Any], seed: int) -> Teacher:
    """The agent, or the truth, that a stage on single answers names.

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
        return build_truth(env, seed)
    agent = build(section.name, env, seed, **section.options)
    if isinstance(agent, Beginning):
        return agent
    return _Onlooker(agent)


def make_page_teacher(section: AgentSection, env: gym.Env[Any, Any], seed: int) -> Teacher | TraceTeacher:
    """The same, or recorded answers, which bring their own tasks and may be several to a page.

    Args:
        section: Name and options.
        env: The stage's environment.
        seed: Seed of what the teacher draws.

    Raises:
        UserError: As `make_teacher`, and if there are no traces to learn from.
    """
    if section.name == TRACES:
        return TraceTeacher(trace_options(section.options), env)
    return make_teacher(section, env, seed)


def make_turn_teacher(section: AgentSection, env: gym.Env[Any, Any], seed: int, each: int = 1) -> TurnTeacher:
    """The teacher that a stage on episodes of many turns names.

    Args:
        section: Name and options.
        env: An environment of the stage's kind.
        seed: Seed of what the teacher draws in the first demonstration of a task; it rises by 1 in every other.
        each: Demonstrations of each task.

    Raises:
        UserError: If there is no such agent or option, it cannot play this environment, or there are no traces to learn
            from.
    """
    if section.name == "truth":
        raise UserError(
            "The teacher 'truth' knows single answers only; name an agent that plays, such as 'join-ends', or 'traces'."
        )
    if section.name == TRACES:
        return TraceTeacher(trace_options(section.options), env)
    return _Player(section, env, seed, each)


class _Player:
    """An agent as a teacher over many turns, with a seed of its own for each demonstration of a task."""

    def __init__(self, section: AgentSection, env: gym.Env[Any, Any], seed: int, each: int) -> None:
        self.agents = {own: build(section.name, env, own, **section.options) for own in range(seed, seed + each)}

    def items(self, tasks: Sequence[str]) -> list[Item]:
        return [(task, seed) for seed in self.agents for task in tasks]

    def player(self, task: str, seed: int) -> Agent:
        return self.agents[seed]


class _Onlooker:
    """An ordinary agent as a teacher: it sees what the model sees."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent

    def begin(self, env: gym.Env[Any, Any], info: Any) -> None:
        pass

    def __call__(self, observation: Any, info: Any) -> Any:
        return self.agent(observation, info)
