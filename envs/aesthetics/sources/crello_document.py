"""A Crello record drawn as a document.

The page is white, as in Crello's own renderer; a whole-page background of one colour becomes the page's colour. Texts
are set again from their fields, so that font, size and colour can be changed; their first baselines lie where Crello
has them, for which their frames are moved a little. Everything else is drawn from the element's picture, which Crello
ships for each. Layers are called ``element-<index>``.

What a document cannot hold exactly is drawn approximately and noted. It is not lost: the record stays beside the
document (:mod:`designgym.envs.aesthetics.sources.crello_edits` brings the two together again).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.crello_picture import picture_bytes, readable_picture
from designgym.envs.aesthetics.sources.crello_record import Record, check_record, element_of
from designgym.envs.aesthetics.sources.crello_text import read_color
from designgym.envs.aesthetics.sources.crello_typesetting import draw_text
from designgym.envs.aesthetics.sources.geometry import number, page_size
from designgym.graphics.decode import DecodeError, decode_image
from designgym.graphics.document import Document, DocumentError, ImageLayer, Layer


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
        return draw_text(element, place, page)
    return ImageLayer(**place, asset=place["id"]), readable_picture(element["image"]), ()


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
