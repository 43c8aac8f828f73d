"""What an evaluation found: its tables and the report that shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from designgym import manifest
from designgym.eval import drawings, localization
from designgym.eval.aesthetics import examples
from designgym.eval.aesthetics import findings as aesthetics
from designgym.eval.aesthetics.facts import facts as aesthetics_facts
from designgym.eval.aesthetics.shift import shift_tables
from designgym.eval.canvas import tables as canvas
from designgym.eval.compare import compare, comparison_table
from designgym.eval.compare_runs import pairs, pairs_table
from designgym.eval.config import EvalConfig
from designgym.eval.design import tables as design
from designgym.eval.design.pages import page_sheets
from designgym.eval.report.data import Example, Report, Sheet, Table
from designgym.eval.results import designs, values
from designgym.eval.summary import CONSTANTS, Policy, mean_reward, results_table
from designgym.eval.usage import usage_tables


def summarize(policies: Sequence[Policy], config: EvalConfig, reward: str) -> tuple[Table, ...]:
    """The tables: results, comparisons of the others with the best constant, and what the kind of task adds."""
    tables = [results_table(policies, reward, seed=config.seed)]
    others, constants = ([p for p in policies if (p.group == CONSTANTS) is c] for c in (False, True))
    if config.baseline:
        played = {p.name: p.results for p in policies}
        compared = pairs(played, baseline=config.baseline, measure=reward, seed=config.seed)
        tables.append(pairs_table(compared, f"Against {config.baseline}"))
    elif others and constants:
        best = max(constants, key=lambda p: mean_reward(p.results).mean or 0.0)
        against = [
            compare(
                p.name,
                values(p.results),
                best.name,
                values(best.results),
                measure=reward,
                seed=config.seed,
                designs=designs(p.results),
            )
            for p in others
        ]
        tables.append(comparison_table(against, title="Against the best constant"))
    # Simple pages know few indicators, and each kind of flaw harms one of them: a table of kinds says as much.
    simple = config.env.kwargs.get("designs") == "blocks"
    asked = [] if simple else aesthetics.tables(policies, config.seed)
    tables += asked
    tables += shift_tables(policies, config.seed)
    if not asked and all(localization.applies(policy.results) for policy in policies):
        tables.append(localization.by_kind({p.name: p.results for p in policies}, config.seed))
    tables += design.tables(policies, config.seed)
    if all(drawings.applies(policy.results) for policy in policies):
        parts = drawings.parts_table({p.name: p.results for p in policies}, reward, config.seed)
        tables += [] if parts is None else [parts]
        tables += canvas.tables(policies, reward, config.seed)
    tables += usage_tables(policies, config.seed)
    return tuple(tables)


def report(
    config: EvalConfig,
    policies: Sequence[Policy],
    tables: tuple[Table, ...],
    reward: str,
    env_kwargs: Mapping[str, Any],
    folders: Mapping[str, Path],
) -> Report:
    """The report: what was run, the tables, and what is to be looked at.

    Args:
        config: What was evaluated.
        policies: With results on the same tasks.
        tables: Of :func:`summarize`.
        reward: Name of the reward.
        env_kwargs: The environment's arguments, with the split.
        folders: The folder of every policy's run, by its name.
    """
    made = manifest.collect()
    checkout = made.checkout
    facts = [
        ("Environment", config.env.id),
        ("Tasks", _tasks(policies[0], config.split)),
        *(
            [("Out of distribution", f"{len(policies[0].ood):,} tasks more: {_written(config.ood)}")]
            if config.ood
            else []
        ),
        *aesthetics_facts(policies[0].results, config.env.id, env_kwargs),
        ("Reward", reward),
        ("Seed", str(config.seed)),
        ("Versions", ", ".join(f"{name} {made.versions[name]}" for name in _SHOWN if name in made.versions)),
    ]
    if checkout is not None:
        facts.append(("Commit", checkout.commit[:12] + (", with changes" if checkout.dirty else "")))
    agents = [p for p in policies if p.group == "Agents"] or policies
    looked_at = max(agents, key=lambda p: mean_reward(p.results).mean or 0.0)
    pages: tuple[Example, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    shown: dict[str, Any] = {"count": config.examples, "seed": config.seed}
    if config.examples and examples.applies(looked_at.results):
        pages = examples.examples(looked_at.results, config.env.id, env_kwargs, **shown)
    if config.examples and all(drawings.applies(p.results) for p in agents):
        drawn = {p.name: (p.results, folders[p.name], {**env_kwargs, **p.env}) for p in agents}
        sheets = drawings.sheets(drawn, config.env.id, **shown)
    if config.examples and all(design.applies(p.results) for p in agents):
        sheets = page_sheets({p.name: (p.results, folders[p.name]) for p in agents}, config.env.id, env_kwargs, **shown)
    return Report(
        title=f"{config.env.id.partition('/')[2] or config.env.id}: {len(policies)} policies compared",
        facts=tuple(facts),
        tables=tables,
        scatters=canvas.scatters(policies, reward),
        examples=pages,
        examples_note=f"Answers of {looked_at.name}. Pages are drawn by seed from all kinds, right and wrong alike.",
        sheets=sheets,
        sheets_note="The same tasks of every agent, drawn by seed, good and poor ones alike; then its best and worst.",
        config=json.dumps(config.model_dump(mode="json"), indent=2, ensure_ascii=False),
    )


_SHOWN = ("designgym", "gymnasium", "numpy", "pillow", "skia-python", "torch", "transformers")


def _tasks(policy: Policy, split: str) -> str:
    """How many tasks a policy played, and how often each."""
    tasks = len({result.task for result in policy.results})
    each = len(policy.results) // max(1, tasks)
    return f"{tasks:,} of the split {split}" + (f", {each} trials of each" if each > 1 else "")


def _written(kwargs: Mapping[str, Any]) -> str:
    """Arguments as a person would write them."""
    return ", ".join(f"{name} {value}" for name, value in kwargs.items())
