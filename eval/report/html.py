"""A report as one HTML file: nothing is loaded from elsewhere, no script runs, and every string is shown literally."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from designgym.atomic import write_atomically
from designgym.boxes import iou
from designgym.errors import require
from designgym.eval.report import cells, chart, drawings, pictures
from designgym.eval.report.data import Box, Cell, Curve, Drawing, Example, Measure, Report, Table
from designgym.eval.statistics import Interval, Spread

WIDE_FROM = 8
"""Most columns of a table that stays within the page's measure."""
WORDS_FROM = 16
"""Longest text of a table that is set like a number."""
PAGE_PX = 360
"""Width of the pages' pictures, so that lines are as thick on all of them."""
_PLOT_PX = (4.0, 116.0)
_SAID_LIMIT = 240


def render(report: Report) -> str:
    """The whole page. Markup in any of the report's strings is escaped; braces of templates have no meaning in them."""
    jinja2 = require("jinja2", extra="eval")
    folder = resources.files("designgym.eval.report")
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.from_string(folder.joinpath("page.html").read_text(encoding="utf-8"))
    markup = require("markupsafe", extra="eval").Markup
    page: str = template.render(
        report=report,
        style=markup(folder.joinpath("page.css").read_text(encoding="utf-8")),
        embedded=markup(embedded_json(plain(report))),
        keys=keys,
        cells=cells,
        columns=_columns,
        column_groups=column_groups,
        describe=describe,
        describe_drawing=drawings.describe,
        draw=chart.draw,
        scatter=chart.scatter,
        inked=not any(drawings.coloured(each) for sheet in report.sheets for each in sheet.drawings),
        drawn=_drawn,
        legend=_legend,
        picture=_picture,
        place=_place,
        shortened=_shortened,
        verdict=verdict,
        wide=wide,
        wordy=wordy,
    )
    return page.replace("\x00", "�")


def write(report: Report, path: str | Path) -> Path:
    """Write the page, whole or not at all.

    Raises:
        UserError: If the file cannot be written.
    """
    # Model text may hold lone surrogates, which UTF-8 has no bytes for.
    write_atomically(path, render(report).encode("utf-8", "backslashreplace"))
    return Path(path)


def embedded_json(data: Any) -> str:
    """JSON that is safe inside a script element: ASCII only (so no U+2028), and without ``<``, ``>`` or ``&``."""
    text = json.dumps(data, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def plain(report: Report) -> dict[str, Any]:
    """The numbers behind the page as JSON data, for programs."""
    tables = [
        {
            "title": table.title,
            "rows": [
                {"name": row.name, "group": row.group, "cells": {key: _plain(cell) for key, cell in row.cells.items()}}
                for row in table.rows
            ],
        }
        for table in report.tables
    ]
    return {"title": report.title, "facts": dict(report.facts), "tables": tables, **report.data}


def verdict(example: Example) -> str:
    """How the answer did, in a few words."""
    if example.error:
        return f"Answer not valid: {example.error.replace('_', ' ')}"
    if example.right:
        rightly = example.said == example.right
        ending = "which is right" if rightly else f"right is {example.right}"
        return f"Answered {example.said}, {ending}"
    if example.truth is None:
        return "Rightly left alone" if example.answer is None else "Clean, but a flaw was answered"
    if example.answer is None:
        return "Flaw missed"
    best = max(iou(box, example.answer) for box in (example.truth, *example.more))
    return f"IoU {best:.2f}"


def describe(example: Example) -> str:
    """The boxes in words, for those who cannot see them drawn; percentages of the page, left, top, right, bottom."""
    boxes = " or ".join(_percent(box) for box in (example.truth, *example.more) if box is not None)
    truth = f"True box: {boxes}." if boxes else "The page has no flaw."
    if example.options:
        offered = zip(pictures.LETTERS, example.options, strict=False)
        truth = " ".join(f"{letter}: {'None' if box is None else _percent(box)}." for letter, box in offered)
    if example.error:
        return f"{truth} The answer is not valid."
    if example.right:
        return f"{truth} {verdict(example)}."
    answer = (
        "The answer is that there is no flaw."
        if example.answer is None
        else f"Answered box: {_percent(example.answer)}."
    )
    return f"{truth} {answer}"


def keys(examples: Sequence[Example]) -> list[tuple[str, str]]:
    """What the lines on the pages mean: class of the line and its label."""
    if any(example.options for example in examples):
        return [("truth", "right region"), ("answer", "chosen region"), ("other", "other regions")]
    if any(example.right for example in examples):
        return [("truth", "where the flaw is")]
    return [("truth", "true box"), ("answer", "answered box")]


def column_groups(table: Table) -> list[tuple[str, int]]:
    """Names of the groups of columns and how many columns each spans; empty if no measure belongs to one."""
    found: list[tuple[str, int]] = []
    for measure in table.measures:
        spanned = 1 + (measure.plot is not None)
        if found and found[-1][0] == measure.group:
            spanned += found.pop()[1]
        found.append((measure.group, spanned))
    return found if any(name for name, _ in found) else []


def wide(table: Table) -> bool:
    """Whether the table has so many columns that it needs more room than text does."""
    return _columns(table) > WIDE_FROM


def wordy(table: Table, measure: Measure) -> bool:
    """Whether a column holds texts that want several lines, which are read from the left."""
    found = (row.cells.get(measure.key) for row in table.rows)
    return any(isinstance(cell, str) and len(cell) > WORDS_FROM for cell in found)


def _percent(box: Box) -> str:
    return ", ".join(f"{100 * v:.0f}%" for v in box)


def _picture(example: Example) -> str:
    height, width = example.image.shape[:2]
    return pictures.data_uri(pictures.annotated(example, round(PAGE_PX * max(1.0, height / width))))


def _drawn(drawing: Drawing) -> str:
    return pictures.data_uri(drawings.picture(drawing))


def _shortened(text: str) -> str:
    return text if len(text) <= _SAID_LIMIT else text[:_SAID_LIMIT] + " …"


def _columns(table: Table) -> int:
    return 1 + len(table.measures) + sum(m.plot is not None for m in table.measures)


def _legend(curve: Curve) -> list[tuple[str, int]]:
    """Labels and tones as the chart gives them, each once; nothing for a single nameless line."""
    tones: dict[str, int] = {}
    for series in curve.series:
        tones.setdefault(series.label, len(tones))
    return [(label, tone) for label, tone in tones.items() if label]


def _place(cell: Cell, axis: tuple[float, float]) -> dict[str, float | None] | None:
    """Where the mean and the interval lie on the little axis of a table cell, px."""
    low_end, high_end = axis

    def at(value: float) -> float:
        share = min(1.0, max(0.0, (value - low_end) / (high_end - low_end))) if high_end > low_end else 0.5
        return round(_PLOT_PX[0] + share * (_PLOT_PX[1] - _PLOT_PX[0]), 1)

    mean, low, high = (cell.mean, cell.low, cell.high) if isinstance(cell, Interval) else (cell, None, None)
    if isinstance(mean, bool) or not isinstance(mean, (int, float)) or not math.isfinite(mean):
        return None
    return {
        "mean": at(mean),
        "low": None if low is None else at(low),
        "high": None if high is None else at(high),
        "zero": at(0.0) if low_end < 0 < high_end else None,
    }


def _plain(cell: Cell) -> Any:
    if isinstance(cell, Interval | Spread):
        return {key: _plain(value) for key, value in dataclasses.asdict(cell).items()}
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
