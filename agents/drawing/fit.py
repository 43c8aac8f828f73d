"""How a sketch is laid on a starting shape: moved, scaled, turned a little, and bent until its seed is on the shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from designgym.agents.drawing.marks import Mark, Ring, Spot, Stroke
from designgym.agents.drawing.sketch import Oval, Path, Points, Sketch
from designgym.envs.canvas.svg.path import Subpath

Complex = npt.NDArray[np.complex128]

SAMPLES = 48
"""Points of a stroke that are compared."""
PER_DEGREE = 0.001
"""A turn of so many degrees is as bad as a misfit of this many times as much."""
STEP_PX = 8.0
"""Straight lines are bent at so many px."""
MOST_REORDERED = 3
"""Strokes are tried in any order and direction up to this number; more are taken as they come."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A place for a sketch.

    Attributes:
        misfit: How far its seed is from the shape before bending, root mean square in sizes of the shape, and a little
            for turning.
        mirrored: Whether left and right are exchanged first.
        factor: The complex number that scales and turns.
        shift: The complex number that moves.
        seed: Points of the seed there (complex).
        shape: The points of the starting shape that they are to lie on (complex).
    """

    misfit: float
    mirrored: bool
    factor: complex
    shift: complex
    seed: Complex
    shape: Complex

    @property
    def turn_deg(self) -> float:
        """The turn, clockwise."""
        return math.degrees(math.atan2(self.factor.imag, self.factor.real))

    def __call__(self, points: Points) -> Points:
        """Where points of the sketch go, n x 2 px."""
        at = _moved(_complex(points), self.mirrored, self.factor, self.shift)
        # Points on the seed go exactly where the shape is, and others as those that are near them.
        weights = 1 / (np.abs(at[:, None] - self.seed) ** 2 + 1e-6) ** 2
        at = at + (weights * (self.shape - self.seed)).sum(1) / weights.sum(1)
        return np.stack([at.real, at.imag], axis=1)


def fit(sketch: Sketch, shape: Sequence[Subpath]) -> Fit | None:
    """The best place for a sketch on a shape of as many strokes; None if there is none without turning it too far."""
    seed = [_sampled(subpath) for data in sketch.seed for subpath in Path(data).subpaths]
    if len(seed) != len(shape):
        return None
    target = np.concatenate([_sampled(subpath) for subpath in shape])
    best: Fit | None = None
    for source in _arranged(seed):
        for mirrored in (False, True):
            found = _laid(source, target, mirrored)
            if abs(found.turn_deg) <= sketch.most_turn_deg and (best is None or found.misfit < best.misfit):
                best = found
    return best


def marks(sketch: Sketch, place: Fit) -> list[Mark]:
    """The parts of a sketch at a place."""
    scale = abs(place.factor)
    found: list[Mark] = []
    for part in sketch.parts:
        if isinstance(part, Path):
            found += [Stroke(place(_dense(sub)), sub.closed) for sub in part.subpaths]
            continue
        x, y = place(np.array([[part.x, part.y]]))[0]
        if not isinstance(part, Oval):
            found.append(Spot(x, y))
        elif part.rx == part.ry or abs(place.turn_deg) < 2:
            found.append(Ring(x, y, part.rx * scale, part.ry * scale))
        else:
            found.append(Stroke(place(_around(part)), closed=True))
    return found


def _laid(source: Complex, target: Complex, mirrored: bool) -> Fit:
    """The similarity that brings points nearest to others, by least squares."""
    if mirrored:
        source = -source.conj()
    middle, goal = source.mean(), target.mean()
    spread = np.sum(np.abs(source - middle) ** 2)
    factor = complex(np.sum((source - middle).conj() * (target - goal)) / spread)
    shift = complex(goal - factor * middle)
    at = factor * source + shift
    size = math.sqrt(np.mean(np.abs(target - goal) ** 2))
    misfit = math.sqrt(np.mean(np.abs(at - target) ** 2)) / size
    turn = abs(math.degrees(math.atan2(factor.imag, factor.real)))
    return Fit(misfit + PER_DEGREE * turn, mirrored, factor, shift, at, target)


def _moved(points: Complex, mirrored: bool, factor: complex, shift: complex) -> Complex:
    return factor * (-points.conj() if mirrored else points) + shift


def _arranged(strokes: list[Complex]) -> Iterator[Complex]:
    """The strokes in every order and direction."""
    if len(strokes) > MOST_REORDERED:
        yield np.concatenate(strokes)
        return
    for order in itertools.permutations(strokes):
        for ways in itertools.product((1, -1), repeat=len(order)):
            yield np.concatenate([stroke[::way] for stroke, way in zip(order, ways, strict=True)])


def _sampled(subpath: Subpath) -> Complex:
    """Points along a stroke, equally far from one to the next."""
    points = _complex(np.array([*subpath.points, subpath.points[0]] if subpath.closed else subpath.points))
    before = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(points)))])
    at = np.linspace(0.0, before[-1], SAMPLES)
    return np.interp(at, before, points.real) + 1j * np.interp(at, before, points.imag)


def _dense(subpath: Subpath) -> Points:
    """Its points and more between them, so that straight lines are bent where what they meet is bent."""
    corners = np.array([*subpath.points, subpath.points[0]] if subpath.closed else subpath.points)
    before = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    at = np.union1d(before, np.arange(0.0, before[-1], STEP_PX))
    points = np.stack([np.interp(at, before, corners[:, axis]) for axis in (0, 1)], axis=1)
    return points[:-1] if subpath.closed else points


def _complex(points: Points) -> Complex:
    return points[:, 0] + 1j * points[:, 1]


def _around(part: Oval) -> Points:
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.stack([part.x + part.rx * np.cos(angles), part.y + part.ry * np.sin(angles)], axis=1)
