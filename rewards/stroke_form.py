"""How the strokes of a drawing run, seen from places on their ink: straight on, turning, ending or meeting others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.added_ink import Mask, near

Ints = NDArray[np.int64]

MOST_PLACES = 450
"""Places that are looked at; of more ink, so many, evenly in reading order. A share is then exact to about 0.02."""

NEAR_CELLS, NEAR_SIDES = 5, 24
"""A ring of 10 px around a place and the directions in which it is looked at, for what strokes do there."""
FAR_CELLS, FAR_SIDES = 15, 60
"""A stroke is straight where ink goes on for 30 px in two opposite directions, a cell aside at most: a circle of less
than 100 px does not."""
STEPS = 3
"""Places on the way there that must be ink."""

OPPOSITE = 0.8
"""A stroke goes straight through a ring if so much of the ring's ink has ink on the other side."""
FULL = 0.7
"""A ring with more ink than this share lies in a solid area, where nothing can be told of strokes."""
DIRECTIONS = 8


@dataclass(frozen=True, eq=False)
class StrokeForm:
    """What the strokes do, as shares of the places looked at, 0 to 1.

    Attributes:
        straight: Places in the middle of 60 px of straight stroke.
        ring: Nine shares that add up to 1, of places whose ring of 10 px shows: nothing, one end, a stroke straight
            through, one that bends, a corner, three strokes, a crossing, more strokes in disorder, solid ink.
        directions: Entropy of the direction of strokes over eight classes, 0 (one) to 1 (all alike).
    """

    straight: float
    ring: tuple[float, ...]
    directions: float


def stroke_form(new: Mask, ink: Mask) -> StrokeForm:
    """Look at the new ink.

    Args:
        new: What is looked at, bool H x W, in cells of 2 px; some of it must be ink.
        ink: All ink, of the same shape: strokes go on in what was there before.
    """
    margin = FAR_CELLS + 1
    page = np.pad(ink, margin)
    pitch = page.shape[1]
    places = np.flatnonzero(new)
    places = places[:: -(-len(places) // MOST_PLACES)]
    rows, columns = np.divmod(places, new.shape[1])
    at = (rows + margin) * pitch + columns + margin
    flat = page.ravel()
    wide = near(page, 1).ravel()
    inked = wide[at + _ways(pitch)[:, None]] & wide[at - _ways(pitch)[:, None]]
    straight = inked.reshape(STEPS, -1, len(at)).all(axis=0).any(axis=0)
    ring = flat[at + _ring(pitch)[:, None]]
    kinds, through = _kinds(ring)
    shares = np.bincount(kinds, minlength=9) / len(at)
    return StrokeForm(float(straight.mean()), tuple(shares.tolist()), _spread(ring[:, through]))


@cache
def _ways(pitch: int) -> Ints:
    """Steps in half of all directions, flat: the first one of each, the second one of each, and so on."""
    angles = np.tile(np.arange(FAR_SIDES // 2) * 2 * np.pi / FAR_SIDES, STEPS)
    lengths = np.repeat(FAR_CELLS * np.arange(1, STEPS + 1) / STEPS, FAR_SIDES // 2)
    return _offsets(angles, lengths, pitch)


@cache
def _ring(pitch: int) -> Ints:
    """The places of the ring."""
    return _offsets(np.arange(NEAR_SIDES) * 2 * np.pi / NEAR_SIDES, np.full(NEAR_SIDES, NEAR_CELLS), pitch)


def _offsets(angles: NDArray[np.float64], lengths: NDArray[np.float64], pitch: int) -> Ints:
    found: Ints = np.rint(lengths * np.sin(angles)).astype(np.int64) * pitch
    return found + np.rint(lengths * np.cos(angles)).astype(np.int64)


def _kinds(ring: NDArray[np.bool_]) -> tuple[Ints, NDArray[np.bool_]]:
    """Which of the nine each ring (a column) shows, and whether two strokes or ends of one leave through it."""
    before = np.roll(ring, 1, 0)
    strokes = np.count_nonzero(ring & ~before, axis=0)
    amount = np.count_nonzero(ring, axis=0)
    wide = ring | before | np.roll(ring, -1, 0)
    opposite = np.count_nonzero(ring & np.roll(wide, NEAR_SIDES // 2, 0), axis=0) / np.maximum(amount, 1)
    kinds = np.choose(np.minimum(strokes, 4), [0, 1, 2, 5, 7])
    kinds[(strokes == 2) & (opposite < OPPOSITE)] = 3
    kinds[(strokes == 2) & (opposite < OPPOSITE / 3)] = 4
    kinds[(strokes > 3) & (opposite >= OPPOSITE)] = 6
    kinds[amount >= FULL * NEAR_SIDES] = 8
    return kinds, strokes == 2


def _spread(ring: NDArray[np.bool_]) -> float:
    """Entropy of the directions of strokes that leave a ring (a column) in two places, 0 to 1."""
    if not ring.size:
        return 0.0
    ring = np.ascontiguousarray(ring.T)
    doubled = np.arange(NEAR_SIDES) * 4 * np.pi / NEAR_SIDES  # a direction and its opposite are one
    turned = np.arctan2(ring @ np.sin(doubled), ring @ np.cos(doubled)) / (2 * np.pi)
    shares = np.bincount((turned * DIRECTIONS).astype(np.int64) % DIRECTIONS, minlength=DIRECTIONS) / len(ring)
    shares = shares[shares > 0]
    return max(0.0, float(-(shares * np.log(shares)).sum() / np.log(DIRECTIONS)))
