"""`designgym list` and `designgym show`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.markdown import Markdown
from rich.table import Table

import designgym  # noqa: F401 - registers the environments
from designgym.cli.console import stdout
from designgym.cli.loading import load
from designgym.cli.png import require_png, save_png
from designgym.config import bundled_names
from designgym.errors import UserError
from designgym.registration import ENTRY_POINTS, full_id
from designgym.tasks import SPLITS


def print_list() -> None:
    """Print what there is: environments, rewards, agents, bundled configurations."""
    console = stdout()
    environments = _table("environment", "default reward", "tools", "what it asks")
    for env_id in sorted(ENTRY_POINTS):
        env = gym.make(env_id).unwrapped
        environments.add_row(env_id, env.reward.name, ", ".join(env.tool_table.names), _summary(type(env)))  # type: ignore[attr-defined]
    console.print(environments)

    rewards = _table("reward", "what it pays")
    scorers = load("designgym.rewards.table:SCORERS")
    of_groups = load("designgym.rewards.table:GROUP_REWARDS")
    for name, target in sorted({**load("designgym.rewards.table:REWARDS"), **scorers, **of_groups}.items()):
        needs = " Needs a file of yours: docs/creativity.md." if name in scorers else ""
        needs += " In training, as group_rewards of a stage." if name in of_groups else ""
        rewards.add_row(name, _summary(load(target)) + needs)
    console.print(rewards)

    agents = _table("agent", "where it is")
    for name, target in sorted(load("designgym.agents.table:AGENTS").items()):
        agents.add_row(name, target)
    console.print(agents)

    configurations = _table("bundled configuration")
    for name in bundled_names():
        configurations.add_row(name)
    console.print(configurations)


def print_environment(env_id: str, task: str | None, out: Path | None) -> None:
    """Print the page of an environment, or an example of what it asks.

    Args:
        env_id: Its id; the namespace and the version may be left out.
        task: Id of a task whose question is printed.
        out: File for the task's image, PNG; without ``task`` the first training task.

    Raises:
        UserError: For an unknown id or task.
    """
    if out is not None:
        require_png(out)
    env_id = full_id(env_id)
    console = stdout()
    env: Any = gym.make(env_id).unwrapped
    ids = {split: env.task_ids(split) for split in SPLITS}
    if task is None and out is None:
        about = re.sub(r":(?:class|func|meth|mod|data):", "", inspect.getdoc(type(env)) or "")
        console.print(Markdown(f"# {env_id}\n{about}"))
        console.print(Markdown(f"## Tools\n{env.tool_table.markdown()}"))
        console.print(Markdown("## Spaces"))
        console.print(f"observation: {env.observation_space}")
        console.print(f"action:      {env.action_space}")
        for split, tasks in ids.items():
            console.print(f"{split} tasks: {len(tasks)}, {tasks[0]} to {tasks[-1]}")
        return
    named = SPLITS[0] if task is None else next((split for split in SPLITS if task in ids[split]), None)
    if named is None:
        known = "; ".join(f"{split} has {tasks[0]} to {tasks[-1]}" for split, tasks in ids.items())
        raise UserError(f"{env_id} has no task '{task}': {known}.")
    env = gym.make(env_id, split=named).unwrapped
    observation, info = env.reset(options={"task": task or env.task_ids()[0]})
    console.print(f"task {info['task']} of {env_id}")
    console.print(observation["task"])
    console.print(observation["text"])
    if out is not None:
        save_png(out, observation["image"])
        console.print(f"image: {out}")


def _summary(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, no_wrap=index == 0, overflow="fold")
    return table
