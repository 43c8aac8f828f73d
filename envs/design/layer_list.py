"""A document's layers as JSON data, for agents that read them: names, places as seen, and looks."""

from __future__ import annotations

from typing import Any

from designgym.envs.design.layers import hull
from designgym.graphics.document import Document, Group, ImageLayer, Layer, ShapeLayer, TextLayer

_KINDS = {"text": "text", "image": "object", "shape": "drawing"}


def layer_list(document: Document) -> dict[str, Any]:
    """The page and its layers, back to front; lengths in page px, angles in degrees clockwise, opacity in percent.

    ``x``, ``y``, ``width`` and ``height`` are those of the box as it is turned, which is what Reposition moves.
    """
    layers = [_told(layer) for layer in document.layers]
    objects = [_told(group) for group in document.groups]
    page = {"width": document.width, "height": document.height, "background": document.background, "layers": layers}
    return page | {"imported_documents": objects} if objects else page


def _told(placed: Layer | Group) -> dict[str, Any]:
    x1, y1, x2, y2 = (round(value, 1) for value in hull(placed))
    box = {"x": x1, "y": y1, "width": round(x2 - x1, 1), "height": round(y2 - y1, 1)}
    kind = _KINDS[placed.type] if isinstance(placed, Layer) else "object"
    data: dict[str, Any] = {"layerName": placed.id, "type": kind, **box}
    if placed.rotation_deg % 360:
        data["angle"] = round(placed.rotation_deg, 1)
    if placed.opacity < 1:
        data["opacity"] = round(placed.opacity * 100, 1)
    if isinstance(placed, TextLayer):
        data |= {"text": placed.text, "font": placed.font, "fontSize": placed.size_px, "color": placed.color}
        data |= {"alignment": placed.align}
    elif isinstance(placed, ShapeLayer):
        data |= {"shape": placed.shape, "color": placed.fill}
    elif isinstance(placed, ImageLayer | Group) and placed.name:
        data["fileName"] = placed.name
    if isinstance(placed, ImageLayer) and placed.filters:
        data["filters"] = [{"name": each.name, **each.values} for each in placed.filters]
    if isinstance(placed, TextLayer | ShapeLayer) and placed.stroke:
        data["stroke"] = {"color": placed.stroke.color, "width": placed.stroke.width_px}
    return data
