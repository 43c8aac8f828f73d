"""The actions as tools: each with an optional ``expert``, their other spellings accepted, and ``finish``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from designgym.envs.design.actions import ACTIONS, ALIASES, Action
from designgym.envs.design.experts import ExpertName
from designgym.envs.design.file_names import MAX_FILE_NAME
from designgym.envs.design.kinds import FileName
from designgym.parameters import Path, Record, Refused
from designgym.tools import Accepted, Declined, Parameter, Tool, ToolTable
from designgym.values import is_nothing, show

FINISH = "finish"
EXPERT = "expert"


@dataclass(frozen=True)
class ActionRecord(Record):
    """An action's parameters: the expert is looked at first, and keys of either spelling are taken."""

    either: tuple[tuple[str, str], ...] = ()

    def check(self, value: Any, path: Path, skipped: list[str]) -> dict[str, Any]:
        """See the class."""
        if isinstance(value, dict):
            expert = value.get(EXPERT)
            if not is_nothing(expert):
                self.fields[-1].type.check(expert, (path, EXPERT), skipped)
            for other, name in self.either:
                if other in value and name not in value:
                    value = {name if key == other else key: content for key, content in value.items()}
                elif other in value:
                    raise Refused("", f"The arguments have both {name!r} and {other!r}; give one of them.")
        return super().check(value, path, skipped)

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """Every parameter, and an expert who has the action, for who acted last may not have it."""
        return super().sample(rng) | {EXPERT: self.fields[-1].type.sample(rng)}


@dataclass(frozen=True)
class ActionTool(Tool):
    """A tool that is an action."""

    action: Action | None = None

    @cached_property
    def record(self) -> Record:
        """The parameters as one object."""
        return ActionRecord(self.parameters, self.action.either if self.action else ())


@dataclass(frozen=True)
class ActionTable(ToolTable):
    """A table that accepts the actions' other spellings; a call that was read has the paper's."""

    def read(self, action: Any) -> Accepted | Declined:
        """Check a call, as the base class does."""
        name = action.get("name") if isinstance(action, dict) else None
        if not isinstance(name, str) or name not in ALIASES:
            return super().read(action)
        read = super().read({**action, "name": ALIASES[name]})
        only = ACTIONS[ALIASES[name]].alias_experts
        if only and isinstance(read, Accepted) and read.arguments[EXPERT] not in (*only, None):
            return Declined(
                "invalid_action",
                f"The {read.arguments[EXPERT]} has {ALIASES[name]} and no {show(name)}.",
                ALIASES[name],
            )
        return read


def action_tool(action: Action) -> Tool:
    """An action as a tool."""
    expert = Parameter(EXPERT, ExpertName(action.experts), "Who does it; left out, who acted last.", required=False)
    return ActionTool(action.name, action.doc, (*action.parameters, expert), action)


def finish_tool() -> Tool:
    """The tool that ends an episode."""
    file = Parameter(
        "fileName", FileName(MAX_FILE_NAME, 1), "A saved file; left out, the open document.", required=False
    )
    return Tool(FINISH, "Deliver the design: the open document of who acted last, or a saved file.", (file,))


@cache
def action_table() -> ToolTable:
    """The 46 actions and ``finish``."""
    return ActionTable((*map(action_tool, ACTIONS.values()), finish_tool()))
