"""Whether the score follows the amount of ink, over all drawings and within each policy (PainterBench, section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from designgym.eval.creativity.correlation import spearman
from designgym.eval.creativity.marker_correlations import within_agents
from designgym.eval.creativity.published import rows as published_rows
from designgym.eval.report.data import Measure, Row, Scatter, Table
from designgym.eval.summary import Policy

Points = Mapping[str, Sequence[tuple[int, float]]]
"""Policy -> added ink, px, and score of each drawing that has both."""


def points(policies: Sequence[Policy]) -> dict[str, list[tuple[int, float]]]:
    """Ink and score of the trials that ended and could be scored."""
    found: dict[str, list[tuple[int, float]]] = {}
    for policy in policies:
        own = found[policy.name] = []
        for result in policy.results:
            trial = policy.trials.get(result.name)
            if trial is not None and trial.added_ink is not None and result.value is not None:
                own.append((trial.added_ink, result.value))
    return found


def ink_table(drawn: Points, seed: int = 0) -> Table:
    """Spearman's rho of added ink with the score: over all drawings, within policies and of each of them."""
    inks = {name: [float(ink) for ink, _ in own] for name, own in drawn.items()}
    scores = {name: [score for _, score in own] for name, own in drawn.items()}
    pooled = spearman([v for name in drawn for v in inks[name]], [v for name in drawn for v in scores[name]], seed)
    rows = [Row("All drawings", {"rho": pooled, "n": pooled.n})]
    if len(drawn) > 1:
        mean = within_agents(inks, scores, seed)
        rows.append(Row("Within policies", {"rho": mean, "n": pooled.n}, note="mean of each policy's own ρ"))
        for name in drawn:
            own = spearman(inks[name], scores[name], seed)
            rows.append(Row(name, {"rho": own, "n": own.n}, "Within"))
    for line in published_rows(6):
        figure = float(line["ink_rho_agents"])
        rows.append(Row(line["scorer"], {"rho": figure, "n": 2100}, "Published: PainterBench, Table 6"))
    measures = (
        Measure("rho", "ρ with added ink", "Spearman's", digits=2, signed=True, plot=(-1.0, 1.0)),
        Measure("n", "Drawings"),
    )
    caption = (
        "In brackets 95 % bootstrap intervals over drawings. A score that only follows ink is one that hatching wins. "
        "Where ink or score is the same in all drawings there is no ρ. The paper's scorers meet the shape's ink too."
    )
    return Table("Ink and score", measures, tuple(rows), row_label="Drawings", caption=caption)


def ink_scatter(drawn: Points, reward: str) -> Scatter:
    """Every drawing as a dot: added ink against score."""
    groups = tuple((name, tuple((float(ink), score) for ink, score in own)) for name, own in drawn.items() if own)
    caption = "Drawings without added ink lie at the left end."
    return Scatter("Ink and score, drawing by drawing", groups, "added ink, px", reward, caption, (0.0, 1.0), True)
