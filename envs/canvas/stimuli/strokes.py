"""Strokes before they are placed: lines and cubic curves as plain data, and what stimulus programs make them of.

Coordinates are in units of the shape's own choice, y downwards, angles in degrees clockwise from three o'clock. Sine
and cosine may differ in their last bit from one machine to another; rounded to tenths of a px, the text of a program
does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]

Segment = tuple[Point] | tuple[Point, Point, Point]
"""What goes on from where the stroke is: the end of a line, or two control points and the end of a cubic curve."""


@dataclass(frozen=True)
class Stroke:
    """One subpath.

    Attributes:
        start: Where it begins.
        segments: Its lines and curves.
        closed: Whether a line leads back to the start.
    """

    start: Point
    segments: tuple[Segment, ...]
    closed: bool = False

    @property
    def end(self) -> Point:
        """Where its last segment ends."""
        return self.segments[-1][-1]


def line(*points: Point) -> Stroke:
    """Straight lines through two or more points."""
    return Stroke(points[0], tuple((point,) for point in points[1:]))


def polygon(*points: Point) -> Stroke:
    """Straight lines through points and back to the first."""
    return close(line(*points))


def curve(start: Point, *controls_and_ends: Point) -> Stroke:
    """Cubic curves; each takes two control points and an end."""
    rest = controls_and_ends
    return Stroke(start, tuple((rest[i], rest[i + 1], rest[i + 2]) for i in range(0, len(rest), 3)))


def arc(center: Point, radius: float, start_deg: float, extent_deg: float, radius_y: float | None = None) -> Stroke:
    """Part of a circle, or of an upright ellipse; a negative extent runs counter-clockwise.

    Each cubic spans at most 90 degrees, where it strays from the circle by less than 0.03 % of the radius.
    """
    (cx, cy), rx, ry = center, radius, radius if radius_y is None else radius_y
    count = max(1, math.ceil(abs(extent_deg) / 90 - 1e-9))
    step = math.radians(extent_deg) / count
    reach = 4 / 3 * math.tan(step / 4)
    points: list[Point] = []
    for index in range(count):
        a = math.radians(start_deg) + index * step
        b = a + step
        points += [
            (cx + rx * (math.cos(a) - reach * math.sin(a)), cy + ry * (math.sin(a) + reach * math.cos(a))),
            (cx + rx * (math.cos(b) + reach * math.sin(b)), cy + ry * (math.sin(b) - reach * math.cos(b))),
            (cx + rx * math.cos(b), cy + ry * math.sin(b)),
        ]
    first = math.radians(start_deg)
    return curve((cx + rx * math.cos(first), cy + ry * math.sin(first)), *points)


def circle(center: Point, radius: float, radius_y: float | None = None) -> Stroke:
    """A whole circle or upright ellipse."""
    return close(arc(center, radius, 0, 360, radius_y))


def chain(*strokes: Stroke) -> Stroke:
    """One stroke out of several, with lines where one does not begin where the last ended."""
    segments: list[Segment] = list(strokes[0].segments)
    for before, stroke in pairwise(strokes):
        if math.dist(before.end, stroke.start) > 1e-6:
            segments.append((stroke.start,))
        segments += stroke.segments
    return Stroke(strokes[0].start, tuple(segments))


def close(stroke: Stroke) -> Stroke:
    """The same stroke, led back to its start."""
    return Stroke(stroke.start, stroke.segments, closed=True)


def backwards(stroke: Stroke) -> Stroke:
    """The same stroke from its end to its start."""
    points = [point for segment in stroke.segments for point in segment]
    ends = [stroke.start, *(segment[-1] for segment in stroke.segments[:-1])]
    segments: list[Segment] = []
    for segment, before in zip(reversed(stroke.segments), reversed(ends), strict=True):
        segments.append((before,) if len(segment) == 1 else (segment[1], segment[0], before))
    return Stroke(points[-1], tuple(segments), stroke.closed)


def flipped(stroke: Stroke) -> Stroke:
    """Mirrored in the axis x = 0."""
    return affine(stroke, (-1, 0, 0, 1, 0, 0))


def both_sides(half: Stroke) -> Stroke:
    """A stroke that is symmetrical about x = 0, from its right half, top to bottom; open at the top."""
    return chain(half, backwards(flipped(half)))


def mirrored(half: Stroke) -> Stroke:
    """The same as a closed outline."""
    return close(both_sides(half))


def smooth(*points: Point) -> Stroke:
    """A smooth curve through points (Catmull and Rom)."""
    padded = [points[0], *points, points[-1]]
    controls: list[Point] = []
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        controls += [(bx + (cx - ax) / 6, by + (cy - ay) / 6), (cx - (dx - bx) / 6, cy - (dy - by) / 6), (cx, cy)]
    return curve(points[0], *controls)


def rounded(points: Sequence[Point], radius: float) -> Stroke:
    """Lines through points whose corners are rounded from ``radius`` before each to ``radius`` after it."""
    parts: list[Stroke] = []
    at = points[0]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter, leave = _towards(corner, before, radius), _towards(corner, after, radius)
        pull = 0.5523  # a quarter of a circle, for right angles
        inner = [_towards(enter, corner, pull * radius), _towards(leave, corner, pull * radius)]
        parts += [line(at, enter), curve(enter, *inner, leave)]
        at = leave
    return chain(*parts, line(at, points[-1]))


def affine(stroke: Stroke, matrix: tuple[float, float, float, float, float, float]) -> Stroke:
    """The stroke through x' = a x + c y + e, y' = b x + d y + f, for a matrix (a, b, c, d, e, f) in SVG's order."""
    a, b, c, d, e, f = matrix
    return _mapped(stroke, lambda x, y: (a * x + c * y + e, b * x + d * y + f))


def turned(stroke: Stroke, degrees: float) -> Stroke:
    """Turned clockwise about the origin."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return affine(stroke, (cos, sin, -sin, cos, 0, 0))


def in_tenths(strokes: Sequence[Stroke]) -> tuple[Stroke, ...]:
    """With coordinates rounded to tenths."""
    return tuple(_mapped(stroke, lambda x, y: (_tenths(x), _tenths(y))) for stroke in strokes)


def box(strokes: Sequence[Stroke]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all points and control points; the strokes lie within."""
    points = [stroke.start for stroke in strokes]
    points += [point for stroke in strokes for segment in stroke.segments for point in segment]
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def path_data(stroke: Stroke) -> str:
    """SVG path data with coordinates in tenths."""
    parts = ["M", *_numbers((stroke.start,))]
    for segment in stroke.segments:
        parts += ["L" if len(segment) == 1 else "C", *_numbers(segment)]
    return " ".join([*parts, "Z"] if stroke.closed else parts)


def _numbers(points: Sequence[Point]) -> list[str]:
    return [f"{_tenths(value):g}" for point in points for value in point]


def _tenths(value: float) -> float:
    return round(value * 10) / 10


def _mapped(stroke: Stroke, move: Callable[[float, float], Point]) -> Stroke:
    segments: list[Segment] = []
    for segment in stroke.segments:
        if len(segment) == 1:
            segments.append((move(*segment[0]),))
        else:
            segments.append((move(*segment[0]), move(*segment[1]), move(*segment[2])))
    return Stroke(move(*stroke.start), tuple(segments), stroke.closed)


def _towards(start: Point, goal: Point, distance: float) -> Point:
    share = distance / math.dist(start, goal)
    return start[0] + share * (goal[0] - start[0]), start[1] + share * (goal[1] - start[1])
