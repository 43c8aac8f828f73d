"""PainterBench's figures, read from the data files beside this module; their headers say what they are and whence.

The drawings and ratings behind them are not ours: they stand beside our results for orientation.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

TABLES = (2, 3, 6, 7, 9, 10)
"""Numbers of the paper's tables that are kept."""


@dataclass(frozen=True)
class Metric:
    """A row of Table 2.

    Attributes:
        key: Its name in the file.
        human: The value of 300 human drawings; None where the paper has none.
        models: Model -> value; shares in %.
    """

    key: str
    human: float | None
    models: Mapping[str, float]


@cache
def table2() -> Mapping[str, Metric]:
    """The paper's main results by metric."""
    found = {}
    for row in rows(2):
        key, human = row.pop("metric"), row.pop("human")
        found[key] = Metric(key, float(human) if human else None, {name: float(value) for name, value in row.items()})
    return found


@cache
def text_figures() -> Mapping[str, float]:
    """Shares of trials that the text gives (sections 4.2 and 4.3), 0 to 1, by name."""
    return {row["figure"]: float(row["share"]) for row in _read("text")}


def rows(table: int) -> list[dict[str, str]]:
    """The rows of a table as they stand in its file, by column.

    Raises:
        ValueError: For a table that is not kept.
    """
    if table not in TABLES:
        raise ValueError(f"Table {table} is not kept; there are {', '.join(map(str, TABLES))}.")
    return _read(f"table{table}")


def _read(name: str) -> list[dict[str, str]]:
    file = resources.files("designgym.eval.creativity").joinpath("published", f"{name}.csv")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))
