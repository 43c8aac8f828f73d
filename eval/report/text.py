"""A table as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re

from designgym.eval.report import cells
from designgym.eval.report.data import Cell, Measure, Table
from designgym.eval.statistics import Interval, Spread


def markdown(table: Table) -> str:
    """GitHub-flavoured Markdown; intervals stand beside their means."""
    header = [table.row_label, *(m.label for m in table.measures)]
    lines = [_line(header), _line(["---", *("---:" for _ in table.measures)], escape=False)]
    for group, rows in table.groups():
        if group:
            lines.append(_line([f"**{_escaped(group)}**", *("" for _ in table.measures)], escape=False))
        for row in rows:
            entries = [_entry(row.cells.get(m.key), row.form or m) for m in table.measures]
            name = _escaped(row.name)
            lines.append(_line([f"**{name}**" if row.emphasis else name, *entries], escape=False))
    notes = [f"{m.label}: {m.note}" for m in table.measures if m.note]
    tail = "\n".join(_escaped(note) for note in ([table.caption] if table.caption else []) + notes)
    return "\n".join(lines) + "\n" + (f"\n{tail}\n" if tail else "")


def as_csv(table: Table) -> str:
    """One line a row, see :func:`flat`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows(flat(table))
    return stream.getvalue()


def flat(table: Table) -> list[list[Cell]]:
    """The table as rows of plain values, the names of the columns first.

    An interval becomes the four columns ``key``, ``key_low``, ``key_high`` and ``key_n``, a mean with its standard
    deviation the three ``key``, ``key_sd`` and ``key_n``.
    """
    parts = {
        m.key: max((_parts(row.cells.get(m.key)) for row in table.rows), key=len, default=()) for m in table.measures
    }
    header: list[Cell] = ["group", table.row_label.lower()]
    for key, names in parts.items():
        header += [key, *(f"{key}_{name}" for name in names)]
    lines = [header]
    for row in table.rows:
        line: list[Cell] = [row.group, row.name]
        for measure in table.measures:
            cell = row.cells.get(measure.key)
            line.append(cell.mean if isinstance(cell, Interval | Spread) else cell)
            own = _parts(cell)
            line += [getattr(cell, name) if name in own else None for name in parts[measure.key]]
        lines.append(line)
    return lines


def file_name(title: str) -> str:
    """A title as part of a file's name: its letters a to z and digits, what stands between them as a hyphen."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in title.lower()).split())


def _entry(cell: Cell, measure: Measure) -> str:
    return _escaped(cell) if isinstance(cell, str) else cells.whole(cell, measure)


def _parts(cell: Cell) -> tuple[str, ...]:
    """What a cell has beside its mean, by the names of its attributes."""
    return ("low", "high", "n") if isinstance(cell, Interval) else ("sd", "n") if isinstance(cell, Spread) else ()


def _line(entries: list[str], *, escape: bool = True) -> str:
    return "| " + " | ".join(_escaped(e) if escape else e for e in entries) + " |"


def _escaped(text: str) -> str:
    """Text that Markdown and the HTML inside it show literally, on one line."""
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>|#~!&])", r"\\\1", one_line)
