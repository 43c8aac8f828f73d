"""A table of what models behind endpoints took: tokens, time and money, as their agents told in the results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result
from designgym.eval.statistics import bootstrap, proportion
from designgym.eval.summary import Policy

_MEASURES = (
    Measure("requests", "Requests", "sent a trial, those that failed and were sent again too", digits=1),
    Measure("prompt_tokens", "Prompt tokens", "asked in a trial, as the server counts them", digits=0),
    Measure("completion_tokens", "Completion tokens", "answered in a trial, likewise", digits=0),
    Measure("seconds", "Seconds", "that a trial waited for the model, limits and failures included", digits=1),
    Measure("cut_off", "Cut off", "replies a trial that ended at the most tokens", digits=2),
    Measure("refused", "Refused", "trials that the model or its filter refused", percent=True),
    Measure("cost", "Cost", "of all trials together, by the prices in the configuration", digits=2),
)


def usage_tables(policies: Sequence[Policy], seed: int = 0) -> list[Table]:
    """One table with a row a policy that tells what it took; none if none does.

    Args:
        policies: With their results.
        seed: Seed of the intervals.
    """
    rows = tuple(
        Row(policy.name, _cells(policy.results, seed), note=policy.note)
        for policy in policies
        if any(result.usage for result in policy.results)
    )
    if not rows:
        return []
    told = [measure for measure in _MEASURES if any(row.cells[measure.key] is not None for row in rows)]
    caption = "Means over trials, with 95 % intervals in brackets. What a server does not tell is left out."
    return [Table("What the models took", tuple(told), rows, caption=caption)]


def _cells(results: Sequence[Result], seed: int) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for measure in _MEASURES:
        found = [result.usage.get(measure.key) for result in results]
        known = [value for value in found if value is not None]
        if measure.key == "cost":
            cells["cost"] = math.fsum(known) if known else None
        elif measure.key == "refused":
            cells["refused"] = proportion(sum(result.end == "refused" for result in results), len(results))
        else:
            cells[measure.key] = bootstrap(found, seed) if known else None
    return cells
