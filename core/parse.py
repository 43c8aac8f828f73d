"""One parser from what a model wrote to tool calls; agents, training rewards and evaluation all read replies with it.

The rules. Nothing is guessed, nothing raises, and the time is linear in the text:

1. *Reasoning is no answer.* What stands between ``<think>`` and ``</think>`` is reasoning; so is all that stands before
   a ``</think>`` that was never opened (the prompt may have opened it). A ``<think>`` that never ends means that there
   is no answer. The tags count wherever they stand, inside JSON strings too (``render_call`` never writes them there).
2. *Tags first.* If the answer holds ``<tool_call>``, calls are read from the tagged blocks only; each holds one JSON
   object and nothing else, or a ``<function=...>`` as later generations of Qwen write it
   (`designgym.parse_functions`). The last block may lack its ``</tool_call>`` (generation often stops there); it is
   noted.
3. *Else JSON in the text.* Every ``{`` that is followed by a quote starts an object, in or outside of code fences;
   prose around the objects is ignored. Objects that are no call are ignored with a note, if a call stands beside them.
4. *A call* is ``{"name": ..., "arguments": {...}}``; ``parameters`` instead of ``arguments``, arguments as a JSON
   string, and OpenAI's ``{"type": "function", "function": {...}}`` around it are read too. An object whose keys are
   exactly the parameters of exactly one tool is that tool's arguments. Names are not checked: the environment answers
   for them.
5. *Several calls* come back in order. Reading stops at the first call that is cut off, not valid JSON, has a key twice
   or is malformed otherwise: the calls before it are kept and ``error`` says what was wrong. An agent that may only
   call once uses :func:`single_call`, for which several calls are as unreadable as none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from designgym.parse_functions import OPEN_FUNCTION, Unreadable, read_function, skip_space
from designgym.strict_json import JsonError, loads
from designgym.tools import ToolTable
from designgym.values import show

OPEN_CALL, CLOSE_CALL = "<tool_call>", "</tool_call>"
OPEN_THINK, CLOSE_THINK = "<think>", "</think>"

_THINK = re.compile(f"{OPEN_THINK}|{CLOSE_THINK}")
_OBJECT_START = re.compile(r'\{\s*"')
_TOKEN = re.compile(r'\\.|["{}]', re.DOTALL)
_FORM = '{"name": "...", "arguments": {...}}'


@dataclass(frozen=True)
class RawCall:
    """A tool call as the model wrote it; neither the name nor the arguments have been checked against a tool."""

    name: str
    arguments: dict[str, Any]

    @property
    def action(self) -> dict[str, Any]:
        """The call as an action for ``env.step``."""
        return {"name": self.name, "arguments": self.arguments}


@dataclass(frozen=True)
class Parsed:
    """What a reply holds."""

    calls: tuple[RawCall, ...] = ()
    """The calls that were read, in order; with an error, those before it."""
    error: str = ""
    """Why the reply, or its rest, could not be read; empty if all is well."""
    note: str = ""
    """What was put up with, such as a missing closing tag."""
    reasoning: str = ""
    """What stands in the think blocks."""
    markup: bool = False
    """Whether the answer holds anything that looks like a call, readable or not."""


def parse_calls(text: str, table: ToolTable) -> Parsed:
    """Read the tool calls out of a model's reply by the rules of this module.

    Args:
        text: What the model wrote, without the special tokens around it.
        table: The environment's tools; their parameters tell which bare objects are arguments.

    Returns:
        The calls, and an error, notes and the reasoning. Without any call there is always an error.
    """
    reasoning, answer, ended = split_reasoning(text)
    if not ended:
        return Parsed(error="The reasoning never ends: <think> without </think>.", reasoning=reasoning)
    calls: list[RawCall] = []
    notes: list[str] = []
    tagged = OPEN_CALL in answer
    try:
        (_read_blocks if tagged else _read_objects)(answer, table, calls, notes)
        error = "" if calls else _nothing(answer, notes)
    except Unreadable as problem:
        error = str(problem)
    markup = tagged or _OBJECT_START.search(answer) is not None
    return Parsed(tuple(calls), error, " ".join(notes), reasoning, markup)


def single_call(parsed: Parsed) -> tuple[RawCall | None, str]:
    """The call of a reply that must hold exactly one, or None and the reason.

    Where one answer is asked for, two calls are as unreadable as none: to take the first or the last would be a guess,
    and to take the best would reward trying many.
    """
    if parsed.error:
        return None, parsed.error
    if len(parsed.calls) != 1:
        return None, f"The reply holds {len(parsed.calls)} tool calls; exactly one is wanted."
    return parsed.calls[0], ""


def split_reasoning(text: str) -> tuple[str, str, bool]:
    """Rule 1: reasoning, answer, and whether the reasoning ended."""
    reasoning: list[str] = []
    answer: list[str] = []
    inside, position = False, 0
    for tag in _THINK.finditer(text):
        piece = text[position : tag.start()]
        position = tag.end()
        if inside:
            reasoning.append(piece)
        else:
            answer.append(piece)
        if tag.group() == CLOSE_THINK and not inside:
            reasoning += answer
            answer = []
        inside = tag.group() == OPEN_THINK
    (reasoning if inside else answer).append(text[position:])
    return "".join(reasoning).strip(), "".join(answer), not inside


def _read_blocks(answer: str, table: ToolTable, calls: list[RawCall], notes: list[str]) -> None:
    """Rule 2."""
    position = answer.find(OPEN_CALL)
    while position >= 0:
        start = skip_space(answer, position + len(OPEN_CALL))
        call, end = _read_block(answer, start, table)
        end = skip_space(answer, end)
        if answer.startswith(CLOSE_CALL, end):
            end += len(CLOSE_CALL)
        elif end == len(answer):
            notes.append(f"The last {CLOSE_CALL} is missing.")
        else:
            raise Unreadable(f"After the call of a {OPEN_CALL} block {CLOSE_CALL} must follow.")
        calls.append(call)
        position = answer.find(OPEN_CALL, end)


def _read_block(answer: str, start: int, table: ToolTable) -> tuple[RawCall, int]:
    """The call that a block holds, and where it ends."""
    if answer.startswith(OPEN_FUNCTION, start):
        name, arguments, end = read_function(answer, start, table)
        return RawCall(name, arguments), end
    if not answer.startswith("{", start):
        raise Unreadable(f"A {OPEN_CALL} block must hold one JSON object, {_FORM}.")
    data, end = _read_object(answer, start)
    call = _as_call(data, table)
    if call is None:
        raise Unreadable(f"The object in a {OPEN_CALL} block is no call; a call is {_FORM}.")
    return call, end


def _read_objects(answer: str, table: ToolTable, calls: list[RawCall], notes: list[str]) -> None:
    """Rule 3."""
    ignored = 0
    found = _OBJECT_START.search(answer)
    while found:
        data, end = _read_object(answer, found.start())
        call = _as_call(data, table)
        if call is None:
            ignored += 1
        else:
            calls.append(call)
        found = _OBJECT_START.search(answer, end)
    if ignored:
        notes.append(f"{ignored} JSON object{'s that are' if ignored > 1 else ' that is'} no call ignored.")


def _read_object(answer: str, start: int) -> tuple[dict[str, Any], int]:
    """The JSON object that starts at a brace, and where it ends."""
    depth, in_string = 0, False
    for token in _TOKEN.finditer(answer, start):
        mark = token.group()
        if in_string:
            in_string = mark != '"'
        elif mark == '"':
            in_string = True
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                try:
                    data: dict[str, Any] = loads(answer[start : token.end()])
                except JsonError as error:
                    raise Unreadable(
                        f"The object at character {start} of the answer cannot be read: {error}."
                    ) from error
                return data, token.end()
    raise Unreadable(f"The object at character {start} of the answer is cut off.")


def _as_call(data: dict[str, Any], table: ToolTable) -> RawCall | None:
    """Rule 4; None for an object that does not look like a call at all."""
    if isinstance(data.get("function"), dict) and data.keys() <= {"function", "type", "id"}:
        data = data["function"]
    holders = [key for key in ("arguments", "parameters") if key in data]
    if "name" in data and (holders or data["name"] in table.names):
        if len(holders) > 1:
            raise Unreadable("A call has either 'arguments' or 'parameters', not both.")
        if unknown := [key for key in data if key not in ("name", "arguments", "parameters", "id", "type")]:
            raise Unreadable(f"A call is {_FORM}; it has the unknown key {show(unknown[0])}.")
        if not isinstance(data["name"], str):
            raise Unreadable(f"The name of a call must be a string; got {show(data['name'])}.")
        return RawCall(data["name"], _as_arguments(data[holders[0]] if holders else None))
    fitting = [tool.name for tool in table if tool.parameters and data.keys() == set(tool.record.names)]
    if len(fitting) > 1:
        raise Unreadable(f"An object without a name fits several tools ({', '.join(fitting)}); a call is {_FORM}.")
    if fitting:
        return RawCall(fitting[0], data)
    return RawCall(data["name"], {}) if data.keys() == {"name"} and isinstance(data["name"], str) else None


def _as_arguments(value: Any) -> dict[str, Any]:
    """The arguments of a call: an object, a JSON string that holds one, or nothing."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            value = loads(value)
        except JsonError as error:
            raise Unreadable(f"The arguments are a string that cannot be read: {error}.") from error
    if not isinstance(value, dict):
        raise Unreadable(f"The arguments of a call must be an object; got {show(value)}.")
    return value


def _nothing(answer: str, notes: list[str]) -> str:
    if not answer.strip():
        return "The reply is empty."
    if notes:
        return f"The reply holds JSON, but no tool call; a call is {_FORM}."
    return "The reply holds no tool call."
