"""What holds on every clean design: the rules that a layout is checked against before it is given out.

All lengths are page px, boxes are those of the layers (none of text, pictures and panels is turned).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from designgym.graphics.document import Document, Layer, ShapeLayer, TextLayer
from designgym.graphics.text import measure_text
from designgym.layout.areas import Area
from designgym.layout.brief import GeneratedDesign
from designgym.layout.contrast import contrast
from designgym.layout.hierarchy import LEAST_STEP
from designgym.layout.palettes import BODY_CONTRAST, SHAPE_CONTRAST

LEAST_ELEMENTS, MOST_ELEMENTS = 3, 12
LEAST_MARGIN_UNITS = 3.0
"""Texts and pictures keep this far from the page's edge, in hundredths of its longer side."""
LEAST_TEXT_UNITS = 2.4
"""Least size of type: 10.75 px on a page whose longer side is shown at 448 px."""
_NEAR_UNITS = 0.6  # elements that do not lie on each other keep this far apart
_SLACK_PX = 2.0


def problems(design: GeneratedDesign) -> list[str]:
    """Every rule that a design breaks, as a sentence; empty for a clean one."""
    return [
        *_counts(design),
        *_texts(design),
        *_margins(design),
        *_overlaps(design),
        *_contrasts(design),
        *_lines(design),
    ]


def area_of(layer: Layer) -> Area:
    """A layer's box."""
    return Area(layer.x, layer.y, layer.width, layer.height)


def ground_color(design: GeneratedDesign, layer_id: str) -> str:
    """The colour that an element is meant to be seen on."""
    ground = design.grounds.get(layer_id, "")
    while ground:
        layer = design.document.layer(ground)
        if isinstance(layer, ShapeLayer) and layer.fill is not None:
            return layer.fill
        ground = design.grounds.get(ground, "")
    return design.document.background


def _counts(design: GeneratedDesign) -> list[str]:
    count = len(design.document.layers)
    if LEAST_ELEMENTS <= count <= MOST_ELEMENTS:
        return []
    return [f"There are {count} elements; there should be {LEAST_ELEMENTS} to {MOST_ELEMENTS}."]


def _texts(design: GeneratedDesign) -> list[str]:
    found = []
    sizes: dict[str, set[float]] = {}
    unit = design.format.unit_px
    for layer in design.document.layers:
        if not isinstance(layer, TextLayer):
            continue
        measure = measure_text(layer)
        if measure.height > layer.height + 0.5 or measure.width > layer.width + 0.5:
            found.append(f"Text {layer.id!r} overflows its box.")
        if layer.size_px < LEAST_TEXT_UNITS * unit:
            found.append(f"Text {layer.id!r} is {layer.size_px:g} px large; that is tiny.")
        sizes.setdefault(design.roles[layer.id], set()).add(layer.size_px)
    every = sorted(set().union(*sizes.values()))
    found += [
        f"Sizes {small:g} and {large:g} px are hardly apart."
        for small, large in pairwise(every)
        if large < LEAST_STEP * small - 0.5
    ]
    others = [size for role, known in sizes.items() if role != "title" for size in known]
    if "title" in sizes and others and min(sizes["title"]) < 1.45 * max(others):
        found.append("The title is hardly larger than other text.")
    return found


def _margins(design: GeneratedDesign) -> list[str]:
    least = LEAST_MARGIN_UNITS * design.format.unit_px - 1
    safe = Area(0.0, 0.0, design.format.width, design.format.height).inset(least)
    return [
        f"Element {layer.id!r} comes too near to the page's edge."
        for layer in design.document.layers
        if design.roles[layer.id] not in ("background", "shape", "panel") and not _holds(safe, area_of(layer))
    ]


