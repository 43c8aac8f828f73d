"""Tables of workflows: how they went by GraphicBench's measures, which errors came, and which actions were taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from designgym.envs.design.experts import EXPERTS, expert_named
from designgym.envs.design.workspace import Step
from designgym.eval.design.published import row_of
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result
from designgym.eval.statistics import Interval, bootstrap, proportion
from designgym.eval.summary import Policy
from designgym.eval.workflow import WorkflowMeasures, measure, steps_of

LEAST_SHARE = 0.05
"""Actions with a smaller share of an expert's steps are ``Others`` (GraphicBench, Figure 10)."""
OTHERS, NAMELESS, STRANGERS = "Others", "(no action to be read)", "Experts that do not exist"

_DELIVERY = "ended within 10, 20 or 30 steps of one, two or three experts, without a dead loop"
_WORKFLOW = (
    Measure("steps", "Steps", "tried, also in vain", digits=1),
    Measure("experts", "Experts", "who were called", digits=2),
    Measure("execution_success", "Execution success", "steps carried out, of all steps together"),
    Measure("error_free", "Error-free", "workflows in which every step was carried out", percent=True),
    Measure("expert_use_efficiency", "Expert use", "(experts − 1) / switches between them"),
    Measure("delivery_rate", "Delivery", _DELIVERY, percent=True),
    Measure("delivery_rate_release", "Delivery, scripts", "with fewer steps than these", percent=True),
    Measure("step_efficiency", "Step efficiency", "steps that repeat no earlier one, of all"),
    Measure("step_efficiency_release", "Step efficiency, scripts", "distinct descriptions, of all steps"),
)
_KINDS = {
    "dependency": "Dependency",
    "dependency_local": "… local",
    "dependency_global": "… global",
    "invalid_action": "Action",
    "invalid_parameters": "Parameters",
    "invalid_expert": "Expert",
    "format": "Format",
    "limit": "Limit",
}
_ERRORS = (
    Measure("errors", "Failed steps", "of all steps", percent=True),
    *(Measure(kind, label, percent=True, group="Share of all errors") for kind, label in _KINDS.items()),
)


def workflow_table(policies: Sequence[Policy], seed: int = 0) -> Table:
    """A row a policy: the measures of GraphicBench's section 4.2, as the paper and as its scripts compute them."""
    rows = [_row(policy, _workflow_cells(policy.results, seed)) for policy in policies]
    of_paper = ("experts", "expert_use_efficiency", "step_efficiency")
    caption = (
        "GraphicBench's measures (section 4.2), and what its scripts compute instead. Means over workflows with "
        "95 % intervals: Wilson for shares of workflows, else bootstrap over tasks. A workflow without steps counts 0."
    )
    return Table("Workflows", _WORKFLOW, (*rows, row_of({key: key for key in of_paper})), caption=caption)


def error_table(policies: Sequence[Policy], seed: int = 0) -> Table:
    """A row a policy: how many steps failed, and the share of each kind among the failures (section 6, Figure 3)."""
    rows = [_row(policy, _error_cells(policy.results, seed)) for policy in policies]
    kinds = ("dependency", "invalid_action", "invalid_parameters", "invalid_expert", "format")
    caption = (
        "All steps of a policy together, with 95 % bootstrap intervals over tasks. Dependency: a thing is missing that "
        "the expert's own document should hold (local), or a file that no expert has saved (global). The paper's share "
        "of invalid actions is what its other figures leave."
    )
    return Table("Errors", _ERRORS, (*rows, row_of({kind: f"errors_{kind}" for kind in kinds})), caption=caption)


