"""One layer to pixels: a premultiplied image just large enough for what of the layer lies on the page.

Nothing outside the page is ever allocated, however large or far away the layer is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.assets import asset_image
from designgym.graphics.document import Document, Group, ImageLayer, Layer, ShapeLayer, TextLayer
from designgym.graphics.filtered import filtered_image
from designgym.graphics.filters.registry import spill_px
from designgym.graphics.paint import MITER_LIMIT, exchange_red_and_blue, fill_paint, stroke_paint
from designgym.graphics.resample import draw_as_is, draw_resampled
from designgym.graphics.skia_library import skia
from designgym.graphics.text import lay_out

_SLIVER = 1e-3  # px; what covers less of a pixel than this is rounding error or too faint to change it

PixelBox = tuple[int, int, int, int]
"""x1, y1, x2, y2 in whole pixels, x2 and y2 exclusive."""


@dataclass(frozen=True, eq=False)
class LayerImage:
    """What of a layer lies on the page, at a scale. Compared by identity."""

    box: PixelBox
    """Where the pixels lie on the page; empty (all 0) if nothing of the layer can."""
    pixels: NDArray[np.uint8] | None
    """uint8 (h, w, 4), blue-green-red-alpha, premultiplied; opacity is already in."""
    image: Any = field(repr=False)
    """The same pixels as a skia image that shares their memory."""


NOTHING = LayerImage((0, 0, 0, 0), None, None)


def page_size(document: Document, scale: float) -> tuple[int, int]:
    """Width and height in px of a document rendered at a scale: rounded half up, at least 1."""
    return max(1, math.floor(document.width * scale + 0.5)), max(1, math.floor(document.height * scale + 0.5))


def rasterize(layer: Layer, document: Document, scale: float = 1.0, drawing: Drawing | None = None) -> LayerImage:
    """Draw one layer of a valid document, turned by its group too; the group's opacity and edge are not in it yet.

    Args:
        layer: The layer; it need not be in the document, but its asset must.
        document: Gives the page's size and the assets.
        scale: Pixels per page px.
        drawing: How it is painted, if not as usual.

    Raises:
        FontError: For a font that is not embedded.
        DecodeError: For an asset that cannot be decoded.
    """
    drawing = drawing or draw_layer(layer, document)
    group = document.group_of(layer)
    x1, y1, x2, y2 = (length * scale for length in _reach(layer, drawing.bounds, group))
    # Outlines thinner than a pixel are drawn as faint hairlines a pixel wide; hinting moves glyphs onto whole pixels.
    spare = int(isinstance(layer, TextLayer)) + int(getattr(layer, "stroke", None) is not None)
    box = _pixel_box((x1 - spare, y1 - spare, x2 + spare, y2 + spare), page_size(document, scale))
    if layer.opacity <= 0 or box[2] <= box[0] or box[3] <= box[1]:
        return NOTHING
    x1, y1, x2, y2 = box
    pixels = np.zeros((y2 - y1, x2 - x1, 4), np.uint8)
    order = skia.kRGBA_8888_ColorType if drawing.exchanged else skia.kBGRA_8888_ColorType
    info = skia.ImageInfo.Make(x2 - x1, y2 - y1, order, skia.kPremul_AlphaType)
    canvas = skia.Surface.MakeRasterDirect(info, pixels.data, pixels.strides[0]).getCanvas()
    canvas.translate(-x1, -y1)
    canvas.scale(scale, scale)
    if group and group.rotation_deg % 360:
        canvas.rotate(group.rotation_deg % 360, group.x + group.width / 2, group.y + group.height / 2)
    if layer.rotation_deg % 360:
        canvas.rotate(layer.rotation_deg % 360, layer.x + layer.width / 2, layer.y + layer.height / 2)
    canvas.translate(layer.x, layer.y)
    if layer.opacity < 1:
        # A group opacity: overlapping parts of a layer (fill and stroke) do not show through each other.
        canvas.saveLayerAlpha(None, round(layer.opacity * 255))
    drawing.paint(canvas, scale)
    if layer.opacity < 1:
        canvas.restore()
    image = skia.Image.fromarray(pixels, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType, copy=False)
    return LayerImage(box, pixels, image)


@dataclass(frozen=True)
class Drawing:
    """How a layer is painted with its box's top left corner at the origin, before rotation, in page px."""

    bounds: tuple[float, float, float, float]
    """x1, y1, x2, y2 that hold all its ink."""
    paint: Callable[[Any, float], None]
    """Paints on a canvas, given the rendering scale (which the canvas already has)."""
    exchanged: bool = False
    """Whether it paints with red and blue exchanged, for a canvas that has them the other way round."""


def draw_layer(layer: Layer, document: Document) -> Drawing:
    """The drawing of any layer."""
    if isinstance(layer, TextLayer):
        return _draw_text(layer)
    if isinstance(layer, ImageLayer):
        return _draw_image(layer, document)
    if isinstance(layer, ShapeLayer):
        return _draw_shape(layer)
    raise TypeError(f"Layer {layer.id!r} is of the unknown class {type(layer).__name__}.")


