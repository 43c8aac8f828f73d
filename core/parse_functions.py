"""Calls in the form that Qwen3.5's and later chat templates teach: a tag for the function and one for each parameter.

    <function=draw_dots>
    <parameter=dots>
    [{"x": 1, "y": 2}]
    </parameter>
    </function>

What stands between the tags of a parameter is its value, without the line breaks next to them: text as it is where the
tool declares text, otherwise JSON, or Python's ``None``, ``True`` and ``False``, which these templates write. A value
that is neither stays text, for the environment to refuse.
"""

from __future__ import annotations

from typing import Any

from designgym.parameters import Choice, ParameterType, Text
from designgym.strict_json import JsonError, loads
from designgym.tools import ToolTable
from designgym.values import show

OPEN_FUNCTION, CLOSE_FUNCTION = "<function=", "</function>"
_OPEN_PARAMETER, _CLOSE_PARAMETER = "<parameter=", "</parameter>"
_PYTHON = {"None": None, "True": True, "False": False}


class Unreadable(Exception):
    """Why a call cannot be read."""


def read_function(text: str, start: int, table: ToolTable) -> tuple[str, dict[str, Any], int]:
    """Read the call whose ``<function=`` stands at a place of a text; in time linear in what it reads.

    Args:
        text: The text.
        start: Index of the ``<`` of the opening tag.
        table: The environment's tools, which say what is text.

    Returns:
        The name, the arguments, and the index behind ``</function>``.

    Raises:
        Unreadable: If a tag is missing, something else stands between the parameters, or one is given twice.
    """
    name, position = _tag(text, start + len(OPEN_FUNCTION), OPEN_FUNCTION)
    types: dict[str, ParameterType] = {}
    if name in table:
        types = {parameter.name: parameter.type for parameter in table[name].parameters}
    arguments: dict[str, Any] = {}
    while True:
        position = skip_space(text, position)
        if text.startswith(CLOSE_FUNCTION, position):
            return name, arguments, position + len(CLOSE_FUNCTION)
        if not text.startswith(_OPEN_PARAMETER, position):
            raise Unreadable(
                f"In {OPEN_FUNCTION}{name}> another {_OPEN_PARAMETER}...> or {CLOSE_FUNCTION} must follow."
            )
        key, position = _tag(text, position + len(_OPEN_PARAMETER), _OPEN_PARAMETER)
        end = text.find(_CLOSE_PARAMETER, position)
        if end < 0:
            raise Unreadable(f"The parameter {show(key)} is cut off; {_CLOSE_PARAMETER} is missing.")
        if key in arguments:
            raise Unreadable(f"The parameter {show(key)} is given twice.")
        arguments[key] = _value(text[position:end], types.get(key))
        position = end + len(_CLOSE_PARAMETER)


def skip_space(text: str, position: int) -> int:
    """The index of the next character that is no white space, or the end."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _tag(text: str, start: int, opening: str) -> tuple[str, int]:
    """What an opening tag names, and the index behind it."""
    end = text.find(">", start)
    if end < 0 or "\n" in text[start:end]:
        raise Unreadable(f"A {opening}...> tag does not end.")
    return text[start:end].strip(), end + 1


def _value(written: str, kind: ParameterType | None) -> Any:
    text = written.removeprefix("\n").removesuffix("\n")
    if kind is None or isinstance(kind, Text | Choice):
        return text
    bare = text.strip()
    if bare in _PYTHON:
        return _PYTHON[bare]
    try:
        return loads(bare)
    except JsonError:
        return text
