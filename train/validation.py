"""Held-out tasks that are played while a model is trained, with the runner that evaluates it in the end."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from designgym.agents.base import Agent
from designgym.agents.table import build
from designgym.atomic import write_atomically
from designgym.eval.choose_tasks import matching
from designgym.eval.record import slug
from designgym.eval.results import Result
from designgym.eval.runner import make, run
from designgym.eval.statistics import bootstrap
from designgym.jsonl import read_jsonl
from designgym.train.config import TrainConfig, ValidationSection
from designgym.train.environments import validation_kwargs
from designgym.train.together import Stopped, together

SCORES, BEST, BEST_MODEL = "validation.jsonl", "best.json", "best"
"""Files in a stage's folder: every score, the best one, and the weights that earned it."""


@dataclass(frozen=True)
class Score:
    """What a model earned on the held-out tasks.

    Attributes:
        step: Optimiser steps before.
        mean: Mean reward over the tasks that could be scored; None if there was none.
        low: Lower end of its 95 % bootstrap interval over tasks.
        high: Upper end.
        n: Tasks that could be scored.
        parts: Means of the reward's parts by name.
    """

    step: int
    mean: float | None
    low: float | None
    high: float | None
    n: int
    parts: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, step: int, results: Sequence[Result], seed: int) -> Self:
        """The score of results."""
        scored = [result for result in results if result.scored]
        found = bootstrap([result.value for result in results], seed)
        keys = dict.fromkeys(key for result in scored for key in result.rewards)
        values = {key: [r.rewards[key] for r in scored if r.rewards.get(key) is not None] for key in keys}
        parts = {key: float(np.mean(each)) for key, each in values.items() if each}
        return cls(step, found.mean, found.low, found.high, len(scored), parts)

    def figures(self) -> dict[str, float]:
        """The points of the curves, under ``validation/``."""
        return self._named("validation/reward", "validation/low", "validation/high") | {
            f"validation/parts/{name}": value for name, value in self.parts.items()
        }

    def figures_of_agent(self, label: str) -> dict[str, float]:
        """The same of a policy that is not trained, under its label."""
        kinds = ("agents", "agents_low", "agents_high")
        return self._named(*(f"validation/{kind}/{label}" for kind in kinds))

    def words(self) -> str:
        """The score in print; empty if there is none."""
        if self.mean is None:
            return ""
        between = "" if self.low is None or self.high is None else f" [{self.low:.3f}, {self.high:.3f}]"
        return f"{self.mean:.3f}{between} on {self.n} held-out tasks"

    def _named(self, mean: str, low: str, high: str) -> dict[str, float]:
        own = {mean: self.mean, low: self.low, high: self.high}
        return {name: value for name, value in own.items() if value is not None}


class Scores:
    """The scores of a stage and its best weights, in the stage's folder.

    Args:
        home: The folder.
    """

    def __init__(self, home: Path) -> None:
        self.home = home

    def all(self) -> dict[int, Score]:
        """By step; of a step that was done twice, the second counts."""
        path = self.home / SCORES
        lines = read_jsonl(path) if path.is_file() else ()
        return {score.step: score for score in (Score(**line.value) for line in lines)}

    def write(self, scores: Sequence[Score]) -> None:
        """Replace the file by these scores."""
        write_atomically(self.home / SCORES, "".join(json.dumps(dataclasses.asdict(each)) + "\n" for each in scores))

    def best(self) -> Score | None:
        """The score of the weights that are kept; None if there are none."""
        if not (self.home / BEST).is_file() or not (self.home / BEST_MODEL).is_dir():
            return None
        return Score(**json.loads((self.home / BEST).read_text()))

    def set_best(self, score: Score) -> None:
        """Say whose the kept weights are."""
        write_atomically(self.home / BEST, json.dumps(dataclasses.asdict(score)) + "\n")


def held_out(config: TrainConfig, section: ValidationSection) -> list[str]:
    """The tasks."""
    env = make(config.env.id, validation_kwargs(config))
    ids = env.unwrapped.task_ids()  # type: ignore[attr-defined]
    tasks = matching(env, ids[section.first : section.first + section.count], section.where)
    env.close()
    return tasks


def play(agent: Agent, config: TrainConfig, tasks: Sequence[str], stop: Callable[[], bool]) -> list[Result]:
    """Let a model play, a part of the tasks in each process; all processes return all results.

    Args:
        agent: The model of this process; the same in all.
        config: The run.
        tasks: The tasks.
        stop: Asked after every task whether to give up.

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
        return run(agent, config.env.id, kwargs, mine, section.seed, batch_size=section.batch_size, progress=look)

    found = {result.task: result for part in together(own) for result in part}
    return [found[task] for task in tasks]


def play_agents(
    config: TrainConfig, section: ValidationSection, tasks: Sequence[str], folder: Path, sign: Callable[..., None]
) -> dict[str, Score]:
    """What the scripted and constant policies earn, by label: the first process plays, once for all stages.

    Args:
        config: The run.
        section: Names the policies.
        tasks: The tasks.
        folder: Keeps what they did.
        sign: Called after each task, as a sign of life.
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
                settings: dict[str, Any] = {
                    "out": folder / slug(label), "resume": True, "name": label, "progress": sign
                }  # fmt: skip
                scores[label] = Score.of(0, run(agent, config.env.id, kwargs, tasks, seed, **settings), seed)
        finally:
            env.close()
        return scores

    return together(own)[0]


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
