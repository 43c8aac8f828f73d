"""Operations on type (Algorithm 1's font perturbation: size change and font swap)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from designgym.envs.aesthetics.geometry import text_measure
from designgym.envs.aesthetics.measure_type import face_distance
from designgym.envs.aesthetics.operations.base import Operation, Perturbed, changed, scaled, whole
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document, TextLayer
from designgym.graphics.fonts import find_family

LARGEST_FACTOR = 3.2
"""At full strength type is set this many times larger or smaller."""
FARTHEST_MISS = 0.35
"""A family whose distance is farther than this from the strength asked for is not taken."""
LEAST_FIT = 0.7
"""A swapped face that would need a smaller share of the size to keep its lines is not taken."""
_TEXT = frozenset({"text"})


def font_size(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Set the text larger or smaller; its lines break where they did."""
    layer = document.layer(element)
    if not isinstance(layer, TextLayer):
        return None
    sign = 1.0 if rng.random() < 0.4 else -1.0
    factor = math.exp(sign * strength * rng.uniform(0.75, 1.0) * math.log(LARGEST_FACTOR))
    factor = min(factor, max(1.0, 0.96 * document.width / layer.width, 0.0))
    return changed(document, "font_size", layer, dict(scaled(layer, factor, document)), factor)


def font_swap(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Set the text in another family, the farther from its own the stronger."""
    layer = document.layer(element)
    if not isinstance(layer, TextLayer):
        return None
    own = find_family(layer.font).name
    others = [(face_distance(own, name), name) for name in scene.families if name != own]
    if not others:
        return None
    jitter = float(rng.random())
    nearest = min(abs(distance - strength) for distance, _ in others)
    if nearest > FARTHEST_MISS:
        return None
    names = [name for distance, name in others if abs(distance - strength) <= nearest + 1e-9]
    fitted = refit(layer, names[int(jitter * len(names))])
    if fitted is None:
        return None
    fields = ("font", "x", "width", "size_px")
    changes = {name: getattr(fitted, name) for name in fields if getattr(fitted, name) != getattr(layer, name)}
    return changed(document, "font_swap", layer, changes, face_distance(own, fitted.font))


def refit(layer: TextLayer, family: str) -> TextLayer | None:
    """The text in another family with the same line count: its box as wide as it needs, its size smaller if it must."""
    lines = text_measure(layer).lines
    anchor = {"left": 0.0, "center": 0.5, "right": 1.0, "justify": 0.5}[layer.align]
    for share in (1.0, 0.93, 0.86, 0.78, LEAST_FIT):
        size = max(1.0, float(math.floor(layer.size_px * share)))
        for widen in (1.0, 1.12):
            width = whole(layer.width * widen)
            x = whole(layer.x + anchor * (layer.width - width))
            fitted = dataclasses.replace(layer, font=family, size_px=size, width=width, x=x)
            measure = text_measure(fitted)
            if measure.lines <= lines and measure.width <= width + 0.5:
                return fitted
    return None


FONT_OPERATIONS = (
    Operation(
        "font_size", "size_px", _TEXT, ("font-hierarchy", "font-legibility", "layout-whitespace"), font_size, 0.5
    ),
    Operation("font_swap", "font", _TEXT, ("font-hierarchy", "font-legibility"), font_swap, 0.7),
)