def action_table(policies: Sequence[Policy]) -> Table:
    """Rows are the actions of each expert, columns policies: an action's share of the expert's steps (Figure 10)."""
    counts = {policy.name: action_counts(policy.results) for policy in policies}
    rows: list[Row] = []
    for expert in (*EXPERTS, STRANGERS):
        of_expert = {name: counted.get(expert, Counter()) for name, counted in counts.items()}
        if not any(of_expert.values()):
            continue
        group = expert.replace("_", " ").capitalize()
        totals: dict[str, Cell] = {name: counted.total() for name, counted in of_expert.items()}
        rows.append(Row("Steps", totals, group, form=Measure("steps", "Steps")))
        shares = {name: grouped(counted) for name, counted in of_expert.items()}
        actions = sorted({action for share in shares.values() for action in share} - {OTHERS})
        for action in (*actions, OTHERS):
            cells: dict[str, Cell] = {name: share[action] for name, share in shares.items() if action in share}
            if cells:
                rows.append(Row(action, cells, group))
    measures = tuple(Measure(policy.name, policy.name, percent=True) for policy in policies)
    caption = f"Shares of the steps that an expert tried. Actions below {LEAST_SHARE:.0%} of them are {OTHERS}."
    return Table("Actions by expert", measures, tuple(rows), row_label="Action", caption=caption, folded=True)


def action_counts(results: Sequence[Result]) -> dict[str, Counter[str]]:
    """How often each expert tried each action; experts who do not exist are one."""
    found: dict[str, Counter[str]] = {}
    for steps in workflows(results):
        for step in steps:
            found.setdefault(expert_named(step.expert) or STRANGERS, Counter())[step.action or NAMELESS] += 1
    return found


def grouped(counts: Mapping[str, int]) -> dict[str, float]:
    """Shares of actions, those below :data:`LEAST_SHARE` together as ``Others``; empty for no action at all."""
    total = sum(counts.values())
    shares = {action: count / total for action, count in counts.items()}
    kept = {action: share for action, share in shares.items() if share >= LEAST_SHARE}
    rest = sum(count for action, count in counts.items() if action not in kept)
    return kept | ({OTHERS: rest / total} if rest else {})


def workflows(results: Sequence[Result]) -> list[list[Step]]:
    """The steps of every trial."""
    return [steps_of(result.truth["plan"]) for result in results]


def _workflow_cells(results: Sequence[Result], seed: int) -> dict[str, Cell]:
    tasks = [result.task for result in results]
    played = workflows(results)
    strict = [measure(steps, "strict") for steps in played]
    release = [measure(steps, "release") for steps in played]

    def mean(key: str, of: Sequence[WorkflowMeasures]) -> Cell:
        return bootstrap([getattr(one, key) for one in of], seed, clusters=tasks)

    def share(key: str, of: Sequence[WorkflowMeasures]) -> Cell:
        return proportion(round(sum(getattr(one, key) for one in of)), len(of))

    return {
        **{key: mean(key, strict) for key in ("steps", "experts", "expert_use_efficiency", "step_efficiency")},
        "execution_success": _over_steps(played, tasks, lambda step: not step.error, seed),
        "error_free": share("error_free", strict),
        "delivery_rate": share("delivery_rate", strict),
        "delivery_rate_release": share("delivery_rate", release),
        "step_efficiency_release": mean("step_efficiency", release),
    }


def _error_cells(results: Sequence[Result], seed: int) -> dict[str, Cell]:
    tasks = [result.task for result in results]
    played = workflows(results)
    failed = [[step for step in steps if step.error] for steps in played]

    def of_kind(kind: str) -> Cell:
        return _over_steps(failed, tasks, lambda step: kind in (step.error, f"{step.error}_{step.dependency}"), seed)

    return {
        "errors": _over_steps(played, tasks, lambda step: bool(step.error), seed),
        **{kind: of_kind(kind) for kind in _KINDS},
    }


def _over_steps(
    played: Sequence[Sequence[Step]], tasks: Sequence[str], holds: Callable[[Step], bool], seed: int
) -> Interval:
    """The share of all steps of which something holds; steps of one task are resampled together."""
    values = [float(holds(step)) for steps in played for step in steps]
    return bootstrap(values, seed, clusters=[task for task, steps in zip(tasks, played, strict=True) for _ in steps])


def _row(policy: Policy, cells: Mapping[str, Cell]) -> Row:
    return Row(policy.name, cells, policy.group, "", policy.emphasis)
