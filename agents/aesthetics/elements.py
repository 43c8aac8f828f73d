"""The elements of a page as its pixels show them, on grounds of any colour: panels, stripes, a picture behind.

A *ground* is a large connected area of one colour. What is on no ground are *marks*: letters, pictures, small shapes.
Marks that lie near to one another on the same kind of row are one element; so is a ground that does not fill the page.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.agents.regions import Rect, area, label

SAME = 3
"""Colours that differ by no more than this in each channel (of 255) are one, as smooth grounds are."""
GROUND_FRAC = 0.012
"""An area of one colour is a ground from this share of the page on,"""
SOLID_PX = 9
"""where it holds a square of this side; letters do not."""
GAP_X_FRAC, GAP_Y_FRAC = 0.020, 0.011
"""Marks that are no farther apart than these shares of the page's longer side belong together: words, lines."""
MOST_GROUNDS = 16
"""Colours that are looked at, the most frequent first."""
LEAST_FRAC = 0.0005
"""Elements of fewer marks, as a share of the page, are specks."""

Page = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Found:
    """An element.

    Attributes:
        rect: Its box, px.
        ground: Whether it is an area of one colour on which others may lie.
    """

    rect: Rect
    ground: bool = False


def elements(page: Page) -> list[Found]:
    """The elements of a page; grounds first, then marks from top to bottom.

    Args:
        page: uint8 H x W x 3, the page alone.
    """
    height, width = page.shape[:2]
    grounds, marks = _grounds(page)
    found = []
    for rect in _boxes(grounds):
        if GROUND_FRAC * width * height <= area(rect) < 0.9 * width * height:
            found.append(Found(rect, True))
    longer = max(height, width)
    reach_x, reach_y = max(1, round(GAP_X_FRAC * longer / 2)), max(1, round(GAP_Y_FRAC * longer / 2))
    joined = grown(marks, reach_x, reach_y)
    labels, _ = label(joined)
    for rect in _boxes(np.where(marks, labels, 0)):
        left, top, right, bottom = rect
        if marks[top:bottom, left:right].sum() >= LEAST_FRAC * width * height:
            found.append(Found(rect))
    return found


def grown(mask: Mask, x: int, y: int) -> Mask:
    """A mask grown by so many px to both sides along each axis."""
    for axis, reach in ((1, x), (0, y)):
        sums = np.cumsum(np.pad(mask, [(reach + 1, reach) if a == axis else (0, 0) for a in (0, 1)]), axis=axis)
        size = mask.shape[axis]
        low, high = np.arange(size), np.arange(size) + 2 * reach + 1
        mask = np.take(sums, high, axis=axis) > np.take(sums, low, axis=axis)
    return mask


def shrunk(mask: Mask, x: int, y: int) -> Mask:
    """The px of a mask around which it reaches so far to both sides along each axis; the page's edge does not count."""
    return ~grown(~mask, x, y)


def _grounds(page: Page) -> tuple[NDArray[np.int32], Mask]:
    """Number of the ground that each px belongs to, 0 for none; and which px are marks.

    Px between two grounds are neither: they are the smooth edge of one of them.
    """
    height, width = page.shape[:2]
    pixels = page.astype(np.int16)
    labels = np.zeros((height, width), np.int32)
    codes = (page.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)).ravel()
    values, counts = np.unique(codes, return_counts=True)
    count = 0
    half = SOLID_PX // 2
    for index in np.argsort(-counts, kind="stable")[:MOST_GROUNDS]:
        if counts[index] < GROUND_FRAC * codes.size:
            break
        color = np.array([values[index] >> 16, values[index] >> 8 & 255, values[index] & 255], np.int16)
        same = (np.abs(pixels - color).max(axis=2) <= SAME) & (labels == 0)
        core = grown(shrunk(same, half, half), half, half) & same
        parts, number = label(same)
        sizes = np.bincount(parts[core], minlength=number + 1)[1:]
        if sizes.max(initial=0) < GROUND_FRAC * codes.size:
            continue
        for part in np.flatnonzero(sizes >= GROUND_FRAC * codes.size / 8) + 1:
            count += 1
            labels[parts == part] = count
    low, high = _extremes(labels, 2)
    return labels, (labels == 0) & (low == high)


def _extremes(labels: NDArray[np.int32], reach: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The least and the largest number but 0 within so many px of each px; both 0 where there is none."""
    none = np.iinfo(np.int32).max
    low, high = np.where(labels > 0, labels, none), labels
    for axis in (0, 1):
        pad = [(reach, reach) if a == axis else (0, 0) for a in (0, 1)]
        wide_low, wide_high = np.pad(low, pad, constant_values=none), np.pad(high, pad)
        size = labels.shape[axis]
        for step in range(2 * reach + 1):
            window = (slice(step, step + size), slice(None)) if axis == 0 else (slice(None), slice(step, step + size))
            low, high = np.minimum(low, wide_low[window]), np.maximum(high, wide_high[window])
    return np.where(low == none, 0, low), high


def _boxes(labels: NDArray[np.int32]) -> list[Rect]:
    """The boxes of all numbers but 0, by number."""
    ys, xs = np.nonzero(labels)
    numbers = labels[ys, xs]
    count = int(numbers.max(initial=0))
    low_x, low_y = np.full(count + 1, labels.shape[1]), np.full(count + 1, labels.shape[0])
    high_x, high_y = np.full(count + 1, -1), np.full(count + 1, -1)
    np.minimum.at(low_x, numbers, xs)
    np.minimum.at(low_y, numbers, ys)
    np.maximum.at(high_x, numbers, xs)
    np.maximum.at(high_y, numbers, ys)
    return [
        (int(low_x[n]), int(low_y[n]), int(high_x[n]) + 1, int(high_y[n]) + 1)
        for n in range(1, count + 1)
        if high_x[n] >= 0
    ]
