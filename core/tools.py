"""Tools: declared once, and from the declaration come validation, sampling, the OpenAI schema and the docs' table.

    bbox = Parameter("bbox", BoundingBox(nullable=True), "The flawed element.")
    table = ToolTable((Tool("answer", "Answer the question.", (bbox,)),))
    table.read({"name": "answer", "arguments": {"bbox": [0.1, 0.2, 0.3, 0.4]}})   # Accepted(...) or Declined(...)

What counts as which value is said in ``designgym.scalars`` and ``designgym.parameters``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import numpy as np

from designgym.boxes import NumberFrame
from designgym.parameters import (
    FRACTIONS,
    Array,
    Boolean,
    BoundingBox,
    Choice,
    Number,
    Parameter,
    ParameterType,
    Record,
    Refused,
    Rounded,
    Text,
)
from designgym.strict_json import JsonError, loads
from designgym.values import hint, show

__all__ = [
    "FRACTIONS",
    "MAX_JSON_CHARACTERS",
    "Accepted",
    "Array",
    "Boolean",
    "BoundingBox",
    "Choice",
    "Declined",
    "ErrorKind",
    "Invalid",
    "Number",
    "Parameter",
    "ParameterType",
    "Record",
    "Rounded",
    "Text",
    "Tool",
    "ToolTable",
    "Valid",
]

ErrorKind = Literal["", "format", "invalid_expert", "invalid_action", "invalid_parameters", "dependency", "limit"]
"""What went wrong with a call; empty: nothing did."""

MAX_JSON_CHARACTERS = 1_000_000
"""Longest JSON text that is read for a call's arguments."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Valid:
    """Arguments in canonical form, every parameter present; ``skipped`` says which list items were left out and why."""

    arguments: dict[str, Any]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Invalid:
    """Why arguments are not accepted: a sentence that starts with the field's path, and the kind of error."""

    message: str
    kind: ErrorKind = "invalid_parameters"


@dataclass(frozen=True)
class Tool:
    """One thing that an agent can do."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"Tool name {self.name!r} must be a word of at most 64 letters, digits, '_' and '-'.")
        _ = self.record  # two parameters of one name are refused here

    @cached_property
    def record(self) -> Record:
        """The parameters as one object."""
        return Record(self.parameters)

    def validate(self, arguments: Any) -> Valid | Invalid:
        """Check arguments: an object, or a JSON string that holds one; null and ``""`` stand for no arguments.

        Never raises.
        """
        skipped: list[str] = []
        try:
            return Valid(self.check(arguments, skipped), tuple(skipped))
        except Refused as refusal:
            return Invalid(str(refusal), refusal.kind)

    def check(self, arguments: Any, skipped: list[str]) -> dict[str, Any]:
        """As :meth:`validate`, but raises ``Refused``; what was skipped is appended to ``skipped``."""
        if isinstance(arguments, str) and arguments:
            if len(arguments) > MAX_JSON_CHARACTERS:
                problem = f"have {len(arguments)} characters; at most {MAX_JSON_CHARACTERS} are read."
                raise Refused("The arguments", problem, "limit")
            try:
                arguments = loads(arguments)
            except JsonError as error:
                raise Refused("The arguments", f"are a string that cannot be read: {error}.") from error
        elif arguments is None or isinstance(arguments, str):
            arguments = {}
        return self.record.check(arguments, "", skipped)

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """Random arguments that are valid."""
        return self.record.sample(rng)

    def example(self) -> dict[str, Any]:
        """The smallest valid arguments."""
        return self.record.example()

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """The OpenAI function schema; ``frame`` is how the model is to write boxes."""
        function = {"name": self.name, "description": self.doc, "parameters": self.record.schema(frame)}
        return {"type": "function", "function": function}


@dataclass(frozen=True)
class Accepted:
    """A call that can be carried out."""

    name: str
    arguments: dict[str, Any]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declined:
    """A call that cannot: ``message`` is for the agent, ``name`` is the tool's if it is known, else empty."""

    kind: ErrorKind
    message: str
    name: str = ""


@dataclass(frozen=True)
class ToolTable:
    """The tools of an environment."""

    tools: tuple[Tool, ...]

    def __post_init__(self) -> None:
        if not self.tools or len(self._by_name) != len(self.tools):
            raise ValueError(f"A tool table needs at least one tool and no name twice; got {list(self.names)}.")

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tools' names in order."""
        return tuple(tool.name for tool in self.tools)

    def __getitem__(self, name: str) -> Tool:
        try:
            return self._by_name[name]
        except KeyError:
            raise KeyError(f"No tool {name!r}; there are {', '.join(self.names)}.") from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._by_name

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def read(self, action: Any) -> Accepted | Declined:
        """Check an action, ``{"name": str, "arguments": {...}}``, as ``step`` receives it. Never raises.

        ``arguments`` may also be a JSON string (as chat endpoints send it) or be left out where none are needed. What a
        wrapper could make no call of comes as ``Declined`` with its reason, and stays so.
        """
        if isinstance(action, Declined):
            return action
        if not isinstance(action, dict):
            return Declined("format", f"This is no tool call. A call is {_FORM}; got {show(action)}.")
        name = action.get("name")
        if not action.keys() <= _KEYS or not isinstance(name, str):
            unknown = [key for key in islice(action, len(_KEYS) + 1) if key not in _KEYS]
            got = f"the unknown key {show(unknown[0])}" if unknown else f"the name {show(name)}"
            return Declined("format", f"This is no tool call. A call is {_FORM}; got {got}.")
        tool = self._by_name.get(name)
        if tool is None:
            return Declined("invalid_action", f"There is no tool {show(name)}.{hint(name, self.names)}")
        skipped: list[str] = []
        try:
            arguments = tool.check(action.get("arguments"), skipped)
        except Refused as refusal:
            return Declined(refusal.kind, str(refusal), name)
        return Accepted(name, arguments, tuple(skipped))

    def schemas(self, frame: NumberFrame = FRACTIONS) -> list[dict[str, Any]]:
        """The OpenAI function schemas of all tools."""
        return [tool.schema(frame) for tool in self.tools]

    def markdown(self) -> str:
        """The tools as a Markdown table, for the docs."""
        rows = ["| tool | argument | value | meaning |", "|---|---|---|---|"]
        for tool in self.tools:
            rows.append(f"| `{tool.name}` | | | {_cell(tool.doc)} |")
            for parameter in tool.parameters:
                default = "" if parameter.required else f" Default: {show(parameter.default)}."
                mark = "" if parameter.required else " (optional)"
                value = _cell(parameter.type.words())
                rows.append(f"| | `{parameter.name}`{mark} | {value} | {_cell(parameter.doc + default)} |")
        return "\n".join(rows) + "\n"


_FORM = '{"name": "...", "arguments": {...}}'
_KEYS = frozenset(("name", "arguments"))


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
