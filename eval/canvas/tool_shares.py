"""Which tools drew: each type's share of all operations of a policy (PainterBench, section 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from designgym.eval.canvas.stimuli import MOST_PLOTS
from designgym.eval.markers import DRAWING
from designgym.eval.process import Study
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.trials import Trial


def tool_table(study: Study) -> Table:
    """Rows are types of tools, the most used by all together first; columns policies: the share of their operations."""
    counts = {name: operations(trials) for name, trials in study.items()}
    shares = {name: {tool: n / counted.total() for tool, n in counted.items()} for name, counted in counts.items()}
    axis = (0.0, 1.0) if len(study) <= MOST_PLOTS else None
    measures = tuple(Measure(name, name, percent=True, plot=axis) for name in study)
    totals: dict[str, Cell] = {name: counted.total() for name, counted in counts.items()}
    rows = [Row("Operations", totals, form=Measure("operations", "Operations"))]
    mean: dict[str, float] = {}
    for own in shares.values():
        for tool, share in own.items():  # of shares, so that who draws much does not decide alone
            mean[tool] = mean.get(tool, 0.0) + share
    for tool in sorted(mean, key=lambda tool: (-mean[tool], tool)):
        cells: dict[str, Cell] = {name: shares[name].get(tool, 0.0) if counts[name] else None for name in study}
        rows.append(Row(label(tool), cells))
    caption = (
        "Shares of the operations that were drawn, erasing ones too, all trials of a policy together. PainterBench's "
        "fourteen models draw 67 % of theirs as lines and polylines; chords, pie slices, regular polygons and rounded "
        "rectangles together are below 1 %."
    )
    return Table("Tools", measures, tuple(rows), row_label="Tool", caption=caption)


def operations(trials: Sequence[Trial]) -> Counter[str]:
    """The operations of all trials by tool."""
    found: Counter[str] = Counter()
    for trial in trials:
        found.update(trial.operations)
    return found


def label(tool: str) -> str:
    """The tool's name for people: ``draw_rounded_rectangles`` is ``Rounded rectangles``."""
    return tool.removeprefix(DRAWING).replace("_", " ").replace("pieslices", "pie slices").capitalize()
