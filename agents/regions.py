"""The elements of a page as its pixels show them: connected regions off the page's background, and their colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rect = tuple[int, int, int, int]
"""Left, top, right, bottom in px, right and bottom exclusive."""

OFF_BACKGROUND = 5
"""A pixel is off the background where a channel differs from it by more than this (0 to 255)."""
BRIDGE_FRAC = 0.016
"""Regions closer than twice this fraction of the page's longer side are one: letters of a word, lines of a text."""
LEAST_FRAC = 0.0004
"""Regions of fewer pixels, as a fraction of the page, are specks."""


@dataclass(frozen=True, eq=False)
class Paint:
    """One exact colour within a region: where it shows and how much of it."""

    rgb: tuple[int, int, int]
    rect: Rect
    pixels: int

    @property
    def fill(self) -> float:
        """Share of its bounding box that it covers: 1 for a rectangle, pi/4 for an ellipse, little for type."""
        return self.pixels / area(self.rect)


@dataclass(frozen=True, eq=False)
class Region:
    """Connected marks on the page.

    Attributes:
        rect: Bounding box of its pixels.
        mask: Bool, the size of ``rect``: its pixels.
        rgb: Colours of its pixels, uint8 (pixels, 3), row by row.
    """

    rect: Rect
    mask: NDArray[np.bool_]
    rgb: NDArray[np.uint8]

    @property
    def pixels(self) -> int:
        """Number of its pixels."""
        return len(self.rgb)

    @property
    def fill(self) -> float:
        """Share of its bounding box that it covers."""
        return self.pixels / area(self.rect)

    def paints(self, least_share: float = 0.02) -> list[Paint]:
        """Its exact colours, most frequent first, each at least this share of its pixels."""
        codes = self.rgb.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
        ys, xs = np.nonzero(self.mask)
        found = []
        values, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
        for index in np.argsort(-counts, kind="stable"):
            if counts[index] < max(least_share * self.pixels, 4):
                break
            here = inverse == index
            left, top = self.rect[0], self.rect[1]
            rect = (
                left + int(xs[here].min()), top + int(ys[here].min()),
                left + int(xs[here].max()) + 1, top + int(ys[here].max()) + 1,
            )  # fmt: skip
            code = int(values[index])
            found.append(Paint((code >> 16, code >> 8 & 255, code & 255), rect, int(counts[index])))
        return found


