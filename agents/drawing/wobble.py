"""An unsteady hand: marks that stray from where they were meant to be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from designgym.agents.drawing.marks import Mark, Ring, Spot, Stroke
from designgym.agents.drawing.sketch import Points
from designgym.envs.canvas.tools import SIDE_PX
from designgym.errors import UserError

MOST_WOBBLE_PX = 100.0
SWING_PX = 30.0
"""Along a stroke the hand strays anew after about this length."""
STEP_PX = 6.0


def check_wobble(wobble: float) -> float:
    """The wobble, px.

    Raises:
        UserError: If it is no number from 0 to 100.
    """
    number = isinstance(wobble, int | float) and not isinstance(wobble, bool)
    if not number or not 0.0 <= wobble <= MOST_WOBBLE_PX:
        raise UserError(f"wobble is {wobble!r}; it must be a number of px from 0 to {MOST_WOBBLE_PX:g}.")
    return float(wobble)


def unsteady(marks: Sequence[Mark], wobble_px: float, rng: np.random.Generator) -> list[Mark]:
    """The marks with a Gaussian error at every 30 px of a stroke and in the centres and radii of rings.

    Args:
        marks: What was meant.
        wobble_px: Standard deviation of the error in x and in y.
        rng: Where the errors come from.

    Returns:
        As many marks, within the page.
    """
    return [_unsteady(mark, wobble_px, rng) for mark in marks]


def _unsteady(mark: Mark, wobble_px: float, rng: np.random.Generator) -> Mark:
    if isinstance(mark, Stroke):
        return Stroke(_strayed(mark, wobble_px, rng), mark.closed)
    x, y = np.clip(np.array([mark.x, mark.y]) + rng.normal(0, wobble_px, 2), 0, SIDE_PX - 1)
    if isinstance(mark, Spot):
        return Spot(x, y)
    # Of radii by less: an error of a radius shows twice, on both sides.
    rx, ry = np.maximum(1.0, np.array([mark.rx, mark.ry]) + rng.normal(0, wobble_px / 2, 2))
    return Ring(x, y, rx, ry)


def _strayed(stroke: Stroke, wobble_px: float, rng: np.random.Generator) -> Points:
    points = np.concatenate([stroke.points, stroke.points[:1]]) if stroke.closed else stroke.points
    before = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    length = float(before[-1])
    errors = rng.normal(0, wobble_px, (2 + math.floor(length / SWING_PX), 2))
    if stroke.closed:
        errors[-1] = errors[0]
    # The old points stay among the new ones, so corners stay corners.
    at = np.union1d(before, np.arange(0.0, length, STEP_PX))
    places = np.linspace(0.0, length, len(errors))
    strayed = [np.interp(at, before, points[:, axis]) + np.interp(at, places, errors[:, axis]) for axis in (0, 1)]
    return np.clip(np.stack(strayed, axis=1), 0, SIDE_PX - 1)
