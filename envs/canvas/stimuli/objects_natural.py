"""Outlines of plants, a fish and what stands in the sky, with random proportions; see ``object_families.py``."""

from __future__ import annotations

import math

import numpy as np

from designgym.envs.canvas.stimuli.strokes import (
    Stroke,
    arc,
    backwards,
    both_sides,
    chain,
    circle,
    close,
    curve,
    flipped,
    line,
    mirrored,
    polygon,
    turned,
)
from designgym.envs.canvas.stimuli.walk import Walk

Strokes = tuple[Stroke, ...]
Random = np.random.Generator


def fish(rng: Random) -> Strokes:
    """A fish with an eye and a gill, drawn with its nose up and laid on its side."""
    fat, tail, joint = rng.uniform(44, 62), rng.uniform(38, 52), rng.uniform(42, 54)
    notch = rng.uniform(78, 86)
    half = chain(
        curve((0, -98), (fat * 0.7, -84), (fat * 1.5, -8), (8, joint)),
        curve((8, joint), (16, joint + 16), (tail - 8, 84), (tail, 100)),
        curve((tail, 100), (tail * 0.6, 92), (10, notch + 4), (0, notch)),
    )
    gill = -rng.uniform(34, 44)
    wide = fat * 0.42
    upright = (
        mirrored(half),
        circle((fat * 0.2, -68), 6),
        curve((wide, gill), (wide * 0.5, gill + 14), (-wide * 0.5, gill + 14), (-wide, gill)),
    )
    return tuple(turned(stroke, -90) for stroke in upright)


def leaf(rng: Random) -> Strokes:
    """A leaf with its midrib and perhaps veins."""
    wide, belly = rng.uniform(46, 70), rng.uniform(-10, 40)
    half = curve((0, -100), (wide * 0.7, belly - 70), (wide * 1.6, belly + 20), (0, 66))
    strokes = [mirrored(half), line((0, -58), (0, 104))]
    if rng.random() < 0.6:
        reach = wide * 0.42
        for y in (-18, 14, 44):
            side = reach * (0.7 if y == 44 else 1)
            strokes.append(line((-side, y - side * 0.8), (0, y), (side, y - side * 0.8)))
    return tuple(strokes)


def pear(rng: Random) -> Strokes:
    """A pear with its stalk and perhaps a leaf."""
    neck, belly, low = rng.uniform(22, 30), rng.uniform(56, 70), rng.uniform(32, 48)
    half = chain(
        curve((0, -66), (neck * 0.7, -68), (neck, -52), (neck + 3, -30)),
        curve((neck + 3, -30), (neck + 8, -4), (belly, 4), (belly, low)),
        curve((belly, low), (belly, 84), (belly * 0.62, 100), (belly * 0.3, 100)),
        curve((belly * 0.3, 100), (belly * 0.18, 100), (6, 95), (0, 95)),
    )
    strokes = [mirrored(half), curve((0, -66), (0, -80), (4, -92), (12, -102))]
    if rng.random() < 0.6:
        strokes.append(close(curve((3, -82), (16, -106), (44, -106), (54, -94), (44, -76), (20, -70), (3, -82))))
    return tuple(strokes)


def star(rng: Random) -> Strokes:
    """A star of five points or, now and then, eight."""
    count, inner = (5, rng.uniform(42, 54)) if rng.random() < 0.7 else (8, rng.uniform(50, 62))
    corners = []
    for index in range(2 * count):
        radius, angle = inner if index % 2 else 100.0, math.pi * (index / count - 0.5)
        corners.append((radius * math.cos(angle), radius * math.sin(angle)))
    return (polygon(*corners),)


def heart(rng: Random) -> Strokes:
    """A heart."""
    dip, wide, shoulder = -rng.uniform(40, 56), rng.uniform(88, 104), -rng.uniform(22, 36)
    half = chain(
        curve((0, dip), (14, -98), (wide, -104), (wide, shoulder)),
        curve((wide, shoulder), (wide, 28), (30, 58), (0, 96)),
    )
    return (mirrored(half),)


def moon(rng: Random) -> Strokes:
    """A crescent."""
    tip = rng.uniform(28, 50)  # half the opening, degrees as seen from the middle of the outer bow
    x, y = 100 * math.cos(math.radians(tip)), 100 * math.sin(math.radians(tip))
    middle = rng.uniform(36, 52)  # of the inner bow
    inner_tip = math.degrees(math.atan2(y, x - middle))
    outer = arc((0, 0), 100, tip, 360 - 2 * tip)
    inner = arc((middle, 0), math.hypot(x - middle, y), -inner_tip, 2 * inner_tip - 360)
    return (close(chain(outer, inner)),)


def mushroom(rng: Random) -> Strokes:
    """A toadstool with spots."""
    cap, top, stem = rng.uniform(84, 100), -rng.uniform(84, 104), rng.uniform(19, 27)
    rim = rng.uniform(-2, 10)
    half = chain(
        curve((0, top), (cap * 0.6, top), (cap, -52), (cap, rim - 6)),
        curve((cap, rim - 6), (cap, rim + 10), (cap * 0.5, rim + 8), (0, rim + 8)),
    )
    foot = curve((stem, rim + 8), (stem - 3, 50), (stem + 10, 78), (stem + 10, 88))
    foot = chain(foot, curve(foot.end, (stem + 10, 100), (stem, 100), (0, 100)))
    size = rng.uniform(9, 12)
    places = ((-cap * 0.45, rim - 34, 1.0), (cap * 0.1, rim - 58, 1.1), (cap * 0.5, rim - 30, 0.9))
    return mirrored(half), both_sides(foot), *(circle((x, y), size * share) for x, y, share in places)


def fir(rng: Random) -> Strokes:
    """A fir tree of two to four tiers."""
    tiers, wide, low = int(rng.integers(2, 5)), rng.uniform(58, 78), 66.0
    outline = [(0.0, -100.0)]
    for tier in range(1, tiers + 1):
        y = -100 + (low + 100) * tier / tiers
        x = wide * (0.35 + 0.65 * tier / tiers)
        outline.append((x, y))
        if tier < tiers:
            outline.append((x * 0.48, y))
    trunk = rng.uniform(9, 15)
    return mirrored(line(*outline)), line((-trunk, low), (-trunk, 100), (trunk, 100), (trunk, low))


def cactus(rng: Random) -> Strokes:
    """A cactus with two arms, in a pot."""
    half, arm = rng.uniform(20, 25), rng.uniform(11, 13)
    right, left = rng.uniform(-6, 8), rng.uniform(-30, -12)

    def side(joint: float, rise: float) -> Stroke:
        """Right side of the stem, downwards, with an arm."""
        out = half + 26.0
        walk = Walk((half, joint - 2 * arm), 0).forward(max(out - half - arm, 2)).bend(arm, -90).forward(rise)
        walk.bend(arm, 180).forward(rise).bend(3 * arm, 90)
        return chain(line((half, -78), walk.stroke.start), walk.stroke, line((half, walk.at[1]), (half, 52)))

    top = arc((0, -78), half, 180, 180)
    left_side = flipped(side(left, rng.uniform(14, 24)))
    body = chain(backwards(left_side), top, side(right, rng.uniform(16, 28)))
    rim, foot = rng.uniform(44, 52), rng.uniform(28, 34)
    return (
        body,
        polygon((-rim, 52), (rim, 52), (rim, 66), (-rim, 66)),
        line((-rim + 6, 66), (-foot, 104), (foot, 104), (rim - 6, 66)),
    )
