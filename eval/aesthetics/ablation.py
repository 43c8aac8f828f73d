"""What AesEval-Train gives, part by part: the layout of the paper's Table 6 from our results.

A table for each task and part of it. Its rows are the base model and those that were trained on all of AesEval-Train,
without reasoning paths, or without positive samples; its columns the gain over the base and the twelve indicators. The
paper's rows stand beside where all indicators were asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.eval.aesthetics.comparisons import contrast_overall, overall_comparisons
from designgym.eval.aesthetics.parts import PARTS, Part
from designgym.eval.aesthetics.published import Published, published
from designgym.eval.aesthetics.scored import Scored, scored
from designgym.eval.aesthetics.tables import STRICT, UNREADABLE, indicator_mean, means
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import proportion
from designgym.eval.summary import CONSTANTS, Policy, mean_reward

BASE = "Base"
FULL = "AesEval-Train"
NO_REASONING = "without reasoning paths"
NO_POSITIVE = "without positive samples"
ARMS = (FULL, NO_REASONING, NO_POSITIVE)
"""The trained models: the rows of the paper's Table 6."""

GAIN = "gain"


def ablation_tables(policies: Sequence[Policy], seed: int = 0) -> list[Table]:
    """The tables of one task: for each part the scores, and then who differs from whom.

    Args:
        policies: The base, trained models by the names above, and constants, with results on the same questions.
        seed: Seed of the intervals.
    """
    answers = {policy.name: [scored(result) for result in policy.results] for policy in policies}
    asked = answers[policies[0].name]
    made = []
    for part in PARTS[asked[0].task]:
        if part.published is not None and any(part.asked(s) for s in asked):
            made.append(_scores(policies, answers, part, seed))
            made.append(overall_comparisons(_pairs(policies), answers, part, seed))
    return made


def _scores(policies: Sequence[Policy], answers: Mapping[str, Sequence[Scored]], part: Part, seed: int) -> Table:
    asked = [s for s in answers[policies[0].name] if part.asked(s)]
    covered = [name for name in INDICATORS if any(s.indicator == name for s in asked)]
    others = [policy.name for policy in policies if policy.name != BASE]
    contrasts = contrast_overall([(name, BASE) for name in others], answers, part, seed)
    gains = {name: contrast.difference for name, contrast in zip(others, contrasts, strict=True)}
    rows = []
    for policy in policies:
        own = [s for s in answers[policy.name] if part.asked(s)]
        cells: dict[str, Cell] = {
            STRICT: means(own, seed)[STRICT],
            GAIN: gains.get(policy.name),
            UNREADABLE: proportion(sum(s.unreadable for s in own), len(own)),
        }
        cells |= {name: indicator_mean([s for s in own if s.indicator == name], part, seed) for name in covered}
        rows.append(Row(policy.name, cells, policy.group, policy.note, policy.emphasis))
    if len(covered) == len(INDICATORS):
        rows += _published(part)
    measures = (
        Measure(STRICT, "Overall", "mean of the indicators", plot=(0.0, 1.0)),
        Measure(GAIN, "Gain", "over the base model, on the same questions", signed=True),
        Measure(UNREADABLE, "Unreadable", "share of answers that were not valid; they score 0", percent=True),
        *(
            Measure(name, INDICATORS[name].title, bound_digits=2, group=INDICATORS[name].dimension.capitalize())
            for name in covered
        ),
    )
    missing = [INDICATORS[name].title for name in INDICATORS if name not in covered]
    caption = (
        f"{part.note} {len(asked):,} questions about {len({s.design for s in asked}):,} designs, the same for every "
        "row, with 95 % intervals: bootstrap over designs, Wilson for shares. "
        + (
            f"Not asked about: {', '.join(missing)}; so the paper's rows, whose means cover them, are left out."
            if missing
            else "Published rows are the paper's, of Qwen-VL-7B on designs made from Crello; overall as printed."
        )
    )
    return Table(f"{part.name}: {part.measure}", measures, tuple(rows), "Model", caption)


def _pairs(policies: Sequence[Policy]) -> list[tuple[str, str]]:
    """Trained models with the base, all of the training with its parts, trained models with the best constant."""
    names = [policy.name for policy in policies]
    arms = [name for name in ARMS if name in names]
    found = [(arm, BASE) for arm in arms]
    found += [(FULL, arm) for arm in arms if arm != FULL and FULL in arms]
    constants = [policy for policy in policies if policy.group == CONSTANTS]
    if constants:
        best = max(constants, key=lambda policy: mean_reward(policy.results).mean or 0.0)
        found += [(arm, best.name) for arm in arms]
    return found


def _published(part: Part) -> list[Row]:
    """The rows of Table 6 that measure this part."""
    rows = [row for row in published() if row.table == 6 and row.part == part.published]
    return [_row(row, rows[0]) for row in rows]


def _row(row: Published, base: Published) -> Row:
    gain = None if row is base else row.overall - base.overall
    return Row(row.model, {STRICT: row.overall, GAIN: gain, **row.indicators}, "Published: AesEval-Bench, Table 6")
