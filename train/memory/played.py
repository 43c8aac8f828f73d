"""Episodes of a few turns, played to see how long prompts and answers are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from designgym.agents.base import Beginning, Reply
from designgym.agents.memory import KEPT_IMAGES
from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.dialogue import Asker
from designgym.agents.qwen.frames import to_model
from designgym.agents.qwen.grid import on_grid
from designgym.boxes import NumberFrame
from designgym.history import appended, turn
from designgym.prompt import render_call
from designgym.train.config import TrainConfig
from designgym.train.memory.counting import Asked, Counter
from designgym.train.stages import TRACES, SftStage, Stage
from designgym.train.teachers import make_teacher, make_turn_teacher

Say = Callable[[Any, Any], Any]
"""Observation and info to an action, a reply, or a text."""


@dataclass(frozen=True)
class Played:
    """Prompts and replies of an episode, with what the environment said last, in tokens."""

    prompts: list[Asked]
    replies: list[int]
    answer: int


def teacher_of(config: TrainConfig, stage: Stage, env: gym.Env[Any, Any]) -> Say | None:
    """Who is imitated; None where nobody is, or its traces are not read."""
    if not isinstance(stage, SftStage) or stage.data is not None or stage.teacher.name == TRACES:
        return None
    if env.unwrapped.max_calls == 1:  # type: ignore[attr-defined]
        return make_teacher(stage.teacher, env, config.seed)
    teaching = make_turn_teacher(stage.teacher, env, config.seed, stage.demonstrations)
    return teaching.player(env.unwrapped.task_ids()[0], 0)  # type: ignore[attr-defined]


def play(
    env: gym.Env[Any, Any],
    counter: Counter,
    asker: Asker,
    task: str,
    say: Say | None,
    *,
    turns: int,
    grid: int,
) -> Played:
    """Play some turns; without anybody to say what, with the example of a tool that takes arguments."""
    observation, info = env.reset(seed=0, options={"task": task})
    if isinstance(say, Beginning):
        say.begin(env, info)
    design: Any = env.unwrapped
    history = appended((), turn(None, observation, info), images=KEPT_IMAGES)
    prompts, replies = [], []
    example = next((tool for tool in asker.tools if tool.parameters), next(iter(asker.tools)))
    for number in range(turns):
        options = design.prompt_options()
        messages = asker.messages(observation, history, options, asker.frame(observation, options))
        prompts.append(counter.prompt(messages))
        action = {"name": example.name, "arguments": example.example()} if say is None else say(observation, info)
        if isinstance(action, Reply):
            text, action = action.text, action.calls[0] if action.calls else action.text
        else:
            text = (
                action if isinstance(action, str) else _written(action, asker, asker.frame(observation, options), grid)
            )
        replies.append(counter.text(text) + 1)
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
        history = appended(history, turn(action, observation, info, number), images=KEPT_IMAGES)
    return Played(prompts, replies, counter.text(observation["text"]) + 12)


def _written(action: Any, asker: Asker, frame: NumberFrame, grid: int) -> str:
    """A call as the model would write it."""
    call = on_grid(to_model(action, asker.tools, frame, step=grid), asker.tools, grid)
    return render_call(call["name"], call["arguments"])


def growth(played: Played, completion: int) -> int:
    """Tokens by which a prompt grows for each call that it remembers, if every call is as long as can be."""
    if len(played.prompts) < 2:
        return 0
    grown = played.prompts[1].text - played.prompts[0].text
    return 0 if grown < played.replies[0] / 2 else max(0, grown - played.replies[0]) + completion


def remembered(env_id: str) -> int:
    """Calls that the environment's prompts remember."""
    return int(getattr(inspect.getmodule(prompt_builder(env_id)), "HISTORY_CALLS", 0))
