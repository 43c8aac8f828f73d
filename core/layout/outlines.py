"""Outlines as points in fractions of a box: arches, bursts, blobs, quarters, and grounds with a wavy edge."""

from __future__ import annotations

import math
from functools import lru_cache

Points = tuple[tuple[float, float], ...]

EDGES = ("straight", "wave", "slant", "arc", "zigzag")
"""How the edge between two grounds runs."""


@lru_cache(maxsize=64)
def arch(aspect: float) -> Points:
    """A doorway: a half circle on a rectangle; ``aspect`` is width over height, below 2."""
    rise = min(1.0, aspect / 2)
    curve = [(0.5 + 0.5 * math.cos(t), rise - rise * math.sin(t)) for t in _angles(math.pi, 0.0, 33)]
    return (*_round(curve), (1.0, 1.0), (0.0, 1.0))


@lru_cache(maxsize=64)
def burst(tips: int, depth: float) -> Points:
    """A star of many tips; ``depth`` is how far the notches reach in, as a share of the radius."""
    points = []
    for index in range(2 * tips):
        radius = 0.5 if index % 2 == 0 else 0.5 * (1 - depth)
        angle = math.pi * index / tips
        points.append((0.5 + radius * math.sin(angle), 0.5 - radius * math.cos(angle)))
    return _round(points)


@lru_cache(maxsize=64)
def blob(variant: int) -> Points:
    """A soft, uneven round shape that keeps within its box."""
    phases = (0.9 * variant, 2.1 * variant + 1.0)
    points = []
    for angle in _angles(0.0, 2 * math.pi, 73)[:-1]:
        radius = 0.45 + 0.03 * math.sin(2 * angle + phases[0]) + 0.02 * math.sin(3 * angle + phases[1])
        points.append((0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)))
    return _round(points)


@lru_cache(maxsize=8)
def quarter(corner: int) -> Points:
    """A quarter disc about a corner of the box: 0 top left, 1 top right, 2 bottom right, 3 bottom left."""
    cx, cy = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))[corner]
    start = corner * math.pi / 2
    return _round([(cx, cy), *((cx + math.cos(t), cy + math.sin(t)) for t in _angles(start, start + math.pi / 2, 33))])


@lru_cache(maxsize=8)
def rays(count: int) -> Points:
    """A sunburst: wedges from the centre of the box to a circle around it, as one outline."""
    points: list[tuple[float, float]] = []
    for index in range(count):
        for turn in (0.0, 0.5):
            angle = 2 * math.pi * (index + turn) / count
            points.append((0.5 + 0.5 * math.cos(angle), 0.5 + 0.5 * math.sin(angle)))
        points.append((0.5, 0.5))
    return _round(points)


@lru_cache(maxsize=256)
def edged(edge: str, side: str, amount: float) -> Points:
    """A rectangle of which one side is wavy, slanted, bowed or a zigzag.

    Args:
        edge: One of :data:`EDGES`.
        side: The side with the edge: ``"top"``, ``"bottom"``, ``"left"`` or ``"right"``.
        amount: How far the edge moves into the box, as a share of it.
    """
    steps = 49
    line: list[tuple[float, float]] = []  # along the side, then how far from it, both 0 to 1
    for index in range(steps):
        t = index / (steps - 1)
        if edge == "wave":
            depth = 0.5 + 0.5 * math.sin(2 * math.pi * t * 1.5)
        elif edge == "slant":
            depth = t
        elif edge == "arc":
            depth = 1 - math.sin(math.pi * t)
        elif edge == "zigzag":
            depth = abs((t * 8) % 2 - 1)
        else:
            depth = 0.0
        line.append((t, depth * amount))
    if edge in ("straight", "slant"):
        line = [line[0], line[-1]]
    turned = {
        "top": [*((t, d) for t, d in line), (1.0, 1.0), (0.0, 1.0)],
        "bottom": [*((t, 1 - d) for t, d in line), (1.0, 0.0), (0.0, 0.0)],
        "left": [*((d, t) for t, d in line), (1.0, 1.0), (1.0, 0.0)],
        "right": [*((1 - d, t) for t, d in line), (0.0, 1.0), (0.0, 0.0)],
    }[side]
    return _round(turned)


def _angles(start: float, end: float, count: int) -> list[float]:
    return [start + (end - start) * index / (count - 1) for index in range(count)]


def _round(points: list[tuple[float, float]]) -> Points:
    return tuple((round(min(max(x, 0.0), 1.0), 5), round(min(max(y, 0.0), 1.0), 5)) for x, y in points)
