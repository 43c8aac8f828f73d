"""Families of objects: outlines with proportions drawn at random, of things that are not in the bank."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from designgym.envs.canvas.stimuli.objects_made import (
    bottle,
    crown,
    envelope,
    hat,
    house,
    ice_cream,
    kite,
    rocket,
    sailboat,
    tent,
    vase,
)
from designgym.envs.canvas.stimuli.objects_natural import cactus, fir, fish, heart, leaf, moon, mushroom, pear, star
from designgym.envs.canvas.stimuli.strokes import Stroke

OBJECT_FAMILIES: dict[str, Callable[[np.random.Generator], tuple[Stroke, ...]]] = {
    "bottle": bottle,
    "house": house,
    "fish": fish,
    "leaf": leaf,
    "sailboat": sailboat,
    "pear": pear,
    "hat": hat,
    "star": star,
    "heart": heart,
    "kite": kite,
    "vase": vase,
    "tent": tent,
    "envelope": envelope,
    "crown": crown,
    "mushroom": mushroom,
    "fir tree": fir,
    "moon": moon,
    "rocket": rocket,
    "cactus": cactus,
    "ice cream": ice_cream,
}
"""Name -> family. Each draws about 200 units high or wide, upright, y downwards."""
