"""Layouts: where the elements of a design lie, on a grid of 40 x 40 cells.

A layout is a *skeleton*, nested cuts of the page's live area into cells of which each holds one element or none, plus
the slack that each element leaves in its cell. Skeletons are dealt to the splits by a hash, so that a skeleton seen in
training never returns in validation or test.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

GRID = 40
"""Cells along each side of the page; every box is a multiple of 1/40 = 0.025 of the page."""
MARGIN = 2
GUTTER = 2

Cells = tuple[int, int, int, int]
"""A box in grid cells: left, top, right, bottom."""

SMALLEST = {"title": (12, 3), "body": (10, 5), "shape": (6, 6), "picture": (7, 7)}
"""Least width and height of a cell, by kind of element."""


@dataclass(frozen=True)
class Slot:
    """One element of a layout: its kind and its box in grid cells."""

    kind: str
    cells: Cells


@dataclass(frozen=True)
class Layout:
    """The elements of a page, without colours or content."""

    skeleton: str
    slots: tuple[Slot, ...]


def split_of(skeleton: str) -> str:
    """The one split in which designs with this skeleton may appear (8 : 1 : 1)."""
    bucket = hashlib.sha256(skeleton.encode()).digest()[0] % 10
    return "train" if bucket < 8 else ("validation" if bucket == 8 else "test")


def sample_layout(rng: np.random.Generator, split: str, count: int) -> Layout:
    """Draw a layout of ``count`` elements whose skeleton belongs to ``split``.

    Args:
        rng: Source of randomness.
        split: ``"train"``, ``"validation"`` or ``"test"``.
        count: Number of elements, 1 to 8.

    Returns:
        The layout; its boxes do not touch one another or the page's margin.
    """
    while True:  # a skeleton of the wrong split is thrown away: about 10 tries for the small splits
        layout = _attempt(rng, count)
        if layout is not None and split_of(layout.skeleton) == split:
            return layout


def _attempt(rng: np.random.Generator, count: int) -> Layout | None:
    empty = max(
        int(rng.integers(0, 3)), 4 - count
    )  # cells left empty: white space, and variety on pages of few elements
    leaves: list[Cells] = []
    skeleton = _cut(rng, (MARGIN, MARGIN, GRID - MARGIN, GRID - MARGIN), count + empty, leaves)
    if skeleton is None:
        return None
    used = sorted(rng.permutation(len(leaves))[:count].tolist())
    cells = [leaves[i] for i in used]
    kinds = _kinds(rng, cells)
    if kinds is None:
        return None
    letters = dict(zip(used, (kind[0] for kind in kinds), strict=True))
    slots = tuple(Slot(kind, _fit(rng, kind, cell)) for kind, cell in zip(kinds, cells, strict=True))
    return Layout(f"{skeleton}:{''.join(letters.get(i, '-') for i in range(len(leaves)))}", slots)


def _cut(rng: np.random.Generator, box: Cells, count: int, leaves: list[Cells]) -> str | None:
    """Cut a box into ``count`` leaves by straight cuts; returns the skeleton, or None where it does not fit."""
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    if width < 5 or height < 3:
        return None
    if count == 1:
        leaves.append(box)
        return "."
    first = int(rng.integers(1, count))
    vertical = bool(rng.random() < width / (width + 1.2 * height))
    side = width if vertical else height
    share = np.clip(first / count + rng.uniform(-0.15, 0.15), 0.2, 0.8)
    at = round(float(share) * (side - GUTTER))
    if vertical:
        halves = ((left, top, left + at, bottom), (left + at + GUTTER, top, right, bottom))
    else:
        halves = ((left, top, right, top + at), (left, top + at + GUTTER, right, bottom))
    parts = [_cut(rng, half, n, leaves) for half, n in zip(halves, (first, count - first), strict=True)]
    if parts[0] is None or parts[1] is None:
        return None
    return f"{'V' if vertical else 'H'}{at}({parts[0]}{parts[1]})"


def _kinds(rng: np.random.Generator, leaves: list[Cells]) -> list[str] | None:
    """A kind for every cell: one title in the widest of the upper cells, the others by chance as they fit."""
    kinds: list[str] = []
    title = min(
        range(len(leaves)), key=lambda i: (leaves[i][1] > GRID // 2, -(leaves[i][2] - leaves[i][0]), leaves[i][1])
    )
    for index, (left, top, right, bottom) in enumerate(leaves):
        fitting = [k for k, (w, h) in SMALLEST.items() if right - left >= w and bottom - top >= h]
        if index == title and len(leaves) > 1:
            if "title" not in fitting:
                return None
            kinds.append("title")
            continue
        others = [k for k in fitting if k != "title"] or fitting
        if not others:
            return None
        kinds.append(others[int(rng.integers(len(others)))])
    return kinds


def _fit(rng: np.random.Generator, kind: str, cell: Cells) -> Cells:
    """The element's own box in its cell: text hugs the top left; pictures and shapes fill, hug a side or float."""
    left, top, right, bottom = cell
    width, height = right - left, bottom - top
    least_w, least_h = SMALLEST[kind]
    w = _between(rng, max(least_w, round(0.7 * width)), min(width, 28))
    if kind == "title":
        h = min(height, max(least_h, min(6, round(w / 3.5))))  # one line of type: the height follows from the width
    elif kind == "body":
        h = _between(rng, max(least_h, round(0.5 * height)), min(height, 12))
    else:
        h = _between(rng, max(least_h, round(0.7 * height)), min(height, 26))
    if kind in ("title", "body"):
        return (left, top, left + w, top + h)
    dx = (0, width - w, (width - w) // 2)[int(rng.integers(3))]
    dy = (0, height - h, (height - h) // 2)[int(rng.integers(3))]
    return (left + dx, top + dy, left + dx + w, top + dy + h)


def _between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``, both included; ``high`` where nothing lies between."""
    return high if low >= high else int(rng.integers(low, high + 1))
