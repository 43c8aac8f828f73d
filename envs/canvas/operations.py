"""The operations of a call, as one parameter: what they may come to together, so that every step stays short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from designgym.parameters import Array, Path, Refused

MAX_HEIGHT_TOGETHER_PX = 500_000
"""More than a thousand as high as the page. Rasters go through arcs row by row, far beyond the page as well, and a
thousand pie slices of the largest ellipse there may be would take Pillow seconds."""
MAX_SIDES_TOGETHER = 100_000
"""Sides of the regular polygons of a call."""

_FEW = 100  # so many are within the limits, whatever they are


@dataclass(frozen=True)
class Operations(Array):
    """A list of operations (or one alone), of which the malformed ones are left out."""

    def check(self, value: Any, path: Path, skipped: list[str]) -> list[Any]:
        """As any list; too much together is past a limit, and nothing is drawn."""
        operations = super().check(value, path, skipped)
        if len(operations) > _FEW:
            height = sum(bottom - top for top, bottom in map(extent, operations))
            if height > MAX_HEIGHT_TOGETHER_PX:
                problem = f"are {height:,} px high together; at most {MAX_HEIGHT_TOGETHER_PX:,} px are drawn by a call."
                raise Refused(path, problem, "limit")
            sides = sum(operation.get("n_sides", 0) for operation in operations)
            if sides > MAX_SIDES_TOGETHER:
                problem = f"have {sides:,} sides together; at most {MAX_SIDES_TOGETHER:,} are drawn by a call."
                raise Refused(path, problem, "limit")
        return operations


def extent(operation: Mapping[str, Any]) -> tuple[int, int]:
    """Between which heights the geometry of a checked operation lies, px; of any drawing tool."""
    if "y1" in operation:
        low, high = operation["y1"], operation["y2"]
        return (low, high) if low <= high else (high, low)
    if "points" in operation:
        heights = [point[1] for point in operation["points"]]
        return min(heights), max(heights)
    radius = operation.get("radius", 0)
    return operation["y"] - radius, operation["y"] + radius
