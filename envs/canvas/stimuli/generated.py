"""Generated stimuli: programs of the bank's two types for training and validation, each a pure function of its id.

Coordinates are rounded to tenths of a px before anything is decided by them, so that a program is the same text on
every machine.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from designgym.envs.canvas.stimuli.clearance import GAP_PX, keep_apart
from designgym.envs.canvas.stimuli.fragment_families import APART, JOINED, UPRIGHT, Strokes
from designgym.envs.canvas.stimuli.object_families import OBJECT_FAMILIES
from designgym.envs.canvas.stimuli.strokes import Stroke, affine, box, flipped, in_tenths, path_data, turned
from designgym.envs.canvas.stimuli.walk import Walk
from designgym.envs.canvas.tools import SIDE_PX

MARGIN_PX = 40
"""Paper that is left on all sides, so that there is room to go on."""
FRAGMENT_PX = (96.0, 176.0)
"""Longer side of a fragment."""
OBJECT_PX = (148.0, 210.0)
"""Longer side of an object."""
ADDED_SHARE = 0.2
"""Share of the fragments of one stroke that get a second one beside it."""

_TRIES = 8
_FAMILIES = (*APART, *JOINED)
_OBJECTS = tuple(OBJECT_FAMILIES)


def generate(split: str, kind: str, number: int) -> tuple[str, tuple[str, ...]]:
    """Make a stimulus.

    Args:
        split: ``"train"`` or ``"validation"``; it goes into the seed, so that the splits hold different ones.
        kind: ``"is"`` or ``"ot"``.
        number: Which one.

    Returns:
        The object's name (empty for fragments), and path data in canvas px.
    """
    digest = hashlib.sha256(f"canvas/{split}/{kind}/{number}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:16]))
    name, strokes = ("", _fragment(rng)) if kind == "is" else _object(rng)
    return name, tuple(path_data(stroke) for stroke in _placed(strokes, rng))


def _fragment(rng: np.random.Generator) -> Strokes:
    family = _FAMILIES[int(rng.integers(len(_FAMILIES)))]
    draw = APART.get(family) or JOINED[family]
    while True:  # only the proportions are drawn anew, so all families are equally frequent
        strokes = draw(rng)
        level = family in UPRIGHT and rng.random() < 0.6
        angle = 90.0 * rng.integers(4) if level else rng.uniform(0, 360)
        if rng.random() < 0.5:
            strokes = tuple(flipped(stroke) for stroke in strokes)
        strokes = in_tenths(_sized([turned(stroke, angle) for stroke in strokes], rng.uniform(*FRAGMENT_PX)))
        if not keep_apart(strokes, joined=family in JOINED):
            continue
        if len(strokes) == 1 and rng.random() < ADDED_SHARE:
            return _with_another(strokes[0], rng)
        return strokes


def _with_another(stroke: Stroke, rng: np.random.Generator) -> Strokes:
    """A short second stroke beside a point of the first, if there is room for one."""
    left, top, right, bottom = box([stroke])
    size = max(right - left, bottom - top)
    for _ in range(_TRIES):
        walk = Walk().forward(1) if rng.random() < 0.5 else Walk().bend(1, rng.uniform(40, 170))
        other = _sized([turned(walk.stroke, rng.uniform(0, 360))], size * rng.uniform(0.25, 0.5))
        # Twice the gap from its middle to a point on the first, or more.
        segment = stroke.segments[int(rng.integers(len(stroke.segments)))]
        toward, distance = rng.uniform(0, 2 * math.pi), rng.uniform(2 * GAP_PX, 4 * GAP_PX)
        x, y = segment[-1][0] + distance * math.cos(toward), segment[-1][1] + distance * math.sin(toward)
        pair = in_tenths([stroke, affine(other[0], (1, 0, 0, 1, x, y))])
        left, top, right, bottom = box(pair)
        if keep_apart(pair) and max(right - left, bottom - top) <= FRAGMENT_PX[1]:
            return pair
    return (stroke,)


def _object(rng: np.random.Generator) -> tuple[str, Strokes]:
    name = _OBJECTS[int(rng.integers(len(_OBJECTS)))]
    strokes = OBJECT_FAMILIES[name](rng)
    if rng.random() < 0.5:
        strokes = tuple(flipped(stroke) for stroke in strokes)
    angle = rng.uniform(-12, 12)
    strokes = tuple(turned(stroke, angle) for stroke in strokes)
    return name, in_tenths(_sized(strokes, rng.uniform(*OBJECT_PX)))


def _sized(strokes: Sequence[Stroke], size: float) -> Strokes:
    """Scaled until the longer side is ``size``, and moved until the middle is at the origin."""
    left, top, right, bottom = box(strokes)
    scale = size / max(right - left, bottom - top)
    matrix = (scale, 0.0, 0.0, scale, -scale * (left + right) / 2, -scale * (top + bottom) / 2)
    return tuple(affine(stroke, matrix) for stroke in strokes)


def _placed(strokes: Sequence[Stroke], rng: np.random.Generator) -> Strokes:
    left, top, right, bottom = box(strokes)
    # The mean of two: nearer to the middle more often than to an edge.
    across, down = rng.random((2, 2)).mean(0)
    x = MARGIN_PX - left + across * (SIDE_PX - 2 * MARGIN_PX - (right - left))
    y = MARGIN_PX - top + down * (SIDE_PX - 2 * MARGIN_PX - (bottom - top))
    return tuple(affine(stroke, (1, 0, 0, 1, round(x, 1), round(y, 1))) for stroke in strokes)
