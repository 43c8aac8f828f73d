"""Drawings without an idea, by kind: what random strokes, simple constructions and constant policies leave on a shape.

The reference set of the reward `figural` is made of them (`figural_reference.py`). Each kind is a function of the shape
and of random numbers, and gives operations of the drawing tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.canvas import Canvas
from designgym.envs.canvas.raster import Renderer
from designgym.envs.canvas.stimuli.stimulus import Stimulus
from designgym.envs.canvas.tools import SIDE_PX

Points = npt.NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class Pen:
    """What a kind draws with.

    Attributes:
        shape: The starting shape's inked pixels, n x 2 (x, y).
        rng: Where chance comes from.
    """

    shape: Points
    rng: Rng

    def anywhere(self, count: int) -> Points:
        """Points of the page."""
        return self.rng.uniform(0, SIDE_PX, (count, 2))

    def on_shape(self) -> Points:
        """A point of the starting shape."""
        return self.shape[self.rng.integers(len(self.shape))]

    def toward(self, length: float) -> Points:
        """A step of this length in some direction."""
        angle = self.rng.uniform(0, 2 * np.pi)
        return length * np.array([np.cos(angle), np.sin(angle)])


def ellipse(middle: Points, rx: float, ry: float) -> Points:
    """Its outline as a closed line."""
    angles = np.linspace(0, 2 * np.pi, 60)
    return middle + np.stack([rx * np.cos(angles), ry * np.sin(angles)], 1)


def lines(pen: Pen) -> list[Points]:
    """Straight lines from anywhere to anywhere."""
    return [pen.anywhere(2) for _ in range(pen.rng.integers(2, 18))]


def across(pen: Pen) -> list[Points]:
    """Long straight lines through the shape."""
    drawn = []
    for _ in range(pen.rng.integers(1, 9)):
        middle, half = pen.on_shape(), pen.toward(pen.rng.uniform(80, 380))
        drawn.append(np.array([middle - half, middle + half]))
    return drawn


def dashes(pen: Pen) -> list[Points]:
    """Short straight lines, on the shape or anywhere, with a few long ones."""
    starts = [pen.on_shape() if pen.rng.random() < 0.5 else pen.anywhere(1)[0] for _ in range(pen.rng.integers(2, 10))]
    return [
        np.array([start, start + pen.toward(pen.rng.uniform(15, 300 if pen.rng.random() < 0.3 else 80))])
        for start in starts
    ]


def outward(pen: Pen) -> list[Points]:
    """Straight lines from the shape to anywhere."""
    return [np.array([pen.on_shape(), pen.anywhere(1)[0]]) for _ in range(pen.rng.integers(1, 12))]


def burst(pen: Pen) -> list[Points]:
    """Rays from a point of the shape."""
    middle, count, length = pen.on_shape(), int(pen.rng.integers(5, 24)), pen.rng.uniform(60, 250)
    angles = pen.rng.uniform(0, 2 * np.pi) + np.arange(count) * 2 * np.pi / count
    return [np.array([middle, middle + length * np.array([np.cos(angle), np.sin(angle)])]) for angle in angles]


def scribble(pen: Pen) -> list[Points]:
    """One stroke of straight pieces over the whole page."""
    return [pen.anywhere(int(2 * 2 ** pen.rng.uniform(1, 5)))]


def walk(pen: Pen) -> list[Points]:
    """One stroke of short pieces that wanders off from the shape."""
    steps = pen.rng.normal(0, pen.rng.uniform(15, 50), (int(pen.rng.integers(8, 90)), 2))
    return [_kept(pen.on_shape() + np.cumsum(steps, 0))]


def curve(pen: Pen) -> list[Points]:
    """A smooth stroke that wanders off from the shape."""
    turns = pen.rng.normal(0, pen.rng.uniform(0.15, 0.5), int(pen.rng.integers(30, 200)))
    angles = pen.rng.uniform(0, 2 * np.pi) + np.cumsum(turns)
    return [_kept(pen.on_shape() + np.cumsum(10 * np.stack([np.cos(angles), np.sin(angles)], 1), 0))]


def ellipses(pen: Pen) -> list[Points]:
    """Ellipses anywhere."""
    return [ellipse(pen.anywhere(1)[0], *pen.rng.uniform(8, 100, 2)) for _ in range(pen.rng.integers(2, 16))]


def circles_on_shape(pen: Pen) -> list[Points]:
    """Circles around points of the shape."""
    return [ellipse(pen.on_shape(), *[pen.rng.uniform(12, 100)] * 2) for _ in range(pen.rng.integers(1, 8))]


def polygons(pen: Pen) -> list[Points]:
    """Polygons around points of the shape."""
    drawn = []
    for _ in range(pen.rng.integers(1, 5)):
        angles = np.sort(pen.rng.uniform(0, 2 * np.pi, int(pen.rng.integers(3, 8))))
        reach = pen.rng.uniform(30, 160, (len(angles), 1))
        corners = pen.on_shape() + reach * np.stack([np.cos(angles), np.sin(angles)], 1)
        drawn.append(np.concatenate([corners, corners[:1]]))
    return drawn


def mixture(pen: Pen) -> list[Points]:
    """Some of all of these."""
    kinds = [lines, outward, walk, curve, ellipses, circles_on_shape, polygons]
    drawn = [stroke for index in pen.rng.permutation(len(kinds))[:3] for stroke in kinds[index](pen)[:4]]
    return drawn


def dots(pen: Pen) -> list[Points]:
    """Dots or little rings all over."""
    count, radius = int(pen.rng.integers(40, 350)), pen.rng.choice([1.0, 1.0, 6.0, 9.0])
    return [ellipse(middle, radius, radius) for middle in pen.anywhere(count if radius < 2 else count // 4)]


def grid(pen: Pen) -> list[Points]:
    """Lines along and across the whole page."""
    places = np.linspace(0, SIDE_PX, int(pen.rng.integers(3, 18)))[1:-1] + pen.rng.uniform(-10, 10)
    return [np.array(line) for at in places for line in ([(0, at), (SIDE_PX, at)], [(at, 0), (at, SIDE_PX)])]


def hatch(pen: Pen) -> list[Points]:
    """Parallel lines over the whole page, or over a part of it."""
    count, length, along = int(pen.rng.integers(5, 30)), pen.rng.choice([60.0, 150.0, 800.0]), pen.toward(1)
    aside = np.array([-along[1], along[0]]) * max(9.0, length / count)
    middle = pen.on_shape()
    return [np.array([middle + k * aside - along * length / 2, middle + k * aside + along * length / 2])
            for k in np.arange(count) - count / 2]  # fmt: skip


def frame(pen: Pen) -> list[Points]:
    """Frames around the page, one or several."""
    drawn = []
    for _ in range(pen.rng.integers(1, 4)):
        low, high = pen.rng.uniform(2, 60, 2), SIDE_PX - 1 - pen.rng.uniform(2, 60, 2)
        drawn.append(np.array([low, (high[0], low[1]), high, (low[0], high[1]), low]))
    return drawn


def spiral(pen: Pen) -> list[Points]:
    """A spiral around a point of the shape."""
    angles = np.linspace(0, pen.rng.uniform(2, 9) * 2 * np.pi, 500)
    radii = angles[:, None] * pen.rng.uniform(1.6, 4)
    return [pen.on_shape() + radii * np.stack([np.cos(angles), np.sin(angles)], 1)]


def traced(pen: Pen) -> list[Points]:
    """The shape again, a little aside or anywhere, several times: as dots where its ink is."""
    reach = pen.rng.choice([8.0, 120.0])
    some = pen.shape[:: max(1, len(pen.shape) // 700)]
    return [some + pen.rng.uniform(-reach, reach, 2) for _ in range(pen.rng.integers(1, 6))]


def zigzag(pen: Pen) -> list[Points]:
    """A stroke that runs to and fro, over a solid area or nearly so."""
    count, along = int(pen.rng.integers(6, 50)), pen.toward(pen.rng.uniform(30, 150))
    aside = np.array([-along[1], along[0]]) / np.hypot(*along) * pen.rng.uniform(3, 14)
    start = pen.on_shape()
    return [np.array([start + k * aside + (k % 2) * along for k in range(count)])]


KINDS: tuple[Callable[[Pen], list[Points]], ...] = (
    lines, across, dashes, outward, burst, scribble, walk, curve, ellipses, circles_on_shape, polygons, mixture, dots,
    grid, hatch, frame, spiral, traced, zigzag,
)  # fmt: skip
"""All kinds."""


def drawn(kind: Callable[[Pen], list[Points]], shape: Stimulus, rng: Rng, renderer: Renderer) -> npt.NDArray[np.uint8]:
    """What a kind leaves on the page, the shape included, uint8 400 x 400."""
    pen = Pen(np.argwhere(shape.pixels == 0)[:, ::-1].astype(np.float64), rng)
    canvas = Canvas(renderer)
    strokes = kind(pen)
    if kind is traced:
        canvas.draw("draw_dots", [{"x": x, "y": y} for stroke in strokes for x, y in _whole(stroke)], False)
    else:
        canvas.draw("draw_polylines", [{"points": _whole(stroke), "closed": False} for stroke in strokes], False)
    return np.minimum(canvas.read(), shape.pixels)


def many(shapes: Iterator[Stimulus], rng: Rng, each: int) -> Iterator[tuple[str, Stimulus, npt.NDArray[np.uint8]]]:
    """``each`` drawings of every kind, by both renderers in turn: the kind's name, the shape and the page."""
    for kind in KINDS:
        for number in range(each):
            shape = next(shapes)
            yield kind.__name__, shape, drawn(kind, shape, rng, "skia" if number % 2 else "pillow")


def _kept(points: Points) -> Points:
    """Points that leave the page, reflected back into it."""
    around = np.abs(points) % (2 * SIDE_PX)
    return np.where(around > SIDE_PX, 2 * SIDE_PX - around, around)


def _whole(points: Points) -> list[list[int]]:
    return [[int(x), int(y)] for x, y in np.rint(points)]
