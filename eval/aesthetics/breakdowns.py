"""How well flaws are seen by what was done to the design and how strongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from designgym.eval.aesthetics.parts import Part
from designgym.eval.aesthetics.scored import Scored
from designgym.eval.aesthetics.tables import indicator_mean
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.summary import Policy

GOOD = {
    "": "good designs",
    "untouched": "good: untouched",
    "harmless": "good: changed harmlessly",
    "harmed elsewhere": "good: harmed in another respect",
}
"""Why a design is good in the respect asked about -> name of the row."""
STRENGTHS = ("slight", "middle", "strong")
"""Thirds of each operation's magnitudes; magnitudes of different operations have different units."""

Answers = Mapping[str, Sequence[Scored]]


def operation_table(
    policies: Sequence[Policy], answers: Answers, part: Part, seed: int = 0, where: str = ""
) -> Table | None:
    """A row an operation (and the good designs), a column a policy; None where all are alike.

    Args:
        policies: The columns.
        answers: What they answered.
        part: What is measured.
        seed: Seed of the intervals.
        where: Ends the title.
    """
    kinds = {s.question: _operation(s) for s in _asked(answers, part)}
    found = set(kinds.values())
    good = [name for name in GOOD.values() if name in found]
    if len(found) < 2:
        return None
    names = [*sorted(found - set(good)), *good]
    title = f"{part.name}: {part.measure} by what was done{where}"
    return _table(title, "Operation", policies, answers, part, kinds, names, seed)


def strength_table(policies: Sequence[Policy], answers: Answers, part: Part, seed: int = 0) -> Table | None:
    """A row a third of the magnitudes, a column a policy; None where no magnitude is known."""
    kinds = strengths([s for s in _asked(answers, part) if s.flawed])
    if not kinds:
        return None
    title = f"{part.name}: {part.measure} by strength of the flaw"
    table = _table(title, "Strength", policies, answers, part, kinds, list(STRENGTHS), seed)
    caption = "Thirds of the magnitudes of each operation, so that every row holds all operations alike. "
    return Table(table.title, table.measures, table.rows, table.row_label, caption + table.caption)


def strengths(asked: Sequence[Scored]) -> dict[str, str]:
    """Question -> third of its operation's magnitudes, by rank; questions without a known magnitude are left out.

    An operation whose flaws are all equally strong has no thirds, and neither has one with fewer than three flaws.
    """
    piles: dict[str, list[Scored]] = {}
    for s in asked:
        if s.operation and s.magnitude is not None:
            piles.setdefault(s.operation, []).append(s)
    found = {}
    for pile in piles.values():
        values = np.array([abs(s.magnitude or 0.0) for s in pile])
        if len(pile) < 3 or values.min() == values.max():
            continue
        lower, upper = np.quantile(values, [1 / 3, 2 / 3])
        for s, value in zip(pile, values, strict=True):
            found[s.question] = STRENGTHS[int(value > lower) + int(value > upper)]
    return found


def _operation(s: Scored) -> str:
    return (s.operation or "unknown").replace("_", " ") if s.flawed else GOOD.get(s.condition, s.condition)


def _table(
    title: str,
    label: str,
    policies: Sequence[Policy],
    answers: Answers,
    part: Part,
    kinds: Mapping[str, str],
    names: Sequence[str],
    seed: int,
) -> Table:
    rows = []
    for name in names:
        cells: dict[str, Cell] = {"questions": sum(kind == name for kind in kinds.values())}
        for policy in policies:
            asked = [s for s in answers[policy.name] if part.asked(s) and kinds.get(s.question) == name]
            cells[f"policy/{policy.name}"] = indicator_mean(asked, part, seed)
        rows.append(Row(name.capitalize(), cells))
    columns = (Measure(f"policy/{p.name}", p.name, bound_digits=2, group=p.group) for p in policies)
    measures = (Measure("questions", "Questions"), *columns)
    return Table(title, measures, tuple(rows), label, f"{part.note} 95 % intervals.")


def _asked(answers: Answers, part: Part) -> list[Scored]:
    return [s for s in next(iter(answers.values()), ()) if part.asked(s)]
