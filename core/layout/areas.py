"""Rectangles of a page in px, and how they are cut into smaller ones."""

from __future__ import annotations

from typing import NamedTuple


class Area(NamedTuple):
    """A rectangle: left, top, width, height, page px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    @property
    def center(self) -> tuple[float, float]:
        """The point in the middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def inset(self, dx: float, dy: float | None = None) -> Area:
        """The area without a border of ``dx`` left and right and ``dy`` above and below (``dx`` if None)."""
        dy = dx if dy is None else dy
        return Area(self.x + dx, self.y + dy, self.width - 2 * dx, self.height - 2 * dy)

    def top_part(self, height: float) -> Area:
        """The upper ``height`` px."""
        return Area(self.x, self.y, self.width, height)

    def bottom_part(self, height: float) -> Area:
        """The lower ``height`` px."""
        return Area(self.x, self.bottom - height, self.width, height)

    def left_part(self, width: float) -> Area:
        """The left ``width`` px."""
        return Area(self.x, self.y, width, self.height)

    def right_part(self, width: float) -> Area:
        """The right ``width`` px."""
        return Area(self.right - width, self.y, width, self.height)

    def middle(self, width: float, height: float) -> Area:
        """An area of this size about the same centre."""
        return Area(self.x + (self.width - width) / 2, self.y + (self.height - height) / 2, width, height)

    def fitted(self, aspect: float, longest: float = 1e9) -> Area:
        """The largest area of an aspect (width over height) about the centre; its longer side at most ``longest``."""
        width = min(self.width, self.height * aspect, longest * min(1.0, aspect))
        return self.middle(width, width / aspect)

    def grid(self, columns: int, rows: int, gap: float) -> list[Area]:
        """Equal cells, row by row, ``gap`` px apart."""
        width, height = (self.width - gap * (columns - 1)) / columns, (self.height - gap * (rows - 1)) / rows
        return [
            Area(self.x + c * (width + gap), self.y + r * (height + gap), width, height)
            for r in range(rows)
            for c in range(columns)
        ]

    def rounded(self) -> Area:
        """The area with whole px."""
        return Area(*(float(round(value)) for value in self))
