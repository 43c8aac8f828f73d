"""Held-out tasks that are played while a model is trained, with the runner that evaluates it in the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from designgym.agents.base import Agent
from designgym.agents.table import build
from designgym.eval.choose_tasks import matching
from designgym.eval.record import slug
from designgym.eval.results import Result
from designgym.eval.runner import make, run
from designgym.score import Reward
from designgym.train.config import TrainConfig, ValidationSection
from designgym.train.environments import validation_kwargs
from designgym.train.together import Stopped, together
from designgym.train.validation.scores import Score
from designgym.train.validation.second_judge import judged


def held_out(config: TrainConfig, section: ValidationSection) -> list[str]:
    """The tasks."""
    env = make(config.env.id, validation_kwargs(config))
    ids = env.unwrapped.task_ids()  # type: ignore[attr-defined]
    tasks = matching(env, ids[section.first : section.first + section.count], section.where)
    env.close()
    return tasks


def play(
    agent: Agent, config: TrainConfig, tasks: Sequence[str], stop: Callable[[], bool], out: Path | None = None
) -> list[Result]:
    """Let a model play, a part of the tasks in each process; all processes return all results.

    Args:
        agent: The model of this process; the same in all.
        config: The run.
        tasks: The tasks.
        stop: Asked after every task whether to give up.
        out: A folder of this process's own, for the traces of its part; None keeps none.

    Raises:
        Stopped: In all processes, if ``stop`` said so in one.
        RuntimeError: If the model raised. A trial that counts as 0 for that would be no score of its weights.
    """
    from accelerate import PartialState

    processes = PartialState()

    def look(done: int, total: int, result: Result) -> None:
        if result.failure:
            raise RuntimeError(f"The model failed in the held-out task '{result.task}': {result.failure}")
        if stop():
            raise Stopped

    def own() -> list[Result]:
        mine = tasks[processes.process_index :: processes.num_processes]
        kwargs, section = validation_kwargs(config), config.evaluation
        settings: dict[str, Any] = {"batch_size": section.batch_size, "progress": look, "out": out}
        return run(agent, config.env.id, kwargs, mine, section.seed, **settings)

    found = {result.task: result for part in together(own) for result in part}
    return [found[task] for task in tasks]


def play_agents(
    config: TrainConfig,
    section: ValidationSection,
    tasks: Sequence[str],
    folder: Path,
    sign: Callable[..., None],
    second: Reward | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Score]:
    """What the scripted and constant policies earn, by label: the first process plays, once for all stages.

    Args:
        config: The run.
        section: Names the policies.
        tasks: The tasks.
        folder: Keeps what they did.
        sign: Called after each task, as a sign of life.
        second: The second judge, who scores the same episodes.
        say: Told if it cannot.
    """
    from accelerate import PartialState

    def own() -> dict[str, Score]:
        if not PartialState().is_main_process:
            return {}
        kwargs, seed = validation_kwargs(config), config.evaluation.seed
        env = make(config.env.id, kwargs)
        scores = {}
        try:
            for listed in section.agents:
                label = listed.label or listed.name
                agent = build(listed.name, env, seed, **listed.options)
                out = folder / slug(label)
                settings: dict[str, Any] = {"out": out, "resume": True, "name": label, "progress": sign}
                score = Score.of(0, run(agent, config.env.id, kwargs, tasks, seed, **settings), seed)
                scores[label] = score if second is None else score.with_second(attempted(second, out, say), seed)
        finally:
            env.close()
        return scores

    return together(own)[0]


def judge(second: Reward, tasks: Sequence[str], out: Path, say: Callable[[str], None]) -> list[Result] | None:
    """What the second judge gives to the episodes that :func:`play` recorded; all processes learn of all.

    Args:
        second: The judge.
        tasks: The tasks.
        out: This process's traces.
        say: Told if the judge failed.

    Returns:
        The results in the order of the tasks; None if the judge failed in a process.
    """
    parts = together(lambda: attempted(second, out, say))
    found = {result.task: result for part in parts for result in part or ()}
    return None if None in parts else [found[task] for task in tasks]


def attempted(second: Reward, out: Path, say: Callable[[str], None]) -> list[Result] | None:
    """What the second judge gives to the episodes of a folder; None if it fails, which costs no run its training."""
    try:
        return judged(second, out, say)
    except Exception as error:  # judges ask servers, read weights, and may be a user's own
        say(f"The second judge '{second.name}' failed: {type(error).__name__}: {error}")
        return None


@contextmanager
def undisturbed(model: Any) -> Iterator[None]:
    """Let a model be used for something else in the midst of its training: modes and random states are put back.

    Args:
        model: In evaluation mode within the block.
    """
    import torch

    modes = [(module, module.training) for module in model.modules()]
    python, numpy = random.getstate(), np.random.get_state()
    device = next(model.parameters()).device
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        model.eval()
        try:
            yield
        finally:
            for module, training in modes:
                module.training = training
            random.setstate(python)
            np.random.set_state(numpy)
