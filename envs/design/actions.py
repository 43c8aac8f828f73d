"""The 46 actions of GraphicTown, declared once: names, parameters, ranges, experts, other spellings and docs.

Names, parameters and experts are those of GraphicBench's Table 8, ranges those that it or its scripts advertise. Two
names of the table are misspelled and kept; the usual spelling is accepted too. ``AdjustHSL`` has the three parameters
that the table leaves out. From this declaration follow validation, schemas, sampling, docs and who may do what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from designgym.envs.design.experts import EXPERTS, Expert, Folded
from designgym.envs.design.file_names import MAX_FILE_NAME
from designgym.envs.design.kinds import FileName, FontName, LayerName, Usual, Words
from designgym.envs.design.pages import PAGES
from designgym.graphics.document import FONT_SIZE_PX, MAX_NAME, MAX_OFFSET_PX, MAX_SIDE_PX, MAX_TEXT
from designgym.tools import Number, Parameter, ParameterType, Text

Category = Literal["basic", "drawing", "text", "object"]

PHOTO_FILTERS = (
    "Warming Filter (85)",
    "Warming Filter (LBA)",
    "Warming Filter (81)",
    "Cooling Filter (80)",
    "Cooling Filter (LBB)",
    "Cooling Filter (82)",
    "Red",
    "Orange",
    "Yellow",
    "Green",
    "Cyan",
    "Blue",
    "Violet",
    "Magenta",
    "Sepia",
    "Deep Red",
    "Deep Blue",
    "Deep Emerald",
    "Deep Yellow",
    "Underwater",
)
"""Photoshop's named photo filters."""

FORMATS = ("pdf", "png", "psd", "ai", "indd", "jpg", "jpeg")
"""Table 8's five, and JPEG. PDF, PNG and JPEG are real files; the other three are this project's editable documents."""

MAX_URL = 1000
MAX_OBJECT_PX = 4000
"""Most px that something may be wide or high; in the middle of any page it is within the limits of documents."""

_ALL = EXPERTS
_PHOTO: tuple[Expert, ...] = ("photo_editor",)
_VECTOR: tuple[Expert, ...] = ("vector_graphic_editor",)
_LAYOUT: tuple[Expert, ...] = ("layout_designer",)
_PHOTO_VECTOR = (*_PHOTO, *_VECTOR)
_VECTOR_LAYOUT = (*_VECTOR, *_LAYOUT)

Fields = tuple[Parameter, ...]


@dataclass(frozen=True)
class Action:
    """One action.

    Attributes:
        name: As in Table 8.
        category: Its part of the table.
        doc: What it does, for people and models.
        parameters: By name; all are required.
        experts: Who has it.
        aliases: Other spellings of its name.
        alias_experts: For whom the aliases stand, if not for all who have it.
        either: Keys that stand for others, such as ``(("layerName", "fileName"),)``: either is taken as the latter.
    """

    name: str
    category: Category
    doc: str
    parameters: Fields
    experts: tuple[Expert, ...]
    aliases: tuple[str, ...] = ()
    alias_experts: tuple[Expert, ...] = ()
    either: tuple[tuple[str, str], ...] = ()


def _p(name: str, kind: ParameterType, doc: str = "") -> Parameter:
    return Parameter(name, kind, doc)


_LAYER = LayerName(MAX_NAME, 1)
_FILE = FileName(MAX_FILE_NAME, 1)
_POSITION = Usual(-MAX_OFFSET_PX, MAX_SIDE_PX + MAX_OFFSET_PX, unit="px", least=0, most=1000)
_LENGTH = Usual(1, MAX_OBJECT_PX, unit="px", least=20, most=1000)
_RADIUS = Usual(1, MAX_OBJECT_PX / 2, unit="px", least=10, most=400)
_SIDE = Usual(1, MAX_SIDE_PX, integer=True, unit="px", least=300, most=1800)
_PERCENT = Number(0, 100, unit="%")
_CORNERS = Number(3, 100, integer=True)

_RGB = tuple(_p(name, Number(0, 255, integer=True)) for name in ("red", "green", "blue"))
_STROKE: Fields = (_p("strokeWidth", Number(0.5, 5, unit="px")), *_RGB)
_ANGLE: Fields = (_p("angle", Number(0, 360, unit="deg"), "Clockwise, on top of what it is turned already."),)
_PLACE: Fields = (
    _p("posX", _POSITION, "Of its left edge, from the page's left."),
    _p("posY", _POSITION, "Of its top edge, from the page's top."),
)
_SIZE: Fields = (_p("width", _LENGTH), _p("height", _LENGTH))
_OPACITY: Fields = (_p("opacity", _PERCENT, "0 cannot be seen, 100 hides what lies behind."),)
_NEW: Fields = (_p("layerName", _LAYER, "A name for it, not yet used in this document."),)
_DRAWING: Fields = (_p("layerName", _LAYER, "The drawing's name."),)
_TEXT: Fields = (_p("layerName", _LAYER, "The text's name."),)
_OBJECT: Fields = (_p("fileName", _LAYER, "The object's layer, or the file that it was imported from."),)
_PICTURE: Fields = (_p("layerName", _LAYER, "The object's layer, or the file that it was imported from."),)

