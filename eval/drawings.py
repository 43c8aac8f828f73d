"""What drawing adds to a report: how the drawings came about, and the drawings themselves."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from designgym import exact_json
from designgym.episode import Episode
from designgym.eval.record import TRACES
from designgym.eval.report.data import Drawing, Measure, Row, Sheet, Table
from designgym.eval.results import Result, clusters
from designgym.eval.runner import make
from designgym.eval.statistics import bootstrap
from designgym.trace import Step, read_traces

EXTREMES = 4
"""Most drawings or pages that are shown as a policy's best, and as its worst."""


def applies(results: Sequence[Result]) -> bool:
    """Whether these are results of drawing."""
    return bool(results) and all("open_ends" in result.truth for result in results)


def parts_table(policies: Mapping[str, Sequence[Result]], reward: str, seed: int = 0) -> Table | None:
    """The means of the reward's parts; None if the reward has none."""
    scored = {name: [result for result in results if result.scored] for name, results in policies.items()}
    keys = dict.fromkeys(key for results in scored.values() for result in results for key in result.rewards)
    measures = tuple(
        Measure(key, key.removeprefix(f"{reward}/").replace("_", " ").replace("/", ": ").capitalize())
        for key in keys
        if key != reward
    )
    if not measures:
        return None
    rows = []
    for name, results in scored.items():
        groups = clusters(results)
        found = {m.key: bootstrap([r.rewards.get(m.key) for r in results], seed, clusters=groups) for m in measures}
        rows.append(Row(name, found))
    caption = "Means with 95 % bootstrap intervals, over the trials that could be scored."
    return Table(f"Parts of the reward {reward}", measures, tuple(rows), caption=caption)


def sheets(
    policies: Mapping[str, tuple[Sequence[Result], Path, Mapping[str, Any]]],
    env_id: str,
    *,
    count: int = 24,
    seed: int = 0,
) -> tuple[Sheet, ...]:
    """Drawings to look at: the same tasks of every policy, drawn by seed, and of each its best and worst, played again.

    Args:
        policies: Of each policy to show, by its name: the results, the run's folder, the environment's arguments.
        env_id: The environment that they were played in.
        count: Number of drawings that are drawn by seed, of all policies together, but at least one of each.
        seed: Draws the tasks; it must not depend on the results.
    """
    made = []
    for name, (played, folder, env_kwargs) in policies.items():
        results = {result.name: result for result in played}
        tasks = choose(list(results), max(1, count // len(policies)), seed)
        best, worst = extremes(played)
        trials = recorded(folder / TRACES, {*tasks, *best, *worst})
        with contextlib.closing(make(env_id, env_kwargs)) as env:
            shown = {t: _drawing(results[t], final(env, trials[t])) for t in trials}
        made += chosen_sheets(name, shown, tasks, best, worst)
    return tuple(made)


def extremes(results: Sequence[Result], most: int = EXTREMES) -> tuple[list[str], list[str]]:
    """The names of the trials with the highest scores, best first, and of those with the lowest, worst first.

    Args:
        results: Trials; those that could not be scored or failed are neither. Of a task only its best trial can be of
            the best, and only its worst of the worst.
        most: How many of each end, but no more than half of the tasks.

    Returns:
        Two lists, both empty where scores do not differ.
    """
    scored = [result for result in results if result.scored and not result.failure]
    ordered = sorted(scored, key=lambda result: (-result.reward, result.name))
    if not ordered or ordered[0].reward == ordered[-1].reward:
        return [], []
    highest = set({result.task: result.name for result in reversed(ordered)}.values())
    lowest = set({result.task: result.name for result in ordered}.values())
    count = min(most, len(highest) // 2)
    names = [result.name for result in ordered]
    return (
        [name for name in names if name in highest][:count],
        [name for name in reversed(names) if name in lowest][:count],
    )


def chosen_sheets(
    name: str, shown: Mapping[str, Drawing], drawn: Sequence[str], best: Sequence[str], worst: Sequence[str]
) -> list[Sheet]:
    """A policy's sheet of the trials that were drawn by seed, and those of its best and worst where it has such."""
    chosen = {"": drawn, "best by reward": best, "worst by reward": worst}
    sheets = [
        Sheet(name, tuple(shown[each] for each in trials if each in shown), how) for how, trials in chosen.items()
    ]
    return [sheet for sheet in sheets if sheet.drawings or not sheet.caption]


def choose(names: Sequence[str], count: int, seed: int) -> list[str]:
    """Some of the trials, drawn by seed, in their own order; depends on their names alone."""
    ordered = sorted(names)
    drawn = np.random.default_rng(seed).permutation(len(ordered))[:count]
    return [ordered[index] for index in sorted(drawn.tolist())]


def recorded(trace: Path, names: Collection[str]) -> dict[str, list[Step]]:
    """The steps of some trials; of a trial that was begun again the last one counts."""
    found: dict[str, list[Step]] = {}
    for step in read_traces(trace):
        if step.episode in names:
            if step.step == 0:
                found[step.episode] = []
            found.setdefault(step.episode, []).append(step)
    return found


def final(env: gym.Env[Any, Any], steps: Sequence[Step]) -> Episode:
    """What a trial left, by playing its steps again."""
    env.reset(seed=steps[0].seed, options={"task": steps[0].task})
    for step in steps[1:]:
        try:
            action = exact_json.decode(step.action)
        except ValueError:  # an object of which only a description was kept was no call, and neither is None
            action = None
        env.step(action)
    episode: Episode = env.unwrapped.episode()  # type: ignore[attr-defined]
    return episode


def _drawing(result: Result, episode: Episode) -> Drawing:
    assert episode.image is not None
    finished = result.end == "finished"
    title = str((result.answer or {}).get("label", "")) if finished else ""
    unfinished = result.failure or f"not finished ({result.end})"
    note = "" if finished else unfinished
    return Drawing(episode.image, episode.stimulus, result.task, title, result.value, note)
