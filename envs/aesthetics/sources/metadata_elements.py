"""The elements of a page out of metadata in the form of AesEval-Bench's ``simplified_meta_info.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sample import Element, ElementKind, FractionBox
from designgym.envs.aesthetics.sources.geometry import fraction_box, page_size

WHOLE_PAGE = 0.98
"""A share of the page from which on the lowest element counts as its background."""

_KINDS: dict[str, ElementKind] = {
    "textelement": "text",
    "imageelement": "picture",
    "svgelement": "shape",
    "maskelement": "picture",
    "svgmaskelement": "picture",
    "coloredbackground": "background",
    "groupelement": "group",
}


def metadata_page(metadata: Mapping[str, Any]) -> tuple[int, int]:
    """Width and height of the page, px.

    Raises:
        BrokenRecord: If they are missing or no sizes.
    """
    return page_size(metadata.get("canvas_width"), metadata.get("canvas_height"))


def metadata_elements(metadata: Mapping[str, Any]) -> tuple[Element, ...]:
    """The elements that can be seen, back to front.

    An element's id is its ``element_index``, or its place in the list where it has none. Elements without area or
    beside the page are left out; a lowest element that covers the page is its background.

    Raises:
        BrokenRecord: If the list is missing, an element is no object, a number is none, or an index stands twice.
    """
    page = metadata_page(metadata)
    listed = metadata.get("elements")
    if not isinstance(listed, list):
        raise BrokenRecord("The metadata have no list of elements.")
    elements: list[Element] = []
    seen: set[str] = set()
    for place, data in enumerate(listed):
        if not isinstance(data, Mapping):
            raise BrokenRecord(f"Element {place} of the metadata is a {type(data).__name__}; it must be an object.")
        name = str(data.get("element_index", place))
        if name in seen:
            raise BrokenRecord(f"Two elements of the metadata have the index {name}.")
        seen.add(name)
        try:
            box = element_box(data, page)
        except BrokenRecord as error:
            raise BrokenRecord(f"Element {name}: {error}") from error
        if box is None:
            continue
        kind = _KINDS.get(str(data.get("type", "")).casefold(), "shape")
        area = (box[2] - box[0]) * (box[3] - box[1])
        if not elements and area >= WHOLE_PAGE and kind != "text":
            kind = "background"
        text = data.get("text")
        elements.append(Element(name, kind, "", box, text if kind == "text" and isinstance(text, str) else ""))
    return tuple(elements)


def element_box(data: Mapping[str, Any], page: tuple[int, int]) -> FractionBox | None:
    """The box of an element, turned and clipped; None if nothing of it lies on the page.

    Raises:
        BrokenRecord: If a number is missing or not finite.
    """
    left, top, width, height = (data.get(name) for name in ("left", "top", "width", "height"))
    angle = data.get("angle")
    return fraction_box(left, top, width, height, page, 0.0 if angle is None else angle)
