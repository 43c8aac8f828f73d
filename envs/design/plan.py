"""Plans: a whole workflow as one call, a list of {expert, action, parameters, description}, carried out in order.

Each step is read like a call of its own. One that cannot be read or done is noted and left out, and the rest is done.
Of a plan that was read, each step is kept with its parameters in canonical form, or with why it was refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_args

import numpy as np

from designgym.boxes import NumberFrame
from designgym.envs.design.actions import ACTIONS, ALIASES
from designgym.envs.design.experts import EXPERTS, FIRST_EXPERT, expert_named
from designgym.envs.design.perform import perform
from designgym.envs.design.tools import EXPERT, action_table
from designgym.envs.design.workspace import Step, Workspace
from designgym.parameters import FRACTIONS, Array, ParameterType, Path, Record, Refused
from designgym.scalars import Choice
from designgym.strict_json import JsonError, loads
from designgym.tools import MAX_JSON_CHARACTERS, Declined, ErrorKind, Parameter, Tool, ToolTable
from designgym.values import hint, is_nothing, items_of, show

EXECUTE = "execute_plan"
MAX_STEPS = 100
"""GraphicBench counts plans of more than 30 as undelivered."""
MAX_DESCRIPTION = 500

_KEYS = ("expert", "action", "parameters", "description")
_REFUSAL = ("refused", "message")
_EXAMPLE = {"expert": FIRST_EXPERT, "action": "CreateDocument", "parameters": {"docType": "poster"}, "description": ""}


@dataclass(frozen=True)
class Steps(Array):
    """A list of steps, or a JSON text that holds one. What is no such list is of the kind ``format``."""

    def check(self, value: Any, path: Path, skipped: list[str]) -> list[Any]:
        """The steps in canonical form; why steps were refused is appended to ``skipped``."""
        if isinstance(value, str) and len(value) <= MAX_JSON_CHARACTERS:
            try:
                value = loads(value)
            except JsonError as error:
                raise Refused(path, f"cannot be read: {error}.", "format") from error
        items = items_of(value)
        if not items:
            raise Refused(path, f"must be a {self.words()}; got {show(value)}.", "format")
        if len(items) > self.max_items:
            raise Refused(path, f"has {len(items)} steps; at most {self.max_items} are allowed.", "limit")
        steps = [read_step(item) for item in items]
        skipped.extend(f"step {n}: {step['message']}" for n, step in enumerate(steps, start=1) if "refused" in step)
        return steps

    def kind_of(self, item: Any) -> ParameterType:
        """A record with the parameters of a step's action; of what names none, the type of experts' names."""
        name = item.get("action") if isinstance(item, dict) else None
        if not isinstance(name, str) or name not in action_table():
            return self.items
        return Record((Parameter("parameters", action_table()[name].record, "By name."),))

    def sample(self, rng: np.random.Generator) -> list[Any]:
        """A few steps, each with parameters in range, by an expert who has the action."""
        names = list(ACTIONS)
        steps = []
        for _ in range(int(rng.integers(1, 7))):
            action = ACTIONS[names[int(rng.integers(len(names)))]]
            arguments = action_table()[action.name].sample(rng)
            expert = arguments.pop(EXPERT, None) or action.experts[int(rng.integers(len(action.experts)))]
            steps.append({"expert": expert, "action": action.name, "parameters": arguments, "description": ""})
        return steps

    def example(self) -> list[Any]:
        """One step."""
        return [dict(_EXAMPLE)]

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema; what parameters an action has stands in the prompt."""
        properties = {
            "expert": Choice(EXPERTS).schema(frame),
            "action": Choice(tuple(ACTIONS)).schema(frame),
            "parameters": {"type": "object", "description": "By name, as the action has them."},
            "description": {"type": "string", "description": "What the step is for."},
        }
        item = {
            "type": "object",
            "properties": properties,
            "required": list(_KEYS[:3]),
            "additionalProperties": False,
        }
        return {"type": "array", "items": item, "minItems": self.min_items, "maxItems": self.max_items}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        return f"list of 1 to {self.max_items} steps, each {{expert, action, parameters, description}}"


