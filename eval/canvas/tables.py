"""The tables of drawing, beside that of the results."""

from __future__ import annotations

from collections.abc import Sequence

from designgym.eval.canvas.ink import ink_scatter, ink_table, points
from designgym.eval.canvas.revision import revision_table
from designgym.eval.canvas.stimuli import kind_table, stimulus_table
from designgym.eval.canvas.tool_shares import tool_table
from designgym.eval.process import process_tables
from designgym.eval.report.data import Scatter, Table
from designgym.eval.summary import CONSTANTS, Policy

MOST_SHAPES = 60
"""A table by shape of more has no reader; the results have them all."""


def tables(policies: Sequence[Policy], reward: str, seed: int = 0) -> list[Table]:
    """All tables, for policies that drew and whose trials are at hand."""
    drawing = _drawing(policies)
    study = {policy.name: list(policy.trials.values()) for policy in drawing}
    everyone = {policy.name: list(policy.trials.values()) for policy in policies}
    by_kind = kind_table(policies, reward, seed)
    shapes = {result.task for result in policies[0].results}
    return [
        *([] if by_kind is None else [by_kind]),
        ink_table(points(drawing), seed),
        tool_table(study),
        revision_table(everyone, {policy.name: policy.group for policy in policies}),
        *process_tables(study),
        *([stimulus_table(policies, reward, seed)] if 1 < len(shapes) <= MOST_SHAPES else []),
    ]


def scatters(policies: Sequence[Policy], reward: str) -> tuple[Scatter, ...]:
    """Ink against score; nothing for other tasks than drawing, and where no drawing has both."""
    drawn = points([policy for policy in _drawing(policies) if policy.trials])
    return (ink_scatter(drawn, reward),) if any(drawn.values()) else ()


def _drawing(policies: Sequence[Policy]) -> list[Policy]:
    """All but constants: these have no process, and would only move what effort and ink are compared with."""
    return [policy for policy in policies if policy.group != CONSTANTS] or list(policies)
