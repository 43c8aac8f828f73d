"""How policies do on designs unlike those of training, beside those that are like them."""

from __future__ import annotations

from collections.abc import Sequence

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.eval.aesthetics.breakdowns import operation_table
from designgym.eval.aesthetics.parts import PARTS, Part
from designgym.eval.aesthetics.scored import Scored, applies, scored
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import Interval
from designgym.eval.stratified import stratified
from designgym.eval.summary import Policy

IN, OUT = "in distribution", "out of distribution"


def shift_tables(policies: Sequence[Policy], seed: int = 0) -> list[Table]:
    """For each part of the task both overall scores side by side, and the others by what was done to the designs.

    Args:
        policies: With ``results`` on designs like those of training and ``ood`` on others; without the latter there is
            nothing to show.
        seed: Seed of the intervals.
    """
    if not policies or not all(applies(p.results) and applies(p.ood) for p in policies):
        return []
    usual, other = ({p.name: [scored(r) for r in getattr(p, name)] for p in policies} for name in ("results", "ood"))
    made: list[Table] = []
    for part in PARTS[usual[policies[0].name][0].task]:
        asked = [[s for s in found[policies[0].name] if part.asked(s)] for found in (usual, other)]
        shared = [name for name in INDICATORS if all(name in {s.indicator for s in side} for side in asked)]
        if not shared:
            continue
        rows = []
        for p in policies:
            cells: dict[str, Cell] = {
                IN: _overall(usual[p.name], part, shared, seed),
                OUT: _overall(other[p.name], part, shared, seed),
            }
            rows.append(Row(p.name, cells, p.group, "", p.emphasis))
        measures = tuple(Measure(name, name.capitalize(), plot=(0.0, 1.0)) for name in (IN, OUT))
        counts = [len([s for s in side if s.indicator in shared]) for side in asked]
        missing = [INDICATORS[name].title for name in INDICATORS if name not in shared]
        caption = (
            f"{part.note} Mean of the indicators with 95 % bootstrap intervals over designs; {counts[0]:,} questions "
            f"{IN} and {counts[1]:,} {OUT}. The two sets of designs differ in more than their flaws, so only "
            "differences between policies carry over."
            + (f" Left out, since one of the two lacks them: {', '.join(missing)}." if missing else "")
        )
        made.append(Table(f"{part.name}: {part.measure} {IN} and {OUT}", measures, tuple(rows), caption=caption))
        detail = operation_table(policies, other, part, seed, where=f", {OUT}") if part.broken_down else None
        made += [] if detail is None else [detail]
    return made


def _overall(answers: Sequence[Scored], part: Part, indicators: Sequence[str], seed: int) -> Interval:
    asked = [s for s in answers if part.asked(s)]
    weights = {"overall": dict.fromkeys(indicators, 1.0)}
    columns = ([s.score for s in asked], [s.indicator for s in asked], [s.design for s in asked])
    return stratified(*columns, weights, seed)["overall"]
