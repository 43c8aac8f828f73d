"""Layers of a document by name: looking them up, adding, changing and removing them, by the rules of documents.

A layer's id is the name that the agent gave it. Objects may be pictures or groups (documents that were imported with
their layers); the ``name`` of either is the file that it was imported from. What is returned is a new document; the
old one is never changed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TypeVar

from designgym.envs.design.failure import Failed, lacking
from designgym.graphics.document import (
    MAX_LAYERS,
    Document,
    DocumentError,
    Group,
    ImageLayer,
    Layer,
    ShapeLayer,
    TextLayer,
)
from designgym.graphics.document_rules import check_document, check_layer
from designgym.values import show

Placed = TypeVar("Placed", bound=Layer | Group)
Object = ImageLayer | Group

_NAMED_IN_ERRORS = 12


def text_named(document: Document, name: str) -> TextLayer:
    """The text of this name; ``Failed`` if there is none."""
    layer = _layer(document, name)
    if isinstance(layer, TextLayer):
        return layer
    raise _missing(document, "text", name, (each.id for each in document.layers if isinstance(each, TextLayer)))


def drawing_named(document: Document, name: str) -> ShapeLayer:
    """The drawing of this name; ``Failed`` if there is none."""
    layer = _layer(document, name)
    if isinstance(layer, ShapeLayer):
        return layer
    raise _missing(document, "drawing", name, (each.id for each in document.layers if isinstance(each, ShapeLayer)))


def object_named(document: Document, name: str) -> Object:
    """The object of this name, else the foremost one that was imported from a file of this name."""
    pictures = [layer for layer in document.layers if isinstance(layer, ImageLayer)]
    groups = list(document.groups)
    objects: list[Object] = [*pictures, *groups]
    for found in objects:
        if found.id == name:
            return found
    for picture in reversed(pictures):
        if picture.name == name and not picture.group:
            return picture
    for group in reversed(groups):
        if group.name == name:
            return group
    raise _missing(document, "object", name, (each.id for each in objects))


def added(document: Document, layer: Layer) -> Document:
    """The document with one more layer, before all others; ``Failed`` if its name is taken or there are too many."""
    check_name(document, layer.id)
    if len(document.layers) >= MAX_LAYERS:
        raise Failed("limit", f"The document has {MAX_LAYERS} layers; there can be no more.")
    checked(layer, document)
    return dataclasses.replace(document, layers=(*document.layers, layer))


def check_name(document: Document, name: str) -> None:
    """Raise ``Failed`` for a name that stands for something already."""
    if name in names(document):
        raise lacking(f"There is already a layer {show(name)}; give the new one another layerName.")


def names(document: Document) -> set[str]:
    """All names that are taken."""
    return {layer.id for layer in document.layers} | {group.id for group in document.groups}


def changed(document: Document, layer: Layer) -> Document:
    """The document with a layer exchanged for that of the same name; ``Failed`` if it breaks a rule."""
    return document.replace_layer(checked(layer, document))


def changed_object(document: Document, found: Object) -> Document:
    """The document with an object exchanged; a group's members stay as they are."""
    if isinstance(found, ImageLayer):
        return changed(document, found)
    groups = tuple(found if group.id == found.id else group for group in document.groups)
    return valid(dataclasses.replace(document, groups=groups))


def removed(document: Document, gone: Layer | Group) -> Document:
    """The document without a layer, or without a group and its members; pictures that nothing shows go too."""
    if isinstance(gone, Group):
        layers = tuple(layer for layer in document.layers if layer.group != gone.id)
        groups = tuple(group for group in document.groups if group.id != gone.id)
        return without_spare_assets(dataclasses.replace(document, layers=layers, groups=groups))
    layers = tuple(layer for layer in document.layers if layer.id != gone.id)
    inhabited = {layer.group for layer in layers}
    groups = tuple(group for group in document.groups if group.id in inhabited)
    return without_spare_assets(dataclasses.replace(document, layers=layers, groups=groups))


def without_spare_assets(document: Document) -> Document:
    """The document with the files alone that its pictures show."""
    used = {layer.asset for layer in document.layers if isinstance(layer, ImageLayer)}
    if used == set(document.assets):
        return document
    assets = {name: data for name, data in document.assets.items() if name in used}
    return dataclasses.replace(document, assets=assets)


