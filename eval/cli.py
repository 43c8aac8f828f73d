"""`designgym eval`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from designgym.cli.console import stdout
from designgym.cli.printable import printable
from designgym.cli.settings import settings_table
from designgym.config import Loaded, bundled_names, read_config
from designgym.config_file import SUFFIXES
from designgym.errors import UserError
from designgym.eval.config import AgentSection, EvalConfig
from designgym.eval.evaluate import check, evaluate, label
from designgym.eval.report.terminal import terminal
from designgym.nearest import did_you_mean
from designgym.registration import ENTRY_POINTS, full_id

WIDE = 120
"""Columns from which intervals stand beside their values."""


def run(
    target: str,
    agents: Sequence[str],
    limit: int | None,
    overrides: Sequence[str],
    output: Path | None,
    dry_run: bool,
    split: str | None = None,
    seed: int | None = None,
    resume: bool = False,
    workers: int | None = None,
    ray: str | None = None,
    wandb: bool = False,
) -> int:
    """Evaluate, print the tables and say where the report is.

    Args:
        target: A configuration (file or bundled name), or the id of an environment, perhaps shortened.
        agents: Labels or names of the agents to play; none: those of the configuration.
        limit: Number of tasks; None: the configuration's.
        overrides: ``key=value`` strings.
        output: Folder; None: ``runs/eval-<name>``.
        dry_run: Only check and print the settings.
        split: The split; None: the configuration's.
        seed: The seed; None: the configuration's.
        resume: Go on with what the folder holds.
        workers: Processes; None: the configuration's.
        ray: Address of a Ray cluster; None: the configuration's.
        wandb: Track in wandb, offline unless the configuration says online.

    Returns:
        0, or 1 if an agent failed on every task.
    """
    flags = {"limit": limit, "split": split, "seed": seed, "workers": workers, "ray": ray}
    settings = [*overrides, *(f"{key}={value}" for key, value in flags.items() if value is not None)]
    loaded = _read(target, settings)
    if wandb and loaded.config.tracking.wandb == "off":
        loaded = _read(target, [*settings, "tracking.wandb=offline"])
    config = loaded.config
    if agents:
        config = config.model_copy(update={"agents": tuple(_chosen(name, config) for name in agents)})
    folder = output or Path("runs") / f"eval-{loaded.name}"
    check(config, folder, resume=resume)
    console = stdout()
    if dry_run:
        # Agents that were named take the place of the configuration's, whose settings would only mislead.
        shown = [s for s in loaded.settings if not (agents and s.key.startswith("agents."))]
        console.print(settings_table(replace(loaded, settings=tuple(shown))))
        console.print(f"agents: {', '.join(label(agent) for agent in config.agents)}")
        return 0

    errors = Console(stderr=True, markup=False, highlight=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bars:
        rows = {label(agent): bars.add_task(label(agent), total=config.limit) for agent in config.agents}
        done = evaluate(
            config,
            folder,
            resume=resume,
            progress=lambda name, n, total: bars.update(rows[name], completed=n, total=total),
            say=lambda said: console.print(Text(f"Note: {said}", style="yellow")),
        )
    for table in done.tables:
        if not table.folded:
            console.print(terminal(table, stacked=console.width < WIDE))
    for name, failed in done.failures.items():
        console.print(
            Text(
                printable(f"Note: {name} failed on {len(failed)} tasks, first with {failed[0].failure}"), style="yellow"
            )
        )
    console.print(f"Report: {done.report}")
    if config.tracking.wandb == "offline":
        console.print(f"Tracked in {folder / 'wandb'}; `wandb sync` uploads it.")
    return 1 if any(len(done.failures.get(p.name, ())) == len(p.results) for p in done.policies) else 0


def _read(target: str, overrides: Sequence[str]) -> Loaded[EvalConfig]:
    """The configuration of that name, or the default one for the environment of that id."""
    if target.endswith(SUFFIXES) or target in bundled_names() or Path(target).is_file():
        return read_config(target, EvalConfig, overrides)
    try:
        env_id = full_id(target)
    except UserError:
        known = [*bundled_names(), *ENTRY_POINTS, *(_short(env_id) for env_id in ENTRY_POINTS)]
        raise UserError(
            f"There is no configuration and no environment '{target}'.{did_you_mean(target, known)}"
        ) from None
    loaded = read_config(None, EvalConfig, [f"env.id={env_id}", *overrides])
    return Loaded(loaded.config, _short(loaded.config.env.id), loaded.source, loaded.settings)


def _chosen(name: str, config: EvalConfig) -> AgentSection:
    """The configuration's agent of that label, or the agent of that name with its defaults."""
    for agent in config.agents:
        if label(agent) == name:
            return agent
    return AgentSection(name=name)


def _short(env_id: str) -> str:
    return env_id.rpartition("/")[2].rpartition("-v")[0]
