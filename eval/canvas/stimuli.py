"""The score by the shape that drawings started from, and by its type (PainterBench, section 3)."""

from __future__ import annotations

from collections.abc import Sequence

from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result, clusters
from designgym.eval.statistics import Interval, bootstrap
from designgym.eval.summary import Policy

KINDS = {"is": "Incomplete shapes", "ot": "Object transformations"}
MOST_PLOTS = 4
"""Policies beyond which a table has no room for plots."""


def kind_table(policies: Sequence[Policy], reward: str, seed: int = 0) -> Table | None:
    """A row a policy and a column a type of shape; None unless both types were played."""
    kinds = [kind for kind in KINDS if any(_kind(result) == kind for result in policies[0].results)]
    if len(kinds) < 2:
        return None
    rows = []
    for policy in policies:
        cells: dict[str, Cell] = {
            kind: _mean([result for result in policy.results if _kind(result) == kind], seed) for kind in kinds
        }
        rows.append(Row(policy.name, cells, policy.group, "", policy.emphasis))
    measures = tuple(Measure(kind, KINDS[kind], plot=(0.0, 1.0)) for kind in kinds)
    caption = "Means over shapes of a type, with 95 % bootstrap intervals in brackets."
    return Table(f"{reward.capitalize()} by type of shape", measures, tuple(rows), caption=caption)


def stimulus_table(policies: Sequence[Policy], reward: str, seed: int = 0) -> Table:
    """A row a shape and a column a policy; intervals where a policy drew it several times."""
    played = {policy.name: _by_task(policy.results) for policy in policies}
    first = played[policies[0].name]
    rows = []
    for task in sorted(first, key=lambda task: (_kind(first[task][0]), task)):
        cells: dict[str, Cell] = {name: _mean(tasks.get(task, []), seed) for name, tasks in played.items()}
        rows.append(Row(task, cells, KINDS.get(_kind(first[task][0]), "")))
    axis = (0.0, 1.0) if len(policies) <= MOST_PLOTS else None
    measures = tuple(Measure(policy.name, policy.name, plot=axis) for policy in policies)
    several = any(len(each) > 1 for tasks in played.values() for each in tasks.values())
    caption = "Means over the drawings of a shape, with 95 % bootstrap intervals in brackets." if several else ""
    return Table(
        f"{reward.capitalize()} by shape", measures, tuple(rows), row_label="Shape", caption=caption, folded=True
    )


def _by_task(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.task, []).append(result)
    return found


def _mean(results: Sequence[Result], seed: int) -> Interval:
    # Of one shape the drawings are what is resampled, of several the shapes.
    groups = clusters(results) if len({result.task for result in results}) > 1 else None
    return bootstrap([result.value for result in results], seed, clusters=groups)


def _kind(result: Result) -> str:
    return str(result.truth.get("kind", ""))
