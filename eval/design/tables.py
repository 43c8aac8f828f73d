"""The tables of design actions: the questions, the score by type of design, and those of the workflows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from designgym.eval.design.published import published_table, row_of
from designgym.eval.design.recruitment import recruitment_table
from designgym.eval.design.sequences import action_sequences, expert_sequences
from designgym.eval.design.types import TYPES, of_type
from designgym.eval.design.workflows import action_table, error_table, workflow_table
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result, clusters
from designgym.eval.statistics import Interval, bootstrap
from designgym.eval.summary import Policy

ITEMS, BLANK, POSITIVE, ANSWERED = "vqa/items", "vqa/blank", "vqa/positive_only", "vqa/answered"

Value = Callable[[Result], float | None]

_QUESTIONS = (
    Measure(ITEMS, "Items passed", "question and twin both answered as expected", plot=(0.0, 1.0)),
    Measure(BLANK, "Of a blank page", "items that a white page of the size passes; the reward subtracts them"),
    Measure(POSITIVE, "Positive only", "questions without twins: the paper's VQA pass rate, which saying yes wins"),
    Measure(ANSWERED, "Answered", "items that the judge answered", percent=True),
)


def applies(results: Sequence[Result]) -> bool:
    """Whether these are results of design actions."""
    return bool(results) and all("plan" in result.truth and "type" in result.truth for result in results)


def tables(policies: Sequence[Policy], seed: int = 0) -> list[Table]:
    """All tables; none for results of other tasks."""
    if not all(applies(policy.results) for policy in policies):
        return []
    judged = any(ITEMS in result.rewards for policy in policies for result in policy.results)
    return [
        *([question_table(policies, seed)] if judged else []),
        type_table(policies, _value, "Reward by type of design", seed),
        *([type_table(policies, _part(POSITIVE), "Positive only, by type of design", seed)] if judged else []),
        workflow_table(policies, seed),
        error_table(policies, seed),
        recruitment_table(policies),
        expert_sequences(policies),
        action_table(policies),
        action_sequences(policies),
        published_table(),
    ]


def question_table(policies: Sequence[Policy], seed: int = 0) -> Table:
    """A row a policy: items passed, what a blank page passes of them, and the paper's rate."""
    rows = []
    for policy in policies:
        cells: dict[str, Cell] = {m.key: _mean(policy.results, _part(m.key), seed) for m in _QUESTIONS}
        rows.append(Row(policy.name, cells, policy.group, "", policy.emphasis))
    rows.append(row_of({POSITIVE: "vqa_pass_rate"}))
    caption = (
        "Means over tasks with 95 % bootstrap intervals. A trial that left no page passes nothing, and nothing is "
        "subtracted. The paper's figure is LLaVA's, on its own briefs."
    )
    return Table("Questions", _QUESTIONS, tuple(rows), caption=caption)


def type_table(policies: Sequence[Policy], value: Value, title: str, seed: int = 0) -> Table:
    """A row a policy and a column a type of design, with the number of briefs above."""
    by_type = {policy.name: {kind: of_type(policy.results, kind) for kind in TYPES} for policy in policies}
    first = by_type[policies[0].name]
    types = [kind for kind in TYPES if first[kind]]
    briefs: dict[str, Cell] = {kind: len({result.task for result in first[kind]}) for kind in types}
    rows = [Row("Briefs", briefs, form=Measure("briefs", "Briefs"))]
    for policy in policies:
        cells: dict[str, Cell] = {kind: _mean(by_type[policy.name][kind], value, seed) for kind in types}
        rows.append(Row(policy.name, cells, policy.group, "", policy.emphasis))
    measures = tuple(Measure(kind, kind.capitalize(), plot=(0.0, 1.0)) for kind in types)
    return Table(
        title, measures, tuple(rows), caption="Means over the briefs of a type, with 95 % bootstrap intervals."
    )


def _value(result: Result) -> float | None:
    return result.value


def _part(key: str) -> Value:
    """A part of the reward; None where a judge failed or the part is missing."""
    return lambda result: result.rewards.get(key) if result.scored else None


def _mean(results: Sequence[Result], value: Value, seed: int) -> Interval:
    return bootstrap([value(result) for result in results], seed, clusters=clusters(results))
