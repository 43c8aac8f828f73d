"""What the type of a text does to a page: whether it can be read, and whether it tells what to read first."""

from __future__ import annotations

from designgym.envs.aesthetics.view import View
from designgym.graphics.document import TextLayer
from designgym.graphics.fonts import find_family

LEVEL_RATIO = 1.18
"""From this ratio of their sizes on two clean texts are of different levels (a minor third is 1.2)."""
SAME_SIZE = 1.04
ORNATE = frozenset({"Lobster", "Pacifico", "Dancing Script"})
"""Faces whose joined or swung letters need size to be read."""
SENTENCE_LETTERS = 24
"""Shorter texts are taken in at a glance, in any face."""

_NEAR = 0.3
_FAR = {
    frozenset({"serif", "sans"}): 0.6,
    frozenset({"sans", "mono"}): 0.65,
    frozenset({"serif", "mono"}): 0.65,
    frozenset({"sans", "display"}): 0.9,
}
HEADINGS = frozenset({"title", "subtitle"})
"""Roles that may have a face of their own."""
ALONE = 0.45
"""So may a text whose face no other running text shares: the distance of these counts this much."""


def type_measures(view: View, element: str) -> dict[str, float]:
    """Measures of one text of a perturbed design beside the clean one; neutral values for other elements.

    Returns:
        ``type_px``: size of the type as seen on a page of 448 px. ``shrunk``: its size to that before, at most 1.
        ``ornate_px``: the same for a sentence in an ornate face, else 99. ``rank_ratio``: the least ratio of the larger
        to the smaller of two sizes that are of different levels in the clean design, if its size changed, else 9.
        ``level_ratio``: the largest ratio between its size and that of texts of its own level, 1 or more.
        ``stray_face``: how far its face is from that of the texts it belongs to, 0 to 1.
    """
    neutral = {
        "type_px": 99.0, "shrunk": 1.0, "ornate_px": 99.0, "rank_ratio": 9.0, "level_ratio": 1.0, "stray_face": 0.0,
    }  # fmt: skip
    layer = view.traits[element].layer
    if not isinstance(layer, TextLayer):
        return neutral
    found = dict(neutral)
    found["type_px"] = layer.size_px * view.scene.seen_scale
    if find_family(layer.font).name in ORNATE and len(layer.text) >= SENTENCE_LETTERS:
        found["ornate_px"] = found["type_px"]
    before = view.scene.traits.get(element)
    if before is None or not isinstance(before.layer, TextLayer):
        return found
    was = before.layer
    found["shrunk"] = min(1.0, layer.size_px / was.size_px)
    others = [own for i, own in view.scene.traits.items() if i != element]
    texts = [(own.layer, view.traits[own.layer.id].layer) for own in others if own.layer.id in view.traits]
    if layer.size_px != was.size_px:
        for old, new in texts:
            if isinstance(old, TextLayer) and isinstance(new, TextLayer):
                _compare(found, was, layer, old, new)
    if layer.font != was.font:
        heads = view.scene.role(was) in HEADINGS
        kin = any(
            isinstance(old, TextLayer) and old.font == was.font and view.scene.role(old) != "title" for old, _ in texts
        )
        found["stray_face"] = face_distance(was.font, layer.font) * (1.0 if kin and not heads else ALONE)
    return found


def _compare(found: dict[str, float], was: TextLayer, now: TextLayer, old: TextLayer, new: TextLayer) -> None:
    clean = was.size_px / old.size_px
    ratio = now.size_px / new.size_px
    if clean >= LEVEL_RATIO or clean <= 1 / LEVEL_RATIO:
        found["rank_ratio"] = min(found["rank_ratio"], ratio if clean > 1 else 1 / ratio)
    elif max(clean, 1 / clean) <= SAME_SIZE:
        found["level_ratio"] = max(found["level_ratio"], ratio, 1 / ratio)


def face_distance(one: str, two: str) -> float:
    """How different two families look: 0 the same, 0.3 of one category, up to 1 for a script beside a text face."""
    first, second = find_family(one), find_family(two)
    if first.name == second.name:
        return 0.0
    # Abril and Playfair are cousins, but no text face is a cousin of a script.
    if first.category == second.category:
        return _NEAR if first.category != "display" else 0.7
    return _FAR.get(frozenset({first.category, second.category}), 1.0)
