"""The tables of the README, made from the registries and from the bundled configuration."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import AGENTS, factory
from designgym.config import load_config
from designgym.registration import ENTRY_POINTS
from designgym.rewards import REWARDS, resolve
from designgym.rewards.table import GROUP_REWARDS, SCORERS
from designgym.train.config import TrainConfig
from designgym.train.stages import GrpoStage, SftStage

NAMED_TOOLS = 3
"""Tools that the README names; the environment's page has all."""


def environments_table() -> str:
    """Every registered id: what it asks, its tools, its default reward."""
    rows = ["| environment | what it asks | tools | default reward |", "|---|---|---|---|"]
    for env_id in sorted(ENTRY_POINTS):
        env: Any = gym.make(env_id).unwrapped
        names = env.tool_table.names
        tools = ", ".join(f"`{name}`" for name in names[:NAMED_TOOLS])
        tools += f" and {len(names) - NAMED_TOOLS} more" if len(names) > NAMED_TOOLS else ""
        rows.append(f"| [`{env_id}`]({link(env_id)}) | {summary(type(env))} | {tools} | `{env.reward.name}` |")
    return "\n".join(rows)


def rewards_table(names: Sequence[str] = ()) -> str:
    """Rewards by name: what they pay and what computes them.

    Args:
        names: Which; all if empty, with the scorers that need a file of the user's.
    """
    rows = ["| reward | what it pays | computed by |", "|---|---|---|"]
    for name in names or sorted(REWARDS):
        reward = resolve(name)
        rows.append(f"| `{name}` | {summary(type(reward))} | `{reward.backend.id}` |")
    for name, target in sorted(SCORERS.items()):
        if not names:
            module, _, attribute = target.partition(":")
            scorer = getattr(importlib.import_module(module), attribute)
            rows.append(f"| `{name}` | {summary(scorer)} | [a file of yours](docs/creativity.md) |")
    for name in () if names else sorted(GROUP_REWARDS):
        reward = resolve(name)
        where = "[not by an environment](docs/creativity.md)"
        rows.append(f"| `{name}` | {summary(type(reward))} | `{reward.backend.id}`, {where} |")
    return "\n".join(rows)


def agents_table() -> str:
    """Agents by name."""
    rows = ["| agent | what it does |", "|---|---|"]
    modules = [path.partition(":")[0] for path in AGENTS.values()]
    for name, path in sorted(AGENTS.items()):
        module = path.partition(":")[0]
        # A module of one agent is about that agent; where there are several, each factory tells what it makes.
        alone = modules.count(module) == 1
        rows.append(f"| `{name}` | {summary(importlib.import_module(module) if alone else factory(name))} |")
    return "\n".join(rows)


def quickstart_table() -> str:
    """What `designgym train quickstart` does."""
    config = load_config("quickstart", TrainConfig)
    env: Any = gym.make(config.env.id, **config.env.kwargs).unwrapped
    made = env.settings
    rows = [
        f"Pages of {made.image_size} px with {made.elements[0]} to {made.elements[1]} elements, "
        f"{100 * made.clean_share:.0f} % of them without a flaw;",
        f"kinds of flaw: {', '.join(f'`{kind}`' for kind in made.flaws)}; reward `{env.reward.name}`.",
        "",
        "| stage | method | learns from | pages | steps |",
        "|---|---|---|---|---|",
    ]
    for stage in config.stages:
        if isinstance(stage, SftStage):
            method, source = "SFT", f"answers of `{stage.teacher.name}`"
        else:
            assert isinstance(stage, GrpoStage)
            method, source = "GRPO", f"`{env.reward.name}` of {stage.num_generations} sampled answers a page"
        other = ", ".join(f"{name}={value}" for name, value in stage.env.items())
        pages = f"{stage.tasks.count:,}" + (f" (`{other}`)" if other else "")
        rows.append(f"| {stage.name} | {method} | {source} | {pages} | {stage.steps:,} |")
    section = config.evaluation
    ways = "greedily and by sampling" if section.sampled else "greedily"
    rows += [
        "",
        f"Then each model ({ways}) and all other policies answer the same {section.count:,} {section.split} pages.",
    ]
    return "\n".join(rows)


def link(env_id: str) -> str:
    """The page of an environment, relative to the root: ``docs/environments/aesthetic-localization.md``."""
    name = env_id.partition("/")[2].rpartition("-v")[0]
    return f"docs/environments/{re.sub(r'(?<=[a-z])(?=[A-Z])', '-', name).lower()}.md"


def summary(thing: Any) -> str:
    """The first sentence, up to the first line's end, of a docstring, fit for a table's cell."""
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("``", "`").replace("|", "\\|")
