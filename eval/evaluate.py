"""Several agents on the same tasks, into a folder with traces, tables and a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from designgym.agents.base import Agent
from designgym.agents.table import CONSTANTS, build
from designgym.agents.table import check as check_agent
from designgym.atomic import require_writable, write_atomically
from designgym.errors import UserError, require
from designgym.eval import drawings, runner, summary
from designgym.eval.choose_tasks import check_where, matching
from designgym.eval.config import AgentSection, EvalConfig
from designgym.eval.design import recruitment
from designgym.eval.design import tables as design
from designgym.eval.episode_pages import write_pages
from designgym.eval.findings import report as make_report
from designgym.eval.findings import summarize
from designgym.eval.parallel import Job, processes, ray_cluster, run_parallel, spreads
from designgym.eval.record import TRACES, slug
from designgym.eval.report import html, text
from designgym.eval.report.data import EpisodeLink, Table
from designgym.eval.results import Result
from designgym.eval.runner import make, run
from designgym.eval.summary import Policy
from designgym.eval.tracking import track
from designgym.eval.trials import Trial, read_trials
from designgym.eval.wandb_run import Say, check_wandb
from designgym.lock import LOCK, hold

OOD = "ood"
"""Folder of the trials out of distribution, in that of an agent's run."""

EPISODE_PAGES = 6
"""Most pages to step through of an agent."""

Progress = Callable[[str, int, int], None]
"""Called after every trial with the agent's label, the number of trials done and the number of all."""


@dataclass(frozen=True)
class Evaluation:
    """What came out.

    Attributes:
        policies: Label and results of every agent.
        tables: As in the report.
        report: The report's file.
    """

    policies: tuple[Policy, ...]
    tables: tuple[Table, ...]
    report: Path

    @property
    def failures(self) -> dict[str, list[Result]]:
        """The trials in which an agent raised, by label; agents without any are left out."""
        failed = {policy.name: [r for r in policy.results if r.failure] for policy in self.policies}
        return {name: results for name, results in failed.items() if results}


def check(config: EvalConfig, output: Path, *, resume: bool) -> None:
    """Find every mistake that can be found before any work.

    Raises:
        UserError: For a missing extra, an unknown agent or two of one label, an environment that cannot be made, a
            folder in use or not writable.
    """
    for package in ("scipy", "jinja2"):
        require(package, extra="eval")
    check_wandb(config.tracking.wandb, needed=True)
    if config.ray is not None:
        require("ray", extra="ray")
    if not config.agents:
        raise UserError("There is nobody to play: 'agents' is empty.")
    for name in config.agent_options:
        if name not in {agent.name for agent in config.agents}:
            raise UserError(f"'agent_options' has options of {name!r}, and no agent of that name plays.")
    config = config.with_shared_options()
    seen: set[str] = set()
    for agent in config.agents:
        check_agent(agent.name, agent.options)
        if label(agent) in seen:
            raise UserError(f"Two agents are called {label(agent)!r}; give one of them another 'label'.")
        seen.add(label(agent))
    if config.baseline and config.baseline not in seen:
        known = ", ".join(sorted(seen))
        raise UserError(f"The baseline is {config.baseline!r}, and no agent is called so; there are {known}.")
    conditions = [{**env_kwargs(config), **agent.env} for agent in config.agents if agent.env]
    for kwargs in (env_kwargs(config), ood_kwargs(config), *conditions):
        env = make(config.env.id, kwargs)
        check_where(env, config.where)
        env.close()
    if output.exists() and not output.is_dir():
        raise UserError(f"'{output}' is a file; the results need a folder.")
    if output.is_dir() and any(entry.name != LOCK for entry in output.iterdir()) and not resume:
        raise UserError(f"'{output}' is not empty. Choose another --output, or go on with what it holds: --resume.")
    require_writable(output)


