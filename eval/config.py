"""The configuration of an evaluation: environment, tasks, agents."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator, model_validator

from designgym.agents.table import PLAYERS
from designgym.config import Arguments, Section, Seed
from designgym.eval.wandb_run import PROJECT_PATTERN, Mode
from designgym.tasks import Split


def without_split(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Refuse a split among an environment's arguments, where it would be overruled in silence."""
    if "split" in kwargs:
        raise ValueError("the split is not set here: training and evaluation choose it")
    return kwargs


class EnvSection(Section):
    """Which environment, made with which arguments."""

    id: str = "designgym/AestheticLocalization-v0"
    """A registered id."""
    kwargs: Arguments = Field(default_factory=dict)
    """Arguments of the environment, such as ``image_size``; ``split`` is set beside it. Texts that begin with ``./``,
    ``../`` or ``~/``, here as in agents' options, are paths relative to the file that they stand in."""

    @field_validator("kwargs")
    @classmethod
    def _split_has_one_place(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        return without_split(kwargs)


class AgentSection(Section):
    """Who plays."""

    name: str
    """A name that ``designgym list`` shows, or ``package.module:factory``."""
    label: str = Field("", max_length=80)
    """Name in the tables; the agent's own by default."""
    options: Arguments = Field(default_factory=dict)
    """Arguments of the agent, such as ``model`` for ``qwen``."""
    env: Arguments = Field(default_factory=dict)
    """Arguments of the environment for this agent, in place of those of all: a condition of a study."""

    @field_validator("env")
    @classmethod
    def _split_has_one_place(cls, env: dict[str, Any]) -> dict[str, Any]:
        return without_split(env)

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class ReportTracking(Section):
    """Where the report's tables and pictures go besides the evaluation's own folder."""

    wandb: Mode = "off"
    """``offline`` writes into the evaluation's folder, for ``wandb sync`` to upload; ``online`` needs a key in the
    environment and sends the tables, pictures, configuration and versions."""
    project: str = Field("designgym", pattern=PROJECT_PATTERN)
    """Project in wandb, in characters that it takes."""


def _players(data: dict[str, Any]) -> tuple[AgentSection, ...]:
    """Who plays the environment that was named, of which nothing is known if it was no valid one."""
    env = data.get("env", EnvSection())
    return tuple(AgentSection(name=name) for name in PLAYERS.get(env.id, ("random",)))


class EvalConfig(Section):
    """An evaluation."""

    env: EnvSection = EnvSection()
    """The environment."""
    agents: tuple[AgentSection, ...] = Field(default_factory=_players)
    """Who plays, each on the same tasks; a name alone stands for ``name: it``. By default the environment's players."""
    agent_options: dict[str, Arguments] = Field(default_factory=dict)
    """Options that all agents of a name share, by that name, such as ``{chat: {url: ..., model: ...}}``; an agent's own
    take their place."""
    baseline: str = ""
    """Label of the agent that all others are compared with, task by task; by default the best constant."""
    split: Split = "test"
    """The split whose tasks are played."""
    limit: int = Field(1000, ge=1)
    """The first so many tasks of the split."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Only those of these tasks about which this holds, such as ``{open_ends: 2}`` on the canvas."""
    ood: Arguments = Field(default_factory=dict)
    """Arguments of the environment, in place of those above, that make it show designs unlike those of training, such
    as ``{designs: layouts-ood}``: every agent plays as many of their tasks too, and what comes out stands beside."""
    replicates: int = Field(1, ge=1, le=1000)
    """Trials of each task, which differ by what the agent draws. Intervals are over tasks."""
    seed: Seed = 0
    """Seed of the agents, the intervals and the choice of what the report shows."""
    batch_size: int = Field(32, ge=1)
    """Trials under way at once, for agents that answer in batches, or that wait for a server and set no number."""
    max_rounds: int | None = Field(None, ge=1)
    """Most turns of an agent in a trial; null leaves it to the environment."""
    workers: int = Field(1, ge=1, le=1024)
    """Processes that play, for agents that compute on the processor alone; models answer in one process."""
    ray: str | None = None
    """Address of a Ray cluster that plays in place of ``workers``, such as ``auto``; ``local`` starts one here."""
    images: bool = False
    """Keep every observed image beside the traces."""
    examples: int = Field(24, ge=0, le=200)
    """Number of pages or drawings in the report."""
    tracking: ReportTracking = ReportTracking()
    """The tracking; off unless it is asked for."""

    @field_validator("ood")
    @classmethod
    def _split_has_one_place(cls, ood: dict[str, Any]) -> dict[str, Any]:
        return without_split(ood)

    def with_shared_options(self) -> EvalConfig:
        """The configuration in which every agent holds what all of its name share."""
        shared = self.agent_options
        agents = (a.model_copy(update={"options": {**shared.get(a.name, {}), **a.options}}) for a in self.agents)
        return self.model_copy(update={"agents": tuple(agents)})
