"""The rules of the document model: what ``Document.validate`` checks, with the first offence as a sentence."""

from __future__ import annotations

import re
import typing
from typing import Any

from designgym.graphics.document import (
    FONT_SIZE_PX,
    LAYER_TYPES,
    MAX_LAYERS,
    MAX_NAME,
    MAX_OFFSET_PX,
    MAX_POINTS,
    MAX_SIDE_PX,
    MAX_TEXT,
    Align,
    Document,
    DocumentError,
    Fit,
    Group,
    ImageLayer,
    Layer,
    Shape,
    ShapeLayer,
    Stroke,
    TextLayer,
)
from designgym.graphics.filters.applied import MAX_FILTERS
from designgym.graphics.filters.registry import problem_of
from designgym.graphics.fonts import FontError, find_family

_COLOR = re.compile(r"#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?")


def check_document(document: Document) -> None:
    """Raise ``DocumentError`` with the first rule that the document breaks, if any."""
    for side, value in (("width", document.width), ("height", document.height)):
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_SIDE_PX:
            raise DocumentError(
                f"Page {side} is {_short(value)}; it must be a whole number from 1 to {MAX_SIDE_PX} px."
            )
    _check_color("page", "background", document.background)
    if not isinstance(document.layers, tuple):
        raise DocumentError(f"The document's layers are a {type(document.layers).__name__}; they must be a tuple.")
    if len(document.layers) > MAX_LAYERS:
        raise DocumentError(f"The document has {len(document.layers)} layers; at most {MAX_LAYERS} are allowed.")
    for name, data in document.assets.items():
        _check_text("page", "asset name", name, MAX_NAME)
        if not isinstance(data, bytes):
            raise DocumentError(f"Asset {name!r} is a {type(data).__name__}; it must be the bytes of an image file.")
    _check_groups(document)
    seen: set[str] = set()
    for layer in document.layers:
        check_layer(layer, document)
        if layer.id in seen:
            raise DocumentError(f"Two layers have the id {layer.id!r}; ids must be unique.")
        seen.add(layer.id)
    _check_runs(document)


def _check_groups(document: Document) -> None:
    if not isinstance(document.groups, tuple):
        raise DocumentError(f"The document's groups are a {type(document.groups).__name__}; they must be a tuple.")
    if len(document.groups) > MAX_LAYERS:
        raise DocumentError(f"The document has {len(document.groups)} groups; at most {MAX_LAYERS} are allowed.")
    seen: set[str] = set()
    for group in document.groups:
        if type(group) is not Group:
            raise DocumentError(f"A group is a {type(group).__name__}; it must be a Group.")
        _check_text("a group", "id", group.id, MAX_NAME)
        if not group.id:
            raise DocumentError("A group's id is empty; it must have at least one character.")
        if group.id in seen:
            raise DocumentError(f"Two groups have the id {group.id!r}; ids must be unique.")
        seen.add(group.id)
        where = f"group {group.id!r}"
        _check_place(where, group, document)
        if not isinstance(group.clip, bool):
            raise DocumentError(f"{where}: clip is {_short(group.clip)}; it must be true or false.")


def _check_runs(document: Document) -> None:
    """The members of a group must follow one another: what lies between them could be neither in nor out."""
    ended: set[str] = set()
    last = ""
    for layer in document.layers:
        if layer.group != last:
            ended.add(last)
            last = layer.group
            if last and last in ended:
                raise DocumentError(
                    f"layer {layer.id!r}: other layers lie between it and the rest of its group {last!r}; "
                    "move the group's layers together."
                )


def check_layer(layer: Layer, document: Document) -> None:
    """Raise ``DocumentError`` with the first rule that the layer breaks in this document, if any."""
    if type(layer) not in LAYER_TYPES.values():
        raise DocumentError(f"A layer is a {type(layer).__name__}; it must be one of {sorted(LAYER_TYPES)}.")
    _check_text("a layer", "id", layer.id, MAX_NAME)
    if not layer.id:
        raise DocumentError("A layer's id is empty; it must have at least one character.")
    where = f"layer {layer.id!r}"
    _check_place(where, layer, document)
    if not isinstance(layer.group, str) or (layer.group and layer.group not in {g.id for g in document.groups}):
        known = sorted(group.id for group in document.groups)
        raise DocumentError(f"{where}: group {_short(layer.group)} is not in the document; it has {known}.")
    if isinstance(layer, TextLayer):
        _check_text_layer(where, layer)
    elif isinstance(layer, ImageLayer):
        _check_choice(where, "fit", layer.fit, typing.get_args(Fit))
        if not isinstance(layer.asset, str) or layer.asset not in document.assets:
            known = sorted(document.assets)
            raise DocumentError(f"{where}: asset {_short(layer.asset)} is not in the document; it has {known}.")
        _check_filters(where, layer.filters)
    elif isinstance(layer, ShapeLayer):
        _check_shape_layer(where, layer)


