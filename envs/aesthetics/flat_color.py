"""The one colour of a text or shape: reading it and exchanging it."""

from __future__ import annotations

import dataclasses

from designgym.graphics.document import Layer, ShapeLayer, TextLayer


def flat_color(layer: Layer) -> str | None:
    """The one colour of a text or shape; None for pictures and shapes without fill."""
    if isinstance(layer, TextLayer):
        return layer.color
    if isinstance(layer, ShapeLayer):
        if layer.fill is not None and layer.shape != "line":
            return layer.fill
        return layer.stroke.color if layer.stroke else None
    return None


def with_color(layer: Layer, color: str) -> Layer:
    """A text or shape in another colour, its alpha kept."""
    if isinstance(layer, TextLayer):
        return dataclasses.replace(layer, color=color)
    assert isinstance(layer, ShapeLayer)
    if layer.fill is not None and layer.shape != "line":
        return dataclasses.replace(layer, fill=color)
    assert layer.stroke is not None
    return dataclasses.replace(layer, stroke=dataclasses.replace(layer.stroke, color=color))
