"""Whether agents differ: mixed-effects regression over all, and each against one by paired bootstrap over shapes."""

from __future__ import annotations

import math

from designgym.eval.creativity.mixed import ModelEffect, model_effect
from designgym.eval.creativity.outcome import Outcome
from designgym.eval.creativity.paired import by_stimulus
from designgym.eval.creativity.published import rows
from designgym.eval.creativity.study import Study
from designgym.eval.report.cells import MINUS, p_value
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.significance import holm
from designgym.eval.statistics import Interval


def effect_of(study: Study) -> ModelEffect:
    """The regression of the outcome on agent and type of shape."""
    keys = ([getattr(each, key) for each in study.drawn] for key in ("agent", "stimulus", "kind"))
    return model_effect(study.outcome.values, *keys)


def agents_table(study: Study, outcome: Outcome) -> Table:
    """A row an agent, best first: its mean, and its difference from the baseline over the same shapes."""
    means = {agent: study.mean(agent, outcome.values) for agent in study.agents}
    known = {agent: -math.inf if (mean := means[agent].mean) is None else mean for agent in study.agents}
    ranked = sorted(study.agents, key=lambda agent: -known[agent])
    baseline = study.baseline or ranked[0]
    compared = {
        agent: by_stimulus(_by_shape(study, outcome, agent), _by_shape(study, outcome, baseline), study.seed)
        for agent in ranked
        if agent != baseline
    }
    adjusted = dict(zip(compared, holm([each.test.p for each in compared.values()]), strict=True))
    found = []
    for agent in ranked:
        cells: dict[str, Cell] = {"mean": means[agent], "drawings": means[agent].n}
        if agent in compared:
            each = compared[agent]
            cells |= {
                "difference": each.difference,
                "d": each.d,
                "p": p_value(adjusted[agent]),
                "shapes": each.stimuli,
            }
        found.append(Row(agent, cells, emphasis=agent == baseline))
    measures = (
        Measure("mean", "Mean", digits=2, plot=(0.0, 1.0)),
        Measure("drawings", "Drawings"),
        Measure(
            "difference", f"Against {baseline}", "difference of pairs of a shape and replicate", digits=2, signed=True
        ),
        Measure("d", "d", "of the pairs' differences", digits=2, signed=True),
        Measure("p", "p", "sign-flip permutation of whole shapes, Holm's correction over the rows"),
        Measure("shapes", "Shapes", "with drawings of both"),
    )
    caption = f"{outcome.label}; 95 % bootstrap intervals over shapes."
    if outcome is study.outcome:
        caption += f" {described(effect_of(study))}"
    return Table(f"Agents by {outcome.label[:1].lower() + outcome.label[1:]}", measures, tuple(found), "Agent", caption)


def described(effect: ModelEffect) -> str:
    """The regression in a sentence or two, as the paper reports it (section 4.2)."""
    if effect.chi2 is None or effect.stimulus_variance is None or effect.residual_variance is None:
        return f"No mixed-effects regression: {effect.note}."
    whole = effect.stimulus_variance + effect.residual_variance
    share = effect.stimulus_variance / whole if whole else 0.0
    kind = ""
    if effect.kind_difference is not None:
        difference, error = effect.kind_difference
        shown = f"{difference:+.3f}".replace("-", MINUS)
        kind = f" Object transformations differ from incomplete shapes by {shown} (standard error {error:.3f})."
    missing = f" {effect.missing} drawings without a value are left out." if effect.missing else ""
    note = f" {effect.note[:1].upper()}{effect.note[1:]}." if effect.note else ""
    return (
        f"Mixed-effects regression on agent and type of shape with a random intercept for each shape: the agents' "
        f"effect has Wald χ²({effect.df}) = {effect.chi2:.1f}, p {_p(effect.p)}; shapes account for "
        f"{100 * share:.1f} % of the remaining variance (the paper: χ²(13) = 3096.9, near zero).{kind}{missing}{note}"
    )


def manipulations_table() -> Table:
    """What the paper's own manipulations of the harness did, beside which differences of conditions can be read."""
    found = []
    for row in rows(3):
        low, high, n = float(row["low"]), float(row["high"]), 30
        difference = Interval(float(row["difference"]), low, high, n, "bootstrap by stimulus, as printed")
        cells: dict[str, Cell] = {
            "condition": row["condition"],
            "baseline": row["baseline"],
            "outcome": row["outcome"],
            "difference": difference,
            "d": float(row["d"]),
        }
        found.append(Row(row["manipulation"].capitalize(), cells))
    measures = (
        Measure("condition", "Condition"),
        Measure("baseline", "Baseline"),
        Measure("outcome", "Outcome"),
        Measure("difference", "Difference", digits=2, signed=True),
        Measure("d", "d", digits=2, signed=True),
    )
    caption = "GPT-5.6 Luna's drawings, as printed (arXiv 2609.34195, section 4.4 and appendix E.2)."
    title = "PainterBench's manipulations (Table 3)"
    return Table(title, measures, tuple(found), "Manipulation", caption, folded=True)


def _by_shape(study: Study, outcome: Outcome, agent: str) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for place in study.places(agent).tolist():
        found.setdefault(study.drawn[place].stimulus, []).append(outcome.values[place])
    return found


def _p(p: float | None) -> str:
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"
