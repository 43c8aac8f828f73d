"""Drawings for tests of rewards: a starting shape and what was drawn on it, as an episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageDraw

from designgym.episode import Episode

Draw = Callable[[ImageDraw.ImageDraw], object]
Point = tuple[float, float]


def line(*points: Point) -> Draw:
    """Straight strokes of 5 px from point to point."""
    return lambda page: page.line(list(points), fill=0, width=5, joint="curve")


def arc(x: float, y: float, radius: float, start: float, end: float) -> Draw:
    """A stroke along a circle; degrees, clockwise from three o'clock."""
    angles = np.radians(np.linspace(start, end, 60))
    return line(*zip((x + radius * np.cos(angles)).tolist(), (y + radius * np.sin(angles)).tolist(), strict=True))


def scribble(corners: int, seed: int = 5) -> Draw:
    """One stroke from anywhere to anywhere, over the whole canvas."""
    return line(*(tuple(point) for point in np.random.default_rng(seed).integers(0, 400, (corners, 2)).tolist()))


def bar(left: int, top: int, right: int, bottom: int) -> Draw:
    """A filled rectangle; its last column and row are ``right`` and ``bottom``."""
    return lambda page: page.rectangle((left, top, right, bottom), fill=0)


def disc(x: float, y: float, radius: float) -> Draw:
    """A filled circle."""
    return lambda page: page.ellipse((x - radius, y - radius, x + radius, y + radius), fill=0)


FILLED = bar(0, 0, 399, 399)
"""The whole canvas in black."""


def page(*drawn: Draw) -> np.ndarray:
    """A canvas with these strokes, uint8 400 x 400."""
    image = Image.new("L", (400, 400), 255)
    for draw in drawn:
        draw(ImageDraw.Draw(image))
    return np.asarray(image)


def episode(*drawn: Draw, stimulus: Sequence[Draw] | None, ends: Sequence[Point] = ()) -> Episode:
    """A drawing on a starting shape, or on a blank canvas without one."""
    image, shape = page(*drawn), None if stimulus is None else page(*stimulus)
    return Episode(
        "designgym/CanvasDrawing-v0",
        "train",
        "train-is-000000",
        image=(image if shape is None else np.minimum(image, shape))[:, :, None],
        stimulus=shape,
        truth={"kind": "is", "name": "", "open_ends": [list(end) for end in ends]},
    )
