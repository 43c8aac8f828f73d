"""Tables of how drawings came about: process markers and effort of every policy, and how its trials ended."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from designgym.eval.effort import effort
from designgym.eval.markers import FIELDS
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import bootstrap, proportion, spread
from designgym.eval.trials import Trial
from designgym.rewards.added_ink import NULL_PX

Study = Mapping[str, Sequence[Trial]]
"""The trials of every policy, by its name. Effort is compared over all of them."""

ENDINGS = (
    Measure("finish", "Finished", "trials that the agent itself ended", percent=True),
    Measure("null", "Null drawings", f"ended with fewer than {NULL_PX} added inked pixels", percent=True),
    Measure("failed_calls", "Failed calls", "unknown tools and unreadable arguments, share of a trial's calls", True),
    Measure("malformed", "Malformed", "operations that could not be read, share of a trial's operations", percent=True),
)
"""PainterBench, Table 2 and section 4.3."""

_EFFORT = (
    Measure("effort", "Effort index", "mean z-score of the next four, over all trials of all policies", digits=2),
    Measure("tool_calls", "Tool calls", "calls that drew or erased", digits=1),
    Measure("drawing_operations", "Operations", "operations drawn in those calls", digits=1),
    Measure("rounds", "Rounds", "turns of the agent", digits=1),
    Measure("tool_diversity", "Diversity", "entropy of the operations over the types of tools, bits", digits=2),
    Measure("operations_per_round", "Operations per round", digits=1),
)
_FURTHER = (
    Measure("exploration_rounds", "Exploration rounds", "before the first operation", digits=1),
    Measure(
        "verification_rounds", "Verification rounds", "after the last operation, without the finishing one", digits=1
    ),
    Measure("parallel_rounds", "Parallel rounds", "with more than one tool call", digits=1),
    Measure("largest_round", "Largest round", "tool calls in the fullest round", digits=1),
    Measure("undo_calls", "Undo calls", "share of the trial's tool calls", percent=True),
    Measure("erase_calls", "Erase calls", "share of the trial's tool calls", percent=True),
)


def endings(trials: Sequence[Trial], seed: int = 0) -> dict[str, Cell]:
    """The cells of :data:`ENDINGS`; of null drawings only trials that ended are judged."""
    judged = [trial.null for trial in trials if trial.null is not None]
    return {
        "finish": proportion(sum(trial.finished for trial in trials), len(trials)),
        "null": proportion(sum(judged), len(judged)),
        "failed_calls": bootstrap([trial.failed_call_rate for trial in trials], seed),
        "malformed": bootstrap([trial.malformed_rate for trial in trials], seed),
    }


def endings_table(study: Study, seed: int = 0) -> Table:
    """A row a policy: how many trials, and how they ended."""
    measures = (Measure("trials", "Trials"), *ENDINGS)
    rows = tuple(Row(name, {"trials": len(trials), **endings(trials, seed)}) for name, trials in study.items())
    caption = "With 95 % intervals in brackets: Wilson for shares of trials, bootstrap over trials for the other two."
    return Table("Endings", measures, rows, caption=caption)


def process_tables(study: Study) -> tuple[Table, Table]:
    """A row a policy: effort and its parts, and the further markers, as means with standard deviations."""
    total = sum(map(len, study.values()))
    efforts = effort_of(study)
    rows: list[dict[str, Cell]] = [
        {
            "effort": spread(efforts[name]),
            **{key: spread([getattr(trial.markers, key) for trial in trials]) for key in FIELDS},
        }
        for name, trials in study.items()
    ]
    made = tuple(Row(name, cells) for name, cells in zip(study, rows, strict=True))
    caption = "Means over trials, standard deviations in parentheses."
    return (
        Table("Effort", _EFFORT, made, caption=f"{caption} The effort index compares {total:,} trials."),
        Table("Further process markers", _FURTHER, made, caption=caption),
    )


def effort_of(study: Study) -> dict[str, list[float]]:
    """The effort index of every trial, compared over all of them."""
    scores = iter(effort([trial.markers for trials in study.values() for trial in trials]))
    return {name: [next(scores) for _ in trials] for name, trials in study.items()}


def trials_csv(study: Study) -> str:
    """One line a trial: what it is, how it ended, its effort and its eleven markers (shares 0 to 1)."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    own = ("episode", "task", "end", "title", "reward", "failed_call_rate", "malformed_rate", "added_ink")
    writer.writerow(["policy", *own, "effort", *FIELDS])
    for name, scores in effort_of(study).items():
        for trial, score in zip(study[name], scores, strict=True):
            markers = [getattr(trial.markers, key) for key in FIELDS]
            writer.writerow([name, *(getattr(trial, key) for key in own), score, *markers])
    return stream.getvalue()
