"""Open ends: where a stroke stops and nothing goes on, so that a drawing may.

An end is open if no other stroke comes as near to it as a stroke is wide; nearer, the two inks meet. The same holds for
its own stroke, apart from the piece that leads up to the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.svg.path import Subpath
from designgym.envs.canvas.tools import STROKE_PX

Floats = npt.NDArray[np.float64]
Point = tuple[float, float]

MEET_PX = STROKE_PX
LEAD_PX = 3 * STROKE_PX
"""Length of the piece before an end that is the end itself and not a stroke that it touches."""


def open_ends(subpaths: Sequence[Subpath]) -> tuple[Point, ...]:
    """The open ends of flattened strokes, canvas px, stroke by stroke: of each its first end, then its last."""
    lines = [_line(subpath) for subpath in subpaths]
    found: list[Point] = []
    for index, subpath in enumerate(subpaths):
        if subpath.closed:
            continue
        others = lines[:index] + lines[index + 1 :]
        for line in (lines[index], lines[index][::-1]):
            end = line[0]
            near = any(_distance(end, other) <= MEET_PX for other in [*others, _beyond_lead(line)])
            if not near:
                found.append((float(end[0]), float(end[1])))
    return tuple(found)


def _line(subpath: Subpath) -> Floats:
    points = [*subpath.points, subpath.points[0]] if subpath.closed else subpath.points
    return np.array(points, np.float64)


def _beyond_lead(line: Floats) -> Floats:
    """The rest of a line after its first :data:`LEAD_PX`; empty if it is no longer than that."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    before = np.concatenate([[0.0], np.cumsum(steps)])
    if before[-1] <= LEAD_PX:
        return line[:0]
    index = int(np.searchsorted(before, LEAD_PX, side="right")) - 1
    share = (LEAD_PX - before[index]) / steps[index]
    cut = line[index] + share * (line[index + 1] - line[index])
    return np.concatenate([cut[None], line[index + 1 :]])


def _distance(point: Floats, line: Floats) -> float:
    """From a point to the nearest one of a line of segments, px; infinite for an empty line."""
    if not len(line):
        return float("inf")
    start, along = line[:-1], np.diff(line, axis=0)
    length = np.maximum((along**2).sum(1), 1e-12)  # a segment without length is a point
    share = np.clip(((point - start) * along).sum(1) / length, 0.0, 1.0)
    return float(np.sqrt(((start + share[:, None] * along - point) ** 2).sum(1).min()))
