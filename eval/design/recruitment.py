"""Who was recruited for a design, and how the steps were shared out (GraphicBench, Table 10)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from designgym.envs.design.experts import EXPERTS, expert_named
from designgym.envs.design.workspace import Step
from designgym.errors import UserError
from designgym.eval.design.published import lines
from designgym.eval.design.types import TYPES, of_type
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result
from designgym.eval.summary import Policy
from designgym.eval.workflow import steps_of

TITLE = "Recruitment and workload"
ALL = "all types"


def _title(expert: str) -> str:
    return expert.replace("_", " ").capitalize()


_MEASURES = (
    *(Measure(f"ratio_{each}", _title(each), digits=2, group="Recruitment ratio") for each in EXPERTS),
    *(Measure(f"workload_{each}", _title(each), digits=1, group="Workload, steps") for each in EXPERTS),
    Measure("experts", "Experts", digits=2, group="Of a design"),
    Measure("steps", "Steps", digits=1, group="Of a design"),
)


def recruitment_table(policies: Sequence[Policy]) -> Table:
    """A row a policy and type of design, and the paper's rows."""
    rows = []
    for policy in policies:
        kinds = {ALL: list(policy.results), **{kind: of_type(policy.results, kind) for kind in TYPES}}
        for kind, results in kinds.items():
            if results:
                cells = _cells(results, policy.recruited)
                rows.append(Row(kind.capitalize(), cells, policy.name, emphasis=policy.emphasis and kind == ALL))
    told = any(policy.recruited for policy in policies)
    whom = "Recruited is whom the supervisor recruited, or where that was not kept, who has steps. " if told else ""
    caption = (
        f"{whom or 'Recruited is who has steps. '}The ratio is the share of designs for which an expert is recruited, "
        "the workload the mean number of steps of those who have any, failed steps too. In the paper's rows of "
        "LLaMA-3 8b the ratios add up to less than the experts; in most of its rows the workloads of those recruited "
        "add up to more than the steps."
    )
    table = Table(TITLE, _MEASURES, (*rows, *_published()), row_label="Type", caption=caption, folded=True)
    return table


def recruited(results: Sequence[Result], folder: Path) -> dict[str, tuple[str, ...]]:
    """Whom GraphicTown's supervisor recruited, by task: the goals of its artefacts; tasks without a file are left out.

    Args:
        results: Whose tasks are asked for.
        folder: Where ``<task>.json`` lie.

    Raises:
        UserError: If a file holds no artefacts.
    """
    found = {}
    for task in dict.fromkeys(result.task for result in results):
        path = folder / f"{task}.json"
        if not path.is_file():
            continue
        try:
            goals = json.loads(path.read_text(encoding="utf-8"))["goals"]
            found[task] = tuple(goals.keys())
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"'{path}' holds no artefacts of GraphicTown ({error}); move it away.") from error
    return found


def at_work(steps: Sequence[Step]) -> list[str]:
    """Who has steps, in the order in which they begin; who does not exist keeps the name that the step gives."""
    return list(dict.fromkeys(expert_named(step.expert) or step.expert for step in steps))


def _cells(results: Sequence[Result], recruited: Mapping[str, Sequence[str]]) -> dict[str, Cell]:
    played = [steps_of(result.truth["plan"]) for result in results]
    who = [recruited.get(result.task) or at_work(steps) for result, steps in zip(results, played, strict=True)]
    cells: dict[str, Cell] = {}
    for expert in EXPERTS:
        counts = [sum(expert_named(step.expert) == expert for step in steps) for steps in played]
        busy = [count for count in counts if count]
        cells[f"ratio_{expert}"] = fmean(expert in each for each in who)
        cells[f"workload_{expert}"] = fmean(busy) if busy else None
    cells["experts"] = fmean(len(each) for each in who)
    cells["steps"] = fmean(len(steps) for steps in played)
    return cells


def _published() -> list[Row]:
    rows = []
    for line in lines("table10"):
        figures: dict[str, Cell] = {
            measure.key: float(line[measure.key]) if line[measure.key] else None for measure in _MEASURES
        }
        rows.append(Row(line["type"].capitalize(), figures, f"GraphicBench, Table 10: {line['model']}"))
    return rows
