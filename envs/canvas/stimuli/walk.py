"""A stroke as one would walk it: so far ahead, then bend, then turn on the spot."""

from __future__ import annotations

import math

from designgym.envs.canvas.stimuli.strokes import Point, Segment, Stroke, arc


class Walk:
    """Collects a stroke from moves; each returns the walk itself.

    Args:
        at: Where it starts.
        heading_deg: Where it looks, degrees clockwise from three o'clock.
    """

    def __init__(self, at: Point = (0.0, 0.0), heading_deg: float = 0.0) -> None:
        self.at = at
        self.heading_deg = heading_deg
        self._start = at
        self._segments: list[Segment] = []

    @property
    def stroke(self) -> Stroke:
        """The way so far."""
        return Stroke(self._start, tuple(self._segments))

    def turn(self, degrees: float) -> Walk:
        """Look elsewhere, clockwise; makes a corner."""
        self.heading_deg += degrees
        return self

    def forward(self, length: float) -> Walk:
        """A straight line."""
        heading = math.radians(self.heading_deg)
        self.at = (self.at[0] + length * math.cos(heading), self.at[1] + length * math.sin(heading))
        self._segments.append((self.at,))
        return self

    def bend(self, radius: float, degrees: float) -> Walk:
        """Part of a circle that goes on in the direction of the walk, clockwise if ``degrees`` is positive."""
        side = 1 if degrees >= 0 else -1
        towards = math.radians(self.heading_deg + side * 90)
        center = (self.at[0] + radius * math.cos(towards), self.at[1] + radius * math.sin(towards))
        part = arc(center, radius, self.heading_deg - side * 90, degrees)
        self._segments += part.segments
        self.at = part.end
        self.heading_deg += degrees
        return self
