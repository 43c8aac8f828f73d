"""What playing and reporting cost beside the agent and the environment, at the size of a large evaluation.

    python benchmarks/runner.py [--trials 10000] [--overhead 200 2000] [--rounds 3] [--seed 0]

Three things are measured, each with the bar that it must keep: playing trials of the random agent on the canvas with
``reward="ink"`` in two processes, with traces and without images; the report over them as `designgym eval` makes it,
in a process of its own; and what the runner adds to each trial, at two numbers of trials. Bars of time for fewer than
10,000 trials are shares of the whole ones, a tenth at least; that of memory stays.

CPU time, so that load from elsewhere matters less: what all processes used, divided by the two that play. The clock on
the wall stands beside it. Exit code 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from designgym.agents.table import build
from designgym.eval.config import AgentSection, EnvSection, EvalConfig
from designgym.eval.evaluate import env_kwargs, evaluate
from designgym.eval.parallel import Job, processes, run_parallel
from designgym.eval.runner import make, run, task_seed

Tick = Callable[[], None]
"""Called after every trial."""

ENV = "designgym/CanvasDrawing-v0"
AGENT = "random"
CALLS = 10
"""Most calls of a trial; the random agent finishes some earlier."""
WORKERS = 2
FULL = 10_000
"""The trials that the bars are about."""
MEMORY_MB = 1000.0
BLOCK = 20
"""Trials whose time is taken together; of each block the least over the rounds counts, and of these the sum."""
GROWTH_MS = 0.2
"""By how much the cost of a trial may differ between few and many trials, ms: what is left of noise."""


def configuration(trials: int, seed: int) -> EvalConfig:
    """The evaluation whose trials are played and reported."""
    return EvalConfig(
        env=EnvSection(id=ENV, kwargs={"reward": "ink", "max_calls": CALLS}),
        agents=(AgentSection(name=AGENT),),
        split="train",
        limit=trials,
        seed=seed,
        workers=WORKERS,
    )


def tasks_of(config: EvalConfig) -> list[str]:
    """The tasks that are played."""
    with contextlib.closing(make(ENV, env_kwargs(config))) as env:
        return list(env.unwrapped.task_ids(config.split)[: config.limit])  # type: ignore[attr-defined]


# ------------------------------------------------------------ what is measured, each in a process of its own


def playing(config: EvalConfig, folder: Path) -> dict[str, float]:
    """Play all trials in two processes, into the folder that an evaluation would use."""
    tasks = tasks_of(config)
    job = Job(AGENT, {}, ENV, env_kwargs(config), config.seed)
    start, own = time.perf_counter(), time.process_time()
    results = run_parallel(job, tasks, processes(WORKERS), out=folder / "agents" / AGENT, name=AGENT)
    wall, own = time.perf_counter() - start, time.process_time() - own
    for worker in multiprocessing.active_children():
        worker.join()  # only then is its time counted
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    calls = sum(result.calls for result in results)
    workers = spent.ru_utime + spent.ru_stime
    return {"wall": wall, "main": own, "workers": workers, "calls": calls / len(results)}


def reporting(config: EvalConfig, folder: Path) -> dict[str, float]:
    """Make the report of trials that were played."""
    start, own = time.perf_counter(), time.process_time()
    evaluate(config, folder, resume=True)
    wall, own = time.perf_counter() - start, time.process_time() - own
    return {"wall": wall, "cpu": own, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def overheads(config: EvalConfig, counts: Sequence[int], rounds: int) -> dict[str, float]:
    """CPU time of a trial, ms: of a bare loop, and of the runner beside it without and with traces."""
    kwargs = env_kwargs(config)
    env = make(ENV, kwargs)
    agent = build(AGENT, env, config.seed)
    tasks = tasks_of(config)

    def bare(count: int, tick: Tick) -> None:
        for task in tasks[:count]:
            observation, info = env.reset(seed=task_seed(config.seed, task), options={"task": task})
            over = False
            while not over:
                action = agent(observation, {**info, "trial": task})
                observation, _, terminated, truncated, info = env.step(action)
                over = terminated or truncated
            tick()

    def runner(count: int, tick: Tick) -> None:
        run(agent, ENV, kwargs, tasks[:count], config.seed, progress=lambda *_: tick())

    def traced(count: int, tick: Tick) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run(agent, ENV, kwargs, tasks[:count], config.seed, out=Path(folder, "run"), progress=lambda *_: tick())

    modes: dict[str, Callable[[int, Tick], None]] = {"bare": bare, "runner": runner, "traced": traced}
    least: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds):
        for count in counts:
            for name, mode in modes.items():
                spent = blocks(mode, count)
                least[name, count] = list(map(min, least.get((name, count), spent), spent))
    found = {}
    for count in counts:
        each = {name: sum(least[name, count]) / (count - 1) * 1e3 for name in modes}
        found[f"bare {count}"] = each["bare"]
        found[f"runner {count}"] = each["runner"] - each["bare"]
        found[f"traced {count}"] = each["traced"] - each["bare"]
    return found


def blocks(work: Callable[[int, Tick], None], count: int) -> list[float]:
    """CPU time of every :data:`BLOCK` trials, s; the start of a run is left out with its first trial."""
    gc.collect()
    marks: list[float] = []
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if done % BLOCK == 1 or done == count:
            marks.append(time.process_time())

    work(count, tick)
    return [after - before for before, after in pairwise(marks)]


# ------------------------------------------------------------ how it is told


class Bars:
    """Prints figures beside their bars and remembers whether one was missed."""

    def __init__(self) -> None:
        self.missed = False

    def line(self, what: str, value: float, unit: str, most: float | None = None) -> None:
        """One figure; ``most`` is its bar."""
        missed = most is not None and value > most
        self.missed |= missed
        bar = "" if most is None else f"at most {most:,g} {unit}"
        print(f"{what:58}{value:>10,.2f} {unit:3}  {bar}{'   MISSED' if missed else ''}".rstrip(), flush=True)


def apart(work: Callable[..., dict[str, float]], *arguments: Any) -> dict[str, float]:
    """Do a piece of work in a process that has done nothing before."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_send, args=(theirs, work, *arguments))
    process.start()
    theirs.close()
    try:
        found: dict[str, float] = ours.recv()
    except EOFError:
        sys.exit(f"{work.__name__} failed")
    process.join()
    return found


