"""The speed of GRPO on many turns: TRL's own loop beside ours in both histories, on the tiny model.

    python benchmarks/train_turns.py [--quick] [--seed 0]

All three play canvas drawing with the brief prompt, from the same tasks, and learn from what they played. ``stock`` is
TRL's ``GRPOTrainer`` with its ``environment_factory``; ``growing`` and ``windowed`` are ours. Replies are scripted, one
line each, so that every episode has as many turns as it may have. With *real generation* the model writes as many
tokens as the reply has before they are replaced by it; without, the rest of the loop is left. The cases take turns, so
that load from elsewhere falls on all of them alike; figures of different machines cannot be compared, ratios within one
run can. A figure is the median of single optimiser steps in CPU time; shares of environments, and the waiting of those
that sleep, go by the clock on the wall. The first step of a visit, which makes environments, is not counted.
"""

from __future__ import annotations

import argparse
import copy
import gc
import logging
import os
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch; more threads slow tiny models down

import gymnasium as gym
import torch
from datasets import Dataset
from training.measure import Hook, line_of, packages, resident, table
from transformers import PrinterCallback
from trl import GRPOConfig, GRPOTrainer

from designgym.agents.qwen import tiny
from designgym.agents.qwen.dialogue import Asker, HistoryKind
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.agents.qwen.tokens import reply_tokens
from designgym.eval.runner import make
from designgym.prompt import render_call
from designgym.train.turns.adapter import Block, ToolEnvironment, environment_class, episodes
from designgym.train.turns.announce import announce
from designgym.train.turns.rollout import play
from designgym.train.turns.trainer import TurnGRPOTrainer

ENV_ID = "designgym/CanvasDrawing-v0"
KINDS = ("stock", "growing", "windowed")
ROLLOUTS = (8, 16, 32)
TURNS = (2, 4, 8, 16)
USUAL_TURNS = 3
GROUP = 4
VISIT = 2
"""Steps of a visit to a case."""
SLEEP_S = 0.2
SLEEPERS = 16
MEMORY_STEPS = 200
MEASURED_EVERY = 5
SETTLED = 0.25
"""Share of the steps after which memory should have settled."""


class Sleeping(gym.Wrapper[Any, Any, Any, Any]):
    """An environment whose steps wait, as for a judge."""

    def step(self, action: Any) -> Any:
        """Wait and step."""
        time.sleep(SLEEP_S)
        return self.env.step(action)


@dataclass
class Case:
    """A trainer, and what was measured of it: a figure a step.

    Attributes:
        trainer: The trainer.
        asked: Notes the number of prompts of each generation.
        environment: Tells the seconds of environments so far.
        new: Whether it has not trained yet.
        seconds: Of a step, CPU time.
        waited: The same by the clock on the wall.
        share: Of environments in it.
        generations: In a step.
    """

    trainer: Any
    asked: list[int]
    environment: Callable[[], float]
    new: bool = True
    seconds: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    generations: list[int] = field(default_factory=list)

    def visit(self, steps: int) -> None:
        """Train so many steps, and count them, but for the very first."""
        marks: list[tuple[float, float, float, int]] = []

        def mark() -> None:
            marks.append((time.process_time(), time.perf_counter(), self.environment(), len(self.asked)))

        hook = Hook(begin=mark, end=mark)
        self.trainer.add_callback(hook)
        self.trainer.args.max_steps = steps
        self.trainer.train()
        self.trainer.remove_callback(hook)
        new, self.new = self.new, False
        for before, after in list(zip(marks[::2], marks[1::2], strict=True))[new:]:
            seconds, waited, environment, asked = (late - early for early, late in zip(before, after, strict=True))
            self.seconds.append(seconds)
            self.waited.append(waited)
            self.share.append(environment / waited)
            self.generations.append(int(asked))


@cache
def tiny_model(seed: int) -> tuple[Any, Any]:
    """The tiny model and its processor."""
    return tiny.build(tiny.TinyConfig(env=ENV_ID, seed=seed))


def local_model(seed: int) -> LocalModel:
    """A copy of it that may be trained."""
    model, processor = tiny_model(seed)
    return LocalModel(copy.deepcopy(model).train(), processor, FAMILIES["qwen3_vl"], "tiny")


def line(rng: random.Random) -> str:
    """A reply. Rounded to what the tiny model writes as a token each, so that all are of one length."""
    ends = {name: rng.randrange(0, 400, 25) for name in ("x1", "y1", "x2", "y2")}
    return render_call("draw_lines", {"lines": [ends]})


def scripted(trainer: Any, length: int, generated: bool, seed: int) -> list[int]:
    """Let the model write lines; returns where the number of prompts of each generation is noted."""
    real, processor, rng = trainer._generate_single_turn, trainer.processing_class, random.Random(seed)
    asked: list[int] = []

    def generate(prompt_ids: list[list[int]], *rest: Any, **options: Any) -> tuple[list[list[int]], None]:
        asked.append(len(prompt_ids))
        if generated:
            real(prompt_ids, *rest, **options)
        written = [reply_tokens(processor, line(rng)) for _ in prompt_ids]
        assert {len(ids) for ids in written} == {length}, "replies are of one length"
        return written, None

    trainer._generate_single_turn = generate
    return asked


