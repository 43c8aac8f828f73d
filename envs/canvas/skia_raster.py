"""Strokes drawn by skia: geometry to the letter, every stroke centred on its path and 5 px wide, with round ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from designgym.envs.canvas.raster import Canvas8, box, regular_polygon, sweep
from designgym.envs.canvas.svg.path import Subpath
from designgym.envs.canvas.tools import STROKE_PX
from designgym.graphics.skia_library import skia


class SkiaRaster:
    """See :class:`designgym.envs.canvas.raster.Raster`.

    Args:
        array: uint8 H x W, C-contiguous. It must live as long as the raster.
    """

    id = f"skia-python {version('skia-python')}"

    def __init__(self, array: Canvas8) -> None:
        height, width = array.shape
        info = skia.ImageInfo.Make(width, height, skia.kGray_8_ColorType, skia.kOpaque_AlphaType)
        self._array = array
        self._surface = skia.Surface.MakeRasterDirect(info, array.data, array.strides[0])
        self._canvas = self._surface.getCanvas()
        self._canvas.translate(0.5, 0.5)  # whole coordinates lie in the middle of pixels

    def draw(self, tool: str, operations: Sequence[Mapping[str, Any]], erase: bool) -> None:
        """See the protocol."""
        add, paint = _TOOLS[tool], _PAINTS[erase, tool == "draw_rectangles"]
        for operation in operations:
            # One path each: several in one are rasterised together, with other pixels here and there.
            path = skia.Path()
            add(path, operation)
            self._canvas.drawPath(path, paint)

    def draw_paths(self, subpaths: Sequence[Subpath], erase: bool) -> None:
        """See the protocol."""
        for subpath in subpaths:
            path = skia.Path()
            _add_points(path, subpath.points, subpath.closed)
            self._canvas.drawPath(path, _PAINTS[erase, False])


def _paint(erase: bool, sharp: bool) -> skia.Paint:
    return skia.Paint(
        AntiAlias=False,
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=STROKE_PX,
        StrokeCap=skia.Paint.kRound_Cap,
        StrokeJoin=skia.Paint.kMiter_Join if sharp else skia.Paint.kRound_Join,
        Color=skia.ColorWHITE if erase else skia.ColorBLACK,
    )


_PAINTS = {(erase, sharp): _paint(erase, sharp) for erase in (False, True) for sharp in (False, True)}


def _rect(operation: Mapping[str, Any]) -> skia.Rect:
    return skia.Rect.MakeLTRB(*box(operation))


def _add_points(path: skia.Path, points: Sequence[Sequence[float]], closed: bool) -> None:
    path.addPoly([skia.Point(x, y) for x, y in points], closed)


def _dots(path: skia.Path, o: Mapping[str, Any]) -> None:
    path.moveTo(o["x"], o["y"])
    path.lineTo(o["x"], o["y"])  # a stroke of no length is its two round ends


def _lines(path: skia.Path, o: Mapping[str, Any]) -> None:
    path.moveTo(o["x1"], o["y1"])
    path.lineTo(o["x2"], o["y2"])


def _polylines(path: skia.Path, o: Mapping[str, Any]) -> None:
    _add_points(path, o["points"], o["closed"])


def _polygons(path: skia.Path, o: Mapping[str, Any]) -> None:
    _add_points(path, o["points"], True)


def _regular_polygons(path: skia.Path, o: Mapping[str, Any]) -> None:
    _add_points(path, regular_polygon(o), True)


def _rectangles(path: skia.Path, o: Mapping[str, Any]) -> None:
    left, top, right, bottom = box(o)
    if (left, top) == (right, bottom):
        _dots(path, {"x": left, "y": top})  # skia draws no rectangle without a side
    else:
        path.addRect(_rect(o))


def _rounded_rectangles(path: skia.Path, o: Mapping[str, Any]) -> None:
    path.addRoundRect(_rect(o), o["radius"], o["radius"])


def _circles(path: skia.Path, o: Mapping[str, Any]) -> None:
    path.addCircle(o["x"], o["y"], o["radius"])


def _ellipses(path: skia.Path, o: Mapping[str, Any]) -> None:
    path.addOval(_rect(o))


def _arcs(path: skia.Path, o: Mapping[str, Any]) -> None:
    start, extent = sweep(o)
    if extent == 360:
        path.addOval(_rect(o))  # addArc draws nothing for a whole turn
    elif extent:
        _add_arc(path, o, start, extent)


def _pieslices(path: skia.Path, o: Mapping[str, Any]) -> None:
    start, extent = sweep(o)
    rect = _rect(o)
    if extent == 360:
        path.addOval(rect)
    elif extent:
        path.moveTo(rect.centerX(), rect.centerY())
        path.arcTo(rect, start, extent, False)
        path.close()


def _chords(path: skia.Path, o: Mapping[str, Any]) -> None:
    start, extent = sweep(o)
    if extent == 360:
        path.addOval(_rect(o))
    elif extent:
        _add_arc(path, o, start, extent)
        path.close()


def _add_arc(path: skia.Path, o: Mapping[str, Any], start: int, extent: int) -> None:
    rect = _rect(o)
    if rect.width() and rect.height():
        path.addArc(rect, start, extent)
        return
    # skia draws no arc of a box without a side; it is a straight stroke, to and fro between points a degree apart.
    angles = [math.radians(start + degree) for degree in range(extent + 1)]
    x, y, across, down = rect.centerX(), rect.centerY(), rect.width() / 2, rect.height() / 2
    _add_points(path, [(x + across * math.cos(angle), y + down * math.sin(angle)) for angle in angles], False)


_TOOLS = {
    "draw_dots": _dots,
    "draw_lines": _lines,
    "draw_polylines": _polylines,
    "draw_polygons": _polygons,
    "draw_regular_polygons": _regular_polygons,
    "draw_rectangles": _rectangles,
    "draw_rounded_rectangles": _rounded_rectangles,
    "draw_circles": _circles,
    "draw_ellipses": _ellipses,
    "draw_arcs": _arcs,
    "draw_pieslices": _pieslices,
    "draw_chords": _chords,
}
