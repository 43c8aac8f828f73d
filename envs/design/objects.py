"""The object actions but filters: pictures, QR codes and imported documents, changed by layer or by file."""

from __future__ import annotations

import dataclasses

from designgym.envs.design.drawing import Arguments, Edit
from designgym.envs.design.grouping import scaled
from designgym.envs.design.layers import (
    Object,
    added,
    centred,
    changed_object,
    check_name,
    moved_to,
    object_named,
    removed,
    resized,
    turned,
    valid,
    where,
    with_asset,
)
from designgym.envs.design.qr import qr_png
from designgym.graphics.document import Document, Group, ImageLayer
from designgym.values import show

QR_PX = 240
"""Side of a new QR code, with its margin; never more than half the page."""


def generate_qr(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A QR code in the page's middle."""
    name, link = arguments["layerName"], arguments["linkURL"]
    check_name(document, name)
    data = qr_png(link)
    document, asset = with_asset(document, f"{name[:100]}.qr.png", data)
    side = min(QR_PX, document.width / 2, document.height / 2)
    code = centred(ImageLayer(id=name, asset=asset, width=side, height=side), document.width, document.height)
    return added(document, code), f"Made the QR code {show(name)} of {show(link)}: {where(code, document)}."


def set_opacity(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Another opacity."""
    found = object_named(document, arguments["fileName"])
    found = dataclasses.replace(found, opacity=arguments["opacity"] / 100)
    return changed_object(document, found), f"The opacity of {show(found.id)} is {arguments['opacity']:g} %."


def remove(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Gone."""
    found = object_named(document, arguments["fileName"])
    return removed(document, found), f"Removed {show(found.id)}."


def reposition(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Moved by the top left corner."""
    found = object_named(document, arguments["fileName"])
    moved = moved_to(found, arguments["posX"], arguments["posY"])
    if isinstance(found, Group) and isinstance(moved, Group):
        document = _members_scaled(document, found, moved)
    return _told(document, moved)


def resize(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Resized about the centre; a group keeps its proportions, as its texts could not be stretched."""
    found = object_named(document, arguments["fileName"])
    width, height = arguments["width"], arguments["height"]
    if isinstance(found, ImageLayer):
        return _told(document, resized(found, width, height))
    factor = min(width / found.width, height / found.height)
    grown = resized(found, found.width * factor, found.height * factor)
    document, text = _told(_members_scaled(document, found, grown), grown)
    return document, f"{text} It has layers of its own, so it keeps its proportions."


def rotate(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Turned further."""
    return _told(document, turned(object_named(document, arguments["fileName"]), arguments["angle"]))


def _members_scaled(document: Document, old: Group, new: Group) -> Document:
    """A group's members follow its box; the group itself is exchanged too."""
    factor = new.width / old.width
    layers = tuple(
        scaled(layer, factor, new.x - old.x * factor, new.y - old.y * factor) if layer.group == old.id else layer
        for layer in document.layers
    )
    groups = tuple(new if group.id == new.id else group for group in document.groups)
    return valid(dataclasses.replace(document, layers=layers, groups=groups))


def _told(document: Document, found: Object) -> tuple[Document, str]:
    return changed_object(document, found), f"{show(found.id)} is now {where(found, document)}."


EDITS: dict[str, Edit] = {
    "OpacityObject": set_opacity,
    "RemoveObject": remove,
    "RepositionObject": reposition,
    "ResizeObject": resize,
    "RotateObject": rotate,
    "GenerateQRObject": generate_qr,
}
