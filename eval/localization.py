"""What localization adds to a report: how well flaws are found, clean pages left alone, and pages to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from designgym.boxes import iou
from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.eval.report.data import Box, Cell, Example, Measure, Row, Table
from designgym.eval.results import Result
from designgym.eval.runner import make
from designgym.eval.statistics import bootstrap, proportion

CLEAN = "clean"
SAID_LIMIT = 2000

MEASURES = (
    Measure("iou", "IoU", "pages with a flaw only; an answer without box counts 0"),
    Measure("none", "None accuracy", "pages without a flaw on which the answer is None", percent=True),
)


def applies(results: Sequence[Result]) -> bool:
    """Whether these are results of localization."""
    return bool(results) and all("bbox" in result.truth for result in results)


def kind(result: Result) -> str:
    """Kind of flaw of the result's page, or ``"clean"``."""
    return str(result.truth.get("flaw") or CLEAN)


def answered_box(result: Result) -> Box | None:
    """The box that was answered; None also where no valid answer was given."""
    return _box(result.answer.get("bbox")) if result.answer is not None else None


def page_iou(result: Result) -> float | None:
    """IoU of a page with a flaw, 0 without an answered box; None for a clean page."""
    truth = _box(result.truth["bbox"])
    if truth is None:
        return None
    answer = answered_box(result)
    return 0.0 if answer is None else iou(answer, truth)


def cells(results: Sequence[Result], seed: int = 0) -> dict[str, Cell]:
    """The cells of :data:`MEASURES`."""
    flawed = [page_iou(result) for result in results if result.truth["bbox"] is not None]
    clean = [result for result in results if result.truth["bbox"] is None]
    right = sum(result.answer is not None and result.answer.get("bbox") is None for result in clean)
    return {"iou": bootstrap(flawed, seed), "none": proportion(right, len(clean))}


def by_kind(policies: Mapping[str, Sequence[Result]], seed: int = 0) -> Table:
    """Mean reward of every policy on each kind of flaw and on clean pages."""
    found = {kind(result) for results in policies.values() for result in results}
    kinds = [k for k in (*KINDS, CLEAN) if k in found]
    counts = {k: max(sum(kind(r) == k for r in results) for results in policies.values()) for k in kinds}
    measures = tuple(Measure(k, k.replace("_", " ").capitalize()) for k in kinds)
    rows = []
    for name, results in policies.items():
        split = {k: [r.value for r in results if kind(r) == k] for k in kinds}
        rows.append(Row(name, {k: bootstrap(values, seed) for k, values in split.items()}))
    pages = ", ".join(f"{counts[k]:,} {k.replace('_', ' ')}" for k in kinds)
    caption = f"Mean reward with 95 % bootstrap intervals. Pages: {pages}."
    return Table("By kind of flaw", measures, tuple(rows), caption=caption)


def examples(
    results: Sequence[Result], env_id: str, env_kwargs: Mapping[str, Any], *, count: int = 24, seed: int = 0
) -> tuple[Example, ...]:
    """Pages to look at, drawn by seed and in turn from all kinds, whether answered well or badly.

    Args:
        results: Of one policy.
        env_id: The environment that they were played in, which shows the pages again.
        env_kwargs: Its arguments.
        count: Number of pages, at most.
        seed: Draws the pages; it must not depend on the results.
    """
    env = make(env_id, env_kwargs)
    try:
        shown = []
        for result in choose(results, count, seed):
            observation, _ = env.reset(options={"task": result.task})
            invalid = "failure" if result.failure else next(iter(result.errors), "no answer")
            example = Example(
                image=np.array(observation["image"]),
                truth=_box(result.truth["bbox"]),
                answer=answered_box(result),
                task=result.task,
                question=observation["task"],
                kind=kind(result).replace("_", " "),
                reward=result.value,
                error=invalid if result.answer is None else "",
                text=(result.failure or result.text)[:SAID_LIMIT] if result.answer is None else "",
            )
            shown.append(example)
        return tuple(shown)
    finally:
        env.close()


def choose(results: Sequence[Result], count: int, seed: int) -> list[Result]:
    """Results drawn by seed, one of each kind in turn until there are ``count``; depends on tasks and kinds alone."""
    ordered = sorted(results, key=lambda result: result.task)
    rng = np.random.default_rng(seed)
    piles: dict[str, list[Result]] = {}
    for index in rng.permutation(len(ordered)):
        piles.setdefault(kind(ordered[int(index)]), []).append(ordered[int(index)])
    names = [k for k in (*KINDS, CLEAN) if k in piles]
    names += sorted(piles.keys() - set(names))
    chosen: list[Result] = []
    while len(chosen) < min(count, len(ordered)):
        chosen += [piles[name].pop() for name in names if piles[name]]
    return chosen[:count]


def _box(value: Any) -> Box | None:
    if value is None:
        return None
    x1, y1, x2, y2 = (float(side) for side in value)
    return (x1, y1, x2, y2)
