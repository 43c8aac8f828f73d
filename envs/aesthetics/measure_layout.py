"""What an element's place, size, depth and surroundings do to a page. Lengths are shares of the page's shorter side."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from designgym.envs.aesthetics.geometry import Box, apart, same_form
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.traits import Trait
from designgym.envs.aesthetics.view import View

ROOM_SHARE = 0.03
"""Blank space beyond this share of the page's shorter side counts as ample: losing it is no loss."""
NEAR_SHARE = 0.012
"""Elements that stand nearer than this in the clean design belong together; their gap makes no claim."""
SOLID_SHARE = 0.5
"""A ground that covers less of its box than this, such as dots, shows no edge of its own."""
LINED_UP_SHARE = 0.004
"""Lines of two elements that are nearer than this (1.8 px of 448) count as one line."""


def place_measures(view: View, element: str) -> dict[str, float]:
    """What follows from the place of one element of a perturbed design, beside the clean one.

    Returns:
        ``gap``: the least blank space to a neighbour, to the page's edge or to the edge of its ground, as a share of
        what was there, at most ample room. ``misaligned``: distance from the nearest line of other elements, if it
        kept such a line; of grounds, from the edge of the page that they reached. ``tilt_deg``: by how much it is
        turned further. ``cut``: share that newly lies beyond the page's edge; ``text_cut``: the same of texts alone.
    """
    after, before = view.traits[element], view.scene.traits.get(element)
    found = {"gap": 1.0, "misaligned": 0.0, "tilt_deg": 0.0, "cut": 0.0, "text_cut": 0.0}
    if before is not None and stands_as_before(view, after, before):
        return found
    if after.role == "background":
        found["misaligned"] = _off_edge(view, after, before) if before is not None else 0.0
        return found
    found["gap"] = _gap(view, after, before)
    if before is not None:
        found["misaligned"] = _misaligned(view, after, before)
        found["tilt_deg"] = _tilt(after, before)
        found["cut"] = max(0.0, _cut(view, after.hull) - _cut(view, before.hull))
        found["text_cut"] = found["cut"] if after.kind == "text" else 0.0
    return found


def cover_measures(view: View, element: str) -> dict[str, float]:
    """What follows from the px that one element of a perturbed design takes up, beside the clean one.

    Returns:
        ``weight_shift``: how far the page's centre of visual weight moves because of this element, share of the
        page's diagonal. ``growth``: by how much its share of the page grew. ``bare``: share of the page that it, as a
        ground that filled the page, leaves bare. ``overlap``: the largest share of it or of another content, the
        smaller of both, that newly lies on the other. ``hidden``: the largest share of a content that newly is hidden
        by something solid, where this element hides or is hidden.
    """
    after, before = view.traits[element], view.scene.traits.get(element)
    found = {"weight_shift": 0.0, "growth": 0.0, "bare": 0.0, "overlap": 0.0, "hidden": 0.0}
    if before is not None and stands_as_before(view, after, before):
        return found
    found["overlap"], found["hidden"] = _stacking(view, element)
    found["weight_shift"] = _weight_shift(view, after, before)
    if after.role != "background":
        found["growth"] = max(0.0, after.share - (before.share if before else 0.0))
    if before is not None and before.fills_page:
        found["bare"] = max(0.0, 1.0 - after.share)
    return found


def stands_as_before(view: View, after: Trait, before: Trait) -> bool:
    """Whether an element has kept its place, size, form and depth.

    What then comes near to it or covers it is told of the one that moved.
    """
    if after.hull != before.hull or view.below(after.layer.id) != view.scene.clean.below(after.layer.id):
        return False
    return after is before or same_form(before.layer, after.layer) or np.array_equal(after.mask, before.mask)


def _weight_shift(view: View, after: Trait, before: Trait | None) -> float:
    """Centres of weight of the clean design with and without the change of this element's place and size alone."""
    scene = view.scene
    if before is None or after.fills_page:
        return 0.0
    total, x, y = scene.weight
    heavy = scene.heaviness[after.layer.id]
    (was, was_x, was_y), (now, now_x, now_y) = before.inked, after.inked
    now = max(now, was)  # an element that shrinks where it stands tips nothing over
    rest = total + heavy * (now - was)
    if total <= 0 or rest <= 0:
        return 0.0
    dx = (x + heavy * (now * now_x - was * was_x)) / rest - x / total
    dy = (y + heavy * (now * now_y - was * was_y)) / rest - y / total
    width, height = scene.document.width, scene.document.height
    return math.hypot(dx * width, dy * height) / math.hypot(width, height)


