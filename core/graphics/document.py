"""The document model: a page and its layers, back to front, as plain frozen data with a JSON form that round-trips.

All lengths are page pixels, angles are degrees clockwise, opacities are 0 to 1 and colours are ``#rrggbb`` or
``#rrggbbaa`` strings. A layer's box is its frame before rotation; rotation turns it about its centre.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

FORMAT_VERSION = 1
MAX_SIDE_PX = 4096
MAX_LAYERS = 200
MAX_TEXT = 2000
MAX_OFFSET_PX = 2000.0  # how far beyond the page a coordinate may lie
FONT_SIZE_PX = (1.0, 2000.0)

Align = Literal["left", "center", "right", "justify"]
Shape = Literal["rectangle", "rounded", "ellipse", "line", "polygon"]
Fit = Literal["fill", "contain", "cover"]

_COLOR = re.compile(r"#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?\Z")


class DocumentError(ValueError):
    """A document or layer that breaks a rule of the model; the message names the layer, the field and the range."""


@dataclass(frozen=True)
class Stroke:
    """An outline, centred on the edge of what it outlines."""

    color: str = "#000000"
    width_px: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What every layer has. ``id`` is unique in its document; ``name`` is free text for people."""

    type: ClassVar[str]

    id: str
    x: float = 0.0
    """Left edge, px from the page's left; may be negative."""
    y: float = 0.0
    """Top edge, px from the page's top; may be negative."""
    width: float
    """Px, above 0."""
    height: float
    """Px, above 0."""
    rotation_deg: float = 0.0
    """Degrees clockwise about the centre of the box."""
    opacity: float = 1.0
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class TextLayer(Layer):
    """Text wrapped to the layer's width, starting at its top; what does not fit the height runs over below."""

    type: ClassVar[str] = "text"

    text: str
    font: str = "Arimo"
    """Family name; see ``designgym.graphics.fonts``."""
    size_px: float = 32.0
    weight: int = 400
    """100 to 900; the nearest embedded weight is used."""
    italic: bool = False
    color: str = "#000000"
    align: Align = "left"
    line_height: float = 1.2
    """Multiple of the font size."""
    letter_spacing_px: float = 0.0
    stroke: Stroke | None = None


@dataclass(frozen=True, kw_only=True)
class ImageLayer(Layer):
    """A picture out of the document's ``assets``, fitted into the layer's box."""

    type: ClassVar[str] = "image"

    asset: str
    fit: Fit = "fill"


@dataclass(frozen=True, kw_only=True)
class ShapeLayer(Layer):
    """A filled and/or outlined shape that fills the layer's box."""

    type: ClassVar[str] = "shape"

    shape: Shape = "rectangle"
    fill: str | None = "#000000"
    stroke: Stroke | None = None
    radius_px: float = 0.0
    """Corner radius of a ``rounded`` shape; more than half the short side counts as half."""
    points: tuple[tuple[float, float], ...] = ()
    """Vertices of a ``polygon`` or the two ends of a ``line`` as fractions of the box; empty: the box's own diagonal."""


LAYER_TYPES: dict[str, type[Layer]] = {cls.type: cls for cls in (TextLayer, ImageLayer, ShapeLayer)}


