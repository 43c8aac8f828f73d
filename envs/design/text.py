"""The text actions: texts that are as large as their words, made in the page's middle and changed by name.

A text's box is as wide as its longest line and as high as its lines. Lines break where the text has line breaks, and
at nine tenths of the page's width. Point sizes are page px (72 to the inch), as in the programs that are modelled.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from designgym.envs.design.drawing import Arguments, Edit, color_of, stroke_of
from designgym.envs.design.failure import Failed
from designgym.envs.design.kinds import read_font
from designgym.envs.design.layers import added, changed, check_name, moved_to, removed, text_named, turned, where
from designgym.graphics.document import Document, Layer, TextLayer
from designgym.graphics.fonts import find_family
from designgym.graphics.text import measure_text, text_notes
from designgym.values import show

FONT = "Arial"
SIZE_PT = 30.0
LINE_SHARE = 0.9
"""Share of the page's width at which lines break."""
MAX_HEIGHT_PX = 8000

_CENTRED_PX = 0.5  # a text counts as standing in the middle if it is as near


def create(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """A text in the page's middle."""
    check_name(document, arguments["layerName"])
    text = TextLayer(
        id=arguments["layerName"],
        text=arguments["textString"],
        font=FONT,
        size_px=SIZE_PT,
        align="center",
        x=document.width / 2,
        y=document.height / 2,
        width=1e-3,
        height=1e-3,
    )
    text = fitted(text, document)
    return added(document, text), f"Wrote {show(text.id)}: {where(text, document)}.{_noted(text)}"


def align(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Lines to one side of the box."""
    text = text_named(document, arguments["layerName"])
    text = dataclasses.replace(text, align=arguments["alignment"])
    told = f"{show(text.id)} is aligned {text.align}."
    if measure_text(text).lines == 1:
        told += " Its single line fills its box, so nothing moves; to move the text use RepositionText."
    return changed(document, text), told


def apply_font(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Another font, perhaps bold or italic."""
    text = text_named(document, arguments["layerName"])
    read = read_font(arguments["fontName"])
    assert read is not None, arguments  # the parameter's kind refuses other names
    family, bold, italic = read
    text = fitted(dataclasses.replace(text, font=family, weight=700 if bold else 400, italic=italic), document)
    return changed(document, text), f"{show(text.id)} is set in {family}: {where(text, document)}.{_noted(text)}"


def arrange(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Before or behind others; within a group among its members, outside of it among layers and whole groups."""
    text = text_named(document, arguments["layerName"])
    units = _units(document, text)
    index = next(i for i, unit in enumerate(units) if text in unit)
    last = len(units) - 1
    target = {"front": last, "frontward": min(last, index + 1), "backward": max(0, index - 1), "back": 0}
    place = target[arguments["arrangement"]]
    units.insert(place, units.pop(index))
    arranged = [layer for unit in units for layer in unit]
    if text.group:
        inside = iter(arranged)
        layers = tuple(next(inside) if layer.group == text.group else layer for layer in document.layers)
    else:
        layers = tuple(arranged)
    stands = "foremost" if place == last else "behind all others" if place == 0 else f"in place {place + 1}"
    return dataclasses.replace(document, layers=layers), f"{show(text.id)} is {stands} (of {last + 1})."


def color(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Another colour."""
    text = dataclasses.replace(text_named(document, arguments["layerName"]), color=color_of(arguments))
    return changed(document, text), f"{show(text.id)} has the colour {text.color}."


def set_opacity(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Another opacity."""
    text = dataclasses.replace(text_named(document, arguments["layerName"]), opacity=arguments["opacity"] / 100)
    return changed(document, text), f"The opacity of {show(text.id)} is {arguments['opacity']:g} %."


def remove(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Gone."""
    text = text_named(document, arguments["layerName"])
    return removed(document, text), f"Removed {show(text.id)}."


def reposition(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Moved by the top left corner."""
    return _told(document, moved_to(text_named(document, arguments["layerName"]), arguments["posX"], arguments["posY"]))


def resize(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Another font size."""
    text = dataclasses.replace(text_named(document, arguments["layerName"]), size_px=arguments["fontSize"])
    return _told(document, fitted(text, document))


def rotate(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Turned further."""
    return _told(document, turned(text_named(document, arguments["layerName"]), arguments["angle"]))


def outline(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Outlined."""
    text = dataclasses.replace(text_named(document, arguments["layerName"]), stroke=stroke_of(arguments))
    return changed(document, text), f"Outlined {show(text.id)}."


def fitted(text: TextLayer, document: Document) -> TextLayer:
    """The text with a box as large as its lines need.

    Along each axis its centre stays if it is the page's middle, else its left or top edge.

    Raises:
        Failed: If the text would be higher than any page.
    """
    widest = dataclasses.replace(text, width=max(1.0, LINE_SHARE * document.width))
    measure = measure_text(widest)
    if measure.height > MAX_HEIGHT_PX:
        raise Failed("limit", f"The text would be {measure.height:.0f} px high; at most {MAX_HEIGHT_PX} are possible.")
    width, height = max(1.0, measure.width), max(1.0, measure.height)
    x, y = text.x, text.y
    if abs(text.x + text.width / 2 - document.width / 2) <= _CENTRED_PX:
        x = (document.width - width) / 2
    if abs(text.y + text.height / 2 - document.height / 2) <= _CENTRED_PX:
        y = (document.height - height) / 2
    return dataclasses.replace(text, x=x, y=y, width=width, height=height)


def _units(document: Document, text: TextLayer) -> list[list[Layer]]:
    """What a text can be arranged among, back to front: its group's members, or layers and whole groups."""
    if text.group:
        return [[layer] for layer in document.layers if layer.group == text.group]
    units: list[list[Layer]] = []
    for layer in document.layers:
        if layer.group and units and units[-1][-1].group == layer.group:
            units[-1].append(layer)
        else:
            units.append([layer])
    return units


def _told(document: Document, text: TextLayer) -> tuple[Document, str]:
    return changed(document, text), f"{show(text.id)} is now {where(text, document)}."


def _noted(text: TextLayer) -> str:
    """What is drawn otherwise than written; that Arial has a stand-in is not worth a word at every text."""
    plain: Any = dataclasses.replace(text, font=find_family(text.font).name)
    notes = text_notes(plain)
    return "".join(f" {note}" for note in notes)


EDITS: dict[str, Edit] = {
    "AlignText": align,
    "ApplyFont": apply_font,
    "ArrangeText": arrange,
    "ColorText": color,
    "CreateText": create,
    "OpacityText": set_opacity,
    "RemoveText": remove,
    "RepositionText": reposition,
    "ResizeText": resize,
    "RotateText": rotate,
    "StrokeText": outline,
}
