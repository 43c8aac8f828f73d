"""`designgym markers`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from designgym import manifest
from designgym.atomic import write_atomically
from designgym.cli.console import stdout
from designgym.errors import UserError
from designgym.eval.process import endings_table, process_tables, trials_csv
from designgym.eval.record import MANIFEST, TRACES
from designgym.eval.report.terminal import terminal
from designgym.eval.trials import Trial, read_trials
from designgym.jsonl import CutOffWarning

WIDE = 120
"""Columns from which standard deviations stand beside their means."""


def run(paths: Sequence[Path], output: Path | None) -> int:
    """Print the process markers of every policy, and write those of every trial.

    Args:
        paths: Traces, or folders that hold some (of a run, or of a whole evaluation). All of them are one study.
        output: File for a line a trial, CSV.

    Returns:
        0.

    Raises:
        UserError: For a path without traces, a trace of something else than drawings, or a file that cannot be written.
    """
    if output is not None and output.suffix.lower() != ".csv":
        raise UserError(f"The file '{output}' must have a name that ends in .csv.")
    console = stdout()
    study: dict[str, list[Trial]] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CutOffWarning)
        for trace in find_traces(paths):
            study.setdefault(policy_of(trace), []).extend(read_trials(trace).values())
    if not any(study.values()):
        raise UserError(f"There are no episodes in {', '.join(str(path) for path in paths)}.")
    for table in (*process_tables(study), endings_table(study)):
        console.print(terminal(table, stacked=console.width < WIDE))
    for warning in caught:
        console.print(Text(f"Note: {warning.message}", style="yellow"))
    if output is not None:
        # A title that a model wrote may hold lone surrogates, which UTF-8 has no bytes for.
        write_atomically(output, trials_csv(study).encode("utf-8", "backslashreplace"))
        console.print(f"{sum(map(len, study.values()))} trials in {output}")
    return 0


def find_traces(paths: Sequence[Path]) -> list[Path]:
    """The traces that paths name, each once; a folder stands for all ``traces.jsonl`` in it.

    Raises:
        UserError: If a folder holds none.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        inside = sorted(path.rglob(TRACES)) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"The folder '{path}' holds no {TRACES}; evaluate into it first (designgym eval).")
        found |= {trace.resolve(): trace for trace in inside}
    return list(found.values())


def policy_of(trace: Path) -> str:
    """Whose trials a trace holds: the agent that the run's manifest names, or the name of its folder, or its own.

    Runs of one policy with several seeds thus become one row.
    """
    if trace.name != TRACES:
        return trace.stem
    beside = trace.with_name(MANIFEST)
    agent = manifest.read_manifest(beside)["config"].get("agent") if beside.exists() else None
    return agent if isinstance(agent, str) and agent else trace.resolve().parent.name