def _check_place(where: str, placed: Layer | Group, document: Document) -> None:
    _check_text(where, "name", placed.name, MAX_NAME)
    _check_number(where, "x", placed.x, -MAX_OFFSET_PX, document.width + MAX_OFFSET_PX)
    _check_number(where, "y", placed.y, -MAX_OFFSET_PX, document.height + MAX_OFFSET_PX)
    _check_length(where, "width", placed.width)
    _check_length(where, "height", placed.height)
    _check_number(where, "rotation_deg", placed.rotation_deg, -3600.0, 3600.0)
    _check_number(where, "opacity", placed.opacity, 0.0, 1.0)


def _check_text_layer(where: str, layer: TextLayer) -> None:
    _check_text(where, "text", layer.text, MAX_TEXT)
    if not isinstance(layer.font, str):
        raise DocumentError(f"{where}: font is {_short(layer.font)}; it must be the name of a family.")
    try:
        find_family(layer.font)
    except FontError as error:
        raise DocumentError(f"{where}: {error}") from None
    if not isinstance(layer.italic, bool):
        raise DocumentError(f"{where}: italic is {_short(layer.italic)}; it must be true or false.")
    _check_number(where, "size_px", layer.size_px, *FONT_SIZE_PX)
    _check_number(where, "weight", layer.weight, 100, 900)
    if layer.weight != int(layer.weight):
        raise DocumentError(f"{where}: weight is {layer.weight!r}; it must be a whole number from 100 to 900.")
    _check_number(where, "line_height", layer.line_height, 0.5, 5.0)
    _check_number(where, "letter_spacing_px", layer.letter_spacing_px, -100.0, 500.0)
    _check_color(where, "color", layer.color)
    _check_choice(where, "align", layer.align, typing.get_args(Align))
    _check_stroke(where, layer.stroke)


def _check_shape_layer(where: str, layer: ShapeLayer) -> None:
    _check_choice(where, "shape", layer.shape, typing.get_args(Shape))
    if layer.fill is not None:
        _check_color(where, "fill", layer.fill)
    _check_stroke(where, layer.stroke)
    _check_number(where, "radius_px", layer.radius_px, 0.0, MAX_SIDE_PX)
    if not isinstance(layer.points, tuple) or not all(isinstance(p, tuple) and len(p) == 2 for p in layer.points):
        raise DocumentError(f"{where}: points must be a tuple of (x, y) pairs.")
    count = len(layer.points)
    if count > MAX_POINTS:
        raise DocumentError(f"{where}: {count} points; at most {MAX_POINTS} are allowed.")
    if layer.shape == "polygon" and count < 3:
        raise DocumentError(f"{where}: a polygon with {count} points; it needs at least 3.")
    if layer.shape == "line" and count not in (0, 2):
        raise DocumentError(f"{where}: a line with {count} points; it has 2, or none for the diagonal of its box.")
    for x, y in layer.points:
        _check_number(where, "points.x", x, -10.0, 10.0)
        _check_number(where, "points.y", y, -10.0, 10.0)


def _check_filters(where: str, filters: Any) -> None:
    if not isinstance(filters, tuple):
        raise DocumentError(f"{where}: filters are a {type(filters).__name__}; they must be a tuple.")
    if len(filters) > MAX_FILTERS:
        raise DocumentError(f"{where}: {len(filters)} filters; at most {MAX_FILTERS} are allowed.")
    for each in filters:
        if problem := problem_of(each):
            raise DocumentError(f"{where}: {problem}")


def _check_stroke(where: str, stroke: Any) -> None:
    if stroke is None:
        return
    if not isinstance(stroke, Stroke):
        raise DocumentError(
            f"{where}: stroke is {_short(stroke)}; it must be an object with color and width_px, or null."
        )
    _check_color(where, "stroke.color", stroke.color)
    _check_number(where, "stroke.width_px", stroke.width_px, 0.0, 500.0)


def _check_text(where: str, name: str, value: Any, longest: int) -> None:
    if not isinstance(value, str):
        raise DocumentError(f"{where}: {name} is {_short(value)}; it must be a string.")
    if len(value) > longest:
        raise DocumentError(f"{where}: {name} has {len(value)} characters; at most {longest} are allowed.")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise DocumentError(f"{where}: {name} holds half a surrogate pair, which no text file can store; leave it out.")


def _check_number(where: str, name: str, value: Any, low: float, high: float) -> None:
    # Comparing first keeps whole numbers beyond float range out of isfinite, which overflows on them.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise DocumentError(f"{where}: {name} is {_short(value)}; it must be a number from {low:g} to {high:g}.")


def _check_length(where: str, name: str, value: Any) -> None:
    _check_number(where, name, value, 0.0, MAX_SIDE_PX + 2 * MAX_OFFSET_PX)
    if value <= 0:
        raise DocumentError(f"{where}: {name} is {value!r}; it must be above 0.")


def _check_color(where: str, name: str, value: Any) -> None:
    if not isinstance(value, str) or not _COLOR.fullmatch(value):
        raise DocumentError(f"{where}: {name} is {_short(value)}; a colour is '#rrggbb' or '#rrggbbaa'.")


def _check_choice(where: str, name: str, value: Any, options: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in options:
        raise DocumentError(f"{where}: {name} is {_short(value)}; it must be one of {list(options)}.")


def _short(value: Any) -> str:
    """A value for a message, cut so that a message stays one line."""
    try:
        text = repr(value)
    except ValueError:  # a whole number too long to print
        return "a number with thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."
