"""GraphicBench's measures of a workflow: what was carried out, whether it was delivered, and how economical it was.

Pure functions over the steps that were tried, in order (GraphicBench, section 4.2, "Workflow Evaluation" and "Execution
Evaluation", and section 6). Two variants differ where the released scripts depart from the paper: ``strict`` is the
paper, ``release`` the scripts.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from designgym.envs.design.env import COUNTED
from designgym.envs.design.experts import EXPERTS, expert_named
from designgym.envs.design.workspace import Step

Variant = Literal["strict", "release"]

MOST_STEPS = {1: 10, 2: 20, 3: 30}
"""Experts at work -> the most steps of a workflow that counts as delivered (section 4.2): easy, medium, hard."""

DEAD_LOOP = 3
"""The same step so many times running is a dead loop. The paper gives no number."""


def steps_of(plan: Sequence[Mapping[str, Any]]) -> list[Step]:
    """The steps of an episode's ``truth["plan"]``, which are JSON data."""
    return [Step(**step) for step in plan]


def same_step(step: Step, variant: Variant = "strict") -> Hashable:
    """What two steps have in common if they are duplicates.

    ``strict``: expert, action and parameters. ``release``: the description; a step without one is told by the other
    three. The parameters of a refused step are not kept, so the kind of its error and its description tell it too.
    """
    if variant == "release" and step.description.strip():
        return step.description.strip()
    refused = bool(step.error) and not step.parameters
    told_by = (step.error, step.description) if refused else ()
    return step.expert, step.action, json.dumps(dict(step.parameters), sort_keys=True), *told_by


def execution_success(steps: Sequence[Step]) -> float:
    """Steps that were carried out over steps that were tried, 0 to 1; 0 for a workflow without steps."""
    return sum(not step.error for step in steps) / len(steps) if steps else 0.0


def error_free(steps: Sequence[Step]) -> bool:
    """Whether there were steps and all were carried out."""
    return bool(steps) and all(not step.error for step in steps)


def error_counts(steps: Sequence[Step]) -> dict[str, int]:
    """How often each kind of error came; every kind of :data:`designgym.envs.design.env.COUNTED` is a key.

    ``dependency_local`` is something that the expert's own document lacks, ``dependency_global`` a file that no expert
    has saved (section 6).
    """
    found = Counter(
        f"{step.error}_{step.dependency}" if step.error == "dependency" else step.error for step in steps if step.error
    )
    return {kind: found[kind] for kind in COUNTED}


def error_shares(workflows: Sequence[Sequence[Step]]) -> dict[str, float]:
    """Each kind's share of all steps of several workflows together, 0 to 1, as in Figure 3; zeros without steps.

    ``dependency`` is the sum of both kinds of dependency.
    """
    steps = [step for workflow in workflows for step in workflow]
    shares = {kind: count / len(steps) if steps else 0.0 for kind, count in error_counts(steps).items()}
    return shares | {"dependency": shares["dependency_local"] + shares["dependency_global"]}


def dead_loop(steps: Sequence[Step], variant: Variant = "strict") -> bool:
    """Whether the same step was taken :data:`DEAD_LOOP` times running."""
    running, before = 0, None
    for step in steps:
        now = same_step(step, variant)
        running = running + 1 if now == before else 1
        before = now
        if running == DEAD_LOOP:
            return True
    return False


def delivered(steps: Sequence[Step], variant: Variant = "strict") -> bool:
    """Whether a workflow ends in time and without a dead loop.

    It may have 10, 20 or 30 steps with one, two or three experts: at most (``strict``) or fewer (``release``). Names of
    experts that do not exist earn no steps. A workflow without steps is not delivered.
    """
    known = {expert_named(step.expert) for step in steps} - {None}
    most = MOST_STEPS[max(1, min(len(known), len(EXPERTS)))]
    in_time = len(steps) <= most if variant == "strict" else len(steps) < most
    return bool(steps) and in_time and not dead_loop(steps, variant)


def step_efficiency(steps: Sequence[Step], variant: Variant = "strict") -> float:
    """Steps that are no duplicate of an earlier one over all steps, 0 to 1; 0 for a workflow without steps."""
    return len({same_step(step, variant) for step in steps}) / len(steps) if steps else 0.0


def expert_use_efficiency(steps: Sequence[Step]) -> float:
    """(E - 1) / switches between successive steps, E the number of experts, 0 to 1; 1 where nobody is switched.

    0 for a workflow without steps.
    """
    if not steps:
        return 0.0
    switches = sum(one.expert != two.expert for one, two in pairwise(steps))
    return (len({step.expert for step in steps}) - 1) / switches if switches else 1.0


@dataclass(frozen=True)
class WorkflowMeasures:
    """All measures of one workflow, or their means over several.

    Attributes:
        steps: How many steps.
        experts: How many experts.
        execution_success: See :func:`execution_success`.
        error_free: 1 if all was carried out, else 0.
        delivery_rate: 1 if it was delivered, else 0.
        step_efficiency: See :func:`step_efficiency`.
        expert_use_efficiency: See :func:`expert_use_efficiency`.
    """

    steps: float
    experts: float
    execution_success: float
    error_free: float
    delivery_rate: float
    step_efficiency: float
    expert_use_efficiency: float


def measure(steps: Sequence[Step], variant: Variant = "strict") -> WorkflowMeasures:
    """All measures of one workflow."""
    return WorkflowMeasures(
        steps=float(len(steps)),
        experts=float(len({step.expert for step in steps})),
        execution_success=execution_success(steps),
        error_free=float(error_free(steps)),
        delivery_rate=float(delivered(steps, variant)),
        step_efficiency=step_efficiency(steps, variant),
        expert_use_efficiency=expert_use_efficiency(steps),
    )


def mean_measures(workflows: Sequence[Sequence[Step]], variant: Variant = "strict") -> WorkflowMeasures:
    """The means of all measures over workflows; execution success is that of all their steps together (section 4.2).

    Raises:
        ValueError: If there is no workflow.
    """
    if not workflows:
        raise ValueError("There is no workflow to measure.")
    each = [measure(steps, variant) for steps in workflows]
    means = {
        name: math.fsum(getattr(one, name) for one in each) / len(each) for name in WorkflowMeasures.__annotations__
    }
    pooled = execution_success([step for steps in workflows for step in steps])
    return WorkflowMeasures(**means | {"execution_success": pooled})
