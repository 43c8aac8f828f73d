"""A tool as a method that TRL can read: with a signature and a docstring, whatever arguments it is called with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from designgym.boxes import NumberFrame
from designgym.tools import Tool

Block = dict[str, Any]
"""``{"type": "text", "text": str}`` or ``{"type": "image", "image": PIL.Image}`` (RGB)."""

_HINTS = {"integer": int, "number": float, "string": str, "boolean": bool, "array": list, "object": dict, "null": None}


def method(tool: Tool, frame: NumberFrame) -> Callable[..., list[Block]]:
    """A function that hands any keyword arguments to ``self._call(name, arguments)``.

    Its signature and docstring say as much of the tool as TRL reads out of them: names, kinds and meanings of the
    arguments, but neither ranges nor the fields of operations.
    """

    def call(self: Any, /, **arguments: Any) -> list[Block]:
        shown: list[Block] = self._call(tool.name, arguments)
        return shown

    properties = tool.schema(frame)["function"]["parameters"]["properties"]
    signature = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    for parameter in tool.parameters:
        default = inspect.Parameter.empty if parameter.required else parameter.default
        kind = inspect.Parameter.KEYWORD_ONLY
        hint = _hint(properties[parameter.name])
        signature.append(inspect.Parameter(parameter.name, kind, default=default, annotation=hint))
    lines = [f"{p.name}: {properties[p.name].get('description') or p.type.words(frame)}" for p in tool.parameters]
    call.__name__ = tool.name
    call.__qualname__ = tool.name
    call.__doc__ = "\n    ".join([f"{tool.doc}\n\nArgs:", *lines]) if lines else tool.doc
    call.__annotations__ = {each.name: each.annotation for each in signature[1:]}
    call.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    return call


def _hint(schema: Mapping[str, Any]) -> Any:
    """The nearest thing to a schema that a type hint can say."""
    hint: Any = None
    for one in schema.get("anyOf", (schema,)):
        known = _HINTS[one["type"]]
        hint = known if hint is None else hint | known
    return hint
