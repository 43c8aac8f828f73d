"""Where a shape encloses room on the page, and how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Room:
    """A circle, px."""

    x: int
    y: int
    radius: int


def enclosed(ink: Mask) -> Mask:
    """The paper that ink cuts off from the page's edge; bool H x W both."""
    outside = np.zeros_like(ink)
    outside[[0, -1]] = ~ink[[0, -1]]
    outside[:, [0, -1]] = ~ink[:, [0, -1]]
    reached = -1
    while reached != (now := int(np.count_nonzero(outside))):
        reached = now
        for paper, walls in ((outside, ink), (outside.T, ink.T)):
            _flow(paper, walls)
            _flow(paper[::-1], walls[::-1])
    return ~outside & ~ink


def widest(room: Mask) -> Room | None:
    """About the largest circle (an octagon, in truth) in a mask; None if the mask is empty."""
    if not room.any():
        return None
    radius, left = 0, room
    # By turns from four and from eight sides, so that what is worn off is nearly a disc.
    while (worn := _worn(left, corners=radius % 2 == 1)).any():
        radius, left = radius + 1, worn
    ys, xs = np.nonzero(left)
    middle = int(np.argmin((xs - xs.mean()) ** 2 + (ys - ys.mean()) ** 2))
    return Room(int(xs[middle]), int(ys[middle]), radius)


def _flow(paper: Mask, walls: Mask) -> None:
    """Let the paper that is reached run on from row to row, in place."""
    for row in range(1, len(paper)):
        paper[row] |= paper[row - 1] & ~walls[row]


def _worn(mask: Mask, corners: bool) -> Mask:
    """The mask without the pixels that have a neighbour outside of it; with ``corners``, diagonal neighbours count."""
    worn = mask.copy()
    worn[1:] &= mask[:-1]
    worn[:-1] &= mask[1:]
    worn[:, 1:] &= mask[:, :-1]
    worn[:, :-1] &= mask[:, 1:]
    if corners:
        worn[1:, 1:] &= mask[:-1, :-1]
        worn[1:, :-1] &= mask[:-1, 1:]
        worn[:-1, 1:] &= mask[1:, :-1]
        worn[:-1, :-1] &= mask[1:, 1:]
    return worn