@dataclass(frozen=True)
class Executed:
    """What became of a plan."""

    steps: tuple[Step, ...]

    @property
    def done(self) -> int:
        """How many steps were carried out."""
        return sum(not step.error for step in self.steps)

    @property
    def text(self) -> str:
        """For the agent: how many were done, and what was wrong with the others."""
        lines = [f"{self.done} of {len(self.steps)} steps were carried out."]
        for number, step in enumerate(self.steps, start=1):
            if step.error:
                lines.append(f"Step {number} ({step.action or 'unreadable'}, {step.error}): {step.message}")
        return "\n".join(lines)


def plan_tool() -> Tool:
    """The one tool of plan mode."""
    steps = Parameter("steps", Steps(Choice(EXPERTS), 1, MAX_STEPS), "The workflow, in order.")
    return Tool(EXECUTE, "Carry out a whole workflow and deliver the document that it changed or saved last.", (steps,))


def plan_table() -> ToolTable:
    """The tools of plan mode."""
    return ToolTable((plan_tool(),))


def execute(workspace: Workspace, steps: Sequence[Mapping[str, Any]]) -> Executed:
    """Carry out the steps of a plan that was read, as far as they go."""
    return Executed(tuple(_take(workspace, step) for step in steps))


def _take(workspace: Workspace, step: Mapping[str, Any]) -> Step:
    if kind := step.get("refused"):
        expert = step["expert"] or workspace.expert
        return Step(expert, step["action"], {}, step["description"], kind, message=step["message"])
    arguments = {**step["parameters"], EXPERT: step["expert"] or None}
    return perform(workspace, step["action"], arguments, step["description"])


def read_step(raw: Any) -> dict[str, Any]:
    """A step in canonical form: its four keys, and ``refused`` (kind of error) and ``message`` if it cannot be done.

    Reading what came out once more gives the same.
    """
    if not isinstance(raw, dict) or not raw.keys() <= {*_KEYS, *_REFUSAL} or not isinstance(raw.get("action"), str):
        return _refused(raw, "format", f"A step is an object with the keys {', '.join(_KEYS)}; got {_shown(raw)}.")
    expert, action = raw.get("expert"), raw["action"]
    if raw.get("refused") in get_args(ErrorKind)[1:] and isinstance(raw.get("message"), str):
        return _refused(raw, raw["refused"], raw["message"])
    if not is_nothing(expert) and expert_named(expert) is None:
        message = f"There is no expert {show(expert)}; there are {', '.join(EXPERTS)}."
        return _refused(raw, "invalid_expert", message)
    parameters = raw.get("parameters")
    if is_nothing(parameters):
        parameters = {}
    if not isinstance(parameters, dict):
        message = f"parameters must be an object of parameters by name; got {show(parameters)}."
        return _refused(raw, "invalid_parameters", message)
    if EXPERT in parameters:
        return _refused(raw, "invalid_parameters", "The expert belongs beside the parameters, not among them.")
    if action not in ACTIONS and action not in ALIASES:
        return _refused(raw, "invalid_action", f"There is no action {show(action)}.{hint(action, ACTIONS)}")
    read = action_table().read({"name": action, "arguments": {**parameters, EXPERT: expert}})
    if isinstance(read, Declined):
        return _refused(raw, read.kind, read.message)
    canonical = {name: value for name, value in read.arguments.items() if name != EXPERT}
    return {
        "expert": read.arguments[EXPERT] or "",
        "action": read.name,
        "parameters": canonical,
        "description": _cut(raw.get("description"), MAX_DESCRIPTION),
    }


def _refused(raw: Any, kind: ErrorKind, message: str) -> dict[str, Any]:
    said = raw if isinstance(raw, dict) else {}
    return {
        "expert": _cut(said.get("expert"), 100),
        "action": _cut(said.get("action"), 100),
        "parameters": {},
        "description": _cut(said.get("description"), MAX_DESCRIPTION),
        "refused": kind,
        "message": _cut(message, 1000),
    }


def _cut(value: Any, length: int) -> str:
    """A text of at most so many characters that any file can hold; empty for what is no text."""
    return value[:length].encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _shown(raw: Any) -> str:
    if not isinstance(raw, dict):
        return show(raw)
    unknown = next((key for key in islice(raw, 16) if key not in _KEYS), None)
    return f"the key {show(unknown)}" if unknown is not None else f"the action {show(raw.get('action'))}"
