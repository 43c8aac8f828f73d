"""The text elements of Crello as text layers: fonts that stand in, lines that do not wrap, baselines as in Crello."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.crello_fonts import stand_in
from designgym.envs.aesthetics.sources.crello_picture import readable_picture
from designgym.envs.aesthetics.sources.crello_text import text_style
from designgym.envs.aesthetics.sources.geometry import number
from designgym.envs.aesthetics.sources.text_baseline import baseline_offset
from designgym.graphics.document import FONT_SIZE_PX, MAX_SIDE_PX, Document, DocumentError, ImageLayer, Layer, TextLayer
from designgym.graphics.document_rules import check_layer
from designgym.graphics.text import measure_text, missing_characters

_WIDE_PX = float(MAX_SIDE_PX)  # wide enough that no line wraps
_ALIGNS = ("left", "center", "right", "justify")


def draw_text(
    element: Mapping[str, Any], place: Mapping[str, Any], page: Document
) -> tuple[Layer | None, bytes | None, tuple[str, ...]]:
    """The layer of a text element, its picture if it is drawn as one, and notes; no layer for a text of blanks.

    Args:
        element: The element's fields.
        place: What all layers have, from the element.
        page: The page, for its size.

    Raises:
        BrokenRecord: For a field that is of no use, or where neither text nor picture can be drawn.
    """
    style = text_style(element)
    if not style.text.strip():
        return None, None, ("a text of blanks, it is left out",)
    notes = list(style.notes)
    font = stand_in(str(element["font"] or ""))
    if font != element["font"]:
        notes.append(f"the font {element['font']!r} is drawn with {font!r}")
    size = min(FONT_SIZE_PX[1], max(FONT_SIZE_PX[0], number(element["font_size"], "font_size")))
    line_height = number(element["line_height"] or 1.0, "line_height")
    spacing = number(element["letter_spacing"] or 0.0, "letter_spacing")
    layer = TextLayer(
        **place,
        text=style.text,
        font=font,
        size_px=size,
        weight=700 if style.bold else 400,
        italic=style.italic,
        color=style.color,
        align=element["text_align"] if element["text_align"] in _ALIGNS else "left",
        line_height=min(5.0, max(0.5, line_height)),
        letter_spacing_px=min(500.0, max(-100.0, spacing)),
    )
    try:
        check_layer(layer, page)
        reason = f"the embedded fonts lack {missing_characters(layer)[:8]!r}" if missing_characters(layer) else ""
    except DocumentError as error:
        reason = str(error)
    if reason:
        try:
            picture = readable_picture(element["image"])
        except BrokenRecord as broken:
            raise BrokenRecord(
                f"It can be drawn neither as text ({reason.rstrip('.')}) nor as a picture: {broken}"
            ) from None
        return ImageLayer(**place, asset=place["id"]), picture, (f"a text drawn as its picture: {reason.rstrip('.')}",)
    fitted = _fitted(layer)
    if fitted is not layer:
        notes.append(f"the text is drawn at {fitted.size_px:.4g} px, so that its lines keep to the width")
    dx, dy = baseline_offset(fitted)
    return dataclasses.replace(fitted, x=fitted.x + dx, y=fitted.y + dy), None, tuple(notes)


def _fitted(layer: TextLayer) -> TextLayer:
    """The layer, smaller if a line of it would wrap: Crello never wraps, and stand-in fonts may be wider.

    The lines stay as far apart.
    """
    apart = layer.size_px * layer.line_height
    for _ in range(4):  # the spacing does not scale with the size, so one step may fall short
        widest = measure_text(dataclasses.replace(layer, width=_WIDE_PX)).width
        if widest <= layer.width:
            return layer
        size = max(FONT_SIZE_PX[0], layer.size_px * layer.width / widest * 0.998)
        layer = dataclasses.replace(layer, size_px=size, line_height=min(5.0, apart / size))
    return layer