_OR_LAYER = (("layerName", "fileName"),)
_OR_FILE = (("fileName", "layerName"),)


def _basic(name: str, doc: str, parameters: Fields, **more: object) -> Action:
    return Action(name, "basic", doc, parameters, _ALL, **more)  # type: ignore[arg-type]


def _drawing(name: str, doc: str, parameters: Fields, aliases: tuple[str, ...] = ()) -> Action:
    return Action(name, "drawing", doc, parameters, _VECTOR, aliases)


def _text(name: str, doc: str, parameters: Fields, experts: tuple[Expert, ...] = _ALL) -> Action:
    return Action(name, "text", doc, parameters, experts)


def _object(name: str, doc: str, parameters: Fields, experts: tuple[Expert, ...] = _ALL) -> Action:
    return Action(name, "object", doc, _OBJECT + parameters, experts, either=_OR_LAYER)


def _filter(name: str, doc: str, parameters: Fields = (), aliases: tuple[str, ...] = ()) -> Action:
    return Action(name, "object", doc, _PICTURE + parameters, _PHOTO, aliases, either=_OR_FILE)


BASIC = (
    _basic(
        "CreateDocument",
        "Open a new, white document of a usual size. It takes the place of the expert's open one.",
        (_p("docType", Folded(tuple(PAGES))),),
    ),
    _basic(
        "CreateDocumentCustom",
        "Open a new, white document of any size. It takes the place of the expert's open one.",
        (_p("width", _SIDE), _p("height", _SIDE)),
    ),
    _basic("SetBackgroundColor", "Colour the page's background.", _RGB),
    _basic(
        "SaveDocument",
        "Save the open document as a file, which every expert can import. pdf, png and jpg are flat; psd, ai and indd "
        "keep the layers, in this program's own editable form.",
        (_p("fileName", _FILE, "With or without the ending."), _p("format", Folded(FORMATS))),
        aliases=("ExportDocument",),
        alias_experts=_LAYOUT,
    ),
)

DRAWING = (
    _drawing("DrawCircle", "Draw a filled circle in the page's middle.", (*_NEW, _p("radius", _RADIUS), *_RGB)),
    _drawing(
        "DrawEllipse",
        "Draw a filled ellipse in the page's middle.",
        (
            *_NEW,
            _p("majorRadius", _RADIUS, "Half its width."),
            _p("minorRadius", _RADIUS, "Half its height."),
            *_RGB,
        ),
    ),
    _drawing(
        "DrawLine",
        "Draw a line between two points of the page.",
        (*_NEW, *(_p(name, _POSITION) for name in ("startX", "startY", "endX", "endY")), *_STROKE),
    ),
    _drawing(
        "DrawPolygon",
        "Draw a filled polygon of equal sides, a corner up, in the page's middle.",
        (*_NEW, _p("sides", _CORNERS), _p("radius", _RADIUS, "From the centre to a corner."), *_RGB),
    ),
    _drawing("DrawRectangle", "Draw a filled rectangle in the page's middle.", (*_NEW, *_SIZE, *_RGB)),
    _drawing(
        "DrawStar",
        "Draw a filled star, a point up, in the page's middle.",
        (*_NEW, _p("numPoints", _CORNERS), _p("radius", _RADIUS, "From the centre to a point."), *_RGB),
    ),
    _drawing(
        "DrawTriangle",
        "Draw a filled triangle of two equal sides, its base down, in the page's middle.",
        (*_NEW, _p("base", _LENGTH), _p("height", _LENGTH), *_RGB),
    ),
    _drawing("OpacityDrawing", "Make a drawing more or less see-through.", _DRAWING + _OPACITY),
    _drawing("RemoveDrawing", "Remove a drawing.", _DRAWING),
    _drawing("RepositionDrawing", "Move a drawing's top left corner to a point of the page.", _DRAWING + _PLACE),
    _drawing("ResizeDrawing", "Give a drawing another size; its centre stays.", _DRAWING + _SIZE),
    _drawing("RotateDrawing", "Turn a drawing about its centre.", _DRAWING + _ANGLE),
    _drawing("StorkeDrawing", "Outline a drawing.", _DRAWING + _STROKE, ("StrokeDrawing",)),
)

