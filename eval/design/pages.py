"""Pages to look at in a report: what agents made of the same briefs, played again from their traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from designgym.episode import Episode
from designgym.eval.drawings import choose, chosen_sheets, extremes, final, recorded
from designgym.eval.record import TRACES
from designgym.eval.report.data import Drawing, Sheet
from designgym.eval.results import Result
from designgym.eval.runner import make

NO_PAGE = np.full((280, 420, 3), 226, np.uint8)
"""Stands for a page where there is none."""


def page_sheets(
    policies: Mapping[str, tuple[Sequence[Result], Path]],
    env_id: str,
    env_kwargs: Mapping[str, Any],
    *,
    count: int = 24,
    seed: int = 0,
) -> tuple[Sheet, ...]:
    """The pages of some trials, the same of every policy, and of each its best and worst.

    Args:
        policies: The results and the run's folder of each policy to show, by its name.
        env_id: The environment that they were played in.
        env_kwargs: Its arguments.
        count: Number of pages that are drawn by seed, of all policies together, but at least one of each.
        seed: Draws the trials; it must not depend on the results.
    """
    env = make(env_id, env_kwargs)
    try:
        made: list[Sheet] = []
        for name, (played, folder) in policies.items():
            results = {result.name: result for result in played}
            chosen = choose(list(results), max(1, count // len(policies)), seed)
            best, worst = extremes(played)
            trials = recorded(folder / TRACES, {*chosen, *best, *worst})
            shown = {each: _page(results[each], final(env, steps)) for each, steps in trials.items()}
            made += chosen_sheets(name, shown, chosen, best, worst)
        return tuple(made)
    finally:
        env.close()


def _page(result: Result, episode: Episode) -> Drawing:
    if episode.document is None or episode.image is None:
        return Drawing(NO_PAGE, None, result.task, str(result.truth["type"]), result.value, "no page")
    note = "" if result.end == "submit" else result.failure or f"not submitted ({result.end})"
    return Drawing(np.asarray(episode.image), None, result.task, str(result.truth["type"]), result.value, note)
