"""A table for the terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from designgym.eval.report import cells
from designgym.eval.report.data import Cell, Measure, Table

MANY = 8
"""Columns beyond which there is no room for intervals; the report and the files have them."""


def terminal(table: Table, *, stacked: bool = False) -> RichTable:
    """The table as a rich renderable; names are shown literally, whatever markup they contain.

    A table of many columns goes without intervals.

    Args:
        table: What to show.
        stacked: Write intervals under their values instead of beside them, and each word of a heading on a line of its
            own, for narrow terminals.
    """
    caption = Text(table.caption, justify="left") if table.caption else None
    result = RichTable(
        title=Text(table.title, style="bold"), caption=caption, title_justify="left", box=box.SIMPLE_HEAD
    )
    result.add_column(Text(table.row_label), overflow="fold")
    many = len(table.measures) > MANY
    for measure in table.measures:
        heading = "\n".join(measure.label.split()) if stacked or many else measure.label
        result.add_column(Text(heading, justify="right"), justify="right", overflow="fold")
    for index, (group, rows) in enumerate(table.groups()):
        if index:
            result.add_section()
        if group:
            result.add_row(Text(group, style="italic dim"))
        for row in rows:
            cell = _bare if many else _cell
            entries = [cell(row.cells.get(m.key), row.form or m, "\n" if stacked else " ") for m in table.measures]
            result.add_row(Text(row.name), *entries, style="bold" if row.emphasis else None)
    return result


def _bare(cell: Cell, measure: Measure, joint: str) -> Text:
    return Text(cells.main(cell, measure))


def _cell(cell: Cell, measure: Measure, joint: str) -> Text:
    text = Text(cells.main(cell, measure))
    if interval := cells.bounds(cell, measure):
        text.append(joint + interval, style="dim")
    return text
