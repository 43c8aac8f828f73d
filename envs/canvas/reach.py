"""Which rows of the canvas a call can change at most, so that undo need not keep the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from designgym.envs.canvas.operations import extent
from designgym.envs.canvas.svg.path import Subpath
from designgym.envs.canvas.tools import SIDE_PX, STROKE_PX

_SPARE_PX = 2 * STROKE_PX  # rasters draw up to a stroke beyond the geometry, where a rectangle has no height


def rows_of_operations(operations: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """The rows from the first up to, without, the second, for checked operations of any drawing tool."""
    top, bottom = SIDE_PX, 0
    for operation in operations:
        low, high = extent(operation)
        if low < top:
            top = low
        if high > bottom:
            bottom = high
    return _spared(top, bottom)


def rows_of_paths(subpaths: Sequence[Subpath]) -> tuple[int, int]:
    """The same for strokes along paths."""
    heights = [point[1] for subpath in subpaths for point in subpath.points]
    return _spared(int(min(heights, default=SIDE_PX)), int(max(heights, default=0)) + 1)


def _spared(top: int, bottom: int) -> tuple[int, int]:
    top, bottom = max(0, top - _SPARE_PX), min(SIDE_PX, bottom + _SPARE_PX + 1)
    return (top, bottom) if top < bottom else (0, 0)
