"""Strokes drawn by Pillow, whose calls the tools of PainterBench resemble in names and fields; the default.

The paper does not name its renderer. Pillow's outlines lie inside of their boxes, strokes end without caps, and slanted
lines are a little thinner than 5 px; that is kept as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import PIL
from PIL import Image, ImageDraw

from designgym.envs.canvas.raster import INK, PAPER, Canvas8, box, regular_polygon, sweep
from designgym.envs.canvas.svg.path import Subpath
from designgym.envs.canvas.tools import STROKE_PX

HALF = STROKE_PX // 2


class PillowRaster:
    """See :class:`designgym.envs.canvas.raster.Raster`.

    Args:
        array: uint8 H x W, C-contiguous. It must live as long as the raster.

    Raises:
        RuntimeError: If this version of Pillow does not draw into arrays that it was given.
    """

    id = f"pillow {PIL.__version__}"

    def __init__(self, array: Canvas8) -> None:
        height, width = array.shape
        # Pillow marks images over foreign memory as read-only, and would copy them before drawing.
        image = Image.frombuffer("L", (width, height), array, "raw", "L", 0, 1)
        image.readonly = 0
        self._array = array
        self._draw = ImageDraw.Draw(image)

    def draw(self, tool: str, operations: Sequence[Mapping[str, Any]], erase: bool) -> None:
        """See the protocol."""
        draw_one, ink = _TOOLS[tool], PAPER if erase else INK
        for operation in operations:
            draw_one(self._draw, operation, ink)

    def draw_paths(self, subpaths: Sequence[Subpath], erase: bool) -> None:
        """See the protocol."""
        ink = PAPER if erase else INK
        for subpath in subpaths:
            _stroke(self._draw, [(round(x), round(y)) for x, y in subpath.points], subpath.closed, ink)


def _dot(draw: ImageDraw.ImageDraw, x: int, y: int, ink: int) -> None:
    draw.ellipse((x - HALF, y - HALF, x + HALF, y + HALF), fill=ink)


def _stroke(draw: ImageDraw.ImageDraw, points: list[tuple[int, int]], closed: bool, ink: int) -> None:
    if all(point == points[0] for point in points):
        _dot(draw, *points[0], ink)
    elif closed:
        # Through the second point again, so that the corner at the first is joined like the others.
        draw.line([*points, *points[:2]], fill=ink, width=STROKE_PX, joint="curve")
    else:
        draw.line(points, fill=ink, width=STROKE_PX, joint="curve")


def _dots(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    _dot(draw, o["x"], o["y"], ink)


def _lines(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    ends = (o["x1"], o["y1"], o["x2"], o["y2"])
    if ends[:2] == ends[2:]:
        _dot(draw, ends[0], ends[1], ink)
    else:
        draw.line(ends, fill=ink, width=STROKE_PX)


def _polylines(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    _stroke(draw, [(x, y) for x, y in o["points"]], o["closed"], ink)


def _polygons(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    _polygon(draw, [(x, y) for x, y in o["points"]], ink)


def _regular_polygons(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    _polygon(draw, regular_polygon(o), ink)


def _polygon(draw: ImageDraw.ImageDraw, points: list[tuple[int, int]], ink: int) -> None:
    if len(set(points)) < 3:
        _stroke(draw, points, False, ink)  # Pillow leaves the outline of what has no inside 1 px thin
    else:
        draw.polygon(points, outline=ink, width=STROKE_PX)


def _rectangles(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    draw.rectangle(box(o), outline=ink, width=STROKE_PX)


def _rounded_rectangles(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    draw.rounded_rectangle(box(o), radius=o["radius"], outline=ink, width=STROKE_PX)


def _circles(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    x, y, radius = o["x"], o["y"], o["radius"]
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=ink, width=STROKE_PX)


def _ellipses(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    draw.ellipse(box(o), outline=ink, width=STROKE_PX)


def _arcs(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    start, extent = sweep(o)
    draw.arc(box(o), start, start + extent, fill=ink, width=STROKE_PX)


def _pieslices(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    start, extent = sweep(o)
    draw.pieslice(box(o), start, start + extent, outline=ink, width=STROKE_PX)


def _chords(draw: ImageDraw.ImageDraw, o: Mapping[str, Any], ink: int) -> None:
    start, extent = sweep(o)
    draw.chord(box(o), start, start + extent, outline=ink, width=STROKE_PX)


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


def _draws_in_place() -> None:
    """Find out at import whether what is drawn arrives, since nothing in Pillow's documentation promises it."""
    array = np.full((8, 8), PAPER, np.uint8)
    raster = PillowRaster(array)
    raster.draw("draw_dots", [{"x": 4, "y": 4}], False)
    if array[4, 4] != INK:
        raise RuntimeError(
            f"Pillow {PIL.__version__} copies an array before it draws into it, so it cannot draw the canvas. "
            'Install pillow 13.0.0, or use renderer="skia".'
        )


_draws_in_place()
