"""Whole documents as a group of another one: for editable files, and for what flat pictures of saved pages show."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from designgym.envs.design.layers import hull, names, turned, with_asset
from designgym.graphics.document import (
    FONT_SIZE_PX,
    MAX_LAYERS,
    MAX_NAME,
    Document,
    Group,
    ImageLayer,
    Layer,
    ShapeLayer,
    Stroke,
    TextLayer,
)

BACKGROUND = "background"
"""Name of the member that is the page's colour."""

_UNIFORM = 0.01  # relative difference of two scales that count as one
_SPARE_PX = 2.0


@dataclass(frozen=True)
class Place:
    """Where a page goes, in px of the other document; its height follows from its width."""

    x: float
    y: float
    width: float
    rotation_deg: float = 0.0
    opacity: float = 1.0


def with_page(document: Document, index: int, page: Document, place: Place, name: str, file: str) -> Document | None:
    """A document with another one's layers in a group of its own, cut off at that page's edge.

    Args:
        document: Where they go.
        index: Before how many of its layers, counted from the back.
        page: Whose layers.
        place: Where its page lies.
        name: The group's id.
        file: The group's name.

    Returns:
        The document, or None where groups cannot say the same: groups do not nest, so those of the page are dissolved,
        which cannot be done if they fade or cut off their members; and there are limits to the number of layers.
    """
    if len(document.layers) + len(page.layers) + 1 > MAX_LAYERS:
        return None
    factor = place.width / page.width
    group = Group(
        id=name,
        name=file,
        x=place.x,
        y=place.y,
        width=place.width,
        height=page.height * factor,
        rotation_deg=place.rotation_deg,
        opacity=place.opacity,
        clip=True,
    )
    taken = names(document)
    ground = ShapeLayer(id=BACKGROUND, width=page.width, height=page.height, fill=page.background)
    members: list[Layer] = []
    for layer in (ground, *page.layers):
        loose = _without_group(layer, page)
        if loose is None:
            return None
        moved = scaled(loose, factor, place.x, place.y)
        if isinstance(moved, ImageLayer):
            document, asset = with_asset(document, moved.asset, page.assets[moved.asset])
            moved = dataclasses.replace(moved, asset=asset)
        own = _free(name, layer.id, taken)
        taken.add(own)
        members.append(dataclasses.replace(moved, id=own, group=name))
    layers = (*document.layers[:index], *members, *document.layers[index:])
    return dataclasses.replace(document, layers=layers, groups=(*document.groups, group))


def expanded(document: Document, pages: Mapping[bytes, Document]) -> Document:
    """A document in which flat pictures of saved pages are the layers that they show, as far as that is the same.

    Args:
        document: The document.
        pages: Bytes of image files to the documents that were saved as them.
    """
    if not pages:
        return document
    for layer in document.layers:
        if not isinstance(layer, ImageLayer) or layer.group or layer.filters:
            continue
        page = pages.get(document.assets[layer.asset])
        if page is None or not _uniform(layer, page):
            continue
        index = document.layers.index(layer)
        rest = dataclasses.replace(document, layers=document.layers[:index] + document.layers[index + 1 :])
        place = Place(layer.x, layer.y, layer.width, layer.rotation_deg, layer.opacity)
        inner = expanded(page, pages)
        for candidate in (inner, page):  # what the page shows in turn may be more than a group can hold
            whole = with_page(rest, index, candidate, place, layer.id, layer.name)
            if whole is not None:
                document = whole
                break
    return document


def scaled(layer: Layer, factor: float, x: float, y: float) -> Layer:
    """A layer as its page is scaled about its corner and that corner moved to (x, y)."""
    layer = dataclasses.replace(
        layer,
        x=x + layer.x * factor,
        y=y + layer.y * factor,
        width=layer.width * factor,
        height=layer.height * factor,
    )
    if isinstance(layer, TextLayer):
        low, high = FONT_SIZE_PX
        size = min(high, max(low, layer.size_px * factor))
        spacing = layer.letter_spacing_px * factor
        return dataclasses.replace(
            layer, size_px=size, letter_spacing_px=spacing, stroke=_scaled_stroke(layer.stroke, factor)
        )
    if isinstance(layer, ShapeLayer):
        radius = layer.radius_px * factor
        return dataclasses.replace(layer, radius_px=radius, stroke=_scaled_stroke(layer.stroke, factor))
    return layer


def _scaled_stroke(stroke: Stroke | None, factor: float) -> Stroke | None:
    return dataclasses.replace(stroke, width_px=stroke.width_px * factor) if stroke else None


def _without_group(layer: Layer, page: Document) -> Layer | None:
    """The layer as it looks, out of its group; None if its group fades or cuts it off."""
    group = page.group_of(layer)
    if group is None:
        return layer
    if group.opacity < 1:
        return None
    if group.clip:
        x1, y1, x2, y2 = hull(layer)
        low_x, low_y = group.x - _SPARE_PX, group.y - _SPARE_PX
        high_x, high_y = group.x + group.width + _SPARE_PX, group.y + group.height + _SPARE_PX
        if x1 < low_x or y1 < low_y or x2 > high_x or y2 > high_y:
            return None
    if not group.rotation_deg % 360:
        return dataclasses.replace(layer, group="")
    angle = math.radians(group.rotation_deg)
    cx, cy = group.x + group.width / 2, group.y + group.height / 2
    dx, dy = layer.x + layer.width / 2 - cx, layer.y + layer.height / 2 - cy
    middle_x = cx + dx * math.cos(angle) - dy * math.sin(angle)
    middle_y = cy + dx * math.sin(angle) + dy * math.cos(angle)
    x, y = middle_x - layer.width / 2, middle_y - layer.height / 2
    return turned(dataclasses.replace(layer, x=x, y=y, group=""), group.rotation_deg)


def _uniform(layer: ImageLayer, page: Document) -> bool:
    across, down = layer.width / page.width, layer.height / page.height
    return abs(across - down) <= _UNIFORM * across


def _free(group: str, layer: str, taken: set[str]) -> str:
    half = MAX_NAME // 2 - 5
    name = f"{group[:half]}/{layer[:half]}"
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name} ({count})"
    return free
