"""From what a model behind an endpoint sent back to one turn of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from designgym.agents.base import Action, Reply
from designgym.agents.qwen.frames import to_env
from designgym.agents.words import read_words
from designgym.boxes import NumberFrame
from designgym.completion import Completion
from designgym.parse import CLOSE_THINK, OPEN_THINK, parse_calls, single_call
from designgym.prompt import render_call
from designgym.strict_json import JsonError, loads
from designgym.tools import ToolTable


def read_reply(said: Completion, tools: ToolTable, frame: NumberFrame, *, single: bool) -> Reply:
    """One turn with its calls.

    Several calls are a round and are carried out in order. Calls that the server did not take out of the text are read
    there by the one parser. A call that cannot be read is a text among the calls, which costs a step; so does a reply
    that was cut off before it called anything, since it is not how a model says that it is done.

    Args:
        said: What came back.
        tools: The environment's tools.
        frame: How the model writes boxes.
        single: One answer is asked for; several are as unreadable as none.
    """
    whole = written(said)
    if said.calls:
        calls = tuple(_read(call, tools, frame) for call in said.calls)
        return Reply(whole, (_as_text(said),) if single and len(calls) > 1 else calls)
    parsed = parse_calls(said.text, tools)
    if single:
        call, _ = single_call(parsed)
        return Reply(whole, (said.text,) if call is None else (to_env(call.action, tools, frame),))
    read: tuple[Action | str, ...] = tuple(to_env(call.action, tools, frame) for call in parsed.calls)
    if parsed.error and (read or parsed.markup or said.cut_off):
        read = (*read, said.text)
    return Reply(whole, read, silent=not read)


def read_words_reply(said: Completion, tools: ToolTable, frame: NumberFrame, options: Mapping[str, Any]) -> Reply:
    """One turn of a model that was asked for words: see `designgym.agents.words.read_words`."""
    reply = read_words(said.text, tools, frame, options)
    return replace(reply, text=written(said), calls=reply.calls or (said.text,))


def written(said: Completion) -> str:
    """All that a model wrote, its reasoning and its calls too, in the notation of replies in text."""
    parts = [f"{OPEN_THINK}\n{said.reasoning}\n{CLOSE_THINK}" if said.reasoning else "", said.text, _as_text(said)]
    return "\n".join(part for part in parts if part)


def _as_text(said: Completion) -> str:
    return "\n".join(_rendered(call, _arguments(call)) for call in said.calls)


def _read(call: Mapping[str, Any], tools: ToolTable, frame: NumberFrame) -> Action | str:
    """A call in page fractions; the text of one whose arguments are no JSON."""
    arguments = _arguments(call)
    if isinstance(arguments, str):
        return _rendered(call, arguments)
    return to_env({**call, "arguments": arguments}, tools, frame) if call else {}


def _arguments(call: Mapping[str, Any]) -> Any:
    """The arguments of a call: what their JSON holds, or their text if it cannot be read."""
    arguments = call.get("arguments")
    if not isinstance(arguments, str):
        return {} if arguments is None else arguments
    try:
        return loads(arguments) if arguments.strip() else {}
    except JsonError:
        return arguments


def _rendered(call: Mapping[str, Any], arguments: Any) -> str:
    return render_call(str(call.get("name", "")), arguments)
