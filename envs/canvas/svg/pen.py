"""A pen that draws lines and curves through a transformation and leaves flattened outlines on the canvas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from designgym.envs.canvas.svg.clip import Point, clip
from designgym.envs.canvas.svg.curves import Arc, arc_between, cubic, elliptic, flatten, quadratic
from designgym.envs.canvas.svg.numbers import bounded
from designgym.envs.canvas.svg.transform import IDENTITY, Matrix, apply

MAX_POINTS = 20_000
"""Points, moves and closings that a pen draws before it gives up, points beyond the page included."""
MAX_SUBPATH_POINTS = 2_000
"""A longer outline is handed over in pieces that overlap by one line, so that it looks as if it were whole."""

_SAME_PX = 1e-6  # points nearer than this to the one before are left out


class TooManyPoints(ValueError):
    """A drawing with more points than a pen may draw; the message says how many it may."""


@dataclass(frozen=True)
class Subpath:
    """One outline, flattened.

    Attributes:
        points: At least two, canvas px, all within 2,000 px beyond the page. Two equal ones are a dot.
        closed: Whether a line from the last point back to the first belongs to it; then there are at least three.
    """

    points: tuple[Point, ...]
    closed: bool


class Pen:
    """Collects subpaths; all coordinates it takes are those before the transformation.

    Whatever it is told, points are finite and within reach of the canvas: lines are cut off 2,000 px beyond the page.

    Args:
        matrix: From the coordinates that it takes to canvas px.
        max_points: How many points it may draw.
    """

    def __init__(self, matrix: Matrix = IDENTITY, max_points: int = MAX_POINTS) -> None:
        self.matrix = matrix
        self.max_points = self.points_left = max_points
        self.x = self.y = 0.0
        self.has_drawn = False
        self._start = (0.0, 0.0)
        self._points: list[Point] = []
        self._segments = 0
        self._moved = False
        self._subpaths: list[Subpath] = []

    def move_to(self, x: float, y: float) -> None:
        """Start a new subpath. Alone it draws nothing."""
        self._spend()
        self._finish(closed=False)
        self.x, self.y = self._start = bounded(x), bounded(y)
        self._moved = True

    def line_to(self, x: float, y: float) -> None:
        """A straight line; one without length is a dot."""
        self._begin()
        self._arrive(x, y)

    def quadratic_to(self, x1: float, y1: float, x: float, y: float) -> None:
        """A quadratic Bézier curve with one control point."""
        start = self._begin()
        self._curve(*quadratic(start, self._seen(x1, y1), self._seen(x, y)))
        self._arrive(x, y)

    def cubic_to(self, x1: float, y1: float, x2: float, y2: float, x: float, y: float) -> None:
        """A cubic Bézier curve with two control points."""
        start = self._begin()
        self._curve(*cubic(start, self._seen(x1, y1), self._seen(x2, y2), self._seen(x, y)))
        self._arrive(x, y)

    def arc_to(
        self, rx: float, ry: float, rotation_deg: float, large: bool, clockwise: bool, x: float, y: float
    ) -> None:
        """Part of an ellipse, with SVG's parameters and its rules for radii that are 0 or too small."""
        self._begin()
        rx, ry, x, y = bounded(rx), bounded(ry), bounded(x), bounded(y)
        arc = arc_between((self.x, self.y), (x, y), rx, ry, rotation_deg, large, clockwise)
        if arc is not None:
            self._curve(*elliptic(arc.transformed(self.matrix)))
        self._arrive(x, y)

    def ellipse(self, cx: float, cy: float, rx: float, ry: float) -> None:
        """A whole ellipse, clockwise from three o'clock."""
        cx, cy, rx, ry = bounded(cx), bounded(cy), bounded(rx), bounded(ry)
        self.move_to(cx + rx, cy)
        self._begin()
        self._curve(*elliptic(Arc((cx, cy), (rx, 0.0), (0.0, ry)).transformed(self.matrix)))
        self.close()

    def close(self) -> None:
        """A line back to the start of the subpath; directly after a move it is a dot."""
        self._spend()
        if self._moved and not self._segments:
            self.line_to(*self._start)
        self._finish(closed=True)
        self.x, self.y = self._start
        self._moved = False

    def subpaths(self) -> tuple[Subpath, ...]:
        """What was drawn so far. A subpath under way ends here."""
        self._finish(closed=False)
        return tuple(self._subpaths)

    def _seen(self, x: float, y: float) -> Point:
        return apply(self.matrix, bounded(x), bounded(y))

    def _begin(self) -> Point:
        """Where the next segment starts, canvas px."""
        if not self._points:
            self._add(self._seen(self.x, self.y))
        self._segments += 1
        self.has_drawn = True
        return self._points[-1]

    def _curve(self, point: Callable[[float], Point], bend: float) -> None:
        """All points but the last, which the caller knows exactly."""
        for position in flatten(point, bend):
            self._add(position)

    def _arrive(self, x: float, y: float) -> None:
        self.x, self.y = bounded(x), bounded(y)
        self._add(self._seen(self.x, self.y))

    def _spend(self) -> None:
        if self.points_left <= 0:
            raise TooManyPoints(f"more than {self.max_points:,} points, those that curves are made of included")
        self.points_left -= 1

    def _add(self, point: Point) -> None:
        self._spend()
        if not self._points or not _same(point, self._points[-1]):
            self._points.append(point)

    def _finish(self, closed: bool) -> None:
        points, drawn = self._points, self._segments > 0
        self._points, self._segments = [], 0
        if not drawn:
            return
        if closed and len(points) > 1 and _same(points[0], points[-1]):
            points.pop()
        if len(points) == 1:
            points.append(points[0])
        for run, run_closed in clip(points, closed and len(points) > 2):
            self._hand_over(run, run_closed)

    def _hand_over(self, points: list[Point], closed: bool) -> None:
        if len(points) <= MAX_SUBPATH_POINTS:
            self._subpaths.append(Subpath(tuple(points), closed))
            return
        if closed:
            points = [*points, *points[:2]]
        for first in range(0, len(points) - 2, MAX_SUBPATH_POINTS - 2):
            self._subpaths.append(Subpath(tuple(points[first : first + MAX_SUBPATH_POINTS]), False))


def _same(a: Point, b: Point) -> bool:
    return abs(a[0] - b[0]) <= _SAME_PX and abs(a[1] - b[1]) <= _SAME_PX
