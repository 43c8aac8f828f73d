"""The report of a run: tables and comparisons, the curves of its stages, and pages with true and predicted boxes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from designgym import manifest
from designgym.atomic import write_atomically
from designgym.eval import drawings, localization
from designgym.eval.aesthetics import examples
from designgym.eval.aesthetics import findings as aesthetics
from designgym.eval.compare import Comparison, comparison_table
from designgym.eval.process import process_tables
from designgym.eval.report import cells, html
from designgym.eval.report.data import Cell, Example, Measure, Report, Row, Sheet, Table
from designgym.eval.statistics import Interval
from designgym.eval.summary import Policy, results_table
from designgym.train.config import RecordedRow, TrainConfig
from designgym.train.curves import curves
from designgym.train.environments import evaluation_kwargs
from designgym.train.evaluation import CONSTANT_POLICIES, MODELS, policy_folder

_SHOWN = ("designgym", "torch", "transformers", "trl", "peft", "numpy", "skia-python")
EXAMPLES = 24
DRAWINGS = 12
"""Drawings of each policy."""


def tables(
    config: TrainConfig, policies: Mapping[str, Policy], compared: Sequence[Comparison], reward: str
) -> list[Table]:
    """The tables of the report and of the terminal."""
    seed = config.evaluation.seed
    measured = results_table(list(policies.values()), reward, seed=seed, title=f"Held-out {_tasks(policies.values())}")
    made = [replace(measured, rows=(*measured.rows, *map(_recorded, config.evaluation.recorded)))]
    if compared:
        made.append(
            comparison_table(list(compared), title=f"Paired comparisons on the same {_tasks(policies.values())}")
        )
    simple = config.env.kwargs.get("designs") == "blocks"
    asked = [] if simple else aesthetics.tables(list(policies.values()), seed)
    made += asked
    if not asked and all(localization.applies(policy.results) for policy in policies.values()):
        made.append(localization.by_kind({policy.name: policy.results for policy in policies.values()}, seed))
    if all(drawings.applies(policy.results) for policy in policies.values()):
        parts = drawings.parts_table({policy.name: policy.results for policy in policies.values()}, reward, seed)
        made += [] if parts is None else [parts]
        # Constants have no process, and would only move the means that effort is compared with.
        drawing = [policy for policy in policies.values() if policy.group != CONSTANT_POLICIES]
        made += process_tables({policy.name: list(policy.trials.values()) for policy in drawing})
    return made


def _tasks(policies: Iterable[Policy]) -> str:
    """What the tasks are called."""
    return "tasks" if all(drawings.applies(policy.results) for policy in policies) else "pages"


def _recorded(row: RecordedRow) -> Row:
    """A row that was measured in another run; its intervals are as they were written down."""
    figures: dict[str, Cell] = {
        key: Interval(figure.mean, figure.low, figure.high, figure.n, "recorded") for key, figure in row.figures.items()
    }
    return Row(row.label, figures, "Recorded in other runs", row.note)


def summary(shown: Policy, compared: Sequence[Comparison]) -> str:
    """What came out, in a sentence: the model's differences from the others on the same pages, with intervals.

    Of the first measure alone, which is the reward of greedy answers; the table has the others.
    """
    measure = Measure("difference", "", signed=True)
    own = [c for c in compared if c.first == shown.name]
    differences = [
        f"{cells.whole(c.result.difference, measure)} against {c.second} ({c.measure})"
        for c in own
        if c.measure == own[0].measure
    ]
    return f"{shown.name}, on the same {_tasks([shown])}: {'; '.join(differences)}." if differences else ""


def _sheets(config: TrainConfig, policies: Mapping[str, Policy], folder: Path) -> tuple[Sheet, ...]:
    """Drawings of every policy that is no constant; none for other tasks than drawing."""
    kwargs = evaluation_kwargs(config)
    drawn = {
        policy.name: (policy.results, policy_folder(folder / "evaluation", key, policy), kwargs)
        for key, policy in policies.items()
        if policy.group != CONSTANT_POLICIES
    }
    if not all(drawings.applies(results) for results, *_ in drawn.values()):
        return ()
    seed = config.evaluation.seed
    return drawings.sheets(drawn, config.env.id, count=DRAWINGS * len(drawn), seed=seed)


def write(
    config: TrainConfig,
    policies: Mapping[str, Policy],
    compared: Sequence[Comparison],
    made: Sequence[Table],
    stages: Mapping[str, Mapping[str, Any]],
    folder: Path,
    reward: str,
) -> Path:
    """Write ``report.html`` and ``results.json`` into the run's folder.

    Args:
        config: The run's configuration.
        policies: Policies by key.
        compared: The comparisons.
        made: The tables.
        stages: What each stage recorded when it was done.
        folder: The run's folder.
        reward: Name of the reward.

    Returns:
        The report's path.
    """
    section = config.evaluation
    sheets = _sheets(config, policies, folder)
    about = manifest.collect()
    seconds = sum(float(record["seconds"]) for record in stages.values())
    facts = [
        ("Environment", config.env.id),
        (
            "Tasks" if sheets else "Pages",
            f"{section.count:,} of the split {section.split}, from number {section.first}",
        ),
        ("Reward", reward),
        ("Model", config.model),
        ("Seed", str(config.seed)),
        ("Training", ", ".join(f"{name} {record['seconds']:.0f} s" for name, record in stages.items())),
        ("Training in all", f"{seconds:.0f} s"),
        ("Peak memory", f"{max(float(record['peak_rss_mb']) for record in stages.values()):.0f} MB"),
        ("Versions", ", ".join(f"{name} {about.versions[name]}" for name in _SHOWN if name in about.versions)),
    ]
    drawn = curves(config, folder / "metrics.jsonl")
    if warned := [f"'{curve.title}'" for curve in drawn if "Warning at" in curve.caption]:
        facts.append(("Warning", f"the reward may be gamed: see {' and '.join(warned)}"))
    if about.checkout is not None:
        facts.append(("Commit", about.checkout.commit[:12] + (", with changes" if about.checkout.dirty else "")))
    shown = [policy for policy in policies.values() if policy.group == MODELS][-1]
    shown = next((policy for policy in policies.values() if policy.emphasis), shown)
    pages: tuple[Example, ...] = ()
    if examples.applies(shown.results):
        kwargs = evaluation_kwargs(config)
        pages = examples.examples(shown.results, config.env.id, kwargs, count=EXAMPLES, seed=section.seed)
    report = Report(
        title=f"{shown.name}: {config.env.id.partition('/')[2]}",
        summary=summary(shown, compared),
        facts=tuple(facts),
        tables=tuple(made),
        curves=drawn,
        examples=pages,
        examples_note=f"Greedy answers, {shown.name}. Pages are drawn by seed from all kinds, right and wrong alike.",
        sheets=sheets,
        sheets_note="The same held-out tasks of every policy, drawn by seed, good and poor drawings alike.",
        config=json.dumps(config.model_dump(mode="json"), indent=2, ensure_ascii=False),
        data={"stages": {name: dict(record) for name, record in stages.items()}, "seed": config.seed},
    )
    write_atomically(folder / "results.json", json.dumps(html.plain(report), indent=2, allow_nan=False) + "\n")
    return html.write(report, folder / "report.html")
