"""What an operation is, and what all of them share."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from designgym.envs.aesthetics.geometry import frame_hull
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document, Layer, TextLayer

Perturbed = tuple[Document, Flaw]
Apply = Callable[[np.random.Generator, Scene, Document, str, float], "Perturbed | None"]
"""Random numbers, the clean design, the document to change, the element's id, and the strength, 0 to 1."""

LEAST_AREA = 0.002
"""Elements that take up less of the page than this, such as short lines, are left alone."""
ON_PAGE = 0.65
"""At least this share of an element that is moved stays on the page, so that it can be found."""


@dataclass(frozen=True)
class Operation:
    """A way to perturb one element.

    At strength 0 an operation changes nothing that could be seen; at 1 it is glaring. The same random numbers with
    another strength give the same change, stronger or weaker.

    Attributes:
        name: Its name, as flaws record it.
        attribute: What it changes.
        kinds: Kinds of elements that it applies to: ``"text"``, ``"picture"``, ``"shape"``.
        targets: Indicators that it can harm, those it is meant for first.
        apply: Does it; None where this element cannot carry it.
        harmful_from: Weaker than this it seldom harms what it is meant for.
        least_ink: Share of the page that an element inks at least for this to be noticed.
        roles: Roles that it applies to; empty for all.
    """

    name: str
    attribute: str
    kinds: frozenset[str]
    targets: tuple[str, ...]
    apply: Apply
    harmful_from: float = 0.3
    least_ink: float = 0.0
    roles: frozenset[str] = frozenset()

    def able(self, scene: Scene) -> tuple[str, ...]:
        """Ids of the elements of a clean design that it applies to."""
        found = scene.memory.get(("able", self))
        if found is None:
            found = scene.memory["able", self] = tuple(
                i
                for i, own in scene.traits.items()
                if own.kind in self.kinds
                and own.share >= LEAST_AREA
                and own.ink_share >= self.least_ink
                and (not self.roles or own.role in self.roles)
            )
        return cast(tuple[str, ...], found)


def changed(document: Document, operation: str, layer: Layer, changes: dict[str, Any], magnitude: float) -> Perturbed:
    """The document with some fields of a layer changed, and the record of it."""
    flaw = record(operation, layer, changes, magnitude)
    return document.replace_layer(dataclasses.replace(layer, **changes)), flaw


def record(operation: str, layer: Layer, changes: dict[str, Any], magnitude: float) -> Flaw:
    """The record of a change: a single value by itself, several by name."""
    names = tuple(changes)
    before = {name: getattr(layer, name) for name in names}
    if len(names) == 1:
        return Flaw(operation, layer.id, names[0], before[names[0]], changes[names[0]], magnitude)
    return Flaw(operation, layer.id, "+".join(names), before, dict(changes), magnitude)


def whole(length: float) -> float:
    """A length in whole page px, as all of a clean design: fractions of a px would tell which element was changed."""
    return float(round(length))


def moved(layer: Layer, document: Document, dx: float, dy: float) -> dict[str, float] | None:
    """New ``x`` and ``y``, held back so that :data:`ON_PAGE` of the element stays on the page; None if it cannot."""
    left, top, right, bottom = frame_hull(layer)
    for _ in range(12):
        width = min(right + dx, document.width) - max(left + dx, 0.0)
        height = min(bottom + dy, document.height) - max(top + dy, 0.0)
        if width > 0 and height > 0 and width * height >= ON_PAGE * (right - left) * (bottom - top):
            return {"x": whole(layer.x + dx), "y": whole(layer.y + dy)}
        dx, dy = 0.85 * dx, 0.85 * dy
    return None


def scaled(layer: Layer, factor: float, document: Document, *, inside: bool = True) -> dict[str, float]:
    """New box, and size of type, of a layer scaled about its middle, or about the side on which its text is set.

    Args:
        layer: The layer.
        factor: Above 0.
        document: Its page.
        inside: Whether it slides back onto the page where it would leave it and has room.
    """
    width, height = layer.width * factor, layer.height * factor
    anchor = 0.5
    if isinstance(layer, TextLayer):
        anchor = {"left": 0.0, "center": 0.5, "right": 1.0, "justify": 0.5}[layer.align]
    x, y = layer.x + anchor * (layer.width - width), layer.y + 0.5 * (layer.height - height)
    if inside:
        x = min(max(x, 0.0), max(0.0, document.width - width))
        y = min(max(y, 0.0), max(0.0, document.height - height))
    changes = {"x": whole(x), "y": whole(y), "width": max(1.0, whole(width)), "height": max(1.0, whole(height))}
    if isinstance(layer, TextLayer):
        changes["size_px"] = max(1.0, float(math.floor(layer.size_px * factor)))
        changes["letter_spacing_px"] = round(layer.letter_spacing_px * factor, 2)
        # Rounding must not break a line that just fitted.
        changes["width"] = float(math.ceil(width + 1.0))
    return changes


def to_front(document: Document, layer_id: str) -> Document:
    """The document with a layer on top of all others."""
    own = document.layer(layer_id)
    return dataclasses.replace(document, layers=(*(old for old in document.layers if old.id != layer_id), own))


def centre(layer: Layer) -> tuple[float, float]:
    """The middle of a layer, page px."""
    return layer.x + layer.width / 2, layer.y + layer.height / 2
