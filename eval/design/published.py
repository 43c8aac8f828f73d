"""The figures of GraphicBench, read from the data files beside this module.

Its models, briefs and judges are others than ours, so they stand beside our results for orientation alone.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from designgym.eval.report.data import Measure, Row, Table


@dataclass(frozen=True)
class Published:
    """A figure.

    Attributes:
        measure: What was measured; ``errors_<kind>`` is the kind's share of all errors.
        value: In the unit that the file's header names.
        of: The model, or how many.
        section: Of the paper.
    """

    measure: str
    value: float
    of: str
    section: int

    @property
    def group(self) -> str:
        """Heading of a table's row that holds it."""
        return f"Published: GraphicBench, section {self.section}"


@cache
def published() -> dict[str, Published]:
    """All figures by measure, in the paper's order."""
    rows = (
        Published(line["measure"], float(line["value"]), line["of"], int(line["section"])) for line in lines("averages")
    )
    return {row.measure: row for row in rows}


@cache
def lines(name: str) -> tuple[Mapping[str, str], ...]:
    """The lines of a data file, such as ``"table10"``, by column, as they stand there."""
    file = resources.files("designgym.eval.design").joinpath("published", f"{name}.csv")
    kept = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(csv.DictReader(kept))


def row_of(cells: dict[str, str]) -> Row:
    """A table's row of some figures.

    Args:
        cells: A column's key -> the measure that it shows; all of the same model and section.
    """
    figures = {key: published()[measure] for key, measure in cells.items()}
    first = next(iter(figures.values()))
    return Row(first.of, {key: figure.value for key, figure in figures.items()}, first.group)


def published_table() -> Table:
    """All figures, those too that none of our tables has a column for."""
    measures = (Measure("value", "Value"), Measure("of", "Of"), Measure("section", "Section"))
    rows = tuple(
        Row(
            figure.measure.replace("errors_", "errors: ").replace("_", " "),
            {"value": figure.value, "of": figure.of, "section": figure.section},
        )
        for figure in published().values()
    )
    caption = "GraphicBench's own models on its own briefs; its VQA questions all expect yes. Shares are 0 to 1."
    return Table("GraphicBench's published figures", measures, rows, row_label="Measure", caption=caption, folded=True)