def _send(pipe: Connection, work: Callable[..., dict[str, float]], *arguments: Any) -> None:
    pipe.send(work(*arguments))


@contextlib.contextmanager
def place(output: str | None) -> Iterator[Path]:
    """The folder for the trials: one that is kept, or a temporary one."""
    if output is not None:
        yield Path(output)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=FULL, help="trials that are played and reported (0: none)")
    parser.add_argument("--overhead", type=int, nargs="*", default=[200, 2000], help="trials of what the runner adds")
    parser.add_argument("--rounds", type=int, default=3, help="of what the runner adds, of which the least counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", help="keep trials and report in this new folder")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors, load "
          f"{os.getloadavg()[0]:.1f}; seed {given.seed}")  # fmt: skip
    bars, share = Bars(), given.trials / FULL
    if given.trials:
        config = configuration(given.trials, given.seed)
        with place(given.output) as folder:
            played = apart(playing, config, folder)
            what = f"playing {given.trials:,} trials in {WORKERS} processes"
            bars.line(f"{what}: CPU a core", (played["workers"] + played["main"]) / WORKERS, "s", 60 * max(share, 0.1))
            bars.line("   of that the process that writes, whole", played["main"], "s")
            bars.line("   on the clock", played["wall"], "s")
            bars.line("   calls of a trial", played["calls"], "")
            report = apart(reporting, config, folder)
            bars.line(f"the report over {given.trials:,} trials: CPU", report["cpu"], "s", 30 * max(share, 0.1))
            bars.line("   on the clock", report["wall"], "s")
            bars.line("   most memory", report["mb"], "MB", MEMORY_MB)
    if given.overhead:
        added = apart(overheads, configuration(max(given.overhead), given.seed), given.overhead, given.rounds)
        for count in given.overhead:
            bars.line(f"a trial of {count:,} in a bare loop: CPU", added[f"bare {count}"], "ms")
            bars.line("   the runner beside it, without traces", added[f"runner {count}"], "ms", 2)
            bars.line("   the runner beside it, with traces", added[f"traced {count}"], "ms", 2)
        few, many = min(given.overhead), max(given.overhead)
        for mode, what in (("runner", "without"), ("traced", "with")):
            growth = added[f"{mode} {many}"] - added[f"{mode} {few}"]
            bars.line(f"more at {many:,} trials than at {few:,}, {what} traces", growth, "ms", GROWTH_MS)
    sys.exit(1 if bars.missed else 0)


if __name__ == "__main__":
    main()
