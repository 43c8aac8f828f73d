"""A document that was made out of a Crello record, and perhaps edited, as a record again.

What was not touched comes out of the record as it was, to the last character's colour; only fields that an edit
changed are written anew.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.sample import png_bytes
from designgym.envs.aesthetics.sources.crello_document import draw_record, layer_id
from designgym.envs.aesthetics.sources.crello_record import ELEMENT_FIELDS, Record, check_record, element_of
from designgym.envs.aesthetics.sources.crello_text import write_color
from designgym.envs.aesthetics.sources.text_baseline import baseline_offset
from designgym.envs.aesthetics.sources.text_lines import line_numbers
from designgym.errors import UserError
from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer
from designgym.graphics.raster import rasterize
from designgym.graphics.text import measure_text

_PLACE = {"x": "left", "y": "top", "width": "width", "height": "height", "rotation_deg": "angle", "opacity": "opacity"}
_PLAIN_TEXT = {"font": "font", "align": "text_align", "letter_spacing_px": "letter_spacing"}
_LOOKS = frozenset(field.name for field in dataclasses.fields(TextLayer)) - {
    "group",
    "x",
    "y",
    "rotation_deg",
    "opacity",
    "name",
}


def record_of(document: Document, base: Record | None = None) -> Record:
    """The record of a document.

    Args:
        document: Any document. Layers called ``element-<index>`` are those of the record.
        base: The record that it was made from; None for a document from elsewhere, whose record then has no fields
            beside the canvas and the elements.

    Returns:
        A record in the form of release 5, equal to ``base`` if the document was not edited. Elements that were not
        drawn stay at their depth; shapes, and texts whose look was changed, get a new picture.

    Raises:
        UserError: For a document with a group that turns, fades or cuts off its members: Crello has no groups.
    """
    if lost := [group.id for group in document.groups if group.isolated or group.rotation_deg % 360]:
        raise UserError(
            f"The group {lost[0]!r} turns, fades or cuts off its layers, and Crello has no groups; undo it."
        )
    base = base or {"canvas_width": document.width, "canvas_height": document.height, "length": 0} | {
        name: [] for name in ELEMENT_FIELDS
    }
    drawn = draw_record(base)
    count = check_record(base)
    old = {layer.id: layer for layer in drawn.document.layers}
    indices = {layer_id(index): index for index in range(count)}
    undrawn = [index for name, index in indices.items() if name not in old]
    elements: list[dict[str, Any]] = []

    def keep_undrawn(below: int) -> None:
        while undrawn and undrawn[0] < below:
            index = undrawn.pop(0)
            element = element_of(base, index)
            if index == drawn.background and document.background != drawn.document.background:
                element = _background(document)
            elements.append(element)

    if drawn.background is None and document.background != drawn.document.background:
        elements.append(_background(document))
    for layer in document.layers:
        if layer.id in old:
            keep_undrawn(indices[layer.id])
            was = element_of(base, indices[layer.id])
            elements.append(_edited(was, old[layer.id], layer, drawn.document, document))
        else:
            elements.append(_new(layer, document))
    keep_undrawn(count)
    fields = {name: [element[name] for element in elements] for name in ELEMENT_FIELDS}
    size = {"canvas_width": document.width, "canvas_height": document.height, "length": len(elements)}
    return {**base, **size, **fields}


def _edited(
    element: dict[str, Any], old: Layer, new: Layer, old_document: Document, document: Document
) -> dict[str, Any]:
    changed = {
        field.name
        for field in dataclasses.fields(new)
        if not hasattr(old, field.name) or getattr(old, field.name) != getattr(new, field.name)
    }
    if isinstance(new, ImageLayer) and isinstance(old, ImageLayer):
        picture = document.assets[new.asset]
        if new.fit != old.fit:
            return _new(new, document)
        element = element | {_PLACE[name]: getattr(new, name) for name in changed & set(_PLACE)}
        return element if picture == old_document.assets[old.asset] else element | {"image": _image(picture)}
    if not isinstance(new, TextLayer) or not isinstance(old, TextLayer):
        return _new(new, document) if changed else element
    if not changed:
        return element
    element = element | {_PLACE[name]: getattr(new, name) for name in changed & set(_PLACE) - {"x", "y"}}
    element |= {_PLAIN_TEXT[name]: getattr(new, name) for name in changed & set(_PLAIN_TEXT)}
    (new_dx, new_dy), (old_dx, old_dy) = baseline_offset(new), baseline_offset(old)
    element["left"] += (new.x - old.x) - (new_dx - old_dx)
    element["top"] += (new.y - old.y) - (new_dy - old_dy)
    # Size and line height may have been fitted when they were drawn, so they change by what the edit changed.
    element["font_size"] *= new.size_px / old.size_px
    element["line_height"] = (element["line_height"] or 1.0) * new.line_height / old.line_height
    characters = len(element["text"] or "")
    if "text" in changed:
        element |= _fields_of_text(new)
    else:
        if "weight" in changed:
            element["font_bold"] = [new.weight >= 550] * characters
        if "italic" in changed:
            element["font_italic"] = [new.italic] * characters
        if "color" in changed:
            element["text_color"] = [write_color(new.color)] * characters
        if measure_text(new).lines != measure_text(old).lines:  # lines that wrap now
            element |= _fields_of_text(new)
    return element | {"image": _image(layer_picture(new, document))} if changed & _LOOKS else element


def _new(layer: Layer, document: Document) -> dict[str, Any]:
    element = _empty() | {_name: getattr(layer, name) for name, _name in _PLACE.items()}
    if isinstance(layer, TextLayer):
        dx, dy = baseline_offset(layer)
        element |= {"left": layer.x - dx, "top": layer.y - dy, "line_height": layer.line_height}
        element |= {"type": "TextElement", "font_size": layer.size_px} | _fields_of_text(layer)
        element |= {_name: getattr(layer, name) for name, _name in _PLAIN_TEXT.items()}
    elif isinstance(layer, ShapeLayer):
        element |= {"type": "SvgElement", "color": [write_color(layer.fill)] if layer.fill else []}
    else:
        element["type"] = "ImageElement"
        if isinstance(layer, ImageLayer) and layer.fit == "fill":
            return element | {"image": _image(document.assets[layer.asset])}
    return element | {"image": _image(layer_picture(layer, document))}


def _fields_of_text(layer: TextLayer) -> dict[str, Any]:
    text = layer.text
    return {
        "text": text,
        "capitalize": False,
        "font_bold": [layer.weight >= 550] * len(text),
        "font_italic": [layer.italic] * len(text),
        "text_color": [write_color(layer.color)] * len(text),
        "text_line": line_numbers(layer),
    }


def _background(document: Document) -> dict[str, Any]:
    color = bytes.fromhex(document.background[1:])
    pixel = np.array([[[*color[:3], color[3] if len(color) > 3 else 255]]], np.uint8)
    return _empty() | {
        "type": "ColoredBackground",
        "width": float(document.width),
        "height": float(document.height),
        "color": [write_color(document.background)],
        "image": _image(png_bytes(np.tile(pixel, (8, 8, 1)))),
    }


def _empty() -> dict[str, Any]:
    numbers = {"left": 0.0, "top": 0.0, "angle": 0.0, "opacity": 1.0, "font_size": 0.0, "letter_spacing": 0.0}
    lists: dict[str, Any] = {name: [] for name in ("color", "font_bold", "font_italic", "text_color", "text_line")}
    return {**numbers, **lists, "line_height": 1.0, "text": "", "font": "", "text_align": "left", "capitalize": False}


def _image(data: bytes) -> dict[str, Any]:
    return {"bytes": data, "path": None}


def layer_picture(layer: Layer, document: Document) -> bytes:
    """A PNG of the layer alone: opaque, unturned, as large as its box (at most the page), on a transparent ground."""
    width, height = (max(1, round(side)) for side in (layer.width, layer.height))
    scale = min(1.0, max(document.width, document.height) / max(width, height))
    alone = dataclasses.replace(layer, x=0.0, y=0.0, rotation_deg=0.0, opacity=1.0)
    page = Document(width, height, assets=document.assets)
    drawn = rasterize(alone, page, scale)
    canvas: NDArray[np.uint8] = np.zeros((max(1, round(height * scale)), max(1, round(width * scale)), 4), np.uint8)
    if drawn.pixels is not None:
        x1, y1, x2, y2 = drawn.box
        color = drawn.pixels[..., 2::-1].astype(np.float64)
        alpha = drawn.pixels[..., 3:]
        straight = np.divide(color * 255, alpha, out=np.zeros_like(color), where=alpha > 0)
        seen = np.concatenate([np.clip(np.rint(straight), 0, 255).astype(np.uint8), alpha], axis=-1)
        canvas[y1:y2, x1:x2] = seen[: canvas.shape[0] - y1, : canvas.shape[1] - x1]
    return png_bytes(canvas)
