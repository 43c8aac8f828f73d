"""The paper's tables from our results: overall and dimension means, the twelve indicators, the paper's rows beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from designgym.envs.aesthetics.indicators import DIMENSIONS, INDICATORS, of_dimension
from designgym.eval.aesthetics.parts import Part
from designgym.eval.aesthetics.published import Published, published_for
from designgym.eval.aesthetics.scored import Scored
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import Interval, bootstrap, proportion
from designgym.eval.stratified import stratified
from designgym.eval.summary import Policy

STRICT, RELEASE, UNREADABLE = "overall", "overall_release", "unreadable"

Answers = Mapping[str, Sequence[Scored]]
"""What every policy answered, by its name: the same questions for all."""


def combinations() -> dict[str, dict[str, float]]:
    """How indicators are weighted: ``overall`` (each alike), ``overall_release`` (each dimension alike), dimensions."""
    dims = {str(dimension): dict.fromkeys(of_dimension(dimension), 1.0) for dimension in DIMENSIONS}
    by_dimension = {name: 1.0 / len(of_dimension(i.dimension)) for name, i in INDICATORS.items()}
    return {STRICT: dict.fromkeys(INDICATORS, 1.0), RELEASE: by_dimension, **dims}


def overall_table(policies: Sequence[Policy], answers: Answers, part: Part, seed: int = 0) -> Table:
    """A row a policy: overall by either rule, the four dimensions, and how many answers could not be read."""
    rows = []
    for policy in policies:
        asked = [s for s in answers[policy.name] if part.asked(s)]
        cells: dict[str, Cell] = dict(means(asked, seed))
        cells[UNREADABLE] = proportion(sum(s.unreadable for s in asked), len(asked))
        rows.append(Row(policy.name, cells, policy.group, policy.note, policy.emphasis))
    measures = (
        Measure(STRICT, "Overall", "mean of the indicators, as in the paper", plot=(0.0, 1.0)),
        Measure(RELEASE, "Overall, by dimension", "mean of the four dimension means, as in the released code"),
        *(Measure(dimension, dimension.capitalize()) for dimension in DIMENSIONS),
        Measure(UNREADABLE, "Unreadable", "share of answers that were not valid; they score 0", percent=True),
    )
    asked = _questions(answers, part)
    covered = {s.indicator for s in asked}
    missing = [INDICATORS[name].title for name in INDICATORS if name not in covered]
    caption = (
        f"{part.note} {len(asked):,} questions about {len({s.design for s in asked}):,} designs, the same for every "
        "policy, with 95 % intervals: bootstrap over designs, Wilson for shares."
        + (f" Not asked about: {', '.join(missing)}; no mean covers them." if missing else "")
    )
    published = [_published_row(row, {STRICT: row.overall, **_dimensions(row)}) for row in _published(part, covered)]
    return Table(
        f"{part.name}: {part.measure}",
        measures,
        (*rows, *published),
        caption=caption + (_ELSEWHERE if published else ""),
    )


def indicator_table(policies: Sequence[Policy], answers: Answers, part: Part, seed: int = 0) -> Table:
    """A row a policy and a column an indicator, with the number of questions above."""
    counts = Counter(s.indicator for s in _questions(answers, part))
    rows = [Row("Questions", {name: counts[name] for name in INDICATORS})]
    for policy in policies:
        asked = [s for s in answers[policy.name] if part.asked(s)]
        cells: dict[str, Cell] = {
            name: indicator_mean([s for s in asked if s.indicator == name], part, seed) for name in INDICATORS
        }
        rows.append(Row(policy.name, cells, policy.group, "", policy.emphasis))
    rows += [_published_row(row, row.indicators) for row in _published(part, counts.keys())]
    measures = tuple(
        Measure(name, indicator.title, bound_digits=2, group=indicator.dimension.capitalize())
        for name, indicator in INDICATORS.items()
    )
    how = "Wilson intervals" if part.binary else "bootstrap intervals over designs"
    return Table(f"{part.name}: {part.measure} by indicator", measures, tuple(rows), caption=f"{part.note} 95 % {how}.")


def means(asked: Sequence[Scored], seed: int = 0) -> dict[str, Interval]:
    """Overall scores and dimension means, by the keys of :func:`combinations`."""
    return stratified(
        [s.score for s in asked], [s.indicator for s in asked], [s.design for s in asked], combinations(), seed
    )


def indicator_mean(asked: Sequence[Scored], part: Part, seed: int = 0) -> Interval:
    """The mean over some questions: Wilson's interval if every design is asked about once, else over designs."""
    designs = [s.design for s in asked]
    alone = len(set(designs)) == len(designs)
    if part.binary and alone:
        return proportion(round(sum(s.score for s in asked)), len(asked))
    return bootstrap([s.score for s in asked], seed, clusters=None if alone else designs)


def _questions(answers: Answers, part: Part) -> list[Scored]:
    """The questions that count, as the first policy was asked them."""
    return [s for s in next(iter(answers.values()), ()) if part.asked(s)]


def _published(part: Part, covered: Collection[str]) -> tuple[Published, ...]:
    """The paper's rows, unless only some of the indicators were asked about: then their means are of other things."""
    return published_for(part.published) if part.published and set(INDICATORS) <= set(covered) else ()


def _published_row(row: Published, figures: Mapping[str, float]) -> Row:
    return Row(row.model, dict(figures), f"Published: AesEval-Bench, Table {row.table}")


def _dimensions(row: Published) -> dict[str, float]:
    found = {str(d): sum(row.indicators[name] for name in of_dimension(d)) / len(of_dimension(d)) for d in DIMENSIONS}
    return {RELEASE: sum(found.values()) / len(found), **found}


_ELSEWHERE = (
    " Published rows are the paper's, on designs made from Crello: overall scores as printed, the other means computed "
    "from its indicators."
)
