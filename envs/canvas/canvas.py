"""The canvas: a grey array that a raster draws into, the stimulus as a layer of its own, and what undo goes back to."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.raster import PAPER, Canvas8, Renderer, make_raster
from designgym.envs.canvas.reach import rows_of_operations, rows_of_paths
from designgym.envs.canvas.svg.path import Subpath
from designgym.envs.canvas.tools import SIDE_PX


class Canvas:
    """A drawing under way.

    The stimulus is joined when the canvas is read, so no call can harm a pixel of it. Before each call that draws, the
    rows that it can reach are kept at a bit a pixel (20 kB at most), so undo costs the same at any depth.

    Args:
        renderer: Which library draws.
        stimulus: uint8 400 x 400, 0 ink and 255 paper, not written to; None for a blank canvas.
        array: Where to draw: uint8 400 x 400, C-contiguous, filled with paper here; by default an array of its own.
    """

    def __init__(self, renderer: Renderer, stimulus: Canvas8 | None = None, array: Canvas8 | None = None) -> None:
        self.renderer: Renderer = renderer
        self.stimulus = stimulus
        self.array = np.empty((SIDE_PX, SIDE_PX), np.uint8) if array is None else array
        self.array.fill(PAPER)
        self._before: list[tuple[int, npt.NDArray[np.uint8]]] = []  # the first of some rows, and their bits
        self._raster = make_raster(renderer, self.array)

    @property
    def depth(self) -> int:
        """How many calls can be undone."""
        return len(self._before)

    @property
    def raster_id(self) -> str:
        """Library and version that draw."""
        return self._raster.id

    def draw(self, tool: str, operations: Sequence[Mapping[str, Any]], erase: bool) -> None:
        """Carry out one call of a drawing tool with checked operations."""
        self._keep(rows_of_operations(operations))
        self._raster.draw(tool, operations, erase)

    def draw_paths(self, subpaths: Sequence[Subpath], erase: bool) -> None:
        """Stroke paths, as one call."""
        self._keep(rows_of_paths(subpaths))
        self._raster.draw_paths(subpaths, erase)

    def undo(self) -> bool:
        """Go back to before the last call that drew; False if there is none."""
        if not self._before:
            return False
        top, bits = self._before.pop()
        rows = np.unpackbits(bits).reshape(-1, SIDE_PX)
        np.negative(rows, out=self.array[top : top + len(rows)])  # -1 is 255 in uint8
        return True

    def _keep(self, rows: tuple[int, int]) -> None:
        top, bottom = rows
        self._before.append((top, np.packbits(self.array[top:bottom])))

    def move(self, array: Canvas8) -> None:
        """Go on in another array (as in the constructor), with all that has been drawn."""
        array[...] = self.array
        self.array = array
        self._raster = make_raster(self.renderer, array)

    def read(self) -> npt.NDArray[np.uint8]:
        """What is to be seen: uint8 400 x 400, a new array."""
        return self.array.copy() if self.stimulus is None else np.minimum(self.array, self.stimulus)

    def added_px(self) -> int:
        """How many inked pixels there are beside the stimulus's."""
        ink = self.array != PAPER
        return int(np.count_nonzero(ink if self.stimulus is None else ink & (self.stimulus == PAPER)))

    def __getstate__(self) -> dict[str, Any]:
        # A raster holds pointers into the array and cannot be copied; it is made again.
        return {
            "renderer": self.renderer,
            "stimulus": self.stimulus,
            "array": self.array.copy(),
            "before": list(self._before),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.renderer, self.stimulus, self.array = state["renderer"], state["stimulus"], state["array"]
        self._before = state["before"]
        self._raster = make_raster(self.renderer, self.array)

    def __deepcopy__(self, memo: dict[int, Any]) -> Canvas:
        # Stimulus and kept states are never written to, so copies of a canvas share them.
        twin = copy.copy(self)
        memo[id(self)] = twin
        return twin
