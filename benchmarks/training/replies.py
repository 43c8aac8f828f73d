"""What models of the benchmarks are made to say: they write as many tokens as a scripted reply has, and say the reply.

So every episode has all its turns, whatever a model has learnt, and generation costs what it costs a model that has.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from designgym.agents.qwen.grid import on_grid
from designgym.agents.qwen.tokens import reply_tokens
from designgym.agents.table import build
from designgym.eval.runner import make
from designgym.prompt import render_call

Script = Callable[[str, int], Sequence[str]]
"""The replies of an episode, given its task and which of the task's copies it is; as many as it has turns."""

GRID = 25
"""Coordinates are multiples of it, which the tiny model writes as a token each."""


def boxes(seed: int) -> Script:
    """In localization: a random box."""

    def script(task: str, copy: int) -> list[str]:
        rng = random.Random(f"{seed}/{task}/{copy}")
        x1, y1 = (rng.randrange(0, 500, GRID) for _ in range(2))
        return [render_call("answer", {"bbox": [x1, y1, x1 + 10 * GRID, y1 + 20 * GRID]})]

    return script


def lines(turns: int, seed: int) -> Script:
    """On the canvas: a random line a turn."""

    def script(task: str, copy: int) -> list[str]:
        rng = random.Random(f"{seed}/{task}/{copy}")
        ends = [{name: rng.randrange(0, 400, GRID) for name in ("x1", "y1", "x2", "y2")} for _ in range(turns)]
        return [render_call("draw_lines", {"lines": [each]}) for each in ends]

    return script


def played(env_id: str, kwargs: dict[str, Any], player: str, step: int) -> Script:
    """What an agent says to a task, in every copy the same, to its end.

    Args:
        env_id: The environment.
        kwargs: Its arguments.
        player: The agent's name.
        step: Grid of the model's numbers.
    """
    env = make(env_id, kwargs)
    agent: Any = build(player, env)
    tools = env.unwrapped.tool_table  # type: ignore[attr-defined]

    @cache
    def said(task: str) -> list[str]:
        observation, info = env.reset(options={"task": task})
        agent.begin(env, info)
        calls, over = [], False
        while not over:
            call = on_grid(agent(observation, info), tools, step)
            calls.append(render_call(call["name"], call["arguments"]))
            observation, _, terminated, truncated, info = env.step(call)
            over = terminated or truncated
        return calls

    return lambda task, copy: said(task)


def scripted(trainer: Any, script: Script, *, generated: bool = True) -> None:
    """Let the model of a reinforcing trainer say what a script says.

    Args:
        trainer: TRL's or ours.
        script: What is said.
        generated: Whether the model writes as many tokens before, all of them up to the longest reply of the turn.
    """
    real, score = trainer._generate_single_turn, trainer._generate_and_score_completions
    under_way: list[Sequence[str]] = []

    def begin(inputs: list[dict[str, Any]]) -> Any:
        tasks = [row["task"] for row in inputs]
        under_way[:] = [script(task, tasks[:place].count(task)) for place, task in enumerate(tasks)]
        return score(inputs)

    def generate(prompt_ids: list[list[int]], *rest: Any, **options: Any) -> Any:
        said = [reply_tokens(trainer.processing_class, left[0]) for left in under_way if left]
        under_way[:] = [left[1:] for left in under_way]
        assert len(said) == len(prompt_ids), "an episode is over when its script is"
        written: Any = None
        if generated:
            length = max(len(ids) for ids in said)
            trainer.generation_config.max_new_tokens = trainer.generation_config.min_new_tokens = length
            written = real(prompt_ids, *rest, **options)
        # Of GRPO's the log-probabilities are a part too, which transformers does not give.
        return said if isinstance(written, list) else (said, None)

    trainer._generate_and_score_completions, trainer._generate_single_turn = begin, generate
