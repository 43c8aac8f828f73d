"""Skia paints of a layer's colours and outlines."""

from __future__ import annotations

import functools
from typing import Any

from designgym.graphics.document import Stroke
from designgym.graphics.skia_library import skia

MITER_LIMIT = 4.0
"""How far, in half stroke widths, the tip of a sharp corner may reach before it is cut off."""


def fill_paint(color: str) -> Any:
    """An anti-aliased paint of a ``#rrggbb`` or ``#rrggbbaa`` colour."""
    return skia.Paint(AntiAlias=True, Color=skia_color(color))


def stroke_paint(stroke: Stroke, factor: float = 1.0) -> Any:
    """An anti-aliased outline, centred on the edge, with mitred corners; its width is multiplied by ``factor``."""
    return skia.Paint(
        AntiAlias=True,
        Color=skia_color(stroke.color),
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=stroke.width_px * factor,
        StrokeMiter=MITER_LIMIT,
    )


def exchange_red_and_blue(color: str) -> str:
    """``#bbggrr`` of ``#rrggbb``; alpha stays."""
    return "#" + color[5:7] + color[3:5] + color[1:3] + color[7:]


@functools.lru_cache(maxsize=4096)
def skia_color(color: str) -> int:
    """A skia colour integer (0xAARRGGBB) of a ``#rrggbb`` or ``#rrggbbaa`` string."""
    return int((color[7:9] or "ff") + color[1:7], 16)
