"""Two policies on the same questions: the paper's tests, intervals over designs, Holm's correction over indicators.

Accuracies are compared by McNemar's exact test and IoU by a paired t-test, as in the paper's appendix H. A difference
is called one only if the corrected p is below :data:`LEVEL` and the interval over designs excludes 0: the tests take
questions as independent, the interval does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.errors import UserError
from designgym.eval.aesthetics.parts import Part
from designgym.eval.aesthetics.scored import Scored
from designgym.eval.report import cells
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.significance import Significance, holm, mcnemar, paired_t
from designgym.eval.statistics import Interval
from designgym.eval.stratified import stratified

LEVEL = 0.05
ALIKE = "not distinguishable"


@dataclass(frozen=True)
class Contrast:
    """First minus second over the same questions of one indicator, or of all.

    Attributes:
        difference: With its interval over designs; over all indicators the mean of theirs.
        test: The paired test over the questions.
        p: Corrected by Holm's method for the other indicators or pairs that stand beside it.
        verdict: ``"better"`` or ``"worse"`` of the first policy, or :data:`ALIKE`.
    """

    difference: Interval
    test: Significance
    p: float | None
    verdict: str


def contrast_overall(
    pairs: Sequence[tuple[str, str]], answers: Mapping[str, Sequence[Scored]], part: Part, seed: int = 0
) -> list[Contrast]:
    """Every pair over all indicators; p values are corrected for the number of pairs."""
    found = []
    for first, second in pairs:
        left, right = _matched(first, second, answers, part)
        weights = dict.fromkeys(INDICATORS, 1.0)
        found.append((_difference(left, right, weights, seed), _test(left, right, part)))
    return _corrected(found)


def contrast_indicators(
    first: str, second: str, answers: Mapping[str, Sequence[Scored]], part: Part, seed: int = 0
) -> dict[str, Contrast]:
    """One pair on every indicator that was asked about; p values are corrected for the number of these.

    Raises:
        UserError: If the two were not asked the same questions.
    """
    left, right = _matched(first, second, answers, part)
    found = {}
    for name in INDICATORS:
        some = [i for i, s in enumerate(left) if s.indicator == name]
        if some:
            a, b = [left[i] for i in some], [right[i] for i in some]
            found[name] = (_difference(a, b, {name: 1.0}, seed), _test(a, b, part))
    return dict(zip(found, _corrected(list(found.values())), strict=True))


def overall_comparisons(
    pairs: Sequence[tuple[str, str]], answers: Mapping[str, Sequence[Scored]], part: Part, seed: int = 0
) -> Table:
    """A row a pair, over all indicators."""
    found = contrast_overall(pairs, answers, part, seed)
    rows = [Row(f"{a} − {b}", _cells(contrast)) for (a, b), contrast in zip(pairs, found, strict=True)]
    caption = f"{_how(part)} p values are corrected for the number of pairs. {_RULE}"
    return Table(f"{part.name}: pairs of policies", _measures(found, part), tuple(rows), "Comparison", caption)


def indicator_comparisons(
    pairs: Sequence[tuple[str, str]], answers: Mapping[str, Sequence[Scored]], part: Part, seed: int = 0
) -> Table:
    """A row an indicator, pair by pair."""
    rows = []
    every = []
    for first, second in pairs:
        found = contrast_indicators(first, second, answers, part, seed)
        every += list(found.values())
        rows += [Row(INDICATORS[name].title, _cells(c), f"{first} − {second}") for name, c in found.items()]
    caption = f"{_how(part)} p values are corrected for the indicators of a pair. {_RULE}"
    title = f"{part.name}: pairs of policies by indicator"
    return Table(title, _measures(every, part), tuple(rows), "Indicator", caption, folded=True)


_RULE = (
    f"“Better” and “worse” need a corrected p below {LEVEL:g} and an interval over designs that excludes 0; else the "
    "two are not distinguishable on these questions."
)


def _how(part: Part) -> str:
    test = "McNemar's exact test" if part.binary else "Paired t-test"
    return f"Mean of first − second with its 95 % bootstrap interval over designs. {test}, two-sided, Holm's method."


def _measures(found: Sequence[Contrast], part: Part) -> tuple[Measure, ...]:
    ends = [v for c in found for v in (c.difference.mean, c.difference.low, c.difference.high) if v is not None]
    reach = max((abs(v) for v in ends), default=0.0)
    reach = next((r for r in (0.1, 0.25, 0.5, 1.0) if reach <= r), 1.0)
    effect = (
        ("Odds ratio", "questions that the first alone got right, to those that the second alone did")
        if part.binary
        else ("Cohen's d", "mean of the differences over their standard deviation")
    )
    return (
        Measure("difference", "Difference", signed=True, plot=(-reach, reach)),
        Measure("raw_p", "p"),
        Measure("p", "p, corrected"),
        Measure("effect", effect[0], effect[1]),
        Measure("n", "Questions"),
        Measure("verdict", "First is"),
    )


def _cells(contrast: Contrast) -> dict[str, Cell]:
    effect = contrast.test.effect
    shown: Cell = None if effect is None else f"{effect:.2f}" if math.isfinite(effect) else "∞"
    return {
        "difference": contrast.difference,
        "raw_p": cells.p_value(contrast.test.p),
        "p": cells.p_value(contrast.p),
        "effect": shown.replace("-", cells.MINUS) if isinstance(shown, str) else shown,
        "n": contrast.test.n,
        "verdict": contrast.verdict,
    }


def _matched(
    first: str, second: str, answers: Mapping[str, Sequence[Scored]], part: Part
) -> tuple[list[Scored], list[Scored]]:
    left, right = ({s.question: s for s in answers[name] if part.asked(s)} for name in (first, second))
    if left.keys() != right.keys():
        alone = sorted(left.keys() ^ right.keys())
        raise UserError(
            f"{first!r} and {second!r} were not asked the same questions: {len(alone)} of them, such as {alone[0]!r}, "
            "were put to only one of the two. Evaluate both on the same split, limit and seed."
        )
    return list(left.values()), [right[question] for question in left]


def _difference(left: Sequence[Scored], right: Sequence[Scored], weights: Mapping[str, float], seed: int) -> Interval:
    values = [a.score - b.score for a, b in zip(left, right, strict=True)]
    key = "difference"
    return stratified(values, [s.indicator for s in left], [s.design for s in left], {key: weights}, seed)[key]


def _test(left: Sequence[Scored], right: Sequence[Scored], part: Part) -> Significance:
    if part.binary:
        return mcnemar([s.score == 1 for s in left], [s.score == 1 for s in right])
    return paired_t([s.score for s in left], [s.score for s in right])


def _corrected(found: Sequence[tuple[Interval, Significance]]) -> list[Contrast]:
    adjusted = holm([test.p for _, test in found])
    return [Contrast(d, test, p, _verdict(d, p)) for (d, test), p in zip(found, adjusted, strict=True)]


def _verdict(difference: Interval, p: float | None) -> str:
    if p is None or p >= LEVEL or difference.low is None or difference.high is None:
        return ALIKE
    if difference.low > 0:
        return "better"
    return "worse" if difference.high < 0 else ALIKE
