"""Curves as functions of a parameter from 0 to 1, and how many of their points make a line that passes for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from designgym.envs.canvas.svg.clip import Point, out_of_reach
from designgym.envs.canvas.svg.transform import Matrix, apply

TOLERANCE_PX = 0.1
"""No chord strays farther from its curve within reach of the canvas."""

_LONGEST_RUN = 128  # chords that are laid without looking whether they are near the canvas
_SHORTEST_RUN = 2.0**-24
_NOTHING = 1e-9  # a radius, or a chord for its radius, that counts as zero

Curve = tuple[Callable[[float], Point], float]
"""A function from 0..1 to px, and a bound on the length of its second derivative: by it chords are kept short."""


def quadratic(start: Point, control: Point, end: Point) -> Curve:
    """A quadratic Bézier curve."""
    ax, bx = start[0] - 2 * control[0] + end[0], 2 * (control[0] - start[0])
    ay, by = start[1] - 2 * control[1] + end[1], 2 * (control[1] - start[1])

    def point(t: float) -> Point:
        return (ax * t + bx) * t + start[0], (ay * t + by) * t + start[1]

    return point, 2 * math.hypot(ax, ay)


def cubic(start: Point, first: Point, second: Point, end: Point) -> Curve:
    """A cubic Bézier curve."""
    # Its second derivative runs straight from 6 times the one second difference to 6 times the other.
    ux, uy = start[0] - 2 * first[0] + second[0], start[1] - 2 * first[1] + second[1]
    vx, vy = first[0] - 2 * second[0] + end[0], first[1] - 2 * second[1] + end[1]
    ax, bx, cx = vx - ux, 3 * ux, 3 * (first[0] - start[0])
    ay, by, cy = vy - uy, 3 * uy, 3 * (first[1] - start[1])

    def point(t: float) -> Point:
        return ((ax * t + bx) * t + cx) * t + start[0], ((ay * t + by) * t + cy) * t + start[1]

    return point, 6 * max(math.hypot(ux, uy), math.hypot(vx, vy))


class Arc(NamedTuple):
    """Part of an ellipse: ``centre + cos(angle) * u + sin(angle) * v`` for angles from ``first`` on (radians).

    A linear map of an ellipse in this form is the ellipse of the mapped vectors, whatever the map.
    """

    centre: Point
    u: Point
    v: Point
    first: float = 0.0
    sweep: float = 2 * math.pi

    def transformed(self, matrix: Matrix) -> Arc:
        """The arc through a transformation."""
        linear = (*matrix[:4], 0.0, 0.0)
        return self._replace(centre=apply(matrix, *self.centre), u=apply(linear, *self.u), v=apply(linear, *self.v))


def elliptic(arc: Arc) -> Curve:
    """The curve of an arc."""
    (cx, cy), (ux, uy), (vx, vy), first, sweep = arc

    def point(t: float) -> Point:
        cos, sin = math.cos(first + t * sweep), math.sin(first + t * sweep)
        return cx + cos * ux + sin * vx, cy + cos * uy + sin * vy

    # The longer semi-axis is the larger singular value of [u v].
    mean = (ux * ux + uy * uy + vx * vx + vy * vy) / 2
    spread = math.hypot((ux * ux + uy * uy - vx * vx - vy * vy) / 2, ux * vx + uy * vy)
    return point, sweep * sweep * math.sqrt(mean + spread)


def arc_between(
    start: Point, end: Point, rx: float, ry: float, rotation_deg: float, large: bool, clockwise: bool
) -> Arc | None:
    """The arc of an SVG path (SVG 2, appendix B.2); None where SVG draws a straight line instead.

    Radii that are too small to reach the end are scaled up until they do; a negative radius counts as positive.
    """
    rx, ry = abs(rx), abs(ry)
    if min(rx, ry) < _NOTHING:
        return None
    cos, sin = math.cos(math.radians(rotation_deg % 360)), math.sin(math.radians(rotation_deg % 360))
    half_x, half_y = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    # Half the chord in the frame in which the ellipse is the unit circle, and the centre seen from its middle.
    x, y = (cos * half_x + sin * half_y) / rx, (cos * half_y - sin * half_x) / ry
    reach = math.hypot(x, y)
    if reach < _NOTHING:
        return None
    if reach > 1:
        rx, ry, x, y = rx * reach, ry * reach, x / reach, y / reach
    away = math.sqrt(max(0.0, 1 - min(reach, 1.0) ** 2)) / min(reach, 1.0) * (1 if large != clockwise else -1)
    cx, cy = away * y, -away * x
    u, v = (rx * cos, rx * sin), (-ry * sin, ry * cos)
    centre = (
        (start[0] + end[0]) / 2 + cx * u[0] + cy * v[0],
        (start[1] + end[1]) / 2 + cx * u[1] + cy * v[1],
    )
    first, last = math.atan2(y - cy, x - cx), math.atan2(-y - cy, -x - cx)
    sweep = (last - first) % (2 * math.pi) if clockwise else -((first - last) % (2 * math.pi))
    return Arc(centre, u, v, first, sweep)


def flatten(point: Callable[[float], Point], bend: float) -> Iterator[Point]:
    """Points along a curve, without its two ends, so that each chord is within :data:`TOLERANCE_PX` of the curve.

    A chord over a step h strays at most bend * h * h / 8. Of a huge curve only what is near the canvas is that fine.
    """
    chords = math.sqrt(bend / (8 * TOLERANCE_PX))
    runs = [(0.0, 1.0, point(0.0), point(1.0))]
    while runs:
        begin, end, first, last = runs.pop()
        step = end - begin
        count = math.ceil(step * chords)
        if count <= _LONGEST_RUN or step <= _SHORTEST_RUN:
            count = min(count, _LONGEST_RUN)
            for index in range(1, count):
                yield point(begin + step * index / count)
        elif not out_of_reach(first, last, bend * step * step / 8):
            middle = (begin + end) / 2
            there = point(middle)
            runs += [(middle, end, there, last), (begin, middle, first, there)]
            continue
        if end < 1.0:
            yield last
