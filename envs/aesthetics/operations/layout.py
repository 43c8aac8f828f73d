"""Operations on place, size and depth (Algorithm 1's layout perturbation, and the moves of the paper's showcases)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from designgym.envs.aesthetics.measure_layout import NEAR_SHARE, kept_axes
from designgym.envs.aesthetics.operations.base import (
    Operation,
    Perturbed,
    centre,
    changed,
    moved,
    scaled,
    to_front,
    whole,
)
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document

FARTHEST_SHARE = 0.4
"""The largest shift of a position, share of the page's shorter side."""
ASIDE_SHARE = 0.09
"""The largest shift out of alignment."""
LARGEST_GROWTH = 1.5
"""At full strength an element grows by this many times its sides on top."""
BACKGROUND_SHARE = 0.3
"""A background is shifted by at most this share of the page."""

ANY = frozenset({"text", "picture", "shape"})


def position(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Shift the element in any direction."""
    layer = document.layer(element)
    angle = rng.uniform(0.0, 2 * math.pi)
    far = rng.uniform(0.6, 1.0) * FARTHEST_SHARE * scene.short_px * strength**1.5
    if _bears(scene, element):
        return None
    changes = moved(layer, document, far * math.cos(angle), far * math.sin(angle))
    return changed(document, "position", layer, dict(changes), far) if changes else None


def alignment(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Shift the element out of the line that it shares with others."""
    layer = document.layer(element)
    sign = 1.0 if rng.random() < 0.5 else -1.0
    far = rng.uniform(0.6, 1.0) * ASIDE_SHARE * scene.short_px * strength
    axes = kept_axes(scene, element)
    if not axes or _bears(scene, element):
        return None
    axis = axes[int(rng.integers(len(axes)))]
    low, side, page = (layer.x, layer.width, document.width) if axis == 0 else (layer.y, layer.height, document.height)
    if not 0 <= low + sign * far <= page - side:
        sign = -sign
    changes = {"x": whole(layer.x + sign * far)} if axis == 0 else {"y": whole(layer.y + sign * far)}
    return changed(document, "alignment", layer, dict(changes), far)


def crowding(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Take away the blank space between the element and a neighbour or the page's edge."""
    layer, own = document.layer(element), scene.traits[element]
    if _bears(scene, element):
        return None
    left, top, right, bottom = own.hull
    near = NEAR_SHARE * scene.short_px
    ways: list[tuple[float, float]] = []
    for other_id, other in scene.traits.items():
        if other_id == element or other.role == "background" or element in scene.borne[other_id]:
            continue
        ox1, oy1, ox2, oy2 = other.hull
        beside = min(bottom, oy2) - max(top, oy1) > 0
        below = min(right, ox2) - max(left, ox1) > 0
        if beside and not below:
            ways.append((ox1 - right, 0.0) if ox1 >= right else (ox2 - left, 0.0))
        elif below and not beside:
            ways.append((0.0, oy1 - bottom) if oy1 >= bottom else (0.0, oy2 - top))
    ways += [(-left, 0.0), (document.width - right, 0.0), (0.0, -top), (0.0, document.height - bottom)]
    ways = [way for way in ways if near <= abs(sum(way)) <= 0.25 * scene.short_px]
    if not ways:
        return None
    dx, dy = ways[int(rng.integers(len(ways)))]
    share = strength * rng.uniform(0.97, 1.02)
    changes = {"x": whole(layer.x + dx * share), "y": whole(layer.y + dy * share)}
    return changed(document, "crowding", layer, dict(changes), abs(dx + dy) * share)


def over_subject(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Move a text over a picture."""
    layer = document.layer(element)
    subjects = [i for i, o in scene.traits.items() if o.role == "picture" and element not in scene.borne[i]]
    subjects = [i for i in subjects if i != element and scene.overlap(i, element) < 0.02]
    if not subjects:
        return None
    subject = document.layer(subjects[int(rng.integers(len(subjects)))])
    aside = rng.uniform(-0.2, 0.2, 2)
    (x, y), (to_x, to_y) = centre(layer), centre(subject)
    to_x, to_y = to_x + aside[0] * subject.width, to_y + aside[1] * subject.height
    share = strength**1.5
    changes = moved(layer, document, (to_x - x) * share, (to_y - y) * share)
    if changes is None:
        return None
    perturbed, flaw = changed(document, "over_subject", layer, dict(changes), math.hypot(to_x - x, to_y - y) * share)
    return to_front(perturbed, element), flaw


def background_shift(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Shift a background, so that it leaves a strip of the page bare."""
    layer = document.layer(element)
    if scene.role(layer) != "background":
        return None
    way = int(rng.integers(4))
    sign = 1.0 if way % 2 else -1.0
    share = rng.uniform(0.6, 1.0) * BACKGROUND_SHARE * strength
    changes = (
        {"x": whole(layer.x + sign * share * document.width)}
        if way < 2
        else {"y": whole(layer.y + sign * share * document.height)}
    )
    return changed(document, "background_shift", layer, dict(changes), share)


def layer_order(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Slide the element towards a neighbour, and under or over it, so that one hides a part of the other."""
    layer, own = document.layer(element), scene.traits[element]
    if _bears(scene, element) or own.role == "background":
        return None
    behind = bool(rng.random() < 0.5)
    overlap, pick = float(rng.uniform(0.3, 0.5)), float(rng.random())
    ways: list[tuple[str, float, float]] = []
    for other_id, other in scene.traits.items():
        related = element in scene.borne[other_id] or other.role == "background"
        hides = other.kind != "text" if behind else own.kind != "text" and other.content
        if other_id == element or related or not hides or scene.overlap(element, other_id) > 0.02:
            continue
        (x1, y1, x2, y2), (ox1, oy1, ox2, oy2) = own.hull, other.hull
        depth_x, depth_y = overlap * min(x2 - x1, ox2 - ox1), overlap * min(y2 - y1, oy2 - oy1)
        dx = ox1 - x2 + depth_x if ox1 >= x2 else (ox2 - x1 - depth_x if ox2 <= x1 else 0.0)
        dy = oy1 - y2 + depth_y if oy1 >= y2 else (oy2 - y1 - depth_y if oy2 <= y1 else 0.0)
        ways.append((other_id, dx, dy))
    near = sorted(ways, key=lambda way: math.hypot(way[1], way[2]))[:2]
    if not near:
        return None
    other_id, dx, dy = near[int(pick * len(near))]
    changes = moved(layer, document, dx * strength, dy * strength)
    order = [old.id for old in document.layers if old.id != element]
    at = order.index(other_id) + (0 if behind else 1)
    depth = [old.id for old in document.layers].index(element)
    passed = order[min(at, depth) : max(at, depth)]
    # An element that went behind its own ground would be gone at any strength.
    if changes is None or any(scene.overlap(element, layer_id) > 0.02 for layer_id in passed):
        return None
    shifted = dataclasses.replace(layer, x=changes["x"], y=changes["y"])
    others = [document.layer(layer_id) for layer_id in order]
    before, after = {"depth": depth, "x": layer.x, "y": layer.y}, {"depth": at, **changes}
    flaw = Flaw("layer_order", element, "depth+x+y", before, after, math.hypot(dx, dy) * strength)
    return dataclasses.replace(document, layers=(*others[:at], shifted, *others[at:])), flaw


def lopsided(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Push the element towards a corner or side, so that the page tips over."""
    layer = document.layer(element)
    way = _CORNERS[int(rng.integers(len(_CORNERS)))]
    if _bears(scene, element) or scene.role(layer) == "background":
        return None
    left, top, right, bottom = scene.traits[element].hull
    margin = 0.03 * scene.short_px
    dx = {-1: margin - left, 0: 0.0, 1: document.width - margin - right}[way[0]]
    dy = {-1: margin - top, 0: 0.0, 1: document.height - margin - bottom}[way[1]]
    share = strength**1.5
    changes = moved(layer, document, dx * share, dy * share)
    return changed(document, "lopsided", layer, dict(changes), math.hypot(dx, dy) * share) if changes else None


_CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1))


def size(rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float) -> Perturbed | None:
    """Enlarge the element, or shrink it, about its middle."""
    layer = document.layer(element)
    grow = bool(rng.random() < 0.8)
    factor = 1.0 + rng.uniform(0.8, 1.0) * LARGEST_GROWTH * strength
    if _bears(scene, element) or scene.role(layer) == "background":
        return None
    factor = factor if grow else 1.0 / factor
    factor = min(factor, max(1.0, 0.96 * min(document.width / layer.width, document.height / layer.height)))
    return changed(document, "size", layer, dict(scaled(layer, factor, document)), factor)


def _bears(scene: Scene, element: str) -> bool:
    """Whether other contents lie on the element: they would stay behind."""
    return bool(scene.borne.get(element))


LAYOUT_OPERATIONS = (
    Operation(
        "position", "x+y", ANY, ("layout-whitespace", "layout-layering", "layout-alignment", "layout-balance"), position
    ),
    Operation("alignment", "x", ANY, ("layout-alignment",), alignment, 0.2),
    Operation("crowding", "x+y", ANY, ("layout-whitespace",), crowding, 0.6),
    Operation(
        "over_subject",
        "x+y",
        frozenset({"text"}),
        ("layout-layering", "layout-whitespace", "font-legibility"),
        over_subject,
    ),
    Operation(
        "background_shift",
        "x",
        ANY,
        ("layout-balance", "layout-alignment"),
        background_shift,
        0.35,
        least_ink=0.12,
        roles=frozenset({"background"}),
    ),
    Operation("layer_order", "depth+x+y", ANY, ("layout-layering", "font-legibility"), layer_order, 0.6),
    Operation("lopsided", "x+y", ANY, ("layout-balance",), lopsided, 0.6, least_ink=0.02),
    Operation("size", "x+y+width+height", ANY, ("layout-balance", "layout-whitespace", "layout-layering"), size, 0.45),
)
