"""The drawing actions: shapes of the vector graphic editor, made in the page's middle and changed by name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from designgym.envs.design.failure import Failed
from designgym.envs.design.layers import (
    added,
    centred,
    changed,
    drawing_named,
    moved_to,
    removed,
    resized,
    turned,
    where,
)
from designgym.graphics.color import Rgba
from designgym.graphics.document import Document, ShapeLayer, Stroke
from designgym.values import show

Arguments = Mapping[str, Any]
Edit = Callable[[Document, Arguments], tuple[Document, str]]
"""From a document and an action's arguments to the new document and what is said; raises ``Failed``."""

_LEAST_STAR, _MOST_STAR = 0.382, 0.6
"""Inner radius of stars over the outer one: that of the pentagram, and what still looks like a star."""


def color_of(arguments: Arguments) -> str:
    """``#rrggbb`` of the arguments red, green and blue."""
    return Rgba(arguments["red"], arguments["green"], arguments["blue"]).hex


def stroke_of(arguments: Arguments) -> Stroke:
    """The outline of the arguments strokeWidth, red, green and blue."""
    return Stroke(color_of(arguments), arguments["strokeWidth"])


def draw_circle(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A filled circle."""
    side = 2 * arguments["radius"]
    return _drawn(document, arguments, ShapeLayer(id="", shape="ellipse", width=side, height=side))


def draw_ellipse(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A filled ellipse."""
    width, height = 2 * arguments["majorRadius"], 2 * arguments["minorRadius"]
    return _drawn(document, arguments, ShapeLayer(id="", shape="ellipse", width=width, height=height))


def draw_rectangle(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A filled rectangle."""
    return _drawn(document, arguments, ShapeLayer(id="", width=arguments["width"], height=arguments["height"]))


def draw_triangle(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A filled isosceles triangle, base down."""
    points = ((0.5, 0.0), (1.0, 1.0), (0.0, 1.0))
    shape = ShapeLayer(id="", shape="polygon", width=arguments["base"], height=arguments["height"], points=points)
    return _drawn(document, arguments, shape)


def draw_polygon(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A filled regular polygon, a corner up."""
    return _drawn(document, arguments, _through(_ring(arguments["sides"], arguments["radius"])))


def draw_star(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A filled star, a point up; its edges run on from one point to the next but one where that looks like a star."""
    count, radius = arguments["numPoints"], arguments["radius"]
    straight = math.cos(2 * math.pi / count) / math.cos(math.pi / count)
    inner = radius * min(_MOST_STAR, max(_LEAST_STAR, straight))
    points = [
        point for pair in zip(_ring(count, radius), _ring(count, inner, math.pi / count), strict=True) for point in pair
    ]
    return _drawn(document, arguments, _through(points))


def draw_line(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A line between two points of the page."""
    (x1, y1), (x2, y2) = (arguments["startX"], arguments["startY"]), (arguments["endX"], arguments["endY"])
    if (x1, y1) == (x2, y2):
        raise Failed("invalid_parameters", f"The line starts and ends at ({x1:g}, {y1:g}); give it two different ends.")
    # A box must have some width and height; that of an upright or level line is a pixel wide about it.
    width, height = max(1.0, abs(x2 - x1)), max(1.0, abs(y2 - y1))
    left, top = (x1 + x2 - width) / 2, (y1 + y2 - height) / 2
    points = tuple(((x - left) / width, (y - top) / height) for x, y in ((x1, y1), (x2, y2)))
    stroke = stroke_of(arguments)
    line = ShapeLayer(
        id=arguments["layerName"],
        shape="line",
        x=left,
        y=top,
        width=width,
        height=height,
        points=points,
        fill=None,
        stroke=stroke,
    )
    return added(document, line), f"Drew {show(line.id)} from ({x1:g}, {y1:g}) to ({x2:g}, {y2:g})."


def set_opacity(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Another opacity."""
    drawing = drawing_named(document, arguments["layerName"])
    drawing = dataclasses.replace(drawing, opacity=arguments["opacity"] / 100)
    return changed(document, drawing), f"The opacity of {show(drawing.id)} is {arguments['opacity']:g} %."


def remove(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Gone."""
    drawing = drawing_named(document, arguments["layerName"])
    return removed(document, drawing), f"Removed {show(drawing.id)}."


def reposition(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Moved by the top left corner."""
    drawing = moved_to(drawing_named(document, arguments["layerName"]), arguments["posX"], arguments["posY"])
    return _told(document, drawing)


def resize(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Resized about the centre."""
    drawing = resized(drawing_named(document, arguments["layerName"]), arguments["width"], arguments["height"])
    return _told(document, drawing)


def rotate(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Turned further."""
    return _told(document, turned(drawing_named(document, arguments["layerName"]), arguments["angle"]))


def outline(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Outlined; a line, which is nothing but its stroke, gets another one."""
    drawing = dataclasses.replace(drawing_named(document, arguments["layerName"]), stroke=stroke_of(arguments))
    return changed(document, drawing), f"Outlined {show(drawing.id)}."


def _drawn(document: Document, arguments: Arguments, shape: ShapeLayer) -> tuple[Document, str]:
    shape = dataclasses.replace(shape, id=arguments["layerName"], fill=color_of(arguments))
    shape = centred(shape, document.width, document.height)
    return added(document, shape), f"Drew {show(shape.id)}: {where(shape, document)}."


def _told(document: Document, drawing: ShapeLayer) -> tuple[Document, str]:
    return changed(document, drawing), f"{show(drawing.id)} is now {where(drawing, document)}."


def _ring(count: int, radius: float, turn: float = 0.0) -> list[tuple[float, float]]:
    """Corners on a circle, clockwise from the top."""
    angles = [turn + 2 * math.pi * index / count for index in range(count)]
    return [(radius * math.sin(angle), -radius * math.cos(angle)) for angle in angles]


def _through(points: Sequence[tuple[float, float]]) -> ShapeLayer:
    """A polygon through points, in px of any origin; its box is just around them."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, top, width, height = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
    fractions = tuple((round((x - left) / width, 6), round((y - top) / height, 6)) for x, y in points)
    return ShapeLayer(id="", shape="polygon", width=width, height=height, points=fractions)


EDITS: dict[str, Edit] = {
    "DrawCircle": draw_circle,
    "DrawEllipse": draw_ellipse,
    "DrawLine": draw_line,
    "DrawPolygon": draw_polygon,
    "DrawRectangle": draw_rectangle,
    "DrawStar": draw_star,
    "DrawTriangle": draw_triangle,
    "OpacityDrawing": set_opacity,
    "RemoveDrawing": remove,
    "RepositionDrawing": reposition,
    "ResizeDrawing": resize,
    "RotateDrawing": rotate,
    "StorkeDrawing": outline,
}
