"""A design's elements as JSON data, with the field names of AesEval-Bench's ``simplified_meta_info.json``."""

from __future__ import annotations

from typing import Any

from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer


def design_metadata(document: Document) -> dict[str, Any]:
    """The page and its elements from back to front; the page's colour is the first element, as in Crello.

    Lengths are whole page px, for fractions would tell which elements were changed; angles are degrees clockwise. Layer
    ids and names are left out: they say nothing about what is seen.
    """
    page = {
        "element_index": 0,
        "type": "ColoredBackground",
        **_box(0, 0, document.width, document.height),
        "color": [document.background],
    }
    elements = [page, *(_element(index, layer) for index, layer in enumerate(document.layers, start=1))]
    return {"canvas_width": document.width, "canvas_height": document.height, "elements": elements}


def _element(index: int, layer: Layer) -> dict[str, Any]:
    data: dict[str, Any] = {
        "element_index": index,
        "type": "Element",
        **_box(layer.x, layer.y, layer.width, layer.height),
        "angle": layer.rotation_deg,
        "opacity": layer.opacity,
    }
    if isinstance(layer, TextLayer):
        data |= {
            "type": "TextElement",
            "text": layer.text,
            "font": layer.font,
            "font_size": round(layer.size_px),
            "text_color": layer.color,
            "text_align": layer.align,
        }
    elif isinstance(layer, ImageLayer):
        data |= {"type": "ImageElement"}
    elif isinstance(layer, ShapeLayer):
        data |= {"type": "SvgElement", "shape": layer.shape, "color": [layer.fill] if layer.fill else []}
    return data


def _box(left: float, top: float, width: float, height: float) -> dict[str, Any]:
    values = {"left": left, "top": top, "width": width, "height": height}
    return {name: round(value) for name, value in values.items()}
