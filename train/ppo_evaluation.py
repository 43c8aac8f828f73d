"""How well a policy closes shapes that it was not trained on, beside policies that do not look at them.

All play the same held-out tasks: validation shapes, and the twenty fragments of the bank apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv

import designgym
from designgym.envs.wrappers.vector import PixelObservation, StrokeActions
from designgym.eval.statistics import bootstrap, paired
from designgym.tasks import Split

ENV_ID = "designgym/CanvasDrawing-v0"

Cells = npt.NDArray[np.int64]
"""Strokes, N x 4: column and row of the start, column and row of the end."""
Envs = VectorEnv[Any, Any, Any]
Choose = Callable[[npt.NDArray[np.uint8], Envs, int], Cells]
"""A policy: from pictures (uint8 N x cells x cells x 1), environments and number of the stroke (from 0) to strokes."""

COPIES = 64
FIRST_TASK = 2000
"""Validation shapes before this one were looked at while the settings were chosen."""

BANK = [f"is{number:02d}" for number in range(1, 21)]


@dataclass(frozen=True)
class Task:
    """Which problem is played.

    Attributes:
        cells: Rows and columns that the canvas is seen in and strokes start and end in.
        strokes: Strokes of an episode.
    """

    cells: int
    strokes: int

    def envs(self, split: Split, copies: int = COPIES, autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> Envs:
        """Environments that play it; the rewards of an episode sum to how well its shape was closed."""
        envs = designgym.make_vec(
            ENV_ID,
            copies,
            autoreset_mode=autoreset_mode,
            split=split,
            kinds=("is",),
            reward="closure",
            reward_mode="dense",
            max_calls=self.strokes,
        )
        return PixelObservation(StrokeActions(envs, form="multidiscrete", bins=self.cells), size=self.cells)


@dataclass(frozen=True)
class Played:
    """How a policy did, a number a task.

    Attributes:
        policy: Its name.
        closure: The reward, 0 to 1.
        joined: The share of open ends that were joined.
    """

    policy: str
    closure: tuple[float, ...]
    joined: tuple[float, ...]


def held_out(count: int) -> dict[Split, list[str]]:
    """The tasks of an evaluation: ``count`` validation shapes and the bank."""
    return {"validation": [f"validation-is-{FIRST_TASK + k:06d}" for k in range(count)], "test": BANK}


def play(name: str, choose: Choose, task: Task, split: Split, ids: Sequence[str]) -> Played:
    """Let a policy play tasks, each once."""
    envs = task.envs(split, min(COPIES, len(ids)))
    closure: list[float] = []
    joined: list[float] = []
    for chunk in _chunks(ids, envs.num_envs):
        padded = [*chunk, *([chunk[0]] * (envs.num_envs - len(chunk)))]
        pictures, _ = envs.reset(options={"task": padded})
        total = np.zeros(envs.num_envs)
        for number in range(task.strokes):
            pictures, rewards, _, _, infos = envs.step(choose(pictures, envs, number))
            total += rewards
        closure += total[: len(chunk)].tolist()
        joined += infos["reward/closure/joined"][: len(chunk)].tolist()
    envs.close()
    return Played(name, tuple(closure), tuple(joined))


def _chunks(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for first in range(0, len(ids), size):
        yield ids[first : first + size]


# ---------------------------------------------------------------- policies to stand beside


def random_strokes(cells: int, seed: int) -> Choose:
    """Starts and ends drawn evenly from all cells."""
    rng = np.random.default_rng(seed)
    return lambda pictures, envs, number: rng.integers(cells, size=(len(pictures), 4))


def constant_strokes(strokes: Cells) -> Choose:
    """The same strokes on every shape, one after the other (int64 strokes x 4)."""
    return lambda pictures, envs, number: np.tile(strokes[number], (len(pictures), 1))


def known_ends(cells: int) -> Choose:
    """Sees the truth and joins the nearest open ends first, as well as whole cells allow: an upper reference."""
    plans: list[list[Cells]] = []

    def choose(pictures: npt.NDArray[np.uint8], envs: Envs, number: int) -> Cells:
        if number == 0:
            plans[:] = [_pairs(episode.truth["open_ends"], cells) for episode in envs.unwrapped.call("episode")]  # type: ignore[attr-defined]
        # Once all are joined the last stroke is drawn again, which adds no ink.
        return np.stack([plan[min(number, len(plan) - 1)] for plan in plans])

    return choose


def _pairs(ends: Sequence[Sequence[float]], cells: int) -> list[Cells]:
    """Strokes from end to end, the shortest first; an end that is left over is joined to its nearest one."""
    points = np.array(ends)
    apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    found, free = [], set(range(len(points)))
    while free:
        open_pairs = [(apart[i, j], i, j) for i in free for j in free if i < j]
        _, i, j = min(open_pairs) if open_pairs else min((apart[i, j], i, j) for i in free for j in range(len(points)))
        free -= {i, j}
        found.append(np.concatenate([points[i], points[j]]))
    # A cell's stroke goes through its middle, (cell + 0.5) / cells of 0 to 399 px.
    return [np.clip(np.floor(stroke / 399 * cells), 0, cells - 1).astype(np.int64) for stroke in found]


def fit_constant(task: Task, candidates: int = 512, shapes: int = 256, seed: int = 0) -> Cells:
    """The constant strokes that do best on training shapes, int64 strokes x 4.

    Stroke after stroke: of random candidates the better ones on ever more shapes, up to so many; then of some near the
    best the same.
    """
    rng = np.random.default_rng(seed)
    chosen = np.zeros((0, 4), np.int64)
    numbers = iter(range(50_000))
    for number in range(task.strokes):
        part = Task(task.cells, number + 1)
        # To repeat the last stroke changes nothing: one stroke more is never worse by force.
        best = np.concatenate([chosen[-1:], rng.integers(task.cells, size=(candidates, 4))])
        for keep, count in ((candidates // 8, shapes // 16), (candidates // 64, shapes // 4), (1, shapes)):
            best = _better(part, chosen, best, keep, [f"train-is-{next(numbers):06d}" for _ in range(count)])
        near = np.clip(best + rng.integers(-2, 3, size=(candidates // 8 - 1, 4)), 0, task.cells - 1)
        best = np.concatenate([best, near])
        for keep, count in ((candidates // 64, shapes // 4), (1, shapes)):
            best = _better(part, chosen, best, keep, [f"train-is-{next(numbers):06d}" for _ in range(count)])
        chosen = np.concatenate([chosen, best])
    return chosen


def _better(task: Task, before: Cells, candidates: Cells, keep: int, ids: Sequence[str]) -> Cells:
    """The candidates that do best as the stroke after ``before``, best first."""
    totals = np.zeros(len(candidates))
    envs = task.envs("train", min(COPIES, len(candidates)))
    for name in ids:  # one shape at a time, which is then made once
        for first in range(0, len(candidates), envs.num_envs):
            part = candidates[first : first + envs.num_envs]
            rows = np.resize(part, (envs.num_envs, 4))
            envs.reset(options={"task": name})
            for stroke in before:
                envs.step(np.tile(stroke, (envs.num_envs, 1)))[1]
            totals[first : first + len(part)] += envs.step(rows)[1][: len(part)]
    envs.close()
    return candidates[np.argsort(-totals, kind="stable")[:keep]]


# ---------------------------------------------------------------- figures

SHOWN = [
    (f"PPO, {way}", other)
    for way in ("greedy", "sampled")
    for other in (f"start, {way}", "random strokes", "best constant strokes")
]
"""The differences that the table shows."""

Tasks = Mapping[Split, Sequence[str]]
Results = dict[str, Any]


def compare(
    task: Task,
    tasks: Tasks,
    before: Mapping[Split, list[Played]],
    after: Mapping[Split, list[Played]],
    seed: int,
    search: tuple[int, int] = (512, 256),
) -> Results:
    """What was reached, beside policies that do not look: JSON data, intervals 95 % over tasks.

    Args:
        task: The problem.
        tasks: The held-out tasks of each split.
        before: How the start did on them, greedy and sampled.
        after: How the trained policy did, greedy and sampled.
        seed: Of the random strokes.
        search: Candidates and shapes of the search for the best constant strokes.
    """
    constant = fit_constant(task, *search)
    beside: dict[str, Choose] = {
        "random strokes": random_strokes(task.cells, seed),
        "best constant strokes": constant_strokes(constant),
        "open ends known": known_ends(task.cells),
    }
    results: Results = {"constant": constant.tolist()}
    for split, ids in tasks.items():
        others = [play(name, choose, task, split, ids) for name, choose in beside.items()]
        greedy, sampled = after[split]
        rivals = [before[split][0], before[split][1], *others]
        results[split] = {
            "tasks": [ids[0], ids[-1]],
            "policies": [_row(one) for one in [*before[split], *after[split], *others]],
            "differences": [_difference(one, rival) for one in (greedy, sampled) for rival in rivals],
        }
    return results


def _row(one: Played) -> dict[str, Any]:
    closure, joined = (dataclasses.asdict(bootstrap(values)) for values in (one.closure, one.joined))
    return {"policy": one.policy, "closure": closure, "joined": joined}


def _difference(one: Played, other: Played) -> dict[str, Any]:
    interval = dataclasses.asdict(paired(one.closure, other.closure).difference)
    return {"policy": one.policy, "minus": other.policy, "closure": interval}


def table(runs: Sequence[Results]) -> str:
    """The results of one run or several seeds as two Markdown tables: each policy, and PPO minus the others."""
    columns = [("validation", "closure"), ("validation", "joined"), ("test", "closure"), ("test", "joined")]
    lines = [
        "| policy | closure, validation | ends joined | closure, bank | ends joined |",
        "|---|---|---|---|---|",
    ]
    for index, row in enumerate(runs[0]["validation"]["policies"]):
        found = [" | ".join(_figure(run[split]["policies"][index][key]) for split, key in columns) for run in runs]
        lines += [f"| {name} | {cells} |" for name, cells in _seeds(row["policy"], found, runs)]
    lines += ["", "| on the same shapes | closure, validation | closure, bank |", "|---|---|---|"]
    for one, other in SHOWN:
        found = [
            " | ".join(_figure(_found(run[split], one, other), "+") for split in ("validation", "test")) for run in runs
        ]
        lines += [f"| {name} | {cells} |" for name, cells in _seeds(f"{one} − {other}", found, runs)]
    return "\n".join(lines)


def _found(results: Results, one: str, other: str) -> Mapping[str, Any]:
    """The interval of a difference."""
    rows = results["differences"]
    interval: Mapping[str, Any] = next(row["closure"] for row in rows if (row["policy"], row["minus"]) == (one, other))
    return interval


def _seeds(name: str, cells: Sequence[str], runs: Sequence[Results]) -> list[tuple[str, str]]:
    """A line a run, with its seed; one for all where they are equal."""
    if len(set(cells)) == 1:
        return [(name, cells[0])]
    return [(f"{name} ({run['settings']['seed']})", line) for run, line in zip(runs, cells, strict=True)]


def _figure(interval: Mapping[str, Any], sign: str = "") -> str:
    numbers = [f"{interval[key]:{sign}.3f}" for key in ("mean", "low", "high")]
    return numbers[0] if interval["degenerate"] else f"{numbers[0]} [{numbers[1]}, {numbers[2]}]"
