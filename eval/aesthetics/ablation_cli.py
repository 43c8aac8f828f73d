"""`designgym ablation`: a base model and what AesEval-Train made of it, on all three tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from designgym.agents.qwen.local import check_weights
from designgym.agents.qwen.processor import load_processor
from designgym.agents.table import BOX_CONSTANTS, CHOICE_CONSTANTS, VERDICT_CONSTANTS
from designgym.atomic import require_writable, write_atomically
from designgym.cli.console import stdout
from designgym.config import read_config
from designgym.errors import UserError
from designgym.eval.aesthetics.ablation import BASE, FULL, NO_POSITIVE, NO_REASONING, ablation_tables
from designgym.eval.config import AgentSection, EnvSection, EvalConfig
from designgym.eval.evaluate import check, evaluate, write_tables
from designgym.eval.report import html, text
from designgym.eval.report.data import Report, Table
from designgym.eval.report.terminal import terminal
from designgym.lock import hold
from designgym.nearest import did_you_mean

CONFIG = "eval/aesthetics-ablation"
TASKS = {
    "judgment": ("designgym/AestheticJudgment-v0", VERDICT_CONSTANTS),
    "selection": ("designgym/RegionSelection-v0", CHOICE_CONSTANTS),
    "localization": ("designgym/AestheticLocalization-v0", BOX_CONSTANTS),
}
"""Task -> its environment, and the policies that see nothing."""

_WIDE = 120  # columns from which intervals stand beside their values


def run(
    base: str,
    trained: str | None,
    no_reasoning: str | None,
    no_positive: str | None,
    tasks: Sequence[str],
    overrides: Sequence[str],
    output: Path,
    resume: bool,
) -> int:
    """Evaluate the models task by task, print the tables and write them beside each task's own report.

    Args:
        base: The model that was trained: a folder or a hub id.
        trained: What all of AesEval-Train made of it; None leaves the row out, here and below.
        no_reasoning: The same without reasoning paths.
        no_positive: The same without positive samples.
        tasks: Names of `TASKS`; none: all.
        overrides: ``key=value`` strings for the bundled configuration.
        output: Folder: a report, and below it one for each task.
        resume: Go on with what the folder holds.

    Returns:
        0.

    Raises:
        UserError: For whatever is wrong before any work.
    """
    given = {BASE: base, FULL: trained, NO_REASONING: no_reasoning, NO_POSITIVE: no_positive}
    models = {name: model for name, model in given.items() if model is not None}
    if len(models) < 2:
        raise UserError("There is nothing to compare the base with; give --trained, --no-reasoning or --no-positive.")
    template = read_config(CONFIG, EvalConfig, overrides).config
    if template.agents:
        raise UserError("Here the agents are the models of the command, beside constants; leave 'agents' out.")
    for task in tasks:
        if task not in TASKS:
            raise UserError(f"There is no task '{task}'; there are {', '.join(TASKS)}.{did_you_mean(task, TASKS)}")
    configs = {task: _config(template, task, models) for task in TASKS if task in tasks or not tasks}
    for model in models.values():
        _check_model(model)
    for task, config in configs.items():
        check(config, output / task, resume=resume)
    require_writable(output)
    console = stdout()
    tables: list[Table] = []
    with hold(output):
        for task, config in configs.items():
            console.print(
                f"{task}: {len(config.agents)} policies, up to {config.limit:,} questions each", highlight=False
            )
            done = evaluate(config, output / task, resume=resume, say=lambda said: console.print(Text(f"Note: {said}")))
            tables += ablation_tables(done.policies, config.seed)
        report = _write(tables, models, output, template, list(configs))
    for table in tables:
        console.print(terminal(table, stacked=console.width < _WIDE))
    console.print(f"Report: {report}")
    return 0


def _config(template: EvalConfig, task: str, models: dict[str, str]) -> EvalConfig:
    """The evaluation of one task."""
    env_id, constants = TASKS[task]
    agents = [AgentSection(name="qwen", label=name, options={"model": model}) for name, model in models.items()]
    agents += [AgentSection(name=name) for name in constants]
    env = EnvSection(id=env_id, kwargs=template.env.kwargs)
    return template.model_copy(update={"env": env, "agents": tuple(agents)})


def _check_model(model: str) -> None:
    """Find out before any work whether there is such a model, rather than when its turn comes."""
    load_processor(model)
    if Path(model).is_dir():
        check_weights(Path(model))


def _write(
    tables: Sequence[Table], models: dict[str, str], output: Path, template: EvalConfig, tasks: Sequence[str]
) -> Path:
    facts = (
        *((f"Model: {name}", model) for name, model in models.items()),
        ("Environment's arguments", json.dumps(template.env.kwargs)),
        ("Split", template.split),
        ("Seed of agents and intervals", str(template.seed)),
        ("Reports of the tasks", ", ".join(f"{task}/report.html" for task in tasks)),
    )
    report = Report("AesEval-Train, part by part", facts=facts, tables=tuple(tables))
    write_tables(tables, output / "tables")
    write_atomically(output / "table.md", "\n".join(f"## {t.title}\n\n{text.markdown(t)}" for t in tables))
    write_atomically(output / "results.json", json.dumps(html.plain(report), indent=2, allow_nan=False) + "\n")
    return html.write(report, output / "report.html")
