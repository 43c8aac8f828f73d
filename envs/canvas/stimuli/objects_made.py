"""Outlines of things that people make, with random proportions; see ``object_families.py``."""

from __future__ import annotations

import math

import numpy as np

from designgym.envs.canvas.stimuli.strokes import (
    Stroke,
    both_sides,
    chain,
    circle,
    close,
    curve,
    flipped,
    line,
    mirrored,
    polygon,
)

Strokes = tuple[Stroke, ...]
Random = np.random.Generator


def bottle(rng: Random) -> Strokes:
    """A bottle with a lip and perhaps a label."""
    neck, body, shoulder = rng.uniform(12, 19), rng.uniform(32, 46), rng.uniform(-30, 5)
    half = chain(
        line((neck, -100), (neck, -55)),
        curve((neck, -55), (neck, -40), (body, shoulder - 16), (body, shoulder + 12)),
        line((body, shoulder + 12), (body, 88)),
        curve((body, 88), (body, 95), (body - 5, 100), (body - 12, 100)),
    )
    strokes = [mirrored(half), line((-neck, -82), (neck, -82))]
    if rng.random() < 0.6:
        top = shoulder + rng.uniform(22, 34)
        low = top + rng.uniform(28, 44)
        strokes += [line((-body, top), (body, top)), line((-body, low), (body, low))]
    return tuple(strokes)


def house(rng: Random) -> Strokes:
    """A front with a gabled roof, a door and a window or two."""
    half, eaves, apex = rng.uniform(62, 84), rng.uniform(-22, 4), rng.uniform(-98, -78)
    over = rng.uniform(12, 20)
    door, high = rng.uniform(13, 18), rng.uniform(44, 56)
    shift = half * rng.uniform(-0.45, -0.3)
    side = rng.uniform(10, 13)
    x, y = half * 0.45, (eaves + 90) / 2 - 4
    return (
        line((-half, eaves), (-half, 90), (half, 90), (half, eaves)),
        polygon((-half - over, eaves), (0, apex), (half + over, eaves)),
        line((shift - door, 90), (shift - door, 90 - high), (shift + door, 90 - high), (shift + door, 90)),
        polygon((x - side, y - side), (x + side, y - side), (x + side, y + side), (x - side, y + side)),
    )


def sailboat(rng: Random) -> Strokes:
    """A hull, a mast and two sails."""
    stern, bow, deck = -rng.uniform(74, 92), rng.uniform(82, 100), rng.uniform(38, 50)
    keel = deck + rng.uniform(32, 44)
    top, reach = -rng.uniform(88, 102), rng.uniform(58, 76)
    hull = close(
        chain(
            line((stern, deck), (bow, deck)),
            curve((bow, deck), (bow - 12, keel - 8), (bow - 30, keel), (bow - 46, keel)),
            line((bow - 46, keel), (stern + 34, keel)),
            curve((stern + 34, keel), (stern + 18, keel), (stern + 4, keel - 8), (stern, deck)),
        )
    )
    foot = deck - rng.uniform(14, 20)
    leech = curve((12, top + 8), (30, top + 50), (reach, foot - 44), (reach, foot))
    main = close(chain(leech, line((reach, foot), (12, foot))))
    jib = polygon((-12, top + 30), (-12, foot), (-reach * rng.uniform(0.75, 0.95), foot))
    return hull, line((0, deck), (0, top)), main, jib


def hat(rng: Random) -> Strokes:
    """A top hat or a bowler, seen from a little above the brim."""
    crown, brim, thick = rng.uniform(44, 58), rng.uniform(86, 104), rng.uniform(12, 18)
    low = 50 - thick * math.sqrt(1 - (crown / brim) ** 2)  # where the crown's sides meet the brim's far edge
    band = low - rng.uniform(16, 24)
    if rng.random() < 0.5:
        flare, top = rng.uniform(2, 12), -rng.uniform(56, 84)
        sides = line((-crown, low), (-crown - flare, top), (crown + flare, top), (crown, low))
        widen = flare * (low - band) / (low - top)
    else:
        top, widen = -rng.uniform(28, 52), 0.0
        dome = curve((-crown, band), (-crown, top - 22), (crown, top - 22), (crown, band))
        sides = chain(line((-crown, low), (-crown, band)), dome, line((crown, band), (crown, low)))
    return sides, line((-crown - widen, band), (crown + widen, band)), circle((0, 50), brim, thick)


def kite(rng: Random) -> Strokes:
    """A kite with its spars and a tail."""
    half, cross, low = rng.uniform(50, 66), -rng.uniform(42, 58), rng.uniform(34, 50)
    sway = rng.uniform(16, 26)
    step = (104 - low) / 2
    tail = curve((0, low), (sway, low + step * 0.4), (sway, low + step * 0.7), (0, low + step))
    rest = curve(tail.end, (-sway, tail.end[1] + step * 0.3), (-sway, tail.end[1] + step * 0.7), (0, low + 2 * step))
    return (
        polygon((0, -100), (half, cross), (0, low), (-half, cross)),
        line((0, -100), (0, low)),
        line((-half, cross), (half, cross)),
        chain(tail, rest),
    )


