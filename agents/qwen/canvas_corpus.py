"""The tiny tokenizer's texts for canvas drawing: brief prompts in both kinds of history, and calls of every tool.

Coordinates are px of the canvas. The fixed parts of calls are found by writing a call of each tool with a mark in place
of every number and cutting at the marks, so that they are what `designgym.prompt.render_call` and the prompt's history
write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np

from designgym.agents.join_ends import TITLE
from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.boxes import NumberFrame
from designgym.envs.canvas import wording
from designgym.envs.canvas.tools import FINISH, OPERATIONS, SIDE_PX, UNDO, tool_table
from designgym.parameters import Array, Number, ParameterType, Record, Rounded
from designgym.prompt import render_call

_FRAME = NumberFrame("thousand")
_MARK = 987654321
"""Stands for a number; no text that is written here holds it otherwise."""
_TABLES = (tool_table(), tool_table(vocabulary="dots"), tool_table("svg"))


def vocabulary() -> Vocabulary:
    """The texts; coordinates are px from 0 to the canvas's side."""
    return Vocabulary(tuple(_corpus()), tuple(dict.fromkeys((*_sentences(), *_call_parts()))), SIDE_PX)


def _instructions() -> tuple[str, ...]:
    return tuple(wording.instruction(stimulus, None) for stimulus in (True, False))


def _tools(names: Iterable[str]) -> str:
    return wording.TOOLS.format(names=", ".join(names))


def _sentences() -> Iterator[str]:
    """What every round repeats: the task, the result of a call that was carried out, the calls left, the tools."""
    yield from _instructions()
    for table in _TABLES:
        yield f". {_tools(table.names)}"
    yield from (" Calls left: ", " OK Calls left: ")  # on one line, as the brief prompt has them
    yield from ("Calls left: ", "OK\nCalls left: ")  # on lines, as the environment says them
    yield TITLE


def _call_parts() -> Iterator[str]:
    """What stands between the numbers of a call, as a model writes it and as the history shows it."""
    for name, arguments in _examples():
        yield from _between(render_call(name, arguments))
    for name, arguments in _examples():
        told = json.dumps({"name": name, "arguments": arguments}, separators=(",", ":"))
        yield from _between(f"{told} -> OK")
    yield from _between(render_call(FINISH, {"label": str(_MARK)}))
    yield render_call(UNDO, {})


def _examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """A call of each drawing tool with two operations, all of whose numbers are marks."""
    table = tool_table()
    for name, operations in OPERATIONS.items():
        kind = table[name].parameters[0].type
        assert isinstance(kind, Array)
        yield name, {operations: [_marked(kind.items)] * 2}


def _marked(kind: ParameterType) -> Any:
    """The smallest value of a type that shows what stands between two items of its lists, with marks for numbers."""
    if isinstance(kind, Number | Rounded):
        return _MARK
    if isinstance(kind, Array):
        return [_marked(kind.items)] * 2
    if isinstance(kind, Record):
        return {field.name: _marked(field.type) for field in kind.fields if field.required}
    return kind.example()


def _between(text: str) -> list[str]:
    return text.split(str(_MARK))


def _corpus() -> Iterator[str]:
    """Prompts in both wordings, roles and calls.

    The roles come so often that each becomes a token; what else is read in every round is a phrase anyway.
    """
    build = prompt_builder("designgym/CanvasDrawing-v0")
    yield from ["system\nuser\nassistant\n"] * 1000
    for table, task in product(_TABLES, _instructions()):
        observation = {"image": np.zeros((1, 1, 1), np.uint8), "task": task, "text": "OK\nCalls left: 290."}
        brief = build(observation, table, wording="brief", frame=_FRAME)
        full = announce_tools(build(observation, table, wording="full", frame=_FRAME), table, _FRAME)
        yield from (message.text for message in (*brief, *full))
    for name, arguments in _examples():
        yield render_call(name, arguments)
