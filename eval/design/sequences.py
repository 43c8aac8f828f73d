"""In which order experts came to work, and which workflows came most often (GraphicBench, Tables 11 and 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from designgym.envs.design.experts import EXPERTS
from designgym.eval.design.published import lines
from designgym.eval.design.recruitment import at_work
from designgym.eval.design.workflows import NAMELESS, workflows
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.summary import Policy

MOST = 3
"""How many of the most common workflows are shown (Table 12)."""
ARROW = " → "
WITH_STRANGERS = "with experts that do not exist"
NONE = "without a step"
_NUMBERS = {1: "One expert", 2: "Two experts", 3: "Three experts"}


def expert_sequences(policies: Sequence[Policy]) -> Table:
    """Rows are orders of experts, columns policies and the paper's models: the share of workflows with that order."""
    counts = {f"own {policy.name}": _orders(policy) for policy in policies}
    printed = lines("table11")
    models = [column for column in printed[0] if column != "sequence"]
    for model in models:
        counts[f"paper {model}"] = Counter(
            {_words(line["sequence"].split(" > ")): int(line[model]) for line in printed}
        )
    own, paper = "This evaluation", "GraphicBench, Table 11"
    measures = (
        *(Measure(f"own {policy.name}", policy.name, percent=True, group=own) for policy in policies),
        *(Measure(f"paper {model}", model, percent=True, group=paper) for model in models),
    )
    totals: dict[str, Cell] = {key: counted.total() for key, counted in counts.items()}
    rows = [Row("Workflows", totals, form=Measure("workflows", "Workflows"))]
    orders = {_words(line["sequence"].split(" > ")) for line in printed} | {each for c in counts.values() for each in c}
    for order in sorted(orders, key=_place):
        shares: dict[str, Cell] = {key: c[order] / c.total() for key, c in counts.items() if c.total()}
        number = order.count(ARROW) + 1
        group = "Other" if order in (WITH_STRANGERS, NONE) else _NUMBERS[number]
        rows.append(Row(order, shares, group))
    caption = (
        "An expert stands where it begins; coming back makes no other order. The paper's shares are of the workflows "
        "that its table lists, 626 to 1,037 of 1,059."
    )
    return Table("Order of experts", measures, tuple(rows), row_label="Order", caption=caption, folded=True)


def action_sequences(policies: Sequence[Policy]) -> Table:
    """Of each policy the workflows that came most often, as their actions; equal counts stand as they first came."""
    rows = []
    for policy in policies:
        played = [tuple(step.action or NAMELESS for step in steps) for steps in workflows(policy.results) if steps]
        for place, (actions, count) in enumerate(Counter(played).most_common(MOST), start=1):
            cells: dict[str, Cell] = {"count": count, "share": count / len(played), "actions": shortened(actions)}
            rows.append(Row(f"{place}", cells, policy.name))
    measures = (
        Measure("count", "Occurrences"),
        Measure("share", "Of all", "of the policy's workflows that have steps", percent=True),
        Measure("actions", "Actions, in order"),
    )
    caption = (
        "Whole workflows, whatever their parameters; an action that comes several times running is written once with "
        "its number. The paper's Table 12 is a picture, so nothing of it stands here."
    )
    return Table("Most common action sequences", measures, tuple(rows), row_label="Place", caption=caption, folded=True)


def shortened(actions: Sequence[str]) -> str:
    """A sequence of actions as a text, in which what comes several times running stands once with its number."""
    runs = [(action, sum(1 for _ in same)) for action, same in groupby(actions)]
    return ARROW.join(action if number == 1 else f"{action} ×{number}" for action, number in runs)


def _orders(policy: Policy) -> Counter[str]:
    found: Counter[str] = Counter()
    for steps in workflows(policy.results):
        who = at_work(steps)
        known = all(each in EXPERTS for each in who)
        found[NONE if not who else _words(who) if known else WITH_STRANGERS] += 1
    return found


def _words(experts: Sequence[str]) -> str:
    return ARROW.join(expert.replace("_", " ") for expert in experts)


def _place(order: str) -> tuple[int, list[int]]:
    """Few experts first, in the order of the paper's columns."""
    if order in (WITH_STRANGERS, NONE):
        return 9, [order == NONE]
    places = [EXPERTS.index(name.replace(" ", "_")) for name in order.split(ARROW)]
    return len(places), places
