"""The figures of AesEval-Bench's Tables 2 to 6, read from the data files beside this module.

The files hold what the paper prints, their headers what does not add up in it. The designs behind these figures are
not ours, so they stand beside our results for orientation and are compared with them by no test.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from designgym.envs.aesthetics.indicators import INDICATORS

Part = Literal["judgment", "selection", "localization-none", "localization-iou"]
"""What a table measures: accuracy of judgment and of selection, and the two halves of localization: accuracy where the
truth is None, IoU where it is a box."""

TABLES: Mapping[int, Part | None] = {
    2: "judgment",
    3: "selection",
    4: "localization-none",
    5: "localization-iou",
    6: None,
}
"""Number of the paper's table -> what it measures; of Table 6 every row says it."""

TRAINED = "Qwen-VL-7B"
"""The model that Table 6 trains."""


@dataclass(frozen=True)
class Published:
    """A row of the paper.

    Attributes:
        table: Number of the table, 2 to 6.
        part: What is measured.
        model: As the paper calls it; in Table 6 with what it was trained on.
        group: ``"non-reasoning"``, ``"reasoning"``, ``"expert"`` or ``"trained"`` (Table 6).
        overall: The overall score as printed, 0 to 1; in a few rows it is not the mean of the indicators.
        indicators: Indicator -> score, 0 to 1, in the order of the paper.
    """

    table: int
    part: Part
    model: str
    group: str
    overall: float
    indicators: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The mean over the twelve indicators."""
        return sum(self.indicators.values()) / len(self.indicators)


@cache
def published() -> tuple[Published, ...]:
    """All rows, table by table."""
    return tuple(row for table in TABLES for row in _read(table))


def published_for(part: Part) -> tuple[Published, ...]:
    """The rows that measure ``part``: those of its own table, and of Table 6 the models that were trained."""
    repeated = f"{TRAINED} (Base)"  # stands in both
    return tuple(row for row in published() if row.part == part and not (row.table == 6 and row.model == repeated))


def _read(table: int) -> list[Published]:
    file = resources.files("designgym.eval.aesthetics").joinpath("published", f"table{table}.csv")
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = []
    for line in csv.DictReader(lines):
        part = TABLES[table] or line["task"]
        rows.append(
            Published(
                table=table,
                part=part,  # type: ignore[arg-type]
                model=line["model"] if table < 6 else _trained(line["model"]),
                group=line["group"] if table < 6 else "trained",
                overall=float(line["overall"]),
                indicators={name: float(line[name]) for name in INDICATORS},
            )
        )
    return rows


def _trained(setting: str) -> str:
    """``"+ AesEval-Train"`` with the model that it was done to."""
    return setting if setting.startswith(TRAINED) else f"{TRAINED} {setting}"
