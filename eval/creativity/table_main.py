"""PainterBench's Table 2 for the agents of a study: a row a metric, a column an agent, people and the paper beside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from designgym.eval.creativity.outcome import Outcome
from designgym.eval.creativity.percentile import percentile_of, relative
from designgym.eval.creativity.published import table2
from designgym.eval.creativity.study import Study
from designgym.eval.process import effort_of, endings
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import bootstrap, spread

HUMAN = "human"
PAPER = "PainterBench"
NO_CORPUS, NOT_RATED, NO_SHAPE = "no corpus", "not rated", "needs shape"
KEYS = {"vidra-adapted": "vidra_adapted", "vidra": "vidra", "audra": "audra"}
"""Scorer -> its metric in the paper's table."""
MARKERS = (
    ("tool_calls", "Tool calls", 1, "tool_calls"),
    ("drawing_operations", "Drawing operations", 1, "drawing_operations"),
    ("operations_per_round", "Operations per round", 1, "operations_per_round"),
    ("rounds", "Rounds to completion", 1, "rounds"),
    ("tool_diversity", "Tool diversity, bits", 1, "tool_diversity"),
)


@dataclass(frozen=True)
class Line:
    """A row under way: its form, the metric of the paper that it compares with, the paper's unit, and its cells."""

    form: Measure
    paper: str
    scale: float
    human: Cell
    cell: Callable[[str], Cell]
    group: str = ""
    note: str = ""


def main_table(study: Study) -> Table:
    """All metrics of the agents, of people where there is a reference, and the range of the paper's fourteen models."""
    lines = [
        *[line for outcome in study.ratings for line in _rated(study, outcome)],
        *_scored(study),
        *_process(study),
        *_ink(study),
        *_endings(study),
    ]
    measures = (
        *(Measure(f"agent {name}", name, group="This study") for name in study.agents),
        Measure(HUMAN, "Human", group="This study"),
        Measure("paper human", "Human", group=PAPER),
        Measure("paper low", "Lowest", group=PAPER),
        Measure("paper median", "Median", group=PAPER),
        Measure("paper high", "Highest", group=PAPER),
    )
    rows = []
    for line in lines:
        cells: dict[str, Cell] = {f"agent {name}": line.cell(name) for name in study.agents}
        rows.append(
            Row(line.form.label, {**cells, HUMAN: line.human, **_paper(line)}, line.group, line.note, form=line.form)
        )
    caption = (
        "Means; in brackets 95 % bootstrap intervals over shapes, in parentheses standard deviations. The paper's "
        "columns are the lowest, the median and the highest of its fourteen models' means, on its own shapes and "
        "tools; they stand here for orientation. Tokens and time are not recorded."
    )
    return Table("Results in the layout of Table 2", measures, tuple(rows), row_label="Metric", caption=caption)


def paper_table() -> Table:
    """The paper's Table 2 itself."""
    metrics = table2()
    models = list(next(iter(metrics.values())).models)
    measures = (Measure(HUMAN, "Human"), *(Measure(name, name) for name in models))
    rows = []
    for key, metric in metrics.items():
        form = Measure(key, key, digits=2 if max(map(abs, metric.models.values())) < 5 else 1)
        label = key.replace("_", " ").capitalize().replace(" sd", ", sd").replace(" percent", ", %")
        rows.append(Row(label, {HUMAN: metric.human, **metric.models}, form=form))
    caption = (
        "As printed (arXiv 2609.34195, section 4.2): means over 150 drawings of each model and 300 of people. Shares "
        "in %, ratings 0 to 1, distance in sd of the corpus's own distances."
    )
    return Table("PainterBench's Table 2", measures, tuple(rows), row_label="Metric", caption=caption, folded=True)


def _paper(line: Line) -> dict[str, Cell]:
    if line.paper not in table2():
        return {}
    metric = table2()[line.paper]
    values = [value * line.scale for value in metric.models.values()]
    human = None if metric.human is None else metric.human * line.scale
    return {
        "paper human": human,
        "paper low": min(values),
        "paper median": float(np.median(values)),
        "paper high": max(values),
    }