@dataclass(frozen=True)
class Document:
    """A page and its layers, back to front.

    ``assets`` maps a name to the bytes of an image file (PNG, JPEG or WebP); ``ImageLayer.asset`` names one of them.
    """

    width: int
    height: int
    background: str = "#ffffff"
    layers: tuple[Layer, ...] = ()
    assets: Mapping[str, bytes] = field(default_factory=dict)

    def layer(self, layer_id: str) -> Layer:
        """The layer with this id; ``KeyError`` with the known ids otherwise."""
        for layer in self.layers:
            if layer.id == layer_id:
                return layer
        raise KeyError(f"No layer {layer_id!r}; this document has {[layer.id for layer in self.layers]}.")

    def replace_layer(self, layer: Layer) -> Document:
        """A copy in which the layer of the same id is exchanged for this one, at the same depth."""
        self.layer(layer.id)
        return dataclasses.replace(self, layers=tuple(layer if old.id == layer.id else old for old in self.layers))

    def validate(self) -> Document:
        """Check every rule of the model and return the document itself.

        Raises:
            DocumentError: With the first offence, its layer, field, value and allowed range.
        """
        for side, value in (("width", self.width), ("height", self.height)):
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_SIDE_PX:
                raise DocumentError(f"Page {side} is {value!r}; it must be a whole number from 1 to {MAX_SIDE_PX} px.")
        _check_color("page", "background", self.background)
        if len(self.layers) > MAX_LAYERS:
            raise DocumentError(f"The document has {len(self.layers)} layers; at most {MAX_LAYERS} are allowed.")
        seen: set[str] = set()
        for layer in self.layers:
            if layer.id in seen:
                raise DocumentError(f"Two layers have the id {layer.id!r}; ids must be unique.")
            seen.add(layer.id)
            _check_layer(layer, self)
        return self

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data (assets as base64) from which :meth:`from_json` makes an equal document."""
        return {
            "format": FORMAT_VERSION,
            "width": self.width,
            "height": self.height,
            "background": self.background,
            "layers": [layer_to_json(layer) for layer in self.layers],
            "assets": {name: base64.b64encode(data).decode("ascii") for name, data in self.assets.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Document:
        """Read and validate the JSON form.

        Raises:
            DocumentError: For another format version, unknown keys, wrong types or values out of range.
        """
        if not isinstance(data, Mapping):
            raise DocumentError(f"A document is a JSON object, not {type(data).__name__}.")
        if data.get("format") != FORMAT_VERSION:
            raise DocumentError(
                f"Document format {data.get('format')!r} is unknown; this version reads {FORMAT_VERSION}."
            )
        _check_keys(
            "document", data, {"format", "width", "height", "background", "layers", "assets"}, {"width", "height"}
        )
        layers, assets = data.get("layers", []), data.get("assets", {})
        if not isinstance(layers, list) or not isinstance(assets, Mapping):
            raise DocumentError("'layers' must be a list and 'assets' an object.")
        try:
            decoded = {str(name): base64.b64decode(text, validate=True) for name, text in assets.items()}
        except (binascii.Error, TypeError, ValueError) as error:
            raise DocumentError(f"An asset is not valid base64: {error}.") from error
        document = cls(
            width=data["width"],
            height=data["height"],
            background=data.get("background", "#ffffff"),
            layers=tuple(layer_from_json(layer) for layer in layers),
            assets=decoded,
        )
        return document.validate()


def layer_to_json(layer: Layer) -> dict[str, Any]:
    """One layer as JSON data, its kind under ``type``."""
    return {"type": layer.type, **dataclasses.asdict(layer)}


def layer_from_json(data: Mapping[str, Any]) -> Layer:
    """One layer from its JSON data; checks its keys, not its values (``Document.validate`` does)."""
    if not isinstance(data, Mapping) or data.get("type") not in LAYER_TYPES:
        kind = data.get("type") if isinstance(data, Mapping) else data
        raise DocumentError(f"Layer type {kind!r} is unknown; use one of {sorted(LAYER_TYPES)}.")
    cls = LAYER_TYPES[data["type"]]
    fields = {f.name: f for f in dataclasses.fields(cls)}
    required = {
        n for n, f in fields.items() if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    }
    where = f"layer {data.get('id')!r}"
    _check_keys(where, data, set(fields) | {"type"}, required)
    values = {key: value for key, value in data.items() if key != "type"}
    if isinstance(values.get("stroke"), Mapping):
        _check_keys(f"{where}, stroke", values["stroke"], {"color", "width_px"}, set())
        values["stroke"] = Stroke(**values["stroke"])
    if "points" in values:
        try:
            values["points"] = tuple((point[0], point[1]) for point in values["points"])
        except (TypeError, IndexError, KeyError) as error:
            raise DocumentError(f"{where}: 'points' must be a list of [x, y] pairs.") from error
    return cls(**values)


def _check_keys(where: str, data: Mapping[str, Any], known: set[str], required: set[str]) -> None:
    if unknown := sorted(set(map(str, data)) - known):
        raise DocumentError(f"{where}: unknown key {unknown[0]!r}; known are {sorted(known)}.")
    if missing := sorted(required - set(data)):
        raise DocumentError(f"{where}: the key {missing[0]!r} is missing.")


def _check_number(where: str, name: str, value: Any, low: float, high: float) -> None:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not math.isfinite(value)
        or not low <= value <= high
    ):
        raise DocumentError(f"{where}: {name} is {value!r}; it must be a number from {low:g} to {high:g}.")


def _check_color(where: str, name: str, value: Any) -> None:
    if not isinstance(value, str) or not _COLOR.match(value):
        raise DocumentError(f"{where}: {name} is {value!r}; a colour is '#rrggbb' or '#rrggbbaa'.")


def _check_choice(where: str, name: str, value: Any, options: tuple[str, ...]) -> None:
    if value not in options:
        raise DocumentError(f"{where}: {name} is {value!r}; it must be one of {list(options)}.")


def _check_stroke(where: str, stroke: Any) -> None:
    if stroke is not None:
        if not isinstance(stroke, Stroke):
            raise DocumentError(
                f"{where}: stroke is {stroke!r}; it must be an object with color and width_px, or null."
            )
        _check_color(where, "stroke.color", stroke.color)
        _check_number(where, "stroke.width_px", stroke.width_px, 0.0, 500.0)


def _check_layer(layer: Layer, document: Document) -> None:
    where = f"layer {layer.id!r}"
    if not isinstance(layer.id, str) or not layer.id or not isinstance(layer.name, str):
        raise DocumentError(f"{where}: id must be a non-empty string and name a string.")
    _check_number(where, "x", layer.x, -MAX_OFFSET_PX, document.width + MAX_OFFSET_PX)
    _check_number(where, "y", layer.y, -MAX_OFFSET_PX, document.height + MAX_OFFSET_PX)
    for name in ("width", "height"):
        value = getattr(layer, name)
        _check_number(where, name, value, 0.0, MAX_SIDE_PX + 2 * MAX_OFFSET_PX)
        if value <= 0:
            raise DocumentError(f"{where}: {name} is {value!r}; it must be above 0.")
    _check_number(where, "rotation_deg", layer.rotation_deg, -3600.0, 3600.0)
    _check_number(where, "opacity", layer.opacity, 0.0, 1.0)
    if isinstance(layer, TextLayer):
        if not isinstance(layer.text, str) or len(layer.text) > MAX_TEXT:
            raise DocumentError(f"{where}: text must be a string of at most {MAX_TEXT} characters.")
        if not isinstance(layer.font, str) or not isinstance(layer.italic, bool):
            raise DocumentError(f"{where}: font must be a string and italic true or false.")
        _check_number(where, "size_px", layer.size_px, *FONT_SIZE_PX)
        _check_number(where, "weight", layer.weight, 100, 900)
        _check_number(where, "line_height", layer.line_height, 0.5, 5.0)
        _check_number(where, "letter_spacing_px", layer.letter_spacing_px, -100.0, 500.0)
        _check_color(where, "color", layer.color)
        _check_choice(where, "align", layer.align, ("left", "center", "right", "justify"))
        _check_stroke(where, layer.stroke)
    elif isinstance(layer, ImageLayer):
        _check_choice(where, "fit", layer.fit, ("fill", "contain", "cover"))
        if layer.asset not in document.assets:
            raise DocumentError(
                f"{where}: asset {layer.asset!r} is not in the document; it has {sorted(document.assets)}."
            )
    elif isinstance(layer, ShapeLayer):
        _check_choice(where, "shape", layer.shape, ("rectangle", "rounded", "ellipse", "line", "polygon"))
        if layer.fill is not None:
            _check_color(where, "fill", layer.fill)
        _check_stroke(where, layer.stroke)
        _check_number(where, "radius_px", layer.radius_px, 0.0, MAX_SIDE_PX)
        if len(layer.points) > 2000:
            raise DocumentError(f"{where}: {len(layer.points)} points; at most 2000 are allowed.")
        for point in layer.points:
            _check_number(where, "points.x", point[0], -10.0, 10.0)
            _check_number(where, "points.y", point[1], -10.0, 10.0)
