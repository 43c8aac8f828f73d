"""All tables that the aesthetics tasks add to a report."""

from __future__ import annotations

from collections.abc import Sequence

from designgym.eval.aesthetics.breakdowns import operation_table, strength_table
from designgym.eval.aesthetics.comparisons import indicator_comparisons, overall_comparisons
from designgym.eval.aesthetics.parts import PARTS
from designgym.eval.aesthetics.scored import applies, scored
from designgym.eval.aesthetics.tables import indicator_table, overall_table
from designgym.eval.report.data import Table
from designgym.eval.summary import CONSTANTS, Policy, mean_reward


def tables(policies: Sequence[Policy], seed: int = 0) -> list[Table]:
    """The paper's tables, comparisons and breakdowns; nothing for results of other tasks.

    Args:
        policies: With results on the same tasks; those of the group of constants are compared with, and not among
            themselves.
        seed: Seed of the intervals.
    """
    if not policies or not all(applies(policy.results) for policy in policies):
        return []
    answers = {policy.name: [scored(result) for result in policy.results] for policy in policies}
    task = answers[policies[0].name][0].task
    chosen = pairs(policies)
    made: list[Table | None] = []
    for part in PARTS[task]:
        if any(part.asked(s) for s in answers[policies[0].name]):
            made += [overall_table(policies, answers, part, seed), indicator_table(policies, answers, part, seed)]
            if chosen:
                made += [overall_comparisons(chosen, answers, part, seed)]
                made += [indicator_comparisons(chosen, answers, part, seed)]
            if part.broken_down:
                made += [operation_table(policies, answers, part, seed), strength_table(policies, answers, part, seed)]
    return [table for table in made if table is not None]


def pairs(policies: Sequence[Policy]) -> list[tuple[str, str]]:
    """Who is compared with whom: the best agent with each other one, and every agent with the best constant.

    The best is the one of the highest mean reward.
    """
    agents, constants = ([p for p in policies if (p.group == CONSTANTS) is c] for c in (False, True))
    ranked = sorted(agents, key=lambda p: -(mean_reward(p.results).mean or 0.0))
    found = [(ranked[0].name, other.name) for other in ranked[1:]]
    if constants:
        best = max(constants, key=lambda p: mean_reward(p.results).mean or 0.0)
        found += [(agent.name, best.name) for agent in ranked]
    return found