def with_asset(document: Document, name: str, data: bytes) -> tuple[Document, str]:
    """The document with one more file, and the name that it goes by there; equal files are kept once."""
    for known, content in document.assets.items():
        if content == data:
            return document, known
    free, count = name, 1
    while free in document.assets:
        count += 1
        free = f"{name} ({count})"
    return dataclasses.replace(document, assets={**document.assets, free: data}), free


def checked(layer: Layer, document: Document) -> Layer:
    """The layer itself; ``Failed`` if it breaks a rule of documents."""
    try:
        check_layer(layer, document)
    except DocumentError as error:
        raise Failed("limit", f"{str(error)[0].upper()}{str(error)[1:]}") from None
    return layer


def valid(document: Document) -> Document:
    """The document itself; ``Failed`` if it breaks a rule."""
    try:
        check_document(document)
    except DocumentError as error:
        raise Failed("limit", f"{str(error)[0].upper()}{str(error)[1:]}") from None
    return document


# ------------------------------------------------------------------ places


def hull(placed: Layer | Group) -> tuple[float, float, float, float]:
    """x1, y1, x2, y2 in page px of a box as it is turned."""
    angle = math.radians(placed.rotation_deg % 360)
    cos, sin = (abs(math.cos(angle)), abs(math.sin(angle))) if placed.rotation_deg % 360 else (1.0, 0.0)
    half_width = (placed.width * cos + placed.height * sin) / 2
    half_height = (placed.width * sin + placed.height * cos) / 2
    cx, cy = placed.x + placed.width / 2, placed.y + placed.height / 2
    return cx - half_width, cy - half_height, cx + half_width, cy + half_height


def centred(placed: Placed, width: float, height: float) -> Placed:
    """Moved to the middle of a page of this size."""
    return dataclasses.replace(placed, x=(width - placed.width) / 2, y=(height - placed.height) / 2)


def moved_to(placed: Placed, x: float, y: float) -> Placed:
    """Moved so that the top left corner of what can be seen of its box, turned as it is, lies there."""
    left, top, _, _ = hull(placed)
    return dataclasses.replace(placed, x=placed.x + x - left, y=placed.y + y - top)


def resized(placed: Placed, width: float, height: float) -> Placed:
    """Given another size about its centre."""
    x, y = placed.x + (placed.width - width) / 2, placed.y + (placed.height - height) / 2
    return dataclasses.replace(placed, x=x, y=y, width=width, height=height)


def turned(placed: Placed, degrees: float) -> Placed:
    """Turned further."""
    return dataclasses.replace(placed, rotation_deg=(placed.rotation_deg + degrees) % 360)


def where(placed: Layer | Group, document: Document) -> str:
    """Where something is, in words."""
    x1, y1, x2, y2 = hull(placed)
    text = f"{x2 - x1:.0f} x {y2 - y1:.0f} px at ({x1:.0f}, {y1:.0f})"
    if x1 < -0.5 or y1 < -0.5 or x2 > document.width + 0.5 or y2 > document.height + 0.5:
        text += f", partly off the page of {document.width} x {document.height} px"
    return text


def _layer(document: Document, name: str) -> Layer | None:
    return next((layer for layer in document.layers if layer.id == name), None)


def _missing(document: Document, kind: str, name: str, there: Iterable[str]) -> Failed:
    found = _layer(document, name)
    group = next((group for group in document.groups if group.id == name), None)
    if found is not None or group is not None:
        is_a = {"text": "text", "image": "object", "shape": "drawing"}[found.type] if found is not None else "object"
        return lacking(f"{show(name)} is no {kind} but a {is_a}; use the actions for {is_a}s.")
    known = list(there)
    if not known:
        return lacking(f"There is no {kind} {show(name)}; the open document has no {kind}s yet.")
    listed = ", ".join(show(each) for each in known[:_NAMED_IN_ERRORS])
    more = f" and {len(known) - _NAMED_IN_ERRORS} more" if len(known) > _NAMED_IN_ERRORS else ""
    return lacking(f"There is no {kind} {show(name)}; the open document has {listed}{more}.")