def _rated(study: Study, outcome: Outcome) -> list[Line]:
    group = outcome.label
    people = list(outcome.people)

    def percentile(agent: str) -> Cell:
        mean = study.mean(agent, outcome.values).mean
        return NOT_RATED if not people or mean is None else percentile_of(mean, people)

    paper = outcome.key
    human: Cell = bootstrap(people, study.seed) if people else NOT_RATED
    raw: Cell = spread(outcome.people_raw) if people else NOT_RATED
    return [
        Line(
            Measure("", "Composite, 0 to 1", digits=2),
            f"rated_{paper}",
            1,
            human,
            lambda agent: study.mean(agent, outcome.values),
            group,
        ),
        Line(
            Measure("", "Mean answer, 1 to 5", digits=2),
            f"{paper}_1_to_5",
            1,
            raw,
            lambda agent: study.spread(agent, outcome.raw),
            group,
        ),
        Line(Measure("", "Percentile of human drawings", digits=1), f"{paper}_percentile", 1, None, percentile, group),
    ]


def _scored(study: Study) -> list[Line]:
    lines = []
    for name in study.scorers:
        values = [each.scores[name] for each in study.drawn]
        people = study.people.scores.get(name) if study.people else None
        human: Cell = (
            NO_CORPUS if study.people is None else NO_SHAPE if people is None else bootstrap(people, study.seed)
        )
        lines.append(
            Line(
                Measure("", name, digits=3 if name == "ink" else 2),
                KEYS.get(name, ""),
                1,
                human,
                lambda agent, values=values: study.mean(agent, values),  # type: ignore[misc]
                "Scorers",
            )
        )
    return lines


def _process(study: Study) -> list[Line]:
    efforts = effort_of({agent: [each.trial for each in study.of(agent)] for agent in study.agents})
    lines = [
        Line(Measure("", "Effort index", digits=2), "effort", 1, None, lambda agent: spread(efforts[agent]), "Process")
    ]
    for key, label, digits, paper in MARKERS:
        lines.append(
            Line(
                Measure("", label, digits=digits),
                paper,
                1,
                None,
                lambda agent, key=key: spread([getattr(e.trial.markers, key) for e in study.of(agent)]),  # type: ignore[misc]
                "Process",
            )
        )
    for key, label in (("undo_calls", "Undo calls"), ("erase_calls", "Erase calls")):
        lines.append(
            Line(
                Measure("", label, percent=True),
                f"{key}_percent",
                0.01,
                None,
                lambda agent, key=key: spread([getattr(e.trial.markers, key) for e in study.of(agent)]).mean,  # type: ignore[misc]
                "Process",
            )
        )
    return lines


def _ink(study: Study) -> list[Line]:
    people = study.people

    def share(agent: str) -> Cell:
        if people is None:
            return NO_CORPUS
        return relative([e.ink / (e.size[0] * e.size[1]) * 400 * 400 for e in study.of(agent)], people.ink.tolist())

    def distance(agent: str) -> Cell:
        if people is None:
            return NO_CORPUS
        return None if study.distances is None else study.mean(agent, study.distances)

    amount: Cell = NO_CORPUS if people is None else round(float(people.ink.mean()))
    return [
        Line(
            Measure("", "Inked pixels", digits=0),
            "",
            1,
            amount,
            lambda agent: round(float(np.mean([each.ink for each in study.of(agent)]))),
            "Drawings",
        ),
        Line(
            Measure("", "Ink relative to human", percent=True, signed=True),
            "ink_relative_to_human_percent",
            0.01,
            None,
            share,
            "Drawings",
        ),
        Line(
            Measure("", "Distance from the human corpus, sd", digits=1),
            "corpus_distance_sd",
            1,
            None,
            distance,
            "Drawings",
        ),
    ]


def _endings(study: Study) -> list[Line]:
    found = {agent: endings([each.trial for each in study.of(agent)], study.seed) for agent in study.agents}
    return [
        Line(
            Measure("", label, percent=True),
            f"{paper}_percent",
            0.01,
            None,
            lambda agent, key=key: found[agent][key],  # type: ignore[misc]
            "Endings",
        )
        for key, label, paper in (
            ("finish", "Finished", "finish"),
            ("failed_calls", "Failed calls", "failed_calls"),
            ("malformed", "Malformed operations", "malformed"),
        )
    ]
