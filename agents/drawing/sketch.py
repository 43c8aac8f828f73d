"""A sketch: a line drawing as plain data, made over a *seed*, the strokes in whose place a starting shape comes.

Coordinates are px of the 400 x 400 canvas, y downwards. The seed is part of what the sketch shows and is not drawn: the
starting shape stands there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.stimuli.strokes import path_data
from designgym.envs.canvas.stimuli.strokes import smooth as smooth_stroke
from designgym.envs.canvas.svg.path import Subpath, read_path

Points = npt.NDArray[np.float64]
"""n x 2: x and y, px."""


@dataclass(frozen=True)
class Path:
    """Strokes as SVG path data."""

    data: str

    @property
    def subpaths(self) -> tuple[Subpath, ...]:
        """The strokes, flattened."""
        return _subpaths(self.data)


@dataclass(frozen=True)
class Oval:
    """The outline of an upright ellipse."""

    x: float
    y: float
    rx: float
    ry: float


@dataclass(frozen=True)
class Dot:
    """A dot as wide as a stroke."""

    x: float
    y: float


Part = Path | Oval | Dot


@dataclass(frozen=True)
class Sketch:
    """A drawing that something is missing of.

    Attributes:
        title: What it shows, such as ``"A snail"``.
        seed: The strokes that are missing, as SVG path data.
        parts: The rest.
        object: Name of the object that the seed shows, such as ``"glasses"``; empty for a mere fragment.
        most_turn_deg: How far it may be turned; what swims or flies has less of an up and a down than a house.
    """

    title: str
    seed: tuple[str, ...]
    parts: tuple[Part, ...]
    object: str = ""
    most_turn_deg: float = 25.0


def path(data: str) -> Path:
    """Strokes as SVG path data."""
    return Path(data)


def smooth(points: str) -> Path:
    """A smooth stroke through points: ``smooth("10,20 40,25 60,80")``."""
    pairs = (pair.split(",") for pair in points.split())
    return Path(path_data(smooth_stroke(*((float(x), float(y)) for x, y in pairs))))


def oval(x: float, y: float, rx: float, ry: float | None = None) -> Oval:
    """A circle, or with a second radius an ellipse, around a point."""
    return Oval(x, y, rx, rx if ry is None else ry)


def dot(x: float, y: float) -> Dot:
    """A dot."""
    return Dot(x, y)


@lru_cache(maxsize=4096)
def _subpaths(data: str) -> tuple[Subpath, ...]:
    read = read_path(data)
    if read.problem:
        raise ValueError(f"The path {data!r} of a sketch cannot be read: {read.problem}.")
    return read.subpaths
