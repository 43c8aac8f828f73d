"""Where layers lie: hulls of what is inked, after rotation. Lengths are page px unless they say otherwise."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from operator import attrgetter

from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer
from designgym.graphics.text import TextMeasure, measure_text

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, page px."""


def same_form(old: Layer, new: Layer) -> bool:
    """Whether two layers take up the same px, whatever their colours: nothing but colour and opacity differs."""
    if type(old) is not type(new):
        return False
    if isinstance(old, ShapeLayer) and isinstance(new, ShapeLayer) and (old.fill is None or new.fill is None):
        return old == new
    form = _FORMS.get(type(old))
    return old == new if form is None else bool(form(old) == form(new))


def _form(layer_type: type[Layer], *others: str) -> attrgetter[tuple[object, ...]]:
    """Reads what the form of a layer of a type depends on: all fields but its opacity and a few others."""
    fields = {field.name for field in dataclasses.fields(layer_type)}
    return attrgetter(*sorted(fields - {"opacity", *others}))


_FORMS = {
    TextLayer: _form(TextLayer, "color"),
    ShapeLayer: _form(ShapeLayer, "fill", "stroke"),
    ImageLayer: _form(ImageLayer),
}


def apart(one: Box, two: Box) -> float:
    """Blank space between two hulls, page px; 0 where they touch or overlap."""
    dx = max(0.0, one[0] - two[2], two[0] - one[2])
    dy = max(0.0, one[1] - two[3], two[1] - one[3])
    return math.hypot(dx, dy)


def ink_hull(layer: Layer) -> Box:
    """Hull of the turned layer, page px, not clipped; of text its lines, of others their box."""
    left, top, right, bottom = 0.0, 0.0, layer.width, layer.height
    if isinstance(layer, TextLayer):
        measure = text_measure(layer)
        slack = max(0.0, layer.width - measure.width)
        left = {"left": 0.0, "center": slack / 2, "right": slack, "justify": 0.0}[layer.align]
        right, bottom = left + measure.width, measure.height
        # Room above the capitals and below the letters belongs to the line, not to the ink.
        spare = max(0.0, layer.line_height - 1.0) / 2 * layer.size_px
        top, bottom = top + spare + 0.1 * layer.size_px, bottom - spare - 0.1 * layer.size_px
    return turned(layer, (left, top, right, bottom))


def turned(layer: Layer, part: Box) -> Box:
    """Hull of a part of the layer's frame (px from its top left corner) after its rotation, page px."""
    left, top, right, bottom = part
    if layer.rotation_deg % 360:
        angle = math.radians(layer.rotation_deg)
        cos, sin = math.cos(angle), math.sin(angle)
        cx, cy = layer.width / 2, layer.height / 2
        corners = [(x - cx, y - cy) for x in (left, right) for y in (top, bottom)]
        xs = [cx + x * cos - y * sin for x, y in corners]
        ys = [cy + x * sin + y * cos for x, y in corners]
        left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    return layer.x + left, layer.y + top, layer.x + right, layer.y + bottom


def frame_hull(layer: Layer) -> Box:
    """Hull of the layer's turned frame, page px, not clipped."""
    return turned(layer, (0.0, 0.0, layer.width, layer.height))


def page_box(box: Box, document: Document) -> tuple[float, float, float, float]:
    """A box in page px clipped to the page, as fractions of it."""
    width, height = document.width, document.height
    x1, x2 = (min(max(value / width, 0.0), 1.0) for value in (box[0], box[2]))
    y1, y2 = (min(max(value / height, 0.0), 1.0) for value in (box[1], box[3]))
    return x1, y1, x2, y2


def text_measure(layer: TextLayer) -> TextMeasure:
    """How the text breaks and how much room it takes; kept, since most perturbations leave it as it is."""
    return _text_measure(
        layer.text, layer.font, layer.size_px, layer.weight, layer.italic, layer.width, layer.line_height,
        layer.letter_spacing_px,
    )  # fmt: skip


@lru_cache(maxsize=16384)
def _text_measure(
    text: str, font: str, size_px: float, weight: int, italic: bool, width: float, line_height: float, spacing_px: float
) -> TextMeasure:
    layer = TextLayer(
        id="measured", text=text, font=font, size_px=size_px, weight=weight, italic=italic, width=width, height=1.0,
        line_height=line_height, letter_spacing_px=spacing_px,
    )  # fmt: skip
    return measure_text(layer)
