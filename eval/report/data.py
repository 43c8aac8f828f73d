"""What a report is made of: plain data, filled by the evaluation and by training alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.eval.statistics import Interval, Spread

Box = tuple[float, float, float, float]
"""Fractions of the page, xyxy."""

Cell = Interval | Spread | float | int | str | None
"""An entry of a table; None prints as a dash."""


@dataclass(frozen=True)
class Measure:
    """A column: where its cells are found in a row, and how they print."""

    key: str
    label: str
    note: str = ""
    """A line that says what is measured and over which items."""
    percent: bool = False
    digits: int = 3
    """Decimals of a plain number; percentages take one."""
    bound_digits: int | None = None
    """Decimals of its interval, where fewer tell as much; None takes as many as the number has."""
    signed: bool = False
    """Differences always carry their sign."""
    plot: tuple[float, float] | None = None
    """Ends of the axis on which means and intervals are drawn beside the numbers; None draws nothing."""
    group: str = ""
    """Neighbouring columns of one group stand under its name."""


@dataclass(frozen=True)
class Row:
    """One policy (or another thing that is measured) and its cells, by the keys of the measures."""

    name: str
    cells: Mapping[str, Cell]
    group: str = ""
    """Rows of one group stand together under its name."""
    note: str = ""
    emphasis: bool = False
    form: Measure | None = None
    """How the cells of this row print, where rows are what is measured and columns who; None: as the column says."""


@dataclass(frozen=True)
class Table:
    """A titled table; rows keep their order, groups appear where their first row does."""

    title: str
    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]
    row_label: str = "Policy"
    caption: str = ""
    folded: bool = False
    """Of interest to few readers: the page shows the title alone until it is clicked on."""

    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows by group, in order of first appearance."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.group, []).append(row)
        return list(found.items())


@dataclass(frozen=True)
class Series:
    """A line of a chart; a missing y (None or NaN) breaks it.

    ``low`` and ``high`` (both or neither, as long as ``y``) draw a band; a ``faint`` line is drawn thin, e.g. raw
    values under their running mean, and does not appear in the legend when ``label`` is empty.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    faint: bool = False


@dataclass(frozen=True)
class Curve:
    """A chart of one or more series over a common x."""

    title: str
    series: tuple[Series, ...]
    x_label: str = "step"
    caption: str = ""
    y_range: tuple[float, float] | None = None
    """Ends of the y axis; None takes them from the values."""


@dataclass(frozen=True)
class Scatter:
    """A chart of single items, each a dot."""

    title: str
    groups: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    """Label and the dots (x, y) of each group."""
    x_label: str
    y_label: str
    caption: str = ""
    y_range: tuple[float, float] | None = None
    """Ends of the y axis; None takes them from the values."""
    x_log: bool = False
    """Powers of ten on the x axis, for what differs by magnitudes; what is not positive lies at its left end."""


@dataclass(frozen=True, eq=False)
class Example:
    """A page with what is true of it and what was answered.

    Where the answer is a box, ``truth`` and ``answer`` say all (None is "no flaw"). Where it is a word or a letter,
    ``right`` and ``said`` hold both in words, and the boxes only show what they mean. ``error`` is the environment's
    error kind for an answer that could not be read: then ``answer`` and ``said`` do not count.
    """

    image: NDArray[np.uint8]
    """H x W x 3, or H x W x 1 for a grey page."""
    truth: Box | None
    answer: Box | None
    task: str = ""
    question: str = ""
    kind: str = ""
    """Kind of flaw, or "clean"."""
    reward: float | None = None
    error: str = ""
    text: str = ""
    """What the model wrote, if it is a model."""
    more: tuple[Box, ...] = ()
    """Further boxes that are as true as ``truth``."""
    options: tuple[Box | None, ...] = ()
    """Regions that were offered, A first; None stands for "no region"."""
    right: str = ""
    """The right answer in words; empty where the answer is a box."""
    said: str = ""
    """The given answer in the same words."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawing or a page as a trial left it."""

    image: NDArray[np.uint8]
    """uint8 H x W x 1 or H x W, 0 ink and 255 paper; or H x W x 3, a page in colours."""
    stimulus: NDArray[np.uint8] | None
    """The shape that it started from, uint8 H x W; it is shown in another colour. None on a canvas that was blank."""
    task: str
    title: str = ""
    reward: float | None = None
    note: str = ""
    """What else is to be said, such as that the agent did not finish."""


@dataclass(frozen=True)
class Sheet:
    """The drawings or pages of one policy."""

    name: str
    drawings: tuple[Drawing, ...]
    caption: str = ""
    """How these were chosen, where it was not as the report's note says."""


@dataclass(frozen=True)
class EpisodeLink:
    """An episode's page beside the report."""

    policy: str
    task: str
    why: str
    """Why it is shown: ``"best"``, ``"worst"`` or ``"drawn by seed"``."""
    reward: float | None
    path: str
    """Relative to the report."""


@dataclass(frozen=True)
class Report:
    """A whole report. Empty parts are left out of the page."""

    title: str
    summary: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    """Name and value of what was run: environment, split, number of tasks, seeds, versions."""
    tables: tuple[Table, ...] = ()
    curves: tuple[Curve, ...] = ()
    examples: tuple[Example, ...] = ()
    examples_note: str = ""
    notes: tuple[str, ...] = ()
    config: str = ""
    """The configuration as text, shown as it is."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Further JSON data embedded in the page for programs to read."""
    sheets: tuple[Sheet, ...] = ()
    sheets_note: str = ""
    episodes: tuple[EpisodeLink, ...] = ()
    """Pages that lie beside the report; it is whole without them."""
    scatters: tuple[Scatter, ...] = ()
