"""Pictures in cells: which pixel lies in which cell, how far from its edge, and the mean colour of each cell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.filters.declare import Pixels
from designgym.graphics.filters.noise import Plane, hashed

_HEX = math.sqrt(3) / 2
_UNITS = 1024  # of a cell's width: places are whole numbers of them, so that distances are exact
_JITTER = 0.28  # how far a seed may lie from its hexagon's centre, in cell widths; more would need more neighbours
_PACK = 16  # a neighbour's number, 0 to 8, rides in the low digits of its squared distance

_Whole = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of a picture of H x W pixels."""

    number: NDArray[np.int32]
    """Of each pixel's cell: int32 (H, W), from 0 to ``count`` - 1."""
    edge_px: Plane
    """About how far each pixel is from the edge of its cell: float32 (H, W), 0 or more."""
    count: int


def crooked_cells(shape: tuple[int, int], cell_px: float, seed: int) -> Cells:
    """Cells like the panes of a leaded window: hexagons about so wide, their centres moved at random.

    A pixel is in the cell of the nearest of the nine centres around it.
    """
    cell = max(1.0, cell_px)
    rows, columns = math.ceil(shape[0] / (cell * _HEX)) + 3, math.ceil(shape[1] / cell) + 4
    centre_x, centre_y = _centres(rows, columns, seed)
    x, y = (((np.arange(side) + 0.5) * (_UNITS / cell)).astype(np.int32) for side in (shape[1], shape[0]))
    row = (y / (_UNITS * _HEX)).astype(np.int32) + 1
    nearest = np.full(shape, np.iinfo(np.int32).max, np.int32)
    second = nearest.copy()
    for number in range(9):
        near_row = row + (number // 3 - 1)
        for odd in (0, 1):  # every other row is moved by half a cell
            those = near_row & 1 == odd
            column = (x - odd * (_UNITS // 2)) // _UNITS + number % 3
            across = centre_x[:, column][near_row[those]] - x
            along = centre_y[:, column][near_row[those]] - y[those, None]
            key = (across * across + along * along) * _PACK + number
            second[those] = np.minimum(second[those], np.maximum(nearest[those], key))
            nearest[those] = np.minimum(nearest[those], key)
    place, other = (_place(key, row, x, columns) for key in (nearest, second))
    between = _distance(centre_x, centre_y, place, other)
    edge = ((second // _PACK) - (nearest // _PACK)).astype(np.float32) / (2 * between)
    return Cells(place, edge * np.float32(cell / _UNITS), rows * columns)


def _centres(rows: int, columns: int, seed: int) -> tuple[_Whole, _Whole]:
    """Places of the cells' centres, right and down, int32 (rows, columns); the first row and column lie outside."""
    row, column = np.arange(rows, dtype=np.int64)[:, None], np.arange(columns, dtype=np.int64)[None]
    moved = [(hashed(row, column, seed + n) - 32768) * (_JITTER * _UNITS / 32768) for n in (0, 1)]
    x = (column - 1 + 0.5 + 0.5 * (row & 1)) * _UNITS + moved[0]
    y = (row - 1 + 0.5) * (_UNITS * _HEX) + moved[1]
    return x.astype(np.int32), y.astype(np.int32)


def _place(key: _Whole, row: _Whole, x: _Whole, columns: int) -> _Whole:
    """Which centre a packed neighbour is: its row times the columns plus its column."""
    number = key & (_PACK - 1)
    near_row = row[:, None] + number // 3 - 1
    column = (x - (near_row & 1) * (_UNITS // 2)) // _UNITS + number % 3
    return near_row * columns + column


def _distance(centre_x: _Whole, centre_y: _Whole, place: _Whole, other: _Whole) -> Plane:
    across, along = (each.reshape(-1)[place] - each.reshape(-1)[other] for each in (centre_x, centre_y))
    squared = (across * across + along * along).astype(np.float32)
    return np.sqrt(np.maximum(squared, np.float32(1)))  # IEEE: the square root is exact to the last bit


def mean_colors(premultiplied_rgba: Pixels, cells: Cells) -> NDArray[np.uint8]:
    """Mean colour of what can be seen in each cell, not premultiplied: uint8 (count, 3); black where nothing is."""
    number = cells.number.reshape(-1)
    sums = [
        np.bincount(number, premultiplied_rgba[..., channel].reshape(-1), cells.count).astype(np.int64)
        for channel in range(4)
    ]
    weight = np.maximum(sums[3], 1)
    return np.stack([np.minimum(255, (255 * part + weight // 2) // weight) for part in sums[:3]], axis=1).astype(
        np.uint8
    )
