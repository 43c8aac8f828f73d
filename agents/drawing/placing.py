"""How a finished drawing is laid over a starting shape: one of its points on an open end, and all of it on the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from designgym.agents.drawing.sketch import Points
from designgym.envs.canvas.stimuli.stimulus import Stimulus
from designgym.envs.canvas.tools import SIDE_PX

LEAST_PX, MOST_PX = 180.0, 340.0
"""Longer side of a drawing on the canvas."""
BEYOND = 1.7
"""Between these, a drawing is so many times as large as the shape, so that it goes on from it."""
MARGIN_PX = 5.0
SHRINK = 0.9


def placed(strokes: Sequence[Points], shape: Stimulus | None) -> list[Points]:
    """Strokes, scaled alike in x and y and moved.

    Some point of the strokes comes to lie on an open end (on some point of the shape, where it has no open ends): the
    pair for which the drawing's middle is nearest to the shape's. Where the page has no room for that, the drawing is
    made smaller.

    Args:
        strokes: Each n x 2, any unit, y downwards.
        shape: The starting shape; None lays the drawing in the middle of the page.

    Returns:
        The strokes in px of the canvas.
    """
    points = np.concatenate(strokes)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    points = points - middle
    half = points.max(axis=0)
    extent = 2 * float(half.max()) or 1.0  # a drawing may be a single point
    if shape is None:
        scale = MOST_PX / extent
        return [scale * (stroke - middle) + (SIDE_PX - 1) / 2 for stroke in strokes]
    outline = np.concatenate([np.array(subpath.points) for subpath in shape.subpaths])
    first, last = outline.min(axis=0), outline.max(axis=0)
    size = min(max(BEYOND * float((last - first).max()), LEAST_PX), MOST_PX)
    anchors = _some(np.array(shape.open_ends or outline))
    while True:
        scale = size / extent
        # Where the drawing's middle would be, for every pair of an anchor and a point.
        middles = (anchors[:, None] - scale * _some(points)).reshape(-1, 2)
        room = MARGIN_PX + scale * half
        fitting = middles[((middles >= room) & (middles <= SIDE_PX - 1 - room)).all(axis=1)]
        if len(fitting):
            at = fitting[np.hypot(*(fitting - (first + last) / 2).T).argmin()]
            return [scale * (stroke - middle) + at for stroke in strokes]
        size *= SHRINK


def _some(points: Points) -> Points:
    """At most 400 of the points, evenly."""
    return points[:: -(-len(points) // 400)]