def vase(rng: Random) -> Strokes:
    """A vase with an open rim and perhaps bands."""
    lip, neck, belly, foot = rng.uniform(30, 46), rng.uniform(18, 28), rng.uniform(50, 74), rng.uniform(24, 36)
    widest = rng.uniform(0, 30)
    half = chain(
        curve((lip, -92), (lip - 4, -80), (neck, -76), (neck, -60)),
        curve((neck, -60), (neck, -38), (belly, widest - 40), (belly, widest)),
        curve((belly, widest), (belly, widest + 34), (foot, 70), (foot, 98)),
    )
    sides = both_sides(half)
    rim = circle((0, -92), lip, rng.uniform(7, 10))
    if rng.random() < 0.5:
        return sides, rim
    return sides, rim, line((-neck, -60), (neck, -60)), line((-belly, widest), (belly, widest))


def tent(rng: Random) -> Strokes:
    """A ridge tent, seen from its open end."""
    apex, near, far = -rng.uniform(40, 60), rng.uniform(-24, 0), rng.uniform(40, 64)
    top, low = -rng.uniform(62, 78), rng.uniform(58, 72)
    lift = rng.uniform(12, 22)
    door = rng.uniform(14, 20)
    middle = (near - 100) / 2
    return (
        polygon((apex, top), (near, low), (-100, low)),
        line((apex, top), (far, top + lift * 0.4), (102, low - lift), (near, low)),
        line((middle - door, low), (apex, top + 0.45 * (low - top)), (middle + door, low)),
    )


def envelope(rng: Random) -> Strokes:
    """A closed envelope, from behind."""
    half, high = 100.0, rng.uniform(60, 74)
    point = rng.uniform(-6, 18)
    strokes = [
        polygon((-half, -high), (half, -high), (half, high), (-half, high)),
        line((-half, -high), (0, point), (half, -high)),
    ]
    if rng.random() < 0.5:
        share = rng.uniform(0.36, 0.44)  # where the lower folds come out from under the flap
        x, y = half * share, point - (point + high) * share
        strokes += [line((-half, high), (-x, y)), line((half, high), (x, y))]
    return tuple(strokes)


def crown(rng: Random) -> Strokes:
    """A crown with three or five points, each with a pearl."""
    half, lean, low = rng.uniform(70, 84), rng.uniform(8, 20), 64.0
    count = 3 if rng.random() < 0.5 else 5
    high = rng.uniform(46, 64) if count == 3 else rng.uniform(24, 40)
    dip, ball = rng.uniform(4, 16), rng.uniform(7, 9)
    outline = [(-half, low)]
    tips = []
    for index in range(count):
        x = (2 * index / (count - 1) - 1) * (half + lean)
        tips.append((x, -high if index % 2 else -high + 10 * abs(x) / half))
        outline.append(tips[-1])
        if index < count - 1:
            outline.append((x + (half + lean) / (count - 1), dip))
    outline.append((half, low))
    pearls = [circle((x, y - ball), ball) for x, y in tips]
    band = low - rng.uniform(18, 26)
    edge = half + lean * (low - band) / (low + high)
    return polygon(*outline), line((-edge, band), (edge, band)), *pearls


def rocket(rng: Random) -> Strokes:
    """A rocket with two fins, a round window and a flame."""
    half, low = rng.uniform(28, 38), rng.uniform(44, 56)
    body = mirrored(curve((0, -100), (half * 0.7, -76), (half * 1.35, -20), (half * 0.8, low)))
    out, drop = half + rng.uniform(22, 34), low + rng.uniform(14, 26)
    fin = curve((half * 1.06, 0), (out, 14), (out + 2, low - 8), (out, drop))
    fin = chain(fin, curve(fin.end, (out - 10, drop - 14), (half + 6, low - 4), (half * 0.84, low - 4)))
    flame = half * 0.42
    fire = curve((-flame, low), (-flame * 1.4, low + 22), (-4, low + 30), (0, 100))
    fire = chain(fire, curve((0, 100), (4, low + 30), (flame * 1.4, low + 22), (flame, low)))
    return (
        body,
        fin,
        flipped(fin),
        circle((0, -rng.uniform(22, 34)), half * rng.uniform(0.36, 0.46)),
        fire,
    )


def ice_cream(rng: Random) -> Strokes:
    """A cone with one or two scoops."""
    radius, rim = rng.uniform(42, 52), -10.0
    cone = polygon((-radius * 0.86, rim), (0, 100), (radius * 0.86, rim))
    scoop = close(_dome(radius, rim, radius * 1.16))
    if rng.random() < 0.5:
        return cone, scoop
    small = radius * rng.uniform(0.74, 0.86)
    return cone, scoop, _dome(small, rim - radius * 0.98, small * 1.2)


def _dome(half: float, base: float, high: float) -> Stroke:
    """A bow from left to right that stands ``high`` above its base."""
    top = base - high * 4 / 3  # control points; a cubic reaches three quarters of their height
    return curve((-half, base), (-half * 1.1, top), (half * 1.1, top), (half, base))
