"""Paired comparisons of policies that played the same tasks, and their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from designgym.errors import UserError
from designgym.eval.report import cells
from designgym.eval.report.data import Measure, Row, Table
from designgym.eval.statistics import Paired, paired


@dataclass(frozen=True)
class Comparison:
    """Two policies on the same items: ``result`` is first minus second."""

    first: str
    second: str
    measure: str
    result: Paired


def compare(
    first: str,
    first_values: Mapping[str, float | None],
    second: str,
    second_values: Mapping[str, float | None],
    *,
    measure: str = "reward",
    seed: int = 0,
    designs: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare two policies by a value a task.

    Args:
        first: Name of the first policy.
        first_values: Its value of every task, by task id; None where there is none.
        second: Name of the second policy.
        second_values: The same for it.
        measure: What the values are, for the table.
        seed: Seed of the bootstrap and of the permutation test.
        designs: What each task is about, where several are about the same: these are resampled together.

    Raises:
        UserError: If the two did not play the same tasks: a pair that is missing on one side would bias the difference.
    """
    if first_values.keys() != second_values.keys():
        alone = sorted(first_values.keys() ^ second_values.keys())
        raise UserError(
            f"{first!r} and {second!r} did not play the same tasks: {len(alone)} of them, such as {alone[0]!r}, were "
            "played by only one of the two. Evaluate both on the same split, limit and seed."
        )
    tasks = list(first_values)
    clusters = None if designs is None else [designs[t] for t in tasks]
    result = paired([first_values[t] for t in tasks], [second_values[t] for t in tasks], seed, clusters=clusters)
    return Comparison(first, second, measure, result)


def comparison_table(
    comparisons: Sequence[Comparison], *, title: str = "Paired comparisons", caption: str = ""
) -> Table:
    """A row a comparison: the difference with its interval, p, and how many tasks each side won."""
    reach = max((abs(v) for c in comparisons for v in _ends(c.result)), default=0.0)
    reach = next((r for r in (0.1, 0.25, 0.5, 1.0) if reach <= r), reach)
    measures = (
        Measure("measure", "Measure"),
        Measure(
            "difference", "Difference", "mean of first − second over the same tasks", signed=True, plot=(-reach, reach)
        ),
        Measure("p", "p", "two-sided, sign-flip permutation test"),
        Measure("wins", "Better", "tasks on which the first is better"),
        Measure("losses", "Worse"),
        Measure("ties", "Equal"),
    )
    rows = tuple(
        Row(
            f"{c.first} − {c.second}",
            {
                "measure": c.measure,
                "difference": c.result.difference,
                "p": cells.p_value(c.result.p),
                "wins": c.result.wins,
                "losses": c.result.losses,
                "ties": c.result.ties,
            },
        )
        for c in comparisons
    )
    return Table(title, measures, rows, row_label="Comparison", caption=caption)


def _ends(result: Paired) -> list[float]:
    interval = result.difference
    return [v for v in (interval.mean, interval.low, interval.high) if v is not None]