def case(
    kind: str, rollouts: int, turns: int, seed: int, folder: str, *, generated: bool = True, sleeping: bool = False
) -> Case:
    """A trainer of one kind that plays so many episodes of so many turns in each step."""
    kwargs = {"max_calls": turns, "reward": "closure", "kinds": ("is",)}
    local = local_model(seed)
    length = len(reply_tokens(local.processor, line(random.Random(0))))
    suppressed = suppressed_tokens(local.processor.tokenizer)
    settings = GRPOConfig(
        output_dir=folder,
        per_device_train_batch_size=rollouts,
        num_generations=GROUP,
        max_steps=1,
        # Of an episode for TRL, of a turn for us.
        max_completion_length=3500 if kind == "stock" else length,
        generation_kwargs={"max_new_tokens": length, "min_new_tokens": length, "suppress_tokens": suppressed},
        learning_rate=1e-5,
        seed=seed,
        remove_unused_columns=False,
        gradient_checkpointing=False,
        logging_strategy="no",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
    )
    tasks = [f"train-is-{number:06d}" for number in range(64)]
    if kind == "stock":
        trainer, environment = stock_trainer(local, settings, kwargs, tasks, sleeping)
    else:
        trainer, environment = our_trainer(kind, local, settings, kwargs, tasks, sleeping)  # type: ignore[arg-type]
    trainer.remove_callback(PrinterCallback)
    return Case(trainer, scripted(trainer, length, generated, seed), environment)


