"""PainterBench's Table 2 for the agents of a study: a row a metric, a column an agent, people and the paper beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from designgym.eval.creativity.outcome import Outcome
from designgym.eval.creativity.percentile import percentile_of, relative
from designgym.eval.creativity.published import table2
from designgym.eval.creativity.study import Study
from designgym.eval.creativity.table_scorers import INK
from designgym.eval.process import effort_of, endings
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import bootstrap, spread

HUMAN = "human"
PAPER = "PainterBench"
NO_CORPUS, NOT_RATED, NO_SHAPE = "no corpus", "not rated", "needs shape"
KEYS = {"vidra-adapted": "vidra_adapted", "vidra": "vidra", "audra": "audra"}
"""Scorer -> its metric in the paper's table."""
MARKERS = {
    "tool_calls": "Tool calls",
    "drawing_operations": "Drawing operations",
    "operations_per_round": "Operations per round",
    "rounds": "Rounds to completion",
    "tool_diversity": "Tool diversity, bits",
    "undo_calls": "Undo calls",
    "erase_calls": "Erase calls",
}
SHARES = ("undo_calls", "erase_calls")
"""Markers that are shares of a trial's calls."""
CANVAS_PX = 400 * 400


@dataclass(frozen=True)
class Line:
    """A row under way.

    Attributes:
        form: How it prints, and its label.
        group: The rows that it stands among.
        cells: Agent -> cell.
        human: The cell of people.
        paper: The metric of the paper that it compares with; empty: none.
        scale: What the paper's unit is in ours: 0.01 for its percentages.
    """

    form: Measure
    group: str
    cells: Mapping[str, Cell]
    human: Cell = None
    paper: str = ""
    scale: float = 1.0


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
        Measure(HUMAN, "Human", group="This study"),
        *(Measure(f"agent {name}", name, group="This study") for name in study.agents),
        Measure("paper human", "Human (paper)", group=PAPER),
        Measure("paper low", "Lowest (paper)", group=PAPER),
        Measure("paper median", "Median (paper)", group=PAPER),
        Measure("paper high", "Highest (paper)", group=PAPER),
    )
    rows = []
    for line in lines:
        own = {f"agent {name}": cell for name, cell in line.cells.items()}
        rows.append(Row(line.form.label, {**own, HUMAN: line.human, **_paper(line)}, line.group, form=line.form))
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
    people, key, group = list(outcome.people), outcome.key, outcome.label
    means = {agent: study.mean(agent, outcome.values) for agent in study.agents}
    answers = {agent: study.spread(agent, outcome.raw) for agent in study.agents}
    places: dict[str, Cell] = {
        agent: NOT_RATED if not people else None if mean.mean is None else percentile_of(mean.mean, people)
        for agent, mean in means.items()
    }
    human: tuple[Cell, Cell] = (NOT_RATED, NOT_RATED)
    if people:
        human = (bootstrap(people, study.seed), spread(outcome.people_raw))
    return [
        Line(Measure("", "Composite, 0 to 1", digits=2), group, means, human[0], f"rated_{key}"),
        Line(Measure("", "Mean answer, 1 to 5", digits=2), group, answers, human[1], f"{key}_1_to_5"),
        Line(Measure("", "Percentile of human drawings", digits=1), group, places, None, f"{key}_percentile"),
    ]


def _scored(study: Study) -> list[Line]:
    lines = []
    for name in study.scorers:
        values = [each.scores[name] for each in study.drawn]
        people = study.people.scores.get(name) if study.people else None
        human: Cell = NO_CORPUS if study.people is None else NO_SHAPE
        if people is not None:
            human = bootstrap(people, study.seed)
        form = Measure("", name, digits=3 if name == INK else 2)
        means = {agent: study.mean(agent, values) for agent in study.agents}
        lines.append(Line(form, "Scorers", means, human, KEYS.get(name, "")))
        if people is not None and name != INK:
            reference = [value for value in people if value is not None]
            places = {
                agent: None if mean.mean is None else percentile_of(mean.mean, reference)
                for agent, mean in means.items()
            }
            lines.append(Line(Measure("", f"Percentile of human, by {name}", digits=1), "Scorers", places))
    return lines


def _process(study: Study) -> list[Line]:
    efforts = effort_of({agent: [each.trial for each in study.of(agent)] for agent in study.agents})
    index = {agent: spread(own) for agent, own in efforts.items()}
    lines = [Line(Measure("", "Effort index", digits=2), "Process", index, None, "effort")]
    for key, label in MARKERS.items():
        own = {agent: spread([getattr(each.trial.markers, key) for each in study.of(agent)]) for agent in study.agents}
        if key in SHARES:
            means = {agent: each.mean for agent, each in own.items()}
            lines.append(Line(Measure("", label, percent=True), "Process", means, None, f"{key}_percent", 0.01))
        else:
            lines.append(Line(Measure("", label, digits=1), "Process", own, None, key))
    return lines


def _ink(study: Study) -> list[Line]:
    people, agents = study.people, study.agents
    amounts = {
        agent: [each.ink * CANVAS_PX / (each.size[0] * each.size[1]) for each in study.of(agent)] for agent in agents
    }
    means: dict[str, Cell] = {agent: round(float(np.mean(amounts[agent]))) for agent in agents}
    shares: dict[str, Cell] = dict.fromkeys(agents, NO_CORPUS)
    apart: dict[str, Cell] = dict.fromkeys(agents, NO_CORPUS)
    human: Cell = NO_CORPUS
    if people is not None:
        human = round(float(people.ink.mean()))
        shares = {agent: relative(amounts[agent], people.ink.tolist()) for agent in agents}
        found = study.distances
        apart = {agent: None if found is None else study.mean(agent, found) for agent in agents}
    relation = Measure("", "Ink relative to human", percent=True, signed=True)
    return [
        Line(Measure("", "Inked pixels", digits=0), "Drawings", means, human),
        Line(relation, "Drawings", shares, None, "ink_relative_to_human_percent", 0.01),
        Line(
            Measure("", "Distance from the human corpus, sd", digits=1), "Drawings", apart, None, "corpus_distance_sd"
        ),
    ]


def _endings(study: Study) -> list[Line]:
    found = {agent: endings([each.trial for each in study.of(agent)], study.seed) for agent in study.agents}
    return [
        Line(
            Measure("", label, percent=True),
            "Endings",
            {agent: cells[key] for agent, cells in found.items()},
            None,
            f"{key}_percent",
            0.01,
        )
        for key, label in (
            ("finish", "Finished"),
            ("failed_calls", "Failed calls"),
            ("malformed", "Malformed operations"),
        )
    ]
