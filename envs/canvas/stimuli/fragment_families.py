"""Families of incomplete shapes: what a generated fragment is before it gets its size, place and turn.

Each family draws its proportions from the generator. None closes by design; ``generated.py`` draws again where strokes
come too near to one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from designgym.envs.canvas.stimuli.strokes import Stroke, affine, arc, backwards, chain, line, rounded, smooth
from designgym.envs.canvas.stimuli.walk import Walk

Strokes = tuple[Stroke, ...]
Random = np.random.Generator


def _bow(rng: Random) -> Strokes:
    return (Walk().bend(100, rng.uniform(70, 230)).stroke,)


def _hook(rng: Random) -> Strokes:
    walk = Walk().forward(rng.uniform(80, 220)).bend(rng.uniform(30, 55), rng.uniform(120, 215))
    if rng.random() < 0.4:
        walk.forward(rng.uniform(15, 50))
    return (walk.stroke,)


def _double_bend(rng: Random) -> Strokes:
    walk = Walk().bend(rng.uniform(30, 70), rng.uniform(140, 220))
    if rng.random() < 0.5:
        walk.forward(rng.uniform(15, 60))
    return (walk.bend(rng.uniform(30, 70), -rng.uniform(140, 220)).stroke,)


def _zigzag(rng: Random) -> Strokes:
    growth, turn, length = rng.uniform(0.85, 1.3), rng.uniform(80, 132), 50.0
    walk = Walk().turn(-turn / 2)
    for index in range(int(rng.integers(3, 7))):
        walk.forward(length).turn(turn if index % 2 == 0 else -turn)
        length *= growth
    return (walk.stroke,)


def _wave(rng: Random) -> Strokes:
    growth, angle, radius = rng.uniform(0.85, 1.2), rng.uniform(95, 200), 40.0
    walk = Walk().turn(-angle / 2)
    for index in range(int(rng.integers(3, 6))):
        walk.bend(radius, angle if index % 2 == 0 else -angle)
        radius *= growth
    return (walk.stroke,)


def _spiral(rng: Random) -> Strokes:
    radius, growth = 20.0, rng.uniform(11, 20)
    walk = Walk()
    for _ in range(int(rng.integers(2, 5))):
        walk.bend(radius, 180)
        radius += growth
    return (walk.bend(radius, rng.uniform(40, 180)).stroke,)


def _angle(rng: Random) -> Strokes:
    return (Walk().forward(rng.uniform(70, 150)).turn(rng.uniform(60, 138)).forward(rng.uniform(50, 150)).stroke,)


def _stairs(rng: Random) -> Strokes:
    tread, rise, walk = rng.uniform(36, 60), rng.uniform(30, 54), Walk()
    for _ in range(int(rng.integers(2, 5))):
        walk.forward(tread).turn(-90).forward(rise).turn(90)
    return (walk.forward(tread).stroke,)


def _battlement(rng: Random) -> Strokes:
    merlon, gap, height, walk = rng.uniform(34, 60), rng.uniform(34, 60), rng.uniform(30, 60), Walk()
    for _ in range(int(rng.integers(1, 3))):
        walk.forward(gap).turn(-90).forward(height).turn(90).forward(merlon).turn(90).forward(height).turn(-90)
    return (walk.forward(gap).stroke,)


def _scallops(rng: Random) -> Strokes:
    angle, overall, radius, growth = rng.uniform(125, 185), rng.uniform(-15, 45), 30.0, rng.uniform(0.85, 1.2)
    walk = Walk()
    for _ in range(int(rng.integers(2, 5))):
        walk.bend(radius, angle).turn(overall - angle)
        radius *= growth
    return (walk.stroke,)


def _bracket(rng: Random) -> Strokes:
    walk, corner = Walk().forward(rng.uniform(40, 130)), rng.uniform(80, 110)
    return (walk.turn(corner).forward(rng.uniform(80, 150)).turn(corner).forward(rng.uniform(40, 130)).stroke,)


def _broken_loop(rng: Random) -> Strokes:
    loop = arc((0, 0), 100, 0, rng.uniform(280, 325), radius_y=rng.uniform(70, 100))
    return (loop,)


def _parallels(rng: Random) -> Strokes:
    radius, gap, at, strokes = rng.uniform(150, 600), rng.uniform(34, 60), 0.0, []
    straight = rng.random() < 0.5
    for index in range(int(rng.integers(2, 4))):
        length = rng.uniform(90, 190)
        walk = Walk().forward(length) if straight else Walk().bend(radius, math.degrees(length / radius))
        strokes.append(affine(walk.stroke, (1, 0, 0, 1, at, index * gap)))
        at += rng.uniform(-25, 35)
    return tuple(strokes)


def _nested_arcs(rng: Random) -> Strokes:
    radius, gap, strokes = rng.uniform(34, 55), rng.uniform(34, 48), []
    for _ in range(int(rng.integers(2, 4))):
        strokes.append(arc((0, 0), radius, rng.uniform(-15, 40), rng.uniform(70, 140)))
        radius += gap
    return tuple(strokes)


def _wedge(rng: Random) -> Strokes:
    opening = rng.uniform(60, 105)
    upper = Walk().turn(-opening / 2).bend(rng.uniform(110, 170), rng.uniform(0.5, 0.85) * opening).stroke
    lower = Walk().turn(opening / 2).bend(rng.uniform(110, 170), -rng.uniform(0.5, 0.85) * opening).stroke
    return (chain(backwards(upper), lower),)


def _fin(rng: Random) -> Strokes:
    walk = Walk().bend(rng.uniform(100, 140), rng.uniform(75, 105)).turn(rng.uniform(115, 138))
    return (walk.bend(rng.uniform(60, 100), -rng.uniform(50, 85)).stroke,)


def _bow_over_line(rng: Random) -> Strokes:
    radius, extent = rng.uniform(40, 70), rng.uniform(110, 180)
    bow = arc((rng.uniform(-50, 50), -rng.uniform(24, 40)), radius, 270 - extent / 2, extent)
    low = max(bow.start[1], bow.end[1]) + rng.uniform(28, 44)
    return bow, line((-rng.uniform(60, 100), low), (rng.uniform(60, 100), low))


def _meander(rng: Random) -> Strokes:
    gap = rng.uniform(34, 44)
    width, height = gap * rng.uniform(2.4, 3.4), gap * rng.uniform(2.4, 3.4)
    walk = Walk().forward(rng.uniform(0.5, 1) * height).turn(90).forward(width).turn(90)
    walk.forward(rng.uniform(0.9, 1) * height).turn(90).forward(width - gap)
    return (walk.turn(90).forward(height - gap * rng.uniform(1.1, 1.3)).stroke,)


def _pipe(rng: Random) -> Strokes:
    x, y = 0.0, 0.0
    points = [(x, y)]
    for index in range(int(rng.integers(3, 6))):
        step = rng.uniform(55, 110)
        x, y = (x + step, y) if index % 2 == 0 else (x, y + step * (1 if rng.random() < 0.5 else -1))
        points.append((x, y))
    return (rounded(points, rng.uniform(16, 26)),)


def _doodle(rng: Random) -> Strokes:
    x, y, heading = 0.0, 0.0, 0.0
    points = [(x, y)]
    for _ in range(int(rng.integers(4, 7))):
        heading += math.radians(rng.uniform(25, 80)) * (1 if rng.random() < 0.5 else -1)
        x, y = x + 50 * math.cos(heading), y + 50 * math.sin(heading)
        points.append((x, y))
    return (smooth(*points),)


def _twig(rng: Random) -> Strokes:
    bend = rng.uniform(30, 80) * (1 if rng.random() < 0.5 else -1)
    length, at, side = 190.0, rng.uniform(0.35, 0.65), 1 if rng.random() < 0.5 else -1
    radius = length / math.radians(abs(bend))
    fork = Walk().bend(radius, bend * at)
    stem = Walk().bend(radius, bend).stroke
    branch = Walk(fork.at, fork.heading_deg).turn(side * rng.uniform(50, 75)).bend(rng.uniform(90, 160), side * 35)
    return stem, branch.stroke


def _crossed(rng: Random) -> Strokes:
    bend, length = rng.uniform(20, 75), 180.0
    radius = length / math.radians(bend)
    strokes = [Walk().bend(radius, bend).stroke]
    places = (rng.uniform(0.35, 0.65),) if rng.random() < 0.5 else (rng.uniform(0.2, 0.35), rng.uniform(0.6, 0.8))
    for place in places:
        at = Walk().bend(radius, bend * place)
        ends = [
            Walk(at.at, at.heading_deg).turn(side * rng.uniform(75, 105)).forward(rng.uniform(26, 52)).at
            for side in (-1, 1)
        ]
        strokes.append(line(*ends))
    return tuple(strokes)


APART: dict[str, Callable[[Random], Strokes]] = {
    "bow": _bow,
    "hook": _hook,
    "double bend": _double_bend,
    "zigzag": _zigzag,
    "wave": _wave,
    "spiral": _spiral,
    "angle": _angle,
    "stairs": _stairs,
    "battlement": _battlement,
    "scallops": _scallops,
    "bracket": _bracket,
    "broken loop": _broken_loop,
    "parallels": _parallels,
    "nested arcs": _nested_arcs,
    "wedge": _wedge,
    "fin": _fin,
    "bow over line": _bow_over_line,
    "meander": _meander,
    "pipe": _pipe,
    "doodle": _doodle,
}
"""Families whose strokes keep apart."""

JOINED: dict[str, Callable[[Random], Strokes]] = {"twig": _twig, "crossed": _crossed}
"""Families whose strokes meet, the first with each of the others and once only, so that they enclose nothing."""

UPRIGHT = ("stairs", "battlement", "bracket", "meander", "pipe", "bow over line")
"""Families that look meant when they stand level."""
