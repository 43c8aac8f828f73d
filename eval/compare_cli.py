"""`designgym compare`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from designgym.atomic import require_new, write_atomically
from designgym.cli.console import stdout
from designgym.errors import require
from designgym.eval.compare_runs import common_tasks, means_table, on, pairs, pairs_table, require_comparable
from designgym.eval.evaluate import write_tables
from designgym.eval.markers_cli import WIDE
from designgym.eval.report import html, text
from designgym.eval.report.data import Report
from designgym.eval.report.terminal import terminal
from designgym.eval.runs import read_runs


def run(paths: Sequence[Path], baseline: str | None, common: bool, output: Path | None, seed: int) -> int:
    """Compare recorded runs, print the tables and write them.

    Args:
        paths: Folders of runs or evaluations.
        baseline: Name of the run that the others are compared with; None: every pair.
        common: Compare on the common tasks where not all runs played the same.
        output: Folder for ``report.html``, ``table.md`` and ``tables/``; None writes nothing.
        seed: Of intervals and permutations.

    Returns:
        0.

    Raises:
        UserError: For folders without runs, runs that cannot be compared, or a folder that is in the way.
    """
    for package in ("scipy", "jinja2"):
        require(package, extra="eval")
    if output is not None:
        require_new(output)
    runs = read_runs(paths)
    require_comparable(runs)
    tasks = common_tasks(runs, intersect=common)
    tables = (
        means_table(runs, tasks, seed),
        pairs_table(pairs({run.name: on(run, tasks) for run in runs}, baseline=baseline, seed=seed)),
    )
    console = stdout()
    for table in tables:
        console.print(terminal(table, stacked=console.width < WIDE))
    if output is not None:
        facts = (
            ("Environment", str(runs[0].config.get("env"))),
            ("Tasks", f"{len(tasks):,} that all runs played"),
            ("Reward", json.dumps(list(runs[0].rewards))),
            ("Seed of the statistics", str(seed)),
        )
        output.mkdir(parents=True, exist_ok=True)
        write_tables(tables, output / "tables")
        write_atomically(output / "table.md", "\n".join(f"## {t.title}\n\n{text.markdown(t)}" for t in tables))
        report = html.write(Report(f"{len(runs)} runs compared", facts=facts, tables=tables), output / "report.html")
        console.print(f"Report: {report}")
    return 0
