"""The report of an evaluation into wandb: its tables, examples with boxes, drawings, configuration and versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from designgym import manifest
from designgym.eval.config import ReportTracking
from designgym.eval.record import slug
from designgym.eval.report import drawings, text
from designgym.eval.report.data import Example, Report, Scatter, Sheet
from designgym.eval.statistics import Interval, Spread
from designgym.eval.wandb_run import Say, WandbRun, boxes, caption


def track(report: Report, folder: Path, section: ReportTracking, settings: Mapping[str, Any], say: Say) -> None:
    """Log the report to a run of its own, whose files lie below the folder.

    Args:
        report: What was found.
        folder: The evaluation's; its name is the run's.
        section: Mode and project.
        settings: The effective configuration.
        say: Told if wandb cannot be reached.
    """
    made = manifest.collect(seeds={"evaluation": int(settings.get("seed", 0))}).to_json()
    config = {"evaluation": dict(settings), "manifest": made}
    tracked = WandbRun(section.wandb, section.project, folder, folder.resolve().name, config, say)
    try:
        tracked.attempt("the report", lambda run: _log(report, run))
    finally:
        tracked.close()


def _log(report: Report, run: Any) -> None:
    run.log({**_tables(report), **_examples(report.examples), **_sheets(report.sheets)})
    run.summary.update(figures(report))


def figures(report: Report) -> dict[str, float]:
    """The numbers of the first table, ``row/column`` -> mean, by which runs are compared."""
    found = {}
    for row in report.tables[0].rows if report.tables else ():
        for measure in report.tables[0].measures:
            cell = row.cells.get(measure.key)
            value = cell.mean if isinstance(cell, Interval | Spread) else cell
            if isinstance(value, int | float):
                found[f"{row.name}/{measure.key}"] = float(value)
    return found


def _tables(report: Report) -> dict[str, Any]:
    """Every table and plot as a ``wandb.Table``, with the columns of its CSV file."""
    import wandb

    found = {}
    for table in report.tables:
        header, *lines = text.flat(table)
        found[f"tables/{text.file_name(table.title)}"] = wandb.Table(
            columns=[str(name) for name in header],
            data=[[_written(cell) for cell in line] for line in lines],
            allow_mixed_types=True,
        )
    for plot in report.scatters:
        found[f"plots/{text.file_name(plot.title)}"] = wandb.Table(
            columns=["group", plot.x_label, plot.y_label], data=_dots(plot)
        )
    return found


def _dots(plot: Scatter) -> list[list[Any]]:
    return [[_written(label), x, y] for label, dots in plot.groups for x, y in dots]


def _examples(examples: Sequence[Example]) -> dict[str, Any]:
    """The pages with the true and the answered box, and a table of what was asked and written."""
    if not examples:
        return {}
    import wandb

    pictures = [wandb.Image(each.image, boxes=boxes(each), caption=_written(caption(each))) for each in examples]
    columns = ["task", "kind", "question", "right", "said", "error", "reward", "text", "page"]
    lines = [
        [*map(_written, (e.task, e.kind, e.question, e.right, e.said, e.error, e.reward, e.text)), picture]
        for e, picture in zip(examples, pictures, strict=True)
    ]
    return {"examples": pictures, "answers": wandb.Table(columns=columns, data=lines)}


def _sheets(sheets: Sequence[Sheet]) -> dict[str, Any]:
    """The drawings or pages of every policy, as in the report."""
    import wandb

    found = {}
    for sheet in sheets:
        key = "/".join(part for part in ("drawings", slug(sheet.name), text.file_name(sheet.caption)) if part)
        found[key] = [
            wandb.Image(drawings.picture(each).convert("RGB"), caption=_caption(each.task, each.title, each.reward))
            for each in sheet.drawings
        ]
    return {key: pictures for key, pictures in found.items() if pictures}


def _caption(task: str, title: str, reward: float | None) -> str:
    earned = "not scored" if reward is None else f"reward {reward:.3f}"
    return _written(f"{task}: {title}, {earned}" if title else f"{task}: {earned}")


def _written(value: Any) -> Any:
    """The value; in texts lone surrogates, which models may write and UTF-8 has no bytes for, become escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
