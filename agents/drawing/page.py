"""How marks are kept on the page: what would lie beyond its edge is moved in, and the starting shape's place stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from designgym.agents.drawing.marks import Mark, Ring, Spot, Stroke
from designgym.agents.drawing.sketch import Points
from designgym.envs.canvas.tools import SIDE_PX

MARGIN_PX = 5.0
"""Nearest that a centre line comes to the edge."""

Floats = npt.NDArray[np.float64]


def kept_on_page(marks: Sequence[Mark], shape: Points) -> list[Mark]:
    """The marks, squeezed where they leave the page: between a side of the starting shape's box and the page's edge.

    Args:
        marks: What is to be drawn.
        shape: Points of the starting shape, n x 2 px; inside of their box nothing moves.
    """
    if not marks:
        return []
    corners = np.concatenate([_corners(mark) for mark in marks])
    across = _squeeze(corners[:, 0], shape[:, 0])
    down = _squeeze(corners[:, 1], shape[:, 1])

    def moved(points: Points) -> Points:
        return np.stack([across(points[:, 0]), down(points[:, 1])], axis=1)

    kept: list[Mark] = []
    for mark in marks:
        if isinstance(mark, Stroke):
            kept.append(Stroke(moved(mark.points), mark.closed))
            continue
        (left, top), (right, bottom) = moved(_corners(mark))
        x, y = float(left + right) / 2, float(top + bottom) / 2
        kept.append(
            Spot(x, y) if isinstance(mark, Spot) else Ring(x, y, float(right - left) / 2, float(bottom - top) / 2)
        )
    return kept


def _corners(mark: Mark) -> Points:
    """Points between which the mark lies, n x 2."""
    if isinstance(mark, Stroke):
        return mark.points
    rx, ry = (mark.rx, mark.ry) if isinstance(mark, Ring) else (0.0, 0.0)
    return np.array([[mark.x - rx, mark.y - ry], [mark.x + rx, mark.y + ry]])


def _squeeze(at: Floats, shape: Floats) -> Callable[[Floats], Floats]:
    """One coordinate's map, which leaves alone what lies within the shape and what needs no squeezing."""
    low, high = max(MARGIN_PX, float(shape.min())), min(SIDE_PX - 1 - MARGIN_PX, float(shape.max()))
    first, last = float(at.min()), float(at.max())
    below = min(1.0, (low - MARGIN_PX) / (low - first)) if first < low else 1.0
    above = min(1.0, (SIDE_PX - 1 - MARGIN_PX - high) / (last - high)) if last > high else 1.0

    def move(values: Floats) -> Floats:
        values = np.where(values < low, low + below * (values - low), values)
        return np.where(values > high, high + above * (values - high), values)

    return move
