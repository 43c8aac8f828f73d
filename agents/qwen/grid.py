"""Calls on the coordinate grid of a model whose numbers are coarser than the tools' (see `designgym.agents.qwen.tiny`).

Boxes are rounded where they are put into the model's frame (`designgym.agents.qwen.frames.to_model`); here it is every
length and coordinate in px, however deep in lists and records it stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from designgym.agents.qwen.frames import Action
from designgym.parameters import Array, Number, ParameterType, Record, Rounded
from designgym.tools import ToolTable


def on_grid(action: Action, tools: ToolTable, step: int) -> dict[str, Any]:
    """A call whose px are multiples of a step, halves up, within the range that the tool asks for.

    The ends of that range are rounded outwards, to px 400 of a canvas of 0 to 399, say; of lengths from 1 px on, the
    least is one step.

    Args:
        action: A tool call.
        tools: The environment's tools, which say what of the arguments is in px.
        step: Distance of neighbouring numbers; 1 leaves whole numbers as they are.
    """
    arguments = action.get("arguments")
    name = action.get("name")
    if not isinstance(name, str) or name not in tools or not isinstance(arguments, Mapping):
        return dict(action)
    return {**action, "arguments": _rounded(tools[name].record, arguments, step)}


def _rounded(kind: ParameterType, value: Any, step: int) -> Any:
    if isinstance(kind, Record) and isinstance(value, Mapping):
        kinds = {field.name: field.type for field in kind.fields}
        return {key: _rounded(kinds[key], one, step) if key in kinds else one for key, one in value.items()}
    if isinstance(kind, Array):
        if isinstance(value, list | tuple):
            return [_rounded(kind.kind_of(one), one, step) for one in value]
        return _rounded(kind.items, value, step) if kind.one_alone else value
    if isinstance(kind, Number | Rounded) and kind.unit == "px" and _is_number(value):
        least, most = math.ceil(kind.low / step) * step, math.ceil(kind.high / step) * step
        return min(most, max(least, step * math.floor(value / step + 0.5)))
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