def _stacking(view: View, element: str) -> tuple[float, float]:
    """The largest new overlap with another content, and the largest new share that is hidden."""
    scene, after = view.scene, view.traits[element]
    overlap = hidden = 0.0
    spare = scene.spare_px
    for other_id, other in view.traits.items():
        if other_id == element or apart(after.hull, other.hull) > spare or not other.area or not after.area:
            continue
        shared = _shared(after, other)
        if after.content and other.content:
            overlap = max(overlap, shared - scene.overlap(element, other_id))
        front, back = (after, other) if view.depth[element] > view.depth[other_id] else (other, after)
        if front.kind != "text" and (back.content or back is after):
            covered = float(front.solid @ back.mask) / back.area
            hidden = max(hidden, covered - scene.hidden(front.layer.id, back.layer.id))
    return overlap, hidden


def _shared(one: Trait, two: Trait) -> float:
    return float(one.mask @ two.mask) / max(1.0, min(one.area, two.area))


def _gap(view: View, after: Trait, before: Trait | None) -> float:
    """The least ratio of blank space after to before, over neighbours, edges of the page and its grounds' edges."""
    scene = view.scene
    ample, near = ROOM_SHARE * scene.short_px, NEAR_SHARE * scene.short_px
    own_id = after.layer.id
    least = 1.0
    page: Box = (0.0, 0.0, float(view.document.width), float(view.document.height))
    grounds = [page, *(view.traits[g].hull for g, ids in scene.borne.items() if own_id in ids and g in view.traits)]
    for ground in grounds:
        for side in range(4):
            inward = 1 if side < 2 else -1
            was = (before.hull[side] - ground[side]) * inward if before else ample
            if was >= near:
                least = min(least, max(0.0, (after.hull[side] - ground[side]) * inward) / min(was, ample))
    for other_id, other in view.traits.items():
        if other_id == own_id or other.role == "background" or not other.area:
            continue
        clean = scene.traits.get(other_id)
        was = apart(before.hull, clean.hull) if before and clean else ample
        if was >= near:
            least = min(least, apart(after.hull, other.hull) / min(was, ample))
    return least


def kept_axes(scene: Scene, element: str) -> tuple[int, ...]:
    """The axes, 0 across and 1 down, on which a clean element shares a line with another or with the page's middle."""
    found = scene.memory.get(("axes", element))
    if found is None:
        own, tolerance = scene.traits[element], LINED_UP_SHARE * scene.short_px
        found = tuple(axis for axis in (0, 1) if _off_line(scene.clean, own, axis) <= tolerance)
        scene.memory["axes", element] = found
    return cast(tuple[int, ...], found)


def _misaligned(view: View, after: Trait, before: Trait) -> float:
    """How far the element is from the nearest line of its kind, on the axes on which it kept one; the worse axis."""
    if after is before:
        return 0.0
    axes = kept_axes(view.scene, before.layer.id)
    return max((_off_line(view, after, axis) / view.scene.short_px for axis in axes), default=0.0)


def _off_edge(view: View, after: Trait, before: Trait) -> float:
    """How far a ground is from an edge of the page that it reached; the worst edge. A pattern of marks has no edge."""
    left, top, right, bottom = before.hull
    width = min(right, view.document.width) - max(left, 0.0)
    height = min(bottom, view.document.height) - max(top, 0.0)
    if before.share * view.document.width * view.document.height < SOLID_SHARE * width * height:
        return 0.0
    edges = (0.0, 0.0, float(view.document.width), float(view.document.height))
    tolerance, farthest = LINED_UP_SHARE * view.scene.short_px, 0.0
    for side, edge in enumerate(edges):
        inward = 1 if side < 2 else -1
        if (before.hull[side] - edge) * inward <= tolerance:
            farthest = max(farthest, (after.hull[side] - edge) * inward)
    return farthest / view.scene.short_px


def _off_line(view: View, own: Trait, axis: int) -> float:
    """Distance from the nearest line that another element offers; the page's middle is one too, but only across."""
    guides = [("center", view.document.width / 2)] if axis == 0 else []
    for layer_id, other in view.traits.items():
        if layer_id != own.layer.id and not other.fills_page:
            guides.extend(other.lines[axis].items())
    return _nearest(own.lines[axis], guides)


def _nearest(own: dict[str, float], guides: list[tuple[str, float]]) -> float:
    """Least distance between lines of one kind; infinite without any."""
    return min((abs(own[kind] - at) for kind, at in guides if kind in own), default=math.inf)


def _tilt(after: Trait, before: Trait | None) -> float:
    turned = after.layer.rotation_deg - (before.layer.rotation_deg if before else 0.0)
    return abs((turned + 180.0) % 360.0 - 180.0)


def _cut(view: View, hull: Box) -> float:
    left, top, right, bottom = hull
    area = max(1e-9, (right - left) * (bottom - top))
    width = max(0.0, min(right, view.document.width) - max(left, 0.0))
    height = max(0.0, min(bottom, view.document.height) - max(top, 0.0))
    return 1.0 - width * height / area
