"""How drawings came about: which markers go with the score (Table 9), and what went wrong (section 4.3)."""

from __future__ import annotations

import numpy as np

from designgym.eval.creativity.correlation import pearson
from designgym.eval.creativity.drawn import Drawn
from designgym.eval.creativity.marker_correlations import marker_correlations
from designgym.eval.creativity.published import rows, text_figures
from designgym.eval.creativity.study import Study
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import proportion
from designgym.rewards.added_ink import NULL_PX

REVISING = 0.3
"""Share of a trial's calls spent on undoing and erasing from which it counts as revising (section 4.2)."""
LABELS = {
    "tool_calls": "Tool calls",
    "drawing_operations": "Drawing operations",
    "rounds": "Rounds to completion",
    "tool_diversity": "Tool diversity",
    "exploration_rounds": "Exploration rounds",
    "verification_rounds": "Verification rounds",
    "operations_per_round": "Operations per round",
    "parallel_rounds": "Parallel rounds",
    "largest_round": "Largest round",
    "undo_calls": "Undo calls",
    "erase_calls": "Erase calls",
}


def markers_table(study: Study) -> Table:
    """A row a marker: Spearman's rho with the outcome, over all drawings and within agents, the paper's beside."""
    markers = {agent: [each.trial.markers for each in study.of(agent)] for agent in study.agents}
    scores = {agent: [study.outcome.values[i] for i in study.places(agent).tolist()] for agent in study.agents}
    paper = {row["marker"]: row for row in rows(9)}
    found = []
    for each in marker_correlations(markers, scores, study.seed):
        printed = paper.get(each.marker)
        cells: dict[str, Cell] = {
            "pooled": _or_why(each.pooled.mean is None, "constant", each.pooled),
            "within": _or_why(each.within.mean is None, "constant", each.within),
            "paper_pooled": float(printed["pooled"]) if printed else None,
            "paper_within": float(printed["within"]) if printed else None,
        }
        found.append(Row(LABELS[each.marker], cells))
    measures = (
        Measure("pooled", "All drawings", digits=2, group="This study"),
        Measure("within", "Within agents", digits=2, group="This study"),
        Measure("paper_pooled", "All drawings (paper)", digits=2, group="PainterBench, Table 9"),
        Measure("paper_within", "Within models (paper)", digits=2, group="PainterBench, Table 9"),
    )
    caption = (
        f"Spearman's ρ of process markers with {_lower(study.outcome.label)}; within agents it is the mean of each "
        "agent's own ρ. In brackets 95 % bootstrap intervals over drawings. What holds over all drawings and not "
        "within agents tells agents apart and not drawings. A marker that is constant goes with nothing."
    )
    return Table("Process markers and the score", measures, tuple(found), row_label="Marker", caption=caption)


def failures_table(study: Study) -> Table:
    """A row an agent: how many trials went wrong in which way."""
    found = [Row(agent, _failures(study, agent)) for agent in study.agents]
    text = text_figures()
    found.append(Row("PainterBench", dict(text), note="2,100 drawings of fourteen models"))
    measures = (
        Measure("null", "Null", f"fewer than {NULL_PX} added inked pixels", percent=True),
        Measure("no_ink", "No ink", "nothing added at all", percent=True),
        Measure("undo_trials", "With undo", "trials that undo at least once", percent=True),
        Measure("erase_trials", "With erasing", "trials that erase at least once", percent=True),
        Measure("revising_trials", "Revising", "trials that spend 30 % of their calls or more on either", percent=True),
        Measure("failed_trials", "Failed calls", "trials with an unknown tool or unreadable arguments", percent=True),
        Measure("malformed_trials", "Malformed", "trials with an operation that could not be read", percent=True),
        Measure("added", "Added ink, px", "median of inked pixels that are not the shape's", digits=0),
        Measure("overinking", "r with added ink", f"of {_lower(study.outcome.label)}, within the agent", digits=2),
    )
    caption = (
        "Shares of trials. Where added ink goes with a lower score, an agent draws on after its drawing is done "
        "(section 4.3: r = −.21 for Claude Opus 5). Fragmentary drawings cannot be counted; look at the sheets."
    )
    return Table("Failures", measures, tuple(found), row_label="Agent", caption=caption)


def _failures(study: Study, agent: str) -> dict[str, Cell]:
    own = study.of(agent)
    added = [float(each.added) for each in own]
    correlation = pearson(added, [study.outcome.values[i] for i in study.places(agent).tolist()])
    share = {
        "null": [each.added < NULL_PX for each in own],
        "no_ink": [each.added == 0 for each in own],
        "undo_trials": [(each.trial.markers.undo_calls or 0) > 0 for each in own],
        "erase_trials": [(each.trial.markers.erase_calls or 0) > 0 for each in own],
        "revising_trials": [_revision(each) >= REVISING for each in own],
        "failed_trials": [each.trial.failed_call_rate > 0 for each in own],
        "malformed_trials": [each.trial.malformed_rate > 0 for each in own],
    }
    cells: dict[str, Cell] = {key: proportion(sum(values), len(values)).mean for key, values in share.items()}
    return cells | {"added": round(float(np.median(added))), "overinking": correlation}


def _revision(each: Drawn) -> float:
    return (each.trial.markers.undo_calls or 0.0) + (each.trial.markers.erase_calls or 0.0)


def _or_why(undefined: bool, why: str, cell: Cell) -> Cell:
    return why if undefined else cell


def _lower(label: str) -> str:
    return label[:1].lower() + label[1:]