def background(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The most frequent colour of a page (of every ninth pixel), uint8 (3,)."""
    codes = image[::3, ::3].reshape(-1, 3).astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    values, counts = np.unique(codes, return_counts=True)
    code = int(values[counts.argmax()])
    return np.array([code >> 16, code >> 8 & 255, code & 255], np.uint8)


def regions(image: NDArray[np.uint8]) -> list[Region]:
    """The regions of a page, from top to bottom.

    Args:
        image: uint8 H x W x 3.
    """
    page = background(image)
    marks = np.zeros(image.shape[:2], bool)
    for channel in range(3):
        marks |= np.abs(image[..., channel].astype(np.int16) - int(page[channel])) > OFF_BACKGROUND
    reach = max(1, round(BRIDGE_FRAC * max(image.shape[:2])))
    labels, count = label(_spread(marks, reach))
    labels = np.where(marks, labels, 0)
    found = []
    for rect, index in _rects(labels, count):
        left, top, right, bottom = rect
        mask = labels[top:bottom, left:right] == index
        if mask.sum() < LEAST_FRAC * marks.size:
            continue
        rgb = image[top:bottom, left:right][mask]
        found.append(Region(rect, mask, rgb))
    return _words_joined(found)


def label(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    """Number the connected parts (four neighbours) of a mask from 1, in reading order of their first pixels.

    Runs of each row are joined to the overlapping runs of the row above with a union-find over runs.

    Returns:
        Labels, int32 of the mask's shape (0 where the mask is False), and the number of parts.
    """
    height, width = mask.shape
    padded = np.zeros((height, width + 2), np.int8)
    padded[:, 1:-1] = mask
    edges = np.diff(padded, axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    parent = list(range(len(rows)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    bounds = np.searchsorted(rows, np.arange(height + 1)).tolist()
    first, last = starts.tolist(), ends.tolist()
    for row in range(1, height):
        above, here = bounds[row - 1], bounds[row]
        while above < bounds[row] and here < bounds[row + 1]:
            if first[above] < last[here] and first[here] < last[above]:
                a, b = root(above), root(here)
                parent[max(a, b)] = min(a, b)
            if last[above] < last[here]:
                above += 1
            else:
                here += 1
    names: dict[int, int] = {}
    labels = np.zeros((height, width), np.int32)
    for run, row in enumerate(rows.tolist()):
        labels[row, first[run] : last[run]] = names.setdefault(root(run), len(names) + 1)
    return labels, len(names)


def area(rect: Rect) -> int:
    """Area of a rectangle, px^2; 0 if its corners are reversed."""
    return max(0, rect[2] - rect[0]) * max(0, rect[3] - rect[1])


def _words_joined(parts: list[Region]) -> list[Region]:
    """Join the words of a line: sparse regions of one colour, side by side, less than a line's height apart."""
    joined = True
    while joined:
        joined = False
        for i, one in enumerate(parts):
            for j in range(i + 1, len(parts)):
                if _one_line(one, parts[j]):
                    parts = [*parts[:i], _union(one, parts[j]), *parts[i + 1 : j], *parts[j + 1 :]]
                    joined = True
                    break
            if joined:
                break
    return parts


def _one_line(one: Region, two: Region) -> bool:
    heights = (one.rect[3] - one.rect[1], two.rect[3] - two.rect[1])
    shared = min(one.rect[3], two.rect[3]) - max(one.rect[1], two.rect[1])
    gap = max(one.rect[0], two.rect[0]) - min(one.rect[2], two.rect[2])
    if max(one.fill, two.fill) > 0.75 or shared < 0.7 * min(heights) or not gap < 0.6 * min(heights):
        return False
    ink = [np.median(region.rgb.astype(np.int16), axis=0) for region in (one, two)]
    return bool(np.abs(ink[0] - ink[1]).max() < 24)


def _union(one: Region, two: Region) -> Region:
    rect = (
        min(one.rect[0], two.rect[0]), min(one.rect[1], two.rect[1]),
        max(one.rect[2], two.rect[2]), max(one.rect[3], two.rect[3]),
    )  # fmt: skip
    pixels = np.zeros((rect[3] - rect[1], rect[2] - rect[0], 3), np.uint8)
    mask = np.zeros(pixels.shape[:2], bool)
    for part in (one, two):
        x, y = part.rect[0] - rect[0], part.rect[1] - rect[1]
        window = np.s_[y : y + part.mask.shape[0], x : x + part.mask.shape[1]]
        pixels[window][part.mask] = part.rgb
        mask[window] |= part.mask
    return Region(rect, mask, pixels[mask])


def _spread(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """The mask grown by ``reach`` px to all sides (a square neighbourhood), by doubling shifts along each axis."""
    grown = mask
    for axis in (0, 1):
        for forward in (False, True):
            done = 0
            while done < reach:
                step = min(max(done, 1), reach - done)
                shifted = np.zeros_like(grown)
                if axis == 0:
                    source, target = (grown[:-step], shifted[step:]) if forward else (grown[step:], shifted[:-step])
                else:
                    source, target = (
                        (grown[:, :-step], shifted[:, step:]) if forward else (grown[:, step:], shifted[:, :-step])
                    )
                target[...] = source
                grown = grown | shifted
                done += step
    return grown


def _rects(labels: NDArray[np.int32], count: int) -> list[tuple[Rect, int]]:
    """Bounding box of every label that occurs."""
    ys, xs = np.nonzero(labels)
    values = labels[ys, xs]
    low_x, low_y = (np.full(count + 1, np.iinfo(np.int64).max) for _ in range(2))
    high_x, high_y = (np.full(count + 1, -1) for _ in range(2))
    np.minimum.at(low_x, values, xs)
    np.minimum.at(low_y, values, ys)
    np.maximum.at(high_x, values, xs)
    np.maximum.at(high_y, values, ys)
    return [
        ((int(low_x[i]), int(low_y[i]), int(high_x[i]) + 1, int(high_y[i]) + 1), i)
        for i in range(1, count + 1)
        if high_x[i] >= 0
    ]
