"""What shows each action of design actions: the calls that make the page before, and the call itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from designgym.envs.design.experts import Expert

Color = tuple[int, int, int]
Call = tuple[str, Mapping[str, Any]]
"""An action's name and its arguments."""

CREAM, WHITE, SAND = (245, 238, 226), (255, 255, 255), (250, 225, 176)
NAVY, TEAL, CORAL, MUSTARD = (27, 42, 73), (23, 118, 123), (228, 87, 46), (242, 177, 52)

PAGE_PX = (300, 200)
"""Small, so that strokes of 5 px and type of 30 pt are seen in a small picture."""

PICTURES: dict[str, tuple[str, int]] = {
    "sailboat.png": ("noto/sailboat", 150),
    "sun.png": ("noto/sun", 110),
    "park.png": ("noto/national-park", 600),
}
"""The given files: which picture of the embedded pool, and its longer side in px."""


@dataclass(frozen=True)
class Example:
    """How an action is shown.

    Attributes:
        before: What was done before.
        arguments: Of the action.
        expert: Who does all of it.
    """

    before: tuple[Call, ...]
    arguments: Mapping[str, Any]
    expert: Expert = "vector_graphic_editor"


def rgb(color: Color) -> dict[str, int]:
    """The three arguments that a colour is."""
    return dict(zip(("red", "green", "blue"), color, strict=True))


def paper(color: Color) -> tuple[Call, ...]:
    """A page of a colour."""
    size = {"width": PAGE_PX[0], "height": PAGE_PX[1]}
    return ("CreateDocumentCustom", size), ("SetBackgroundColor", rgb(color))


def words(
    text: str, size: float, color: Color, *, font: str = "Montserrat Bold", name: str = "title", at: Any = None
) -> tuple[Call, ...]:
    """A text in a face, in the page's middle or with its top left corner somewhere."""
    layer = {"layerName": name}
    made: tuple[Call, ...] = (
        ("CreateText", {**layer, "textString": text}),
        ("ApplyFont", {**layer, "fontName": font}),
        ("ResizeText", {**layer, "fontSize": size}),
        ("ColorText", {**layer, **rgb(color)}),
    )
    return made if at is None else (*made, ("RepositionText", {**layer, "posX": at[0], "posY": at[1]}))


def shape(action: str, color: Color, name: str = "shape", at: Any = None, **size: float) -> tuple[Call, ...]:
    """A drawing, in the page's middle or with its top left corner somewhere."""
    layer = {"layerName": name}
    drawn: tuple[Call, ...] = ((action, {**layer, **size, **rgb(color)}),)
    return drawn if at is None else (*drawn, ("RepositionDrawing", {**layer, "posX": at[0], "posY": at[1]}))


def picture(file: str, name: str = "picture", at: Any = None) -> tuple[Call, ...]:
    """A given picture, in the page's middle or with its top left corner somewhere."""
    laid: tuple[Call, ...] = (("ImportObject", {"layerName": name, "fileName": file}),)
    return laid if at is None else (*laid, ("RepositionObject", {"fileName": name, "posX": at[0], "posY": at[1]}))


_SHAPE, _TITLE, _OBJECT, _PICTURE = {"layerName": "shape"}, {"layerName": "title"}, {"fileName": "picture"}, "picture"
_BOAT = (*paper(SAND), *picture("sailboat.png"))
_REGATTA = (*paper(CREAM), *words("Regatta", 50, NAVY))
_INVITATION = (*picture("sailboat.png", at=(28, 26)), *words("Summer\nRegatta", 27, NAVY, at=(160, 70)))


def _drawn(ground: Color, color: Color, **size: float) -> Example:
    return Example(paper(ground), {**_SHAPE, **size, **rgb(color)})


def _filter(**values: float | str) -> Example:
    cover = ("ResizeObject", {**_OBJECT, "width": 304, "height": 304})
    return Example((*paper(CREAM), *picture("park.png"), cover), {"layerName": _PICTURE, **values}, "photo_editor")