def _overlaps(design: GeneratedDesign) -> list[str]:
    found = []
    pad = _NEAR_UNITS * design.format.unit_px / 2
    layers = [layer for layer in design.document.layers if design.roles[layer.id] != "background"]
    solid = [layer for layer in layers if not _hollow(layer)]
    areas = [area_of(layer) for layer in solid]
    padded = [area.inset(-pad) for area in areas]
    roles = [design.roles[layer.id] for layer in solid]
    under = [set(chain(design.grounds, layer.id)) for layer in solid]
    for i, one in enumerate(solid):
        for j in range(i + 1, len(solid)):
            close = roles[i] == roles[j] == "detail" or "shape" in (roles[i], roles[j])
            if _meet(areas[i], areas[j]) if close else _meet(padded[i], padded[j]):
                two = solid[j]
                if one.id not in under[j] and two.id not in under[i]:
                    found.append(f"Elements {one.id!r} and {two.id!r} collide.")
    for layer in layers:
        ground = design.grounds.get(layer.id)
        if ground and not _holds(area_of(design.document.layer(ground)).inset(-_SLACK_PX), area_of(layer)):
            found.append(f"Element {layer.id!r} leaves its ground.")
    return found


def _contrasts(design: GeneratedDesign) -> list[str]:
    found = []
    document = design.document
    for index, layer in enumerate(document.layers):
        role = design.roles[layer.id]
        if isinstance(layer, TextLayer):
            color: str | None = layer.color
            floor = SHAPE_CONTRAST if role == "title" else BODY_CONTRAST
        elif isinstance(layer, ShapeLayer) and role in ("shape", "badge"):
            color, floor = layer.fill or (layer.stroke.color if layer.stroke else None), SHAPE_CONTRAST
        else:
            continue
        grounds = {ground_color(design, layer.id)}
        if not design.grounds.get(layer.id):
            grounds |= _behind(design, layer, document, index)
        for ground in grounds:
            if color is not None and contrast(color, ground) < floor:
                found.append(f"Element {layer.id!r} has a contrast of {contrast(color, ground):.1f}.")
    return found


def _lines(design: GeneratedDesign) -> list[str]:
    """Every text shares an edge or a middle line with another element, the page or its ground."""
    found = []
    layers = design.document.layers
    page = _guides(Area(0.0, 0.0, design.format.width, design.format.height))
    guides = [_guides(area_of(layer)) for layer in layers]
    for index, layer in enumerate(layers):
        if not isinstance(layer, TextLayer):
            continue
        own = guides[index]
        others = [*guides[:index], *guides[index + 1 :], page]
        if not any(abs(a - b) <= _SLACK_PX for other in others for a, b in zip(own, other, strict=True)):
            found.append(f"Text {layer.id!r} lines up with nothing.")
    return found


def _guides(area: Area) -> tuple[float, ...]:
    return area.x, area.x + area.width / 2, area.right, area.y, area.bottom


def _behind(design: GeneratedDesign, layer: Layer, document: Document, index: int) -> set[str]:
    """Fills of the soft grounds below a layer that lies on the page."""
    return {
        other.fill
        for other in document.layers[:index]
        if isinstance(other, ShapeLayer)
        and other.fill
        and design.roles[other.id] == "background"
        and other.fill == design.palette.tone
        and _meet(area_of(other), area_of(layer))
    }


def chain(grounds: Mapping[str, str], layer_id: str) -> list[str]:
    """The layers under an element on which it lies, nearest first."""
    found: list[str] = []
    while ground := grounds.get(layer_id):
        found.append(ground)
        layer_id = ground
    return found


def _hollow(layer: Layer) -> bool:
    """Whether a layer is a frame, within which others lie."""
    return isinstance(layer, ShapeLayer) and layer.fill is None


def _holds(outer: Area, inner: Area) -> bool:
    return outer.x <= inner.x and outer.y <= inner.y and inner.right <= outer.right and inner.bottom <= outer.bottom


def _meet(one: Area, two: Area) -> bool:
    return one.x < two.right and two.x < one.right and one.y < two.bottom and two.y < one.bottom
