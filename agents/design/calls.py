"""An arranged page as calls of the workbench's actions, all by one expert, who has drawings, texts and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from designgym.agents.base import Action
from designgym.envs.design.experts import Expert

EXPERT: Expert = "vector_graphic_editor"


def call(name: str, /, **arguments: Any) -> Action:
    """A call of an action."""
    return {"name": name, "arguments": {**arguments, "expert": EXPERT}}


def finish() -> Action:
    """The call that delivers."""
    return {"name": "finish", "arguments": {}}


def rgb(color: Sequence[int]) -> dict[str, int]:
    """A colour (0 to 255) as actions take it."""
    return {"red": int(color[0]), "green": int(color[1]), "blue": int(color[2])}


def new_page(type: str, color: Sequence[int]) -> list[Action]:
    """A document of a type with a background."""
    return [call("CreateDocument", docType=type), call("SetBackgroundColor", **rgb(color))]


def rectangle(name: str, left: float, top: float, width: float, height: float, color: Sequence[int]) -> list[Action]:
    """A filled rectangle."""
    return [
        call("DrawRectangle", layerName=name, width=_px(width), height=_px(height), **rgb(color)),
        call("RepositionDrawing", layerName=name, posX=_px(left), posY=_px(top)),
    ]


def circle(name: str, x: float, y: float, radius: float, color: Sequence[int]) -> list[Action]:
    """A filled circle about a centre."""
    return [
        call("DrawCircle", layerName=name, radius=_px(radius), **rgb(color)),
        call("RepositionDrawing", layerName=name, posX=_px(x - radius), posY=_px(y - radius)),
    ]


def picture(name: str, file: str, left: float, top: float, width: float, height: float) -> list[Action]:
    """A given picture at a place."""
    return [
        call("ImportObject", fileName=file, layerName=name),
        call("ResizeObject", fileName=name, width=_px(width), height=_px(height)),
        call("RepositionObject", fileName=name, posX=_px(left), posY=_px(top)),
    ]


def text(
    name: str, words: str, font: str, size: float, color: Sequence[int], align: str, left: float, top: float
) -> list[Action]:
    """A text at a place."""
    calls = [
        call("CreateText", layerName=name, textString=words),
        call("ApplyFont", layerName=name, fontName=font),
        call("ResizeText", layerName=name, fontSize=_px(size)),
        call("ColorText", layerName=name, **rgb(color)),
    ]
    if align != "center" and "\n" in words:
        calls.append(call("AlignText", layerName=name, alignment=align))
    return [*calls, call("RepositionText", layerName=name, posX=_px(left), posY=_px(top))]


def as_plan(calls: Sequence[Action]) -> Action:
    """The same calls, without the one that delivers, as one call of ``execute_plan``."""
    steps = [_step(each) for each in calls if each["name"] != "finish"]
    return {"name": "execute_plan", "arguments": {"steps": steps}}


def _step(action: Action) -> Mapping[str, Any]:
    parameters = dict(action["arguments"])
    expert = parameters.pop("expert")
    return {"expert": expert, "action": action["name"], "parameters": parameters, "description": _told(action)}


def _told(action: Action) -> str:
    return f"{action['name']} {action['arguments'].get('layerName', '')}".strip()


def _px(value: float) -> float:
    return round(float(value), 1)