EXAMPLES: dict[str, Example] = {
    "CreateDocument": Example((), {"docType": "poster"}),
    "CreateDocumentCustom": Example((), {"width": 900, "height": 400}),
    "SetBackgroundColor": Example((*paper(WHITE), *_INVITATION), rgb(SAND)),
    "SaveDocument": Example((*paper(SAND), *_INVITATION), {"fileName": "regatta", "format": "pdf"}),
    "DrawCircle": _drawn(NAVY, MUSTARD, radius=62),
    "DrawEllipse": _drawn(CREAM, TEAL, majorRadius=105, minorRadius=55),
    "DrawLine": _drawn(CREAM, CORAL, startX=40, startY=160, endX=260, endY=40, strokeWidth=5),
    "DrawPolygon": _drawn(CREAM, TEAL, sides=6, radius=70),
    "DrawRectangle": _drawn(CREAM, CORAL, width=170, height=100),
    "DrawStar": _drawn(NAVY, MUSTARD, numPoints=5, radius=74),
    "DrawTriangle": _drawn(CREAM, TEAL, base=150, height=125),
    "OpacityDrawing": Example(
        (
            *paper(CREAM),
            *shape("DrawCircle", TEAL, "back", (50, 35), radius=65),
            *shape("DrawCircle", CORAL, at=(120, 35), radius=65),
        ),
        {**_SHAPE, "opacity": 50},
    ),
    "RemoveDrawing": Example(
        (
            *paper(NAVY),
            *shape("DrawCircle", TEAL, "back", radius=80),
            *shape("DrawStar", MUSTARD, numPoints=5, radius=62),
        ),
        _SHAPE,
    ),
    "RepositionDrawing": Example(
        (*paper(NAVY), *shape("DrawStar", MUSTARD, numPoints=5, radius=45)), {**_SHAPE, "posX": 195, "posY": 18}
    ),
    "ResizeDrawing": Example(
        (*paper(CREAM), *shape("DrawRectangle", CORAL, width=90, height=90)), {**_SHAPE, "width": 220, "height": 50}
    ),
    "RotateDrawing": Example(
        (*paper(CREAM), *shape("DrawRectangle", CORAL, width=170, height=70)), {**_SHAPE, "angle": 30}
    ),
    "StorkeDrawing": Example(
        (*paper(CREAM), *shape("DrawPolygon", MUSTARD, sides=6, radius=70)),
        {**_SHAPE, "strokeWidth": 5, **rgb(NAVY)},
    ),
    "AlignText": Example((*paper(CREAM), *words("Summer\nRegatta\n2 June", 36, NAVY)), {**_TITLE, "alignment": "left"}),
    "ApplyFont": Example(
        (*paper(CREAM), *words("Regatta", 50, NAVY, font="Arial")), {**_TITLE, "fontName": "Pacifico"}
    ),
    "ArrangeText": Example((*_REGATTA, *shape("DrawCircle", CORAL, radius=68)), {**_TITLE, "arrangement": "front"}),
    "ColorText": Example(_REGATTA, {**_TITLE, **rgb(CORAL)}),
    "CreateText": Example(paper(CREAM), {**_TITLE, "textString": "Summer Regatta"}),
    "OpacityText": Example(_REGATTA, {**_TITLE, "opacity": 30}),
    "RemoveText": Example(
        (
            *paper(CREAM),
            *words("Regatta", 50, NAVY, at=(38, 58)),
            *words("2 June, Old Harbour", 20, CORAL, font="Montserrat", name="date", at=(41, 122)),
        ),
        {"layerName": "date"},
    ),
    "RepositionText": Example((*paper(CREAM), *words("Regatta", 36, NAVY)), {**_TITLE, "posX": 24, "posY": 142}),
    "ResizeText": Example((*paper(CREAM), *words("Regatta", 26, NAVY)), {**_TITLE, "fontSize": 60}),
    "RotateText": Example(_REGATTA, {**_TITLE, "angle": 340}),
    "StrokeText": Example((*paper(TEAL), *words("Regatta", 60, WHITE)), {**_TITLE, "strokeWidth": 3, **rgb(NAVY)}),
    "ImportObject": Example(paper(SAND), {"fileName": "sailboat.png", "layerName": "boat"}),
    "OpacityObject": Example(_BOAT, {**_OBJECT, "opacity": 35}),
    "RemoveObject": Example(
        (*paper(SAND), *picture("sailboat.png", "boat", (40, 26)), *picture("sun.png", at=(165, 20))), _OBJECT
    ),
    "RepositionObject": Example(_BOAT, {**_OBJECT, "posX": 150, "posY": 42}),
    "ResizeObject": Example(_BOAT, {**_OBJECT, "width": 82, "height": 90}),
    "RotateObject": Example(_BOAT, {**_OBJECT, "angle": 20}),
    "GenerateQRObject": Example(
        paper(CREAM), {"layerName": "code", "linkURL": "https://regatta.example/2-june"}, "layout_designer"
    ),
    "AdjustBC": _filter(brightness=30, contrast=70),
    "AdjustBW": _filter(),
    "AdjustHSL": _filter(hue=140, saturation=20, light=0),
    "BlurObject": _filter(blurAmount=9),
    "PhotoFilter": _filter(filterType="Sepia", density=100),
    "GlassFilter": _filter(distortion=12, smoothness=4, scaling=100),
    "GlowFilter": _filter(graininess=4, glowAmount=14, clearAmount=8),
    "OceanRippleFilter": _filter(rippleSize=7, rippleMagnitude=16),
    "StainedGlassFilter": _filter(cellSize=9, borderThickness=3, lightIntensity=3),
    "PatchWorkFilter": _filter(squareSize=4, relief=14),
    "WatercolorFilter": _filter(brushDetail=4, shadowIntensity=6, texture=3),
}
"""Action -> how it is shown, in the order of the paper's Table 8."""
