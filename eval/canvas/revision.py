"""How often drawings were revised, and how often something went wrong (PainterBench, sections 4.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from designgym.eval.creativity.published import text_figures
from designgym.eval.process import Study
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import proportion
from designgym.eval.trials import Trial
from designgym.rewards.added_ink import NULL_PX

REVISING = 0.3
"""Share of a trial's calls spent on undoing and erasing from which it counts as revising (section 4.2)."""
MEDIAN_PAPER = 2.0
"""Revision calls of the median trial that revises, over PainterBench's 2,100 (section 4.2)."""

_MEASURES = (
    Measure("undo_trials", "With undo", "trials that undo at least once", percent=True, group="Revision"),
    Measure("erase_trials", "With erasing", "trials that erase at least once", percent=True, group="Revision"),
    Measure("calls", "Calls, median", "undoing and erasing, of the trials that have any", digits=1, group="Revision"),
    Measure("revising_trials", "30 % or more", "trials that spend so many calls on it", percent=True, group="Revision"),
    Measure("null", "Null drawings", f"fewer than {NULL_PX} added inked pixels", percent=True, group="Trials with"),
    Measure("no_ink", "No ink", "nothing added at all", percent=True, group="Trials with"),
    Measure("failed_trials", "Failed calls", "unknown tools, unreadable arguments", percent=True, group="Trials with"),
    Measure("malformed_trials", "Malformed operations", "that could not be read", percent=True, group="Trials with"),
)


def revision_table(study: Study, groups: Mapping[str, str] | None = None) -> Table:
    """A row a policy, and the paper's.

    Args:
        study: The trials of every policy.
        groups: The group of a policy, by its name.
    """
    rows = [Row(name, _cells(trials), (groups or {}).get(name, "")) for name, trials in study.items()]
    paper: dict[str, Cell] = {**text_figures(), "calls": MEDIAN_PAPER}
    rows.append(Row("Fourteen models, 2,100 trials", paper, "Published: PainterBench, sections 4.2 and 4.3"))
    caption = (
        "Shares of trials with 95 % Wilson intervals; null drawings and those without ink are shares of the trials "
        "that ended, since of the others no ink is known."
    )
    return Table("Revision and failures", _MEASURES, tuple(rows), caption=caption)


def _cells(trials: Sequence[Trial]) -> dict[str, Cell]:
    inks = [trial.added_ink for trial in trials if trial.added_ink is not None]
    calls = [trial.revision_calls for trial in trials if trial.revision_calls]
    return {
        "undo_trials": _share([bool(trial.markers.undo_calls) for trial in trials]),
        "erase_trials": _share([bool(trial.markers.erase_calls) for trial in trials]),
        "calls": float(median(calls)) if calls else None,
        "revising_trials": _share([_revision(trial) >= REVISING for trial in trials]),
        "null": _share([ink < NULL_PX for ink in inks]),
        "no_ink": _share([ink == 0 for ink in inks]),
        "failed_trials": _share([trial.failed_call_rate > 0 for trial in trials]),
        "malformed_trials": _share([trial.malformed_rate > 0 for trial in trials]),
    }


def _share(holds: Sequence[bool]) -> Cell:
    return proportion(sum(holds), len(holds))


def _revision(trial: Trial) -> float:
    return (trial.markers.undo_calls or 0.0) + (trial.markers.erase_calls or 0.0)