def stock_trainer(
    local: LocalModel, settings: GRPOConfig, kwargs: dict[str, Any], tasks: list[str], sleeping: bool
) -> tuple[Any, Callable[[], float]]:
    """TRL's, and what tells the seconds of its environments."""
    spent = [0.0]

    def timed(do: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        try:
            return do()
        finally:
            spent[0] += time.perf_counter() - began

    class Timed(environment_class(ENV_ID, kwargs, wording="brief")):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            if sleeping:
                self._env = Sleeping(self._env)

        def reset(self, *rest: Any, **row: Any) -> list[Block]:
            return timed(lambda: ToolEnvironment.reset(self, *rest, **row))  # type: ignore[no-any-return]

        def get_reward(self) -> float | None:
            return timed(lambda: ToolEnvironment.get_reward(self))  # type: ignore[no-any-return]

        def _step(self, action: Any) -> None:
            timed(lambda: ToolEnvironment._step(self, action))

    trainer = GRPOTrainer(
        model=local.model,
        args=settings,
        train_dataset=episodes(Timed, tasks),
        processing_class=local.processor,
        environment_factory=Timed,
    )
    announce(trainer)
    return trainer, lambda: spent[0]


def our_trainer(
    history: HistoryKind,
    local: LocalModel,
    settings: GRPOConfig,
    kwargs: dict[str, Any],
    tasks: list[str],
    sleeping: bool,
) -> tuple[Any, Callable[[], float]]:
    """Ours, and what tells the seconds of its environments."""
    table = make(ENV_ID, kwargs).unwrapped.tool_table  # type: ignore[attr-defined]

    def make_env() -> gym.Env[Any, Any]:
        env = make(ENV_ID, kwargs)
        return Sleeping(env) if sleeping else env

    trainer = TurnGRPOTrainer(
        asker=Asker(ENV_ID, table, local, "brief", {}, history),
        make_env=make_env,
        args=settings,
        train_dataset=Dataset.from_dict({"task": tasks, "prompt": [[{"role": "user", "content": ""}]] * len(tasks)}),
    )
    spent, played = [0.0], trainer._play

    def summed() -> Any:
        trajectories = played()
        spent[0] += sum(each.environment_seconds for each in trajectories)
        return trajectories

    trainer._play = summed  # type: ignore[method-assign]
    return trainer, lambda: spent[0]


def visits(cases: Iterable[Case], rounds: int) -> None:
    """Train all cases in turn."""
    for _ in range(rounds):
        for each in cases:
            each.visit(VISIT)


def sleepers(count: int, seed: int) -> float:
    """Seconds of environments a turn where so many play that sleep in each step."""
    kwargs = {"max_calls": 2, "reward": "closure", "kinds": ("is",)}
    envs = [Sleeping(make(ENV_ID, kwargs)) for _ in range(count)]
    table = envs[0].unwrapped.tool_table  # type: ignore[attr-defined]
    asker, rng = Asker(ENV_ID, table, local_model(seed), "brief", {}, "windowed"), random.Random(seed)
    with ThreadPoolExecutor(count) as pool:
        trajectories = play(
            envs,
            asker.dialogue,
            [f"train-is-{number:06d}" for number in range(count)],
            lambda prompts: [reply_tokens(asker.local.processor, line(rng)) for _ in prompts],
            max_turns=None,
            pool=pool,
        )
    return sum(each.environment_seconds for each in trajectories) / 2


def memory(kind: str, steps: int, seed: int, folder: str) -> list[float]:
    """MiB in a training, once in `MEASURED_EVERY` steps."""
    measured: list[float] = []
    small = case(kind, 4, 2, seed, folder)

    def measure() -> None:
        if small.trainer.state.global_step % MEASURED_EVERY == MEASURED_EVERY - 1:
            measured.append(resident())

    small.trainer.add_callback(Hook(end=measure))
    small.trainer.args.max_steps = steps
    small.trainer.train()
    return measured


def rollouts_report(cases: dict[tuple[str, int], Case], title: str) -> None:
    """Seconds a step of each kind, and how ours compare with TRL's."""
    sizes = sorted({size for _, size in cases})
    median = {key: statistics.median(each.seconds) for key, each in cases.items()}
    rows = {kind: [f"{median[kind, size]:.3f}" for size in sizes] for kind in KINDS}
    for kind in KINDS[1:]:
        rows[f"{kind} / stock"] = [f"{median[kind, size] / median['stock', size]:.2f}" for size in sizes]
    table(title, [f"{size} rollouts" for size in sizes], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few steps of few cases, to see whether all runs")
    parser.add_argument("--seed", type=int, default=0, help="of weights, tasks and lines")
    arguments = parser.parse_args()
    quick, seed = arguments.quick, arguments.seed
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    sizes, lengths = (ROLLOUTS[:1], TURNS[:2]) if quick else (ROLLOUTS, TURNS)
    rounds = 1 if quick else 2
    print(f"{packages()}; seed {seed}; groups of {GROUP}; {rounds} interleaved visits of {VISIT} steps")
    with tempfile.TemporaryDirectory() as folder:
        # First, while nothing that other cases left behind could be filled instead of growing.
        used = {kind: memory(kind, 20 if quick else MEMORY_STEPS, seed, folder) for kind in KINDS[1:]}
        loop = {(k, n): case(k, n, USUAL_TURNS, seed, folder, generated=False) for n in sizes for k in KINDS}
        visits(loop.values(), rounds)
        rollouts_report(loop, f"CPU seconds a step, {USUAL_TURNS} turns, no generation")
        del loop
        gc.collect()
        whole = {(k, n): case(k, n, USUAL_TURNS, seed, folder) for n in sizes for k in KINDS}
        visits(whole.values(), rounds)
        rollouts_report(whole, f"CPU seconds a step, {USUAL_TURNS} turns, generation")
        asked = {kind: statistics.median(whole[kind, sizes[0]].generations) for kind in KINDS}
        share = {kind: max(statistics.median(whole[kind, n].share) for n in sizes) for kind in KINDS}
        ratio = max(
            statistics.median(whole[kind, n].seconds) / statistics.median(whole["stock", n].seconds)
            for kind in KINDS[1:]
            for n in sizes
        )
        del whole
        gc.collect()
        long = {(k, t): case(k, GROUP, t, seed, folder) for t in lengths for k in KINDS}
        visits(long.values(), rounds)
        cost = {key: statistics.median(each.seconds) / key[1] for key, each in long.items()}
        table(
            f"CPU seconds a turn, {GROUP} rollouts, generation",
            [f"{t} turns" for t in lengths],
            {kind: [f"{cost[kind, t]:.3f}" for t in lengths] for kind in KINDS},
        )
        del long
        gc.collect()
        one, many = sleepers(1, seed), sleepers(SLEEPERS, seed)
        waiting = case("stock", SLEEPERS, 1, seed, folder, generated=False, sleeping=True)
        waiting.visit(VISIT)
        in_turn = waiting.waited[0] * waiting.share[0]
        del waiting

    print()
    times, percent = "{:.2f} x", "{:.1%}"
    for kind in KINDS:
        most = None if kind == "stock" else USUAL_TURNS
        line_of(f"{kind}: generations for {USUAL_TURNS} turns", asked[kind], "{:g}", most)
    line_of("ours to stock, a step, the worst of all sizes and histories", ratio, times, 1)
    for kind in KINDS:
        line_of(f"{kind}: share of environments in a step", share[kind], percent, None if kind == "stock" else 0.05)
    for kind in KINDS:
        value = cost[kind, lengths[-1]] / cost[kind, lengths[0]]
        most = 1.5 if kind == "windowed" else None
        line_of(f"{kind}: a turn of {lengths[-1]} to one of {lengths[0]}", value, times, most)
    line_of(f"{SLEEPERS} environments that sleep {SLEEP_S:g} s in a step, to one that does", many / one, times, 2)
    line_of("stock: the same", in_turn / one, times)
    for kind, measured in used.items():
        first = max(1, int(SETTLED * len(measured)))
        which = f"step {first * MEASURED_EVERY} to {len(measured) * MEASURED_EVERY}"
        what = f"{kind}: memory from {which}, {measured[-1]:.0f} MiB in the end"
        line_of(what, measured[-1] / measured[first - 1] - 1, "{:+.1%}", 0.02)


if __name__ == "__main__":
    main()
