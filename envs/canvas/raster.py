"""What draws strokes into the canvas: one protocol, two libraries behind it, and the geometry that both share.

Both draw without anti-aliasing, straight into a grey numpy array. Without grey edges a shape that is erased along the
same path vanishes to the last pixel, and what is black stays exactly black. What reaches a raster has been checked and
clamped: Pillow hangs on a radius of a million px and paints garbage for NaN.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.svg.path import Subpath
from designgym.nearest import did_you_mean

Renderer = Literal["pillow", "skia"]

INK, PAPER = 0, 255

Canvas8 = npt.NDArray[np.uint8]
"""uint8 H x W, C-contiguous; 0 ink, 255 paper."""

_RASTERS: dict[str, str] = {
    "pillow": "designgym.envs.canvas.pillow_raster:PillowRaster",
    "skia": "designgym.envs.canvas.skia_raster:SkiaRaster",
}


class Raster(Protocol):
    """Draws into the array that it was made with."""

    id: str
    """Library and version, such as ``"pillow 13.0.0"``."""

    def draw(self, tool: str, operations: Sequence[Mapping[str, Any]], erase: bool) -> None:
        """Carry out the checked operations of a drawing tool, in black or, to erase, in white."""
        ...

    def draw_paths(self, subpaths: Sequence[Subpath], erase: bool) -> None:
        """Stroke flattened paths (canvas px)."""
        ...


def make_raster(renderer: str, array: Canvas8) -> Raster:
    """A raster that draws into an array.

    Raises:
        ValueError: For an unknown renderer.
    """
    if renderer not in _RASTERS:
        raise ValueError(
            f"renderer is {renderer!r}; it must be one of {get_args(Renderer)}.{did_you_mean(renderer, _RASTERS)}"
        )
    module, _, name = _RASTERS[renderer].partition(":")
    raster: Raster = getattr(importlib.import_module(module), name)(array)
    return raster


def box(operation: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """The box of an operation with two corners in any order: left, top, right, bottom."""
    x1, y1, x2, y2 = operation["x1"], operation["y1"], operation["x2"], operation["y2"]
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def sweep(operation: Mapping[str, Any]) -> tuple[int, int]:
    """Start (0 to 359) and extent (0 to 360) of an arc in degrees, clockwise; a turn or more is the whole ellipse."""
    start, end = operation["start_angle"], operation["end_angle"]
    turn = end - start
    return start % 360, 360 if abs(turn) >= 360 else turn % 360


def regular_polygon(operation: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The corners of a regular polygon, whole px: a flat side at the bottom, then turned clockwise by ``rotation``."""
    sides, radius = operation["n_sides"], operation["radius"]
    first = math.radians(90 + 180 / sides + operation["rotation"] % 360)
    corners = [first + 2 * math.pi * index / sides for index in range(sides)]
    x, y = operation["x"] + _HALF, operation["y"] + _HALF
    return [(math.floor(x + radius * math.cos(angle)), math.floor(y + radius * math.sin(angle))) for angle in corners]


# Rounds half up. Sine and cosine of libraries differ in the last bit; without the little more, so would corners at half
# a pixel.
_HALF = 0.5 + 5e-7