def _draw_text(layer: TextLayer) -> Drawing:
    # Skia draws text five times faster in the order red-green-blue and lays images over each other five times faster in
    # the order blue-green-red. So text is drawn in the former with exchanged colours and read as the latter.
    stroke = layer.stroke and dataclasses.replace(layer.stroke, color=exchange_red_and_blue(layer.stroke.color))
    layer = dataclasses.replace(layer, color=exchange_red_and_blue(layer.color), stroke=stroke)
    filled = lay_out(layer)

    def paint(canvas: Any, scale: float) -> None:
        filled.paint(canvas)
        if layer.stroke and layer.stroke.width_px > 0:
            lay_out(layer, outline=layer.stroke).paint(canvas)

    return Drawing(filled.ink_box, paint, exchanged=True)


def _draw_image(layer: ImageLayer, document: Document) -> Drawing:
    data = document.assets[layer.asset]
    picture = asset_image(data)
    source, target = _fit(picture.width(), picture.height(), layer)
    page_px = target.width(), target.height()
    room = 0.0 if not layer.filters or picture.isOpaque() else spill_px(layer.filters)
    target.outset(room, room)

    def paint(canvas: Any, scale: float) -> None:
        if layer.filters:
            draw_as_is(canvas, filtered_image(data, tuple(source), page_px, layer.filters, scale, room), target)
        else:
            draw_resampled(canvas, picture, source, target, scale)

    return Drawing((target.left(), target.top(), target.right(), target.bottom()), paint)


def _fit(width: int, height: int, layer: ImageLayer) -> tuple[Any, Any]:
    """The part of the picture that is shown and the part of the box that it fills, as skia rectangles."""
    if layer.fit == "contain":
        factor = min(layer.width / width, layer.height / height)
        w, h = width * factor, height * factor
        return skia.Rect.MakeWH(width, height), skia.Rect.MakeXYWH((layer.width - w) / 2, (layer.height - h) / 2, w, h)
    if layer.fit == "cover":
        factor = max(layer.width / width, layer.height / height)
        w, h = layer.width / factor, layer.height / factor
        return skia.Rect.MakeXYWH((width - w) / 2, (height - h) / 2, w, h), skia.Rect.MakeWH(layer.width, layer.height)
    return skia.Rect.MakeWH(width, height), skia.Rect.MakeWH(layer.width, layer.height)


def _draw_shape(layer: ShapeLayer) -> Drawing:
    path = _shape_path(layer)
    stroke = layer.stroke if layer.stroke and layer.stroke.width_px > 0 else None
    # A mitre reaches at most MITER_LIMIT half widths from its corner.
    reach = stroke.width_px / 2 * (MITER_LIMIT if layer.shape == "polygon" else 1.5) if stroke else 0.0
    bounds = path.getBounds()

    def paint(canvas: Any, scale: float) -> None:
        if layer.fill is not None and layer.shape != "line":
            canvas.drawPath(path, fill_paint(layer.fill))
        if stroke:
            canvas.drawPath(path, stroke_paint(stroke))

    return Drawing(
        (bounds.left() - reach, bounds.top() - reach, bounds.right() + reach, bounds.bottom() + reach), paint
    )


def _shape_path(layer: ShapeLayer) -> Any:
    frame = skia.Rect.MakeWH(layer.width, layer.height)
    path = skia.Path()
    if layer.shape == "ellipse":
        path.addOval(frame)
    elif layer.shape == "rounded":
        path.addRoundRect(frame, layer.radius_px, layer.radius_px)
    elif layer.shape == "rectangle":
        path.addRect(frame)
    else:
        points = layer.points or ((0.0, 0.0), (1.0, 1.0))
        corners = [skia.Point(x * layer.width, y * layer.height) for x, y in points]
        path.addPoly(corners, layer.shape == "polygon")
    return path


def reach(layer: Layer, document: Document) -> tuple[float, float, float, float]:
    """x1, y1, x2, y2 in page px that hold all ink of a layer, turned by itself and its group; it may leave the page.

    Smoothing aside, and before the group cuts it off.
    """
    return _reach(layer, draw_layer(layer, document).bounds, document.group_of(layer))


def _reach(
    layer: Layer, bounds: tuple[float, float, float, float], group: Group | None
) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = bounds
    corners = [(x, y) for x in (x1, x2) for y in (y1, y2)]
    if layer.rotation_deg % 360:
        corners = _turned(corners, layer.rotation_deg, layer.width / 2, layer.height / 2)
    if group and group.rotation_deg % 360:
        cx, cy = group.x + group.width / 2 - layer.x, group.y + group.height / 2 - layer.y
        corners = _turned(corners, group.rotation_deg, cx, cy)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return layer.x + min(xs), layer.y + min(ys), layer.x + max(xs), layer.y + max(ys)


def _turned(points: list[tuple[float, float]], degrees: float, cx: float, cy: float) -> list[tuple[float, float]]:
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    around = [(x - cx, y - cy) for x, y in points]
    return [(cx + x * cos - y * sin, cy + x * sin + y * cos) for x, y in around]


def _pixel_box(reach: tuple[float, float, float, float], page: tuple[int, int]) -> PixelBox:
    """The whole pixels of the page that a box (px) touches: rounded outwards, clipped to the page."""
    x1, y1, x2, y2 = reach
    left, top = max(0, math.floor(x1 + _SLIVER)), max(0, math.floor(y1 + _SLIVER))
    right, bottom = min(page[0], math.ceil(x2 - _SLIVER)), min(page[1], math.ceil(y2 - _SLIVER))
    return (left, top, right, bottom) if left < right and top < bottom else NOTHING.box
