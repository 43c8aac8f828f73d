"""The document model: a page and its layers, back to front, as plain frozen data with a JSON form that round-trips.

All lengths are page pixels, angles are degrees clockwise, opacities are 0 to 1 and colours are ``#rrggbb`` or
``#rrggbbaa`` strings. A layer's box is its frame before rotation; rotation turns it about its centre.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from designgym.graphics.filters.applied import AppliedFilter

FORMAT_VERSION = 1
MAX_SIDE_PX = 4096
MAX_LAYERS = 200
MAX_TEXT = 2000
MAX_NAME = 200  # characters of an id, a layer's name or an asset's name
MAX_POINTS = 2000
MAX_OFFSET_PX = 2000.0  # how far beyond the page a coordinate may lie
FONT_SIZE_PX = (1.0, 2000.0)

Align = Literal["left", "center", "right", "justify"]
Shape = Literal["rectangle", "rounded", "ellipse", "line", "polygon"]
Fit = Literal["fill", "contain", "cover"]


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
    group: str = ""
    """Id of the group that it belongs to; empty for none."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Layers that turn, fade and are cut off together: those whose ``group`` is its id, without others between them.

    Members keep their places in page pixels; the group's box is what it turns about and what it cuts off at. Its
    opacity is that of the picture that its members make: they do not show through each other. Groups do not nest.
    """

    id: str
    x: float
    """Left edge of the box, px from the page's left; may be negative."""
    y: float
    width: float
    """Px, above 0."""
    height: float
    rotation_deg: float = 0.0
    """Degrees clockwise about the centre of the box; turns the members, the box and its edge."""
    opacity: float = 1.0
    clip: bool = False
    """Whether members are cut off at the edge of the box."""
    name: str = ""

    @property
    def isolated(self) -> bool:
        """Whether its members are laid over each other before they are laid over the page."""
        return self.clip or self.opacity < 1


@dataclass(frozen=True, kw_only=True)
class TextLayer(Layer):
    """Text wrapped to the layer's width, starting at its top; what does not fit the height runs over below.

    The string is kept as written, in logical order; ``designgym.graphics.text`` says what is drawn of it.
    """

    type: ClassVar[str] = "text"

    text: str
    font: str = "Arimo"
    """A family of ``designgym.graphics.fonts.FAMILIES`` or a name of its ``ALIASES``."""
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
    filters: tuple[AppliedFilter, ...] = ()
    """What changes the fitted picture before the layer is turned and laid on the page, one after the other."""


@dataclass(frozen=True, kw_only=True)
class ShapeLayer(Layer):
    """A filled and/or outlined shape that fills the layer's box. A ``line`` has no fill: it is its stroke."""

    type: ClassVar[str] = "shape"

    shape: Shape = "rectangle"
    fill: str | None = "#000000"
    stroke: Stroke | None = None
    radius_px: float = 0.0
    """Corner radius of a ``rounded`` shape; more than half the short side counts as half."""
    points: tuple[tuple[float, float], ...] = ()
    """Fractions of the box: the vertices of a ``polygon`` (at least 3), or the two ends of a ``line`` (none: the box's
    diagonal from its top left corner)."""


LAYER_TYPES: dict[str, type[Layer]] = {cls.type: cls for cls in (TextLayer, ImageLayer, ShapeLayer)}


@dataclass(frozen=True)
class Document:
    """A page and its layers, back to front.

    ``assets`` maps a name to the bytes of an image file (PNG, JPEG, WebP or GIF), which ``ImageLayer.asset`` names.
    """

    width: int
    height: int
    background: str = "#ffffff"
    layers: tuple[Layer, ...] = ()
    assets: Mapping[str, bytes] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()

    def group_of(self, layer: Layer) -> Group | None:
        """The group of this document that a layer belongs to, if any."""
        return next((group for group in self.groups if group.id == layer.group), None) if layer.group else None

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
        from designgym.graphics.document_rules import check_document  # it needs the classes of this module

        check_document(self)
        return self

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data (assets as base64) from which :meth:`from_json` makes an equal document."""
        data = {
            "format": FORMAT_VERSION,
            "width": self.width,
            "height": self.height,
            "background": self.background,
            "layers": [layer_to_json(layer) for layer in self.layers],
            "assets": {name: base64.b64encode(data).decode("ascii") for name, data in self.assets.items()},
        }
        return data | {"groups": [dataclasses.asdict(group) for group in self.groups]} if self.groups else data

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
        known = {"format", "width", "height", "background", "layers", "assets", "groups"}
        _check_keys("document", data, known, {"width", "height"})
        layers, assets, groups = data.get("layers", []), data.get("assets", {}), data.get("groups", [])
        if not isinstance(layers, list) or not isinstance(assets, Mapping) or not isinstance(groups, list):
            raise DocumentError("'layers' must be a list, 'groups' too, and 'assets' an object.")
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
            groups=tuple(_group_from_json(group) for group in groups),
        )
        return document.validate()


def layer_to_json(layer: Layer) -> dict[str, Any]:
    """One layer as JSON data, its kind under ``type``."""
    data = {"type": layer.type, **dataclasses.asdict(layer)}
    if "points" in data:
        data["points"] = [list(point) for point in data["points"]]
    if not layer.group:  # documents without groups, and without filters, keep the form that they had before
        del data["group"]
    if isinstance(layer, ImageLayer):
        del data["filters"]
        if layer.filters:
            data["filters"] = [each.to_json() for each in layer.filters]
    return data


def layer_from_json(data: Mapping[str, Any]) -> Layer:
    """One layer from its JSON data; checks its keys, not its values (``Document.validate`` does)."""
    if not isinstance(data, Mapping):
        raise DocumentError(f"A layer is a JSON object, not {type(data).__name__}.")
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in LAYER_TYPES:
        raise DocumentError(f"Layer type {kind!r} is unknown; use one of {sorted(LAYER_TYPES)}.")
    cls = LAYER_TYPES[kind]
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
        points = values["points"]
        if not isinstance(points, list) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in points):
            raise DocumentError(f"{where}: 'points' must be a list of [x, y] pairs.")
        values["points"] = tuple((x, y) for x, y in points)
    if "filters" in values:
        values["filters"] = _filters_from_json(where, values["filters"])
    return cls(**values)


def _filters_from_json(where: str, filters: Any) -> tuple[AppliedFilter, ...]:
    if not isinstance(filters, list):
        raise DocumentError(f"{where}: 'filters' must be a list of objects with 'name' and 'parameters'.")
    for each in filters:
        if not isinstance(each, Mapping) or not isinstance(each.get("parameters", {}), Mapping):
            raise DocumentError(f"{where}: a filter is an object with 'name' and 'parameters', which is an object.")
        _check_keys(f"{where}, filter", each, {"name", "parameters"}, {"name"})
    return tuple(AppliedFilter.of(each["name"], each.get("parameters", {})) for each in filters)


def _group_from_json(data: Any) -> Group:
    if not isinstance(data, Mapping):
        raise DocumentError(f"A group is a JSON object, not {type(data).__name__}.")
    fields = {f.name for f in dataclasses.fields(Group)}
    _check_keys(f"group {data.get('id')!r}", data, fields, {"id", "x", "y", "width", "height"})
    return Group(**data)


def _check_keys(where: str, data: Mapping[str, Any], known: set[str], required: set[str]) -> None:
    if unknown := sorted(set(map(str, data)) - known):
        raise DocumentError(f"{where}: unknown key {unknown[0]!r}; known are {sorted(known)}.")
    if missing := sorted(required - set(data)):
        raise DocumentError(f"{where}: the key {missing[0]!r} is missing.")