def evaluate(
    config: EvalConfig,
    output: Path,
    *,
    resume: bool = False,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Evaluation:
    """Let every agent play, and write the report, its tables and the traces.

    The files are ``report.html``, ``table.md``, ``results.json`` (all that the tables hold), ``table.csv`` (the first
    table) and ``tables/`` (every table as CSV).

    Args:
        config: What is evaluated.
        output: Folder; one in which an evaluation was stopped goes on with ``resume``.
        resume: Go on: finished tasks are not played again.
        progress: See :data:`Progress`.
        say: Told what else there is to know, such as that wandb could not be reached.

    Raises:
        UserError: As :func:`check`, for agents that cannot play this environment, and if another process works there.
    """
    check(config, output, resume=resume)
    with hold(output):
        return _evaluate(config.with_shared_options(), output, resume, progress, say)


def _evaluate(config: EvalConfig, output: Path, resume: bool, progress: Progress | None, say: Say | None) -> Evaluation:
    kwargs = env_kwargs(config)
    env = make(config.env.id, kwargs)
    tasks = _tasks(config, env)
    elsewhere = ood_kwargs(config)
    other = make(config.env.id, elsewhere)
    ood_tasks = _tasks(config, other) if config.ood else []
    other.close()
    reward: str = env.unwrapped.reward.name  # type: ignore[attr-defined]
    policies = []
    trials = config.replicates * (len(tasks) + len(ood_tasks))
    folders: dict[str, Path] = {}
    try:
        for section in config.agents:
            name = label(section)
            own = make(config.env.id, {**kwargs, **section.env}) if section.env else env
            agent = build(section.name, own, config.seed, **section.options)
            folder = folders[name] = output / "agents" / slug(name)
            player = _Player(config, section, agent, resume)
            tell = None if progress is None else _named(progress, name, trials)
            results = player.play({**kwargs, **section.env}, tasks, folder, tell)
            ood: list[Result] = []
            if ood_tasks:
                tell = None if progress is None else _named(progress, name, trials, len(results))
                ood = player.play({**elsewhere, **section.env}, ood_tasks, folder / OOD, tell)
            if section.env:
                own.close()
            group = summary.CONSTANTS if section.name in CONSTANTS else "Agents"
            note, drawn = str(getattr(agent, "about", "")), trials_of(folder, results)
            kept = section.options.get("artefacts") if design.applies(results) else None
            recruited = recruitment.recruited(results, Path(kept)) if kept else {}
            policies.append(
                Policy(
                    name, results, group=group, note=note, trials=drawn, ood=ood, env=section.env, recruited=recruited
                )
            )
    finally:
        env.close()
    policies.sort(key=lambda policy: policy.group)  # agents before constants, each in the given order
    tables = summarize(policies, config, reward)
    report = make_report(config, policies, tables, reward, kwargs, folders)
    if config.examples and not report.examples:
        report = replace(report, episodes=_episodes(config, policies, folders, output))
    write_atomically(output / "table.md", "\n".join(f"## {t.title}\n\n{text.markdown(t)}" for t in tables))
    write_atomically(output / "table.csv", text.as_csv(tables[0]))
    write_tables(tables, output / "tables")
    write_atomically(output / "results.json", json.dumps(html.plain(report), indent=2, allow_nan=False) + "\n")
    written = html.write(report, output / "report.html")
    if config.tracking.wandb != "off":
        track(report, output, config.tracking, config.model_dump(mode="json"), say or (lambda _: None))
    return Evaluation(tuple(policies), tables, written)


@dataclass(frozen=True)
class _Player:
    """An agent with how the configuration lets it play: in this process, or in several."""

    config: EvalConfig
    section: AgentSection
    agent: Agent
    resume: bool

    def play(
        self, kwargs: Mapping[str, Any], tasks: Sequence[str], folder: Path, progress: runner.Progress | None
    ) -> list[Result]:
        """Play the tasks and record them in a folder."""
        config, section = self.config, self.section
        common: dict[str, Any] = {
            "replicates": config.replicates,
            "out": folder,
            "resume": self.resume,
            "name": label(section),
            "progress": progress,
        }
        if (config.workers > 1 or config.ray is not None) and spreads(self.agent):
            spread = ray_cluster(config.ray) if config.ray is not None else processes(config.workers)
            job = Job(
                section.name, section.options, config.env.id, kwargs, config.seed, config.max_rounds, config.images
            )
            return run_parallel(job, tasks, spread, **common)
        return run(
            self.agent,
            config.env.id,
            kwargs,
            tasks,
            config.seed,
            options=section.model_dump(include={"name", "options"}),
            batch_size=config.batch_size,
            max_rounds=config.max_rounds,
            images=config.images,
            **common,
        )


def _episodes(
    config: EvalConfig, policies: Sequence[Policy], folders: Mapping[str, Path], output: Path
) -> tuple[EpisodeLink, ...]:
    """Pages of some episodes of every agent; constants do the same in all."""
    agents = [policy for policy in policies if policy.group != summary.CONSTANTS]
    links: list[EpisodeLink] = []
    for policy in agents:
        count = min(EPISODE_PAGES, max(2, config.examples // len(agents)))
        links += write_pages(policy.name, policy.results, folders[policy.name], output, count=count, seed=config.seed)
    return tuple(links)


def write_tables(tables: Sequence[Table], folder: Path) -> None:
    """Every table as CSV, under its number and title."""
    folder.mkdir(exist_ok=True)
    for number, table in enumerate(tables, start=1):
        write_atomically(folder / f"{number:02d}-{text.file_name(table.title)}.csv", text.as_csv(table))


def trials_of(folder: Path, results: Sequence[Result]) -> dict[str, Trial]:
    """How the drawings of a run came about, by the trial's name; nothing for other tasks than drawing."""
    if not drawings.applies(results):
        return {}
    found = read_trials(folder / TRACES)
    for result in results:
        if result.name not in found:
            raise UserError(f"'{folder / TRACES}' lacks the trial '{result.name}', which was played; evaluate it anew.")
    return {result.name: found[result.name] for result in results}


def env_kwargs(config: EvalConfig) -> dict[str, Any]:
    """The arguments of the environment, with the split."""
    return {**config.env.kwargs, "split": config.split}


def ood_kwargs(config: EvalConfig) -> dict[str, Any]:
    """The arguments that make the environment show tasks out of distribution; the usual ones where none are set."""
    return {**env_kwargs(config), **config.ood}


def label(agent: AgentSection) -> str:
    """How an agent is called in the tables."""
    return agent.label or agent.name


def _tasks(config: EvalConfig, env: Any) -> list[str]:
    """The tasks that are played in this environment."""
    return matching(env, env.unwrapped.task_ids(config.split)[: config.limit], config.where)


def _named(progress: Progress, name: str, total: int, before: int = 0) -> Callable[[int, int, Result], None]:
    return lambda done, _, result: progress(name, before + done, total)