TEXT = (
    _text(
        "AlignText",
        "Align a text's lines within its box, which is as wide as its longest line.",
        (*_TEXT, _p("alignment", Folded(("left", "center", "right")))),
    ),
    _text(
        "ApplyFont",
        "Set a text in another font, such as 'Georgia', 'Montserrat Bold' or 'Lato Italic'.",
        (*_TEXT, _p("fontName", FontName(MAX_NAME, 1))),
    ),
    _text(
        "ArrangeText",
        "Move a text before or behind other layers: all (front, back) or the next (frontward, backward).",
        (*_TEXT, _p("arrangement", Folded(("front", "frontward", "backward", "back")))),
    ),
    _text("ColorText", "Colour a text.", _TEXT + _RGB),
    _text(
        "CreateText",
        "Write a text in the page's middle: 30 pt Arial, black, centred. Long lines break at nine tenths of the page.",
        (*_NEW, _p("textString", Words(MAX_TEXT, 1))),
    ),
    _text("OpacityText", "Make a text more or less see-through.", _TEXT + _OPACITY, _PHOTO_VECTOR),
    _text("RemoveText", "Remove a text.", _TEXT),
    _text("RepositionText", "Move a text's top left corner to a point of the page.", _TEXT + _PLACE),
    _text(
        "ResizeText",
        "Set a text in another size. While it stands in the page's middle it stays there; else its top left corner "
        "stays.",
        (
            *_TEXT,
            _p("fontSize", Usual(FONT_SIZE_PX[0], 1000, unit="pt", least=12, most=160), "1 pt is 1 px of the page."),
        ),
    ),
    _text("RotateText", "Turn a text about its centre.", _TEXT + _ANGLE),
    _text("StrokeText", "Outline a text.", _TEXT + _STROKE, _VECTOR_LAYOUT),
)

OBJECT = (
    Action(
        "ImportObject",
        "object",
        "Lay a file on the page's middle: a picture of the brief or anything that an expert saved.",
        (_p("fileName", _FILE, "Which file."), *_NEW),
        _ALL,
    ),
    _object("OpacityObject", "Make an object more or less see-through.", _OPACITY, _PHOTO_VECTOR),
    _object("RemoveObject", "Remove an object.", ()),
    _object("RepositionObject", "Move an object's top left corner to a point of the page.", _PLACE),
    _object("ResizeObject", "Give an object another size; its centre stays.", _SIZE),
    _object("RotateObject", "Turn an object about its centre.", _ANGLE),
    Action(
        "GenerateQRObject",
        "object",
        "Make a QR code of a link, in the page's middle.",
        (*_NEW, _p("linkURL", Text(MAX_URL, 1))),
        _LAYOUT,
    ),
    _filter(
        "AdjustBC",
        "Adjust an object's brightness and contrast.",
        (_p("brightness", Number(-150, 150)), _p("contrast", Number(-100, 100))),
    ),
    _filter("AdjustBW", "Make an object black and white."),
    _filter(
        "AdjustHSL",
        "Adjust an object's hue, saturation and lightness.",
        (
            _p("hue", Number(-180, 180, unit="deg")),
            _p("saturation", Number(-100, 100)),
            _p("light", Number(-100, 100)),
        ),
    ),
    _filter("BlurObject", "Blur an object.", (_p("blurAmount", Number(0, 100)),)),
    _filter(
        "PhotoFilter",
        "Lay a coloured glass over an object.",
        (_p("filterType", Folded(PHOTO_FILTERS)), _p("density", _PERCENT)),
    ),
    _filter(
        "GlassFilter",
        "Show an object as through rippled glass.",
        (
            _p("distortion", Number(0, 20)),
            _p("smoothness", Number(1, 15)),
            _p("scaling", Number(50, 200, unit="%")),
        ),
    ),
    _filter(
        "GlowFilter",
        "Let an object glow.",
        (
            _p("graininess", Number(0, 10)),
            _p("glowAmount", Number(0, 20)),
            _p("clearAmount", Number(0, 20)),
        ),
    ),
    _filter(
        "OceanRippleFilter",
        "Show an object as under rippling water.",
        (
            _p("rippleSize", Number(1, 15), "Smaller is finer."),
            _p("rippleMagnitude", Number(0, 20)),
        ),
    ),
    _filter(
        "StainedGlassFilter",
        "Show an object as panes of coloured glass.",
        (
            _p("cellSize", Number(2, 50)),
            _p("borderThickness", Number(1, 20)),
            _p("lightIntensity", Number(0, 10)),
        ),
    ),
    _filter(
        "PatchWorkFilter",
        "Show an object as raised square patches.",
        (_p("squareSize", Number(0, 10)), _p("relief", Number(0, 25))),
        ("PatchworkFilter",),
    ),
    _filter(
        "WatercolorFilter",
        "Show an object as painted in watercolour.",
        (
            _p("brushDetail", Number(1, 14)),
            _p("shadowIntensity", Number(0, 15)),
            _p("texture", Number(1, 3)),
        ),
    ),
)

ACTIONS: dict[str, Action] = {action.name: action for action in (*BASIC, *DRAWING, *TEXT, *OBJECT)}
"""All of them by name, in the order of Table 8."""

FILTER_ACTIONS: tuple[str, ...] = tuple(action.name for action in OBJECT[7:])
"""Those that change how an object looks within its outline."""

ALIASES: dict[str, str] = {alias: action.name for action in ACTIONS.values() for alias in action.aliases}
"""Other spelling -> name."""
