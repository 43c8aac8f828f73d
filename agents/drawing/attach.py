"""How things are attached to the open ends of a shape: one to each stroke, where it points and where there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from designgym.agents.drawing.ends import THINGS, Side, Thing
from designgym.agents.drawing.marks import Mark, Ring, Spot, Stroke
from designgym.agents.drawing.sketch import Oval, Path, Points
from designgym.envs.canvas.raster import PAPER
from designgym.envs.canvas.stimuli.stimulus import Stimulus
from designgym.envs.canvas.tools import SIDE_PX

SCALES = (1.3, 1.15, 1.0, 0.85, 0.7, 0.55, 0.42, 0.32)
"""Sizes that are tried, the largest first."""
LEAD_PX = 24.0
"""The direction of an end is that of its last so many px."""
NEAR_PX = 14
"""Ink this near to an end is the end's own stroke, and in nobody's way."""
MARGIN_PX = 6.0
"""Room that is left to the page's edge."""

_UP: dict[Side, complex] = {"above": -1j, "below": 1j, "beside": 1}


@dataclass(frozen=True)
class End:
    """An open end: where it is, and the direction (complex, of length 1) in which its stroke would go on."""

    at: complex
    ahead: complex


@dataclass(frozen=True)
class Place:
    """Where a thing is attached."""

    end: End
    scale: float
    mirrored: bool
    worth: float


@dataclass(frozen=True)
class Attachment:
    """A thing on one end of each stroke.

    Attributes:
        title: What the drawing shows then.
        marks: What is to be drawn.
        worth: How well it suits: it goes on where the strokes point, and has room to be large.
    """

    title: str
    marks: list[Mark]
    worth: float


def ends_by_stroke(shape: Stimulus) -> list[list[End]]:
    """The open ends of each stroke that has any."""
    found = []
    for subpath in shape.subpaths:
        points = [complex(x, y) for x, y in subpath.points]
        ends = [
            End(line[0], _unit(line[0] - _along(line, LEAD_PX)))
            for line in (points, points[::-1])
            if (line[0].real, line[0].imag) in shape.open_ends
        ]
        if ends:
            found.append(ends)
    return found


def attachments(shape: Stimulus) -> list[Attachment]:
    """What each of the things there are would be on this shape; none if it has no open ends."""
    strokes = ends_by_stroke(shape)
    if not strokes:
        return []
    found = []
    for thing in THINGS:
        taken = shape.pixels != PAPER
        places: list[Place] = []
        for ends in strokes:
            places.append(max((_place(thing, end, taken) for end in ends), key=lambda place: place.worth))
            left, top, right, bottom = _box(thing, places[-1])
            taken[top : bottom + 1, left : right + 1] = True
        worth = sum(place.worth for place in places) / len(places)
        drawn = [mark for place in places for mark in _marks(thing, place)]
        found.append(Attachment(thing.one if len(places) == 1 else thing.many, drawn, worth))
    return found


def _place(thing: Thing, end: End, taken: npt.NDArray[np.bool_]) -> Place:
    """The largest size at which a thing has room at an end, on the page and beside other ink."""
    mirrored = thing.side == "beside" and end.ahead.real < 0
    towards = _UP[thing.side] * (-1 if mirrored else 1)
    agreement = (end.ahead * towards.conjugate()).real
    size = math.sqrt((thing.box[2] - thing.box[0]) * (thing.box[3] - thing.box[1]))
    for scale in SCALES:
        place = Place(end, scale, mirrored, agreement + scale * size / 100)
        left, top, right, bottom = _box(thing, place)
        if min(left, top) < MARGIN_PX or max(right, bottom) > SIDE_PX - 1 - MARGIN_PX:
            continue
        ys, xs = np.nonzero(taken[top : bottom + 1, left : right + 1])
        if not (np.hypot(xs + left - end.at.real, ys + top - end.at.imag) > NEAR_PX).any():
            return place
    return Place(end, SCALES[-1], mirrored, agreement - 2.0)


def _box(thing: Thing, place: Place) -> tuple[int, int, int, int]:
    corners = np.array([thing.box[:2], thing.box[2:]])
    (x1, y1), (x2, y2) = _moved(corners, place)
    return math.floor(min(x1, x2)), math.floor(y1), math.ceil(max(x1, x2)), math.ceil(y2)


def _marks(thing: Thing, place: Place) -> list[Mark]:
    marks: list[Mark] = []
    for part in thing.parts:
        if isinstance(part, Path):
            marks += [Stroke(_moved(np.array(sub.points), place), sub.closed) for sub in part.subpaths]
            continue
        x, y = _moved(np.array([[part.x, part.y]]), place)[0]
        radii = (part.rx * place.scale, part.ry * place.scale) if isinstance(part, Oval) else ()
        marks.append(Ring(x, y, *radii) if radii else Spot(x, y))
    return marks


def _moved(points: Points, place: Place) -> Points:
    flip = np.array([-1.0 if place.mirrored else 1.0, 1.0])
    return points * flip * place.scale + np.array([place.end.at.real, place.end.at.imag])


def _along(line: Sequence[complex], length: float) -> complex:
    """The point of a line at some length from its start, or its end."""
    for before, after in pairwise(line):
        step = abs(after - before)
        if step >= length:
            return before + (after - before) * length / step
        length -= step
    return line[-1]


def _unit(direction: complex) -> complex:
    return direction / (abs(direction) or 1.0)
