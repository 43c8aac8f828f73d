"""What training costs beside the model: environments and rewards in a step, memory over 200 steps, waiting for data.

    python benchmarks/train.py [--quick] [--seed 0] [--only share,memory,data]

All on the tiny model, through the trainers of a run. Replies of reinforced models are scripted: the model writes as
many tokens as a reply has before they are replaced by it, so that every episode has all its turns.
``benchmarks/train_turns.py`` compares the loop of many turns with TRL's own.

*Share*: CPU time of the training process in environments and rewards (pages drawn for prompts, resets, steps, scores)
in that of a whole optimiser step; the clock on the wall beside it. The tiny model is the hardest case there is, since
its steps are the shortest. *Memory*: each kind in a process of its own, with tasks few enough that whatever is kept of
them is kept before the measured part begins; the growth is that of a line through it. *Data*: by the clock, the share
of a step in which the trainer waits for its batch; with steps as long as the tiny model's on this CPU, and with steps
in which the CPU has nothing to do for a second, as with a model on a GPU. The baseline's rows are made before.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch

from training.cases import KINDS, trainer_of
from training.growth import SETTLED
from training.measure import Steps, line_of, packages, table, watch_environments
from training.memory import MODES, used
from training.quiet import quiet
from training.waiting import SOURCES, waits

SHARES = (
    ("grpo, simple pages", 1),
    ("grpo, generated pages", 0),
    ("grpo, generated pages", 1),
    ("grpo, canvas, 3 calls, windowed", 0),
    ("grpo, canvas, 3 calls, growing", 0),
    ("grpo, canvas, 8 calls, windowed", 0),
    ("grpo, canvas, 8 calls, growing", 0),
    ("grpo, postcards, windowed", 0),
    ("grpo, postcards, growing", 0),
    ("grpo, postcards, plan", 0),
    ("grpo, whole briefs, windowed", 0),
)
"""Kinds whose shares are measured, and the processes that make their prompts beside the training."""
MOST_SHARE = 0.05
LONG = ("grpo, whole briefs, windowed",)
"""Kinds with steps of many seconds, of which fewer are measured."""
STEPS, MEMORY_STEPS, WAIT_STEPS = 8, 200, 10
GPU_STEP_S = 1.0
MOST_GROWTH, MOST_WAIT = 0.02, 0.05


def spread(values: Sequence[float], form: str) -> tuple[str, str]:
    """Median and range of some figures."""
    return form.format(statistics.median(values)), f"{form.format(min(values))}-{form.format(max(values))}"


def shares(seed: int, steps: int) -> None:
    """Measure and print the shares of environments and rewards."""
    rows, found = {}, {}
    for name, workers in SHARES:
        with tempfile.TemporaryDirectory() as folder:
            count = max(2, steps // 4) if name in LONG else steps
            measured = Steps()
            measured.visit(trainer_of(KINDS[name], seed, folder, workers=workers), count)
        cpu, wall = spread(measured.cpu_share, "{:.1%}"), spread(measured.wall_share, "{:.1%}")
        told = f"{name}, {workers} worker" if workers else name
        rows[told] = [str(count), f"{statistics.median(measured.cpu):.3f}", *cpu, *wall]
        found[told] = statistics.median(measured.cpu_share)
        print(f"measured: {told}", flush=True)
    columns = ("steps", "CPU s", "CPU share", "range", "wall share", "range")
    table("environments and rewards in a step", columns, rows, width=36)
    print()
    for told, share in found.items():
        line_of(f"{told}: environments and rewards", share, "{:.1%}", MOST_SHARE)


def memories(seed: int, steps: int) -> None:
    """Measure and print the growth of memory."""
    print(f"\nmemory of a process, a line through what was measured from step {SETTLED} to {steps}")
    for mode in MODES:
        found = used(mode, steps, seed)
        what = f"{mode}: {found.last:.0f} MiB in the end, {found.spread:.1%} between least and most"
        line_of(what, found.growth, "{:+.1%}", MOST_GROWTH)


def waiting(seed: int, steps: int) -> None:
    """Measure and print the waiting for data."""
    ways = {
        "rows made before, no workers": (0, True),
        "no workers": (0, False),
        "1 worker": (1, False),
    }
    for step in (0.0, GPU_STEP_S):
        rows, found = {}, {}
        for source in SOURCES:
            for way, (workers, made) in ways.items():
                with tempfile.TemporaryDirectory() as folder:
                    values = waits(source, Path(folder), seed, steps=steps, workers=workers, step=step, made=made)
                rows[f"{source}, {way}"] = [str(steps), *spread(values, "{:.1%}")]
                found[source, workers, made] = statistics.median(values)
        title = f"steps of the model and {step:g} s without work" if step else "steps of the tiny model on this CPU"
        table(title, ("steps", "waited", "range"), rows, width=56)
        if step:
            print()
            for source in SOURCES:
                more = found[source, 1, False] - found[source, 0, True]
                line_of(f"{source}, 1 worker: waiting beyond that for rows made before", more, "{:+.1%}", MOST_WAIT)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see whether all runs")
    parser.add_argument("--seed", type=int, default=0, help="of weights, tasks and replies")
    parser.add_argument("--only", default="share,memory,data", help="what to measure")
    options = parser.parse_args()
    quiet()
    watch_environments()
    steps, memory_steps, wait_steps = (2, 20, 3) if options.quick else (STEPS, MEMORY_STEPS, WAIT_STEPS)
    print(f"{packages()}; seed {options.seed}")
    for part in options.only.split(","):
        if part == "share":
            shares(options.seed, steps)
        elif part == "memory":
            memories(options.seed, memory_steps)
        elif part == "data":
            waiting(options.seed, wait_steps)
        else:
            parser.error(f"there is no part {part!r} to measure; there are share, memory and data")


if __name__ == "__main__":
    main()
