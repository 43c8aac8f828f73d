"""Stained glass: panes of one colour each in lead, with light behind them."""

from __future__ import annotations

import numpy as np

from designgym.graphics.filters.alpha import premultiplied, with_alpha_of
from designgym.graphics.filters.cells import crooked_cells, mean_colors
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.noise import Plane, hashed
from designgym.scalars import Number

_SMALLEST_PX = 4.0  # width of a pane at size 0, page px
_PANE_STEP_PX = 2.0  # and so much more for each step of size
_LEAD_PX = 0.7  # thickness of the lead for each step of borderThickness
_MOST_LEAD = 0.4  # of a pane's width
_LEAD = 22
_VIVID = 1.35  # glass has purer colours than pictures
_MOST_LIGHT = 0.7  # how much brighter the middle is than the corners at full intensity


def stained_glass(
    rgba: Pixels, *, cellSize: float, borderThickness: float, lightIntensity: float, scale: float
) -> Pixels:
    """Panes about 4 + 2 ``cellSize`` page px wide; the light behind them is in the picture's middle."""
    height, width = rgba.shape[:2]
    pane = (_SMALLEST_PX + _PANE_STEP_PX * cellSize) * scale
    cells = crooked_cells((height, width), pane, 41)
    colors = mean_colors(premultiplied(rgba), cells).astype(np.float32)
    middle = (colors.max(axis=1, keepdims=True) + colors.min(axis=1, keepdims=True)) / 2
    # Panes are cut from different sheets: each a little lighter or darker than the picture is there.
    sheet = hashed(np.arange(cells.count), np.zeros(cells.count, np.int64), 43).astype(np.float32)[:, None] / 65536
    colors = (middle + (colors - middle) * np.float32(_VIVID)) * (np.float32(0.9) + np.float32(0.2) * sheet)
    light = _light(height, width) * np.float32(_MOST_LIGHT * lightIntensity / 10) + np.float32(1)
    lead = min(borderThickness * _LEAD_PX * scale, _MOST_LEAD * pane)
    # A pixel that the lead's edge runs through is both. Lead thinner than a pixel is fainter.
    share = np.clip(np.float32(lead / 2 + 0.5) - cells.edge_px, 0, min(1.0, lead))[..., None]
    panes = np.clip(colors[cells.number] * light[..., None], 0, 255)
    return with_alpha_of(rgba, (panes + (np.float32(_LEAD) - panes) * share + np.float32(0.5)).astype(np.uint8))


def _light(height: int, width: int) -> Plane:
    """0.6 in the middle, falling to -0.4 at the corners."""
    y, x = (((np.arange(side) + 0.5) / side * 2 - 1).astype(np.float32) for side in (height, width))
    return np.float32(0.6) - (y * y)[:, None] * np.float32(0.5) - x * x * np.float32(0.5)


STAINED_GLASS = Filter(
    "stained_glass",
    "Shows the picture as panes of coloured glass in lead.",
    stained_glass,
    {"cellSize": Number(2, 50), "borderThickness": Number(1, 20), "lightIntensity": Number(0, 10)},
)
