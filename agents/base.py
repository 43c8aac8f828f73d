"""What an agent is: a callable from observation and info to an action; everything else about it is optional.

A whole agent, for the localization environment (a plain function would do as well)::

    import gymnasium as gym
    import numpy as np
    import designgym

    class Darkest:
        \"\"\"Answers with the tenth of the page that is darkest.\"\"\"

        def begin(self, env: gym.Env, info: dict) -> None:  # optional: called after each reset
            self.side = 0.1

        def __call__(self, observation: dict, info: dict) -> dict:
            grey = observation["image"].mean(axis=2)
            y, x = np.unravel_index(grey.argmin(), grey.shape)
            left = min(x / grey.shape[1], 1 - self.side)
            top = min(y / grey.shape[0], 1 - self.side)
            return {"name": "answer", "arguments": {"bbox": [left, top, left + self.side, top + self.side]}}

    from designgym.eval.runner import run
    results = run(Darkest(), "designgym/AestheticLocalization-v0", {"split": "test"}, tasks=["test-000000"])

``run`` calls ``begin(env, info)`` after each reset if the agent has it, and ``saw(action, observation, info)`` after
each call. Several episodes may be under way at once, so an agent with a memory keeps it by ``info["task"]``. There are
two ways to answer them:

* ``act_batch(observations, infos)`` instead of the agent itself, for what is faster together, such as a local model:
  trials go on in lock-step.
* ``concurrent = True``, for what waits, such as a model behind a server: each trial has a thread of its own and waits
  for nobody, so the agent is called by several threads at once, and for one trial by one at a time::

    class Asks(Darkest):
        concurrent = True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym

Observation = Mapping[str, Any]
"""``image`` (uint8 H x W x C), ``task`` (what is asked) and ``text`` (what the environment says now)."""

Info = Mapping[str, Any]

Action = Mapping[str, Any]
"""One tool call: ``{"name": str, "arguments": {...}}``; boxes are fractions of the page, xyxy."""


@dataclass(frozen=True)
class Reply:
    """One turn of a model: what it wrote, and the tool calls that were read out of it.

    The calls are carried out in order, up to the one that ends the episode. Without any, the environment gets
    ``text`` itself as the action, which it answers with the error ``format``: an unreadable reply costs a step as any
    bad call does. One that is ``silent``, with nothing in it that looks like a call, is how a model says that it is
    done: where there are several calls to make, the trial ends with it and is scored as it stands.

    Attributes:
        text: What the model wrote.
        calls: Its calls in order; a text among them is a call that cannot be read.
        silent: Whether it holds nothing that looks like a call.
        end: Why the agent ends the trial with this turn, such as ``"refused"``: none of its calls is carried out, and
            the trial is scored as it stands. Empty if it goes on.
        usage: What the turn took, by name, such as ``completion_tokens``; results hold the sums over the trial.
    """

    text: str = ""
    calls: tuple[Action | str, ...] = ()
    silent: bool = False
    end: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


class Agent(Protocol):
    """Anything that can be called so. It may raise: the runner records the failure and goes on with the next task."""

    def __call__(self, observation: Any, info: Any) -> Action | Reply:
        """Decide on the next call, or on a whole turn."""
        ...


@runtime_checkable
class Beginning(Protocol):
    """An agent that wants to see the environment after each reset (privileged agents read the truth from it)."""

    def begin(self, env: gym.Env[Any, Any], info: Any) -> None:
        """Look at the environment as ``reset`` left it, without stepping it."""
        ...


@runtime_checkable
class Batched(Protocol):
    """An agent that answers several observations at once, as a local model does; equal to calling it one by one."""

    def act_batch(self, observations: Sequence[Any], infos: Sequence[Any]) -> Sequence[Action | Reply]:
        """Decide for every episode that is under way, in the same order."""
        ...


@runtime_checkable
class Seeing(Protocol):
    """An agent that wants to know what became of each call, those in the middle of a turn included."""

    def saw(self, action: Action | str, observation: Any, info: Any) -> None:
        """Take note of a call, or a text without one, and of what the environment gave for it."""
        ...


@runtime_checkable
class Concurrent(Protocol):
    """An agent that several threads may call at once, for different trials.

    With a ``concurrency`` of its own so many trials are under way; otherwise as many as the run says.
    """

    concurrent: bool
