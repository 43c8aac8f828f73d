"""A Crello record drawn as a document.

The page is white, as in Crello's own renderer; a whole-page background of one colour becomes the page's colour. Texts
are set again from their fields, so that font, size and colour can be changed; their first baselines lie where Crello
has them, for which their frames are moved a little. Everything else is drawn from the element's picture, which Crello
ships for each. Layers are called ``element-<index>``.

What a document cannot hold exactly is drawn approximately and noted. It is not lost: the record stays beside the
document (:mod:`designgym.envs.aesthetics.sources.crello_edits` brings the two together again).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from designgym.envs.aesthetics.sources.broken import BrokenRecord
from designgym.envs.aesthetics.sources.crello_fonts import stand_in
from designgym.envs.aesthetics.sources.crello_record import Record, check_record, element_of
from designgym.envs.aesthetics.sources.crello_text import read_color, text_style
from designgym.envs.aesthetics.sources.geometry import number, page_size
from designgym.envs.aesthetics.sources.text_baseline import baseline_offset
from designgym.graphics.assets import asset_image
from designgym.graphics.decode import DecodeError, decode_image
from designgym.graphics.document import FONT_SIZE_PX, MAX_SIDE_PX, Document, DocumentError, ImageLayer, Layer, TextLayer
from designgym.graphics.document_rules import check_layer
from designgym.graphics.text import measure_text, missing_characters

_WIDE_PX = float(MAX_SIDE_PX)  # wide enough that no line wraps
_ALIGNS = ("left", "center", "right", "justify")


@dataclass(frozen=True)
class Drawn:
    """A record as a document.

    Attributes:
        document: The page.
        background: Index of the element that became the page's colour; None if there is none.
        notes: Sentences on what is drawn otherwise than the record says, or not at all.
    """

    document: Document
    background: int | None
    notes: tuple[str, ...]


def layer_id(index: int) -> str:
    """The id of an element's layer.

    >>> layer_id(3)
    'element-3'
    """
    return f"element-{index}"


def draw_record(record: Record) -> Drawn:
    """The document of a record in the form of release 5.

    Elements without area are left out. So are texts of blanks and elements that cannot touch the page.

    Raises:
        BrokenRecord: If the record cannot be drawn: a picture that is missing or damaged, a number that is none, or a
            page beyond the limits of documents.
    """
    count = check_record(record)
    width, height = page_size(record["canvas_width"], record["canvas_height"])
    page, background_index = "#ffffff", None
    layers: list[Layer] = []
    assets: dict[str, bytes] = {}
    notes: list[str] = []
    for index in range(count):
        element = element_of(record, index)
        try:
            if index == 0 and (color := _page_color(element, width, height)):
                page, background_index = color, index
                continue
            layer, picture, said = _draw(index, element, Document(width, height))
        except BrokenRecord as error:
            raise BrokenRecord(f"element {index}: {error}") from error
        notes += [f"element {index}: {note}." for note in said]
        if layer is not None:
            layers.append(layer)
        if picture is not None:
            assets[layer_id(index)] = picture
    try:
        document = Document(width, height, page, tuple(layers), assets).validate()
    except DocumentError as error:
        raise BrokenRecord(str(error)) from error
    return Drawn(document, background_index, tuple(notes))


def picture_bytes(image: Any) -> bytes:
    """The bytes of an image as ``datasets`` stores it.

    Raises:
        BrokenRecord: If they are not in the record.
    """
    data = image.get("bytes") if isinstance(image, Mapping) else image
    if not isinstance(data, bytes) or not data:
        raise BrokenRecord("Its picture is missing.")
    return data


def _draw(index: int, element: Mapping[str, Any], page: Document) -> tuple[Layer | None, bytes | None, tuple[str, ...]]:
    """Layer, picture and notes of an element; no layer if it cannot be seen."""
    left, top, width, height = (number(element[name], name) for name in ("left", "top", "width", "height"))
    if width == 0 or height == 0:
        return None, None, ("without area, it is left out",)
    left, width = (left + width, -width) if width < 0 else (left, width)
    top, height = (top + height, -height) if height < 0 else (top, height)
    angle = number(element["angle"], "angle") if element["angle"] is not None else 0.0
    reach = (width**2 + height**2) ** 0.5 / 2
    centre_x, centre_y = left + width / 2, top + height / 2
    if not (-reach < centre_x < page.width + reach and -reach < centre_y < page.height + reach):
        return None, None, ("it lies beside the page and is left out",)
    opacity = number(element["opacity"], "opacity") if element["opacity"] is not None else 1.0
    place: dict[str, Any] = {
        "id": layer_id(index),
        "x": left,
        "y": top,
        "width": width,
        "height": height,
        "rotation_deg": angle if abs(angle) <= 3600 else angle % 360,
        "opacity": min(1.0, max(0.0, opacity)),
        "name": str(element["type"]),
    }
    if str(element["type"]).casefold() == "textelement":
        return _draw_text(element, place, page)
    return ImageLayer(**place, asset=place["id"]), _readable(element["image"]), ()


def _draw_text(
    element: Mapping[str, Any], place: Mapping[str, Any], page: Document
) -> tuple[Layer | None, bytes | None, tuple[str, ...]]:
    """A text layer; the element's picture where no embedded font can draw the text."""
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
            picture = _readable(element["image"])
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


def _readable(image: Any) -> bytes:
    data = picture_bytes(image)
    try:
        asset_image(data)  # keeps the pixels, which are needed as soon as the page is drawn
    except DecodeError as error:
        raise BrokenRecord(f"Its picture cannot be read: {error}") from error
    return data


def _page_color(element: Mapping[str, Any], width: int, height: int) -> str | None:
    """The colour of a background that covers the page evenly; None for any other element."""
    if str(element["type"]).casefold() != "coloredbackground" or len(element["color"] or ()) != 1:
        return None
    place = [number(element[name], name) for name in ("left", "top", "width", "height")]
    covers = place[0] <= 0 and place[1] <= 0 and place[0] + place[2] >= width and place[1] + place[3] >= height
    if not covers or element["angle"] or element["opacity"] not in (1.0, None):
        return None
    color = read_color(element["color"][0])
    try:
        pixels = decode_image(picture_bytes(element["image"])).pixels
    except (DecodeError, BrokenRecord):
        return color  # the colour is known without the picture
    return color if (pixels == pixels[0, 0]).all() else None
