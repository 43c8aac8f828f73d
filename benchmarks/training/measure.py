"""What is looked at while a trainer runs: its steps, its memory, and the time of environments and rewards in it."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from transformers import TrainerCallback

from designgym.train.data import Pages
from designgym.train.methods.environment_reward import EnvironmentReward
from designgym.train.methods.group_rewards import GroupRewards
from designgym.train.turns import rollout


class Hook(TrainerCallback):
    """Does something before and after each optimiser step: before the first generation, and after the update."""

    def __init__(self, *, begin: Callable[[], None] = lambda: None, end: Callable[[], None] = lambda: None) -> None:
        self.begin, self.end = begin, end

    def on_step_begin(self, *unused: Any, **also: Any) -> None:
        """Before."""
        self.begin()

    def on_step_end(self, *unused: Any, **also: Any) -> None:
        """After."""
        self.end()


@dataclass
class Spent:
    """Seconds so far.

    Attributes:
        cpu: Of this process, all of its threads.
        wall: By the clock on the wall.
    """

    cpu: float = 0.0
    wall: float = 0.0

    @contextmanager
    def during(self) -> Iterator[None]:
        """Add what a block takes."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self.cpu += time.process_time() - cpu
            self.wall += time.perf_counter() - wall


ENVIRONMENTS = Spent()
"""Of all environments and rewards in this process since `watch_environments`: pages drawn for prompts, resets, steps,
scores. The main thread waits meanwhile, so that all CPU time is theirs."""


def watch_environments() -> None:
    """Begin to count `ENVIRONMENTS`."""

    def counted(owner: Any, name: str) -> None:
        do = getattr(owner, name)

        def call(*rest: Any, **options: Any) -> Any:
            with ENVIRONMENTS.during():
                return do(*rest, **options)

        setattr(owner, name, call)

    counted(Pages, "row")
    counted(EnvironmentReward, "__call__")
    counted(rollout, "_together")
    counted(GroupRewards, "add")


@dataclass
class Steps:
    """What single steps of a trainer took; the first ones, which make what later ones use, are left out.

    Attributes:
        cpu: CPU seconds of each.
        wall: Seconds of each by the clock on the wall.
        cpu_share: Share of environments and rewards in the former.
        wall_share: The same by the clock on the wall.
    """

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    cpu_share: list[float] = field(default_factory=list)
    wall_share: list[float] = field(default_factory=list)

    def visit(self, trainer: Any, steps: int, *, leave: int = 1) -> None:
        """Train so many steps and the ``leave`` before them that are not counted."""
        marks: list[tuple[float, float, float, float]] = []

        def mark() -> None:
            marks.append((time.process_time(), time.perf_counter(), ENVIRONMENTS.cpu, ENVIRONMENTS.wall))

        # The first batch of an epoch is read before its first step begins, hence from one end to the next.
        hook = Hook(end=mark)
        trainer.add_callback(hook)
        trainer.args.max_steps = steps + leave
        trainer.train()
        trainer.remove_callback(hook)
        for before, after in list(pairwise(marks))[leave - 1 :]:
            cpu, wall, own_cpu, own_wall = (late - early for early, late in zip(before, after, strict=True))
            self.cpu.append(cpu)
            self.wall.append(wall)
            self.cpu_share.append(own_cpu / cpu)
            self.wall_share.append(own_wall / wall)


def resident() -> float:
    """MiB of this process in memory, after what is not used any more was given back."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def packages(names: Iterable[str] = ("trl", "transformers", "torch")) -> str:
    """Python, packages and machine, as benchmarks print them."""
    found = ", ".join(f"{name} {version(name)}" for name in names)
    return f"Python {platform.python_version()}, {found}, {platform.machine()}"


def table(title: str, columns: Iterable[Any], rows: dict[str, Sequence[str]], *, width: int = 44) -> None:
    """Print a table."""
    print(f"\n{title:{width}}" + "".join(f"{column:>12}" for column in columns))
    for name, cells in rows.items():
        print(f"{name:{width}}" + "".join(f"{cell:>12}" for cell in cells))


def line_of(what: str, value: float, form: str, most: float | None = None) -> bool:
    """Print a figure, and the most that it should be; whether it is no more."""
    target = "" if most is None else f"   at most {form.format(most)}"
    missed = most is not None and value > most
    print(f"{what:70}{form.format(value):>10}{target}{'   NOT REACHED' if missed else ''}")
    return not missed
