"""PainterBench's Table 6 for the scorers of a study: what each says about ratings, and what is left given the ink."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from designgym.errors import require
from designgym.eval.creativity.agreement import rank_agreement
from designgym.eval.creativity.correlation import complete, partial, pearson, spearman
from designgym.eval.creativity.published import rows
from designgym.eval.creativity.study import Study
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import Interval

INK = "ink"
IS_INK = 0.99
"""A scorer whose rank correlation with ink is beyond this ranks drawings by ink, whatever it computes."""
NEGLIGIBLE = 0.05
"""A partial correlation below this is nothing, however surely it differs from 0."""


def scorers_table(study: Study) -> Table:
    """A row a scorer: correlations with ratings, alone and with ink held fixed, and with ink."""
    rated = study.outcome.values if study.by_people else None
    inks = [float(each.ink) for each in study.drawn]
    found = []
    for name in study.scorers:
        values = [each.scores[name] for each in study.drawn]
        people = None if study.people is None else study.people.ink_correlation(name, study.seed)
        cells: dict[str, Cell] = {
            "ink_agents": spearman(values, inks, study.seed),
            "ink_human": "no corpus" if study.people is None else "needs shape" if people is None else people,
        }
        if rated is not None:
            cells |= _against(study, values, rated, inks)
        found.append(Row(name, cells, group="This study"))
    for row in rows(6):
        paper: dict[str, Cell] = {
            "r": float(row["r"]),
            "rho": float(row["rho"]),
            "ink_human": float(row["ink_rho_human"]),
            "ink_agents": float(row["ink_rho_agents"]),
        }
        found.append(Row(row["scorer"], paper, group="PainterBench, Table 6"))
    measures = [
        *(_RATED if rated is not None else ()),
        Measure("ink_human", "ρ ink, human", "rank correlation with inked pixels over the human reference", digits=2),
        Measure(
            "ink_agents", "ρ ink, agents", "rank correlation with inked pixels over the agents' drawings", digits=2
        ),
    ]
    about = (
        f"Against {study.outcome.label.lower()} of {sum(v is not None for v in study.outcome.values):,} drawings. "
        if rated is not None
        else "Without ratings (--ratings FILE) nothing tells how good a scorer is; only its ties with ink are known. "
    )
    caption = (
        f"{about}In brackets 95 % intervals: Fisher's z for r, bootstrap over drawings for ρ, over shapes for agents' "
        "means. A scorer that only counts ink correlates with ratings as far as people like ink, and has nothing left "
        "once ink is held fixed."
    )
    return Table("Scorers against ratings and ink", tuple(measures), tuple(found), row_label="Scorer", caption=caption)


def exposed(study: Study) -> list[str]:
    """The scorers, the ink baseline aside, that are not sure to say more than ink; empty without ratings."""
    if not study.by_people:
        return []
    inks = [float(each.ink) for each in study.drawn]
    return [
        name
        for name in study.scorers
        if name != INK
        and verdict([each.scores[name] for each in study.drawn], study.outcome.values, inks) in (ALONE, NOTHING)
    ]


ALONE, NOTHING, MORE = "ranks by ink alone", "nothing sure beyond ink", "more than ink"


def verdict(scores: Sequence[float | None], rated: Sequence[float | None], inks: Sequence[float]) -> str:
    """What a scorer says about ratings that the ink does not say, in words; a dash where that is not known.

    It says more than ink where both partial correlations, given log ink and by ranks given ink, are surely positive and
    beyond 0.05.
    """
    tie = spearman(scores, inks, resamples=1).mean
    if tie is not None and abs(tie) > IS_INK:
        return ALONE
    found = [partial(scores, rated, np.log1p(inks)), partial_ranks(scores, rated, inks)]
    known = [each for each in found if each.mean is not None and each.low is not None]
    if not known:
        return "–"
    return MORE if all((each.mean or 0) > NEGLIGIBLE and (each.low or 0) > 0 for each in known) else NOTHING


def partial_ranks(x: Sequence[float | None], y: Sequence[float | None], given: Sequence[float]) -> Interval:
    """The partial correlation of ranks: whatever monotone curve ties x or y to the ink, it is held fixed."""
    columns, missing = complete(x, y, given)
    if len(columns[0]) < 2:
        return partial(*columns)
    stats = require("scipy.stats", extra="eval")
    found = partial(*(stats.rankdata(column) for column in columns))
    return Interval(found.mean, found.low, found.high, found.n, found.method, found.degenerate, missing)


def _against(
    study: Study, values: Sequence[float | None], rated: Sequence[float | None], inks: Sequence[float]
) -> dict[str, Cell]:
    models, shapes = ([getattr(each, key) for each in study.drawn] for key in ("agent", "stimulus"))
    agreement = rank_agreement(values, rated, models, shapes, study.seed)
    return {
        "r": pearson(values, rated),
        "rho": spearman(values, rated, study.seed),
        "partial": partial(values, rated, np.log1p(inks)),
        "partial_ranks": partial_ranks(values, rated, inks),
        "agreement": "one agent only" if agreement.n == 1 else agreement,
        "verdict": verdict(values, rated, inks),
    }


_RATED = (
    Measure("r", "r", "Pearson's correlation with ratings", digits=2),
    Measure("rho", "ρ", "Spearman's rank correlation with ratings", digits=2),
    Measure("partial", "r given ink", "with the logarithm of inked pixels held fixed", digits=2),
    Measure("partial_ranks", "ρ given ink", "the same of ranks, whatever curve ties them to ink", digits=2),
    Measure("agreement", "ρ of agents", "rank agreement of the agents' means", digits=2),
    Measure("verdict", "Says", "whether both partial correlations are surely above 0 and beyond .05"),
)
