"""Whether strokes keep apart: a fragment encloses nothing if no stroke comes back near itself or another one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.stimuli.strokes import Stroke

GAP_PX = 15
"""Least distance between the centre lines of strokes: twice their width shows as white between them."""
ALONG_PX = 50
"""Points of a stroke that are nearer than this along it may be nearer to each other: within a bend or at a corner."""

_CURVE_STEPS = 10
_LINE_STEP_PX = 8

Floats = npt.NDArray[np.float64]


def keep_apart(strokes: Sequence[Stroke], joined: bool = False) -> bool:
    """Whether strokes (px) keep :data:`GAP_PX` from themselves and, unless they are ``joined``, from one another.

    It is tested at points some px apart. Sums, products and roots alone decide it, so it is alike on every machine.
    """
    lines = [_points(stroke) for stroke in strokes]
    for index, here in enumerate(lines):
        along = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(here, axis=0) ** 2).sum(1)))])
        apart = np.abs(along[:, None] - along[None]) >= ALONG_PX
        if (_squares(here, here)[apart] < GAP_PX**2).any():
            return False
        if not joined and any((_squares(here, there) < GAP_PX**2).any() for there in lines[index + 1 :]):
            return False
    return True


def _points(stroke: Stroke) -> Floats:
    points = [np.array([stroke.start])]
    x, y = stroke.start
    for segment in stroke.segments:
        if len(segment) == 1:
            length = max(abs(segment[0][0] - x), abs(segment[0][1] - y))
            share = np.arange(1, max(2, int(length // _LINE_STEP_PX) + 2))[:, None]
            share = share / share[-1]
            points.append(np.array([x, y]) * (1 - share) + np.array(segment[0]) * share)
        else:
            first, second, end = np.array(segment)
            t = np.arange(1, _CURVE_STEPS + 1)[:, None] / _CURVE_STEPS
            s = 1 - t
            points.append(s * s * (s * np.array([x, y]) + 3 * t * first) + t * t * (3 * s * second + t * end))
        x, y = segment[-1]
    return np.concatenate(points)


def _squares(here: Floats, there: Floats) -> Floats:
    """Squared distances between all points of two lines."""
    difference = here[:, None] - there[None]
    squares: Floats = difference[..., 0] ** 2 + difference[..., 1] ** 2
    return squares
