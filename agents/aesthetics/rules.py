"""For each indicator one plain rule over how elements look: how far an element is to blame, 1 and more being a flaw.

The rules see pixels alone. What they take for a flaw was set on training pages; the scales are chosen so that 1 divides
good from flawed there. A rule knows neither subjects nor moods: of relevance it can only say that it is about pictures,
and of psychology that colours that stand apart are the likelier ones to raise a wrong feeling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.agents.aesthetics.looks import Look
from designgym.agents.regions import Rect

GREY_CHROMA = 0.04
"""Colours nearer to grey have no hue that could clash."""
DRAB_LAB = np.array([0.44, -0.008, 0.078])
"""Olive brown, the colour that surveys found the least liked (GfK 2012), in OKLab."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A page and what was found on it.

    Attributes:
        width: Of the page, px.
        height: Of the page, px.
        looks: The elements.
        grounds_lab: OKLab of the page's largest colours, n x 3.
        given: How many of the elements, the first ones, were known beforehand.
    """

    width: int
    height: int
    looks: Sequence[Look]
    grounds_lab: NDArray[np.float64]
    given: int = 0

    @property
    def short(self) -> int:
        """The shorter side, px."""
        return min(self.width, self.height)


Rule = Callable[[Look, Scene], float]


def faint(one: Look, scene: Scene) -> float:
    """Contrast: text that hardly differs from its ground."""
    return 1.75 / one.contrast if one.kind == "text" else 0.6 / one.contrast


def hard_to_read(one: Look, scene: Scene) -> float:
    """Legibility: faint, tiny, or mixed up with what lies behind."""
    if one.kind == "shape":
        return 0.0
    tiny = 3.9 / max(one.line_px, 1.0) if one.kind == "text" else 0.0
    mixed = one.several / 0.26 if one.fill < 0.6 and one.several < 0.6 else 0.0
    return max(faint(one, scene), tiny, min(mixed, 0.95))


def coarse(one: Look, scene: Scene) -> float:
    """Quality: pictures without sharp edges, or drawn in large px."""
    if one.kind != "picture":
        return 0.0
    return max(0.24 / max(one.sharp, 0.01), one.silent / 0.4)


def oversized(one: Look, scene: Scene) -> float:
    """Balance: what takes up much of the page and is no ground; type counts by its height."""
    if one.kind == "shape":
        return 0.3 * one.share
    scale = 0.17 if one.kind == "text" else 0.12
    return one.share / scale if one.share < 0.9 else 0.0


def off_hue(one: Look, scene: Scene) -> float:
    """Chroma in a hue that the other elements and the grounds lack."""
    others = [other.lab for other in scene.looks if apart(other.rect, one.rect) and other.kind != "picture"]
    palette = np.array([*others, *scene.grounds_lab])
    palette = palette[np.hypot(palette[:, 1], palette[:, 2]) >= GREY_CHROMA] if len(palette) else palette
    if not len(palette):
        return 0.0
    hues = np.arctan2(palette[:, 2], palette[:, 1])
    turn = np.abs((hues - one.hue + np.pi) % (2 * np.pi) - np.pi).min()
    return one.chroma * float(np.sin(min(turn, np.pi / 2)))


def clashing(one: Look, scene: Scene) -> float:
    """Harmony."""
    return off_hue(one, scene) / 0.1 * (0.6 if one.kind == "picture" else 1.0)


def unloved(one: Look, scene: Scene) -> float:
    """Appeal: a colour near to the least liked ones, or a loud one that clashes."""
    drab = 1.0 - float(np.linalg.norm(one.lab - DRAB_LAB)) / 0.14
    return max(drab / 0.5, off_hue(one, scene) / 0.15) * (0.6 if one.kind == "picture" else 1.0)


def out_of_mood(one: Look, scene: Scene) -> float:
    """Psychology: the colour that stands apart."""
    return max(off_hue(one, scene) / 0.11, one.chroma / 0.33) * (0.6 if one.kind == "picture" else 1.0)


def stacked(one: Look, scene: Scene) -> float:
    """Layering: what lies partly on another element."""
    return _overlap(one, scene) / 0.2 + (one.several if one.fill < 0.6 else 0.0)


def crowded(one: Look, scene: Scene) -> float:
    """Whitespace: hardly any room to a neighbour or to the page's edge."""
    return 1.0 - _room(one, scene) / (0.012 * scene.short) + min(1.0, _overlap(one, scene) / 0.1)


def out_of_line(one: Look, scene: Scene) -> float:
    """Alignment: over the page's edge, or off every line that other elements keep."""
    left, top, right, bottom = one.rect
    edges = (left <= 1, top <= 1, right >= scene.width - 1, bottom >= scene.height - 1)
    if sum(edges) == 1 and one.kind != "shape":
        return 1.2
    own = np.array([left, (left + right) / 2, right])
    nearest = abs(own[1] - scene.width / 2)
    for other in scene.looks:
        if apart(other.rect, one.rect):
            a, _, b, _ = other.rect
            nearest = min(nearest, float(np.abs(own - np.array([a, (a + b) / 2, b])).min()))
    return min(nearest / scene.short, 0.08) / 0.014


def out_of_rank(one: Look, scene: Scene) -> float:
    """Hierarchy: type nearly as large as the largest, or much larger than the small texts of the page."""
    if one.kind != "text" or one.line_px <= 0:
        return 0.0
    sizes = sorted((o.line_px for o in scene.looks if o.kind == "text" and apart(o.rect, one.rect)), reverse=True)
    if len(sizes) < 2 or one.line_px > 1.15 * sizes[0]:
        return 0.2
    return max(one.line_px / sizes[0], 0.5 * one.line_px / float(np.median(sizes[1:])))


def any_picture(one: Look, scene: Scene) -> float:
    """Relevance: all that pixels tell is which elements are pictures; large ones count more."""
    return 1.0 + min(one.share, 0.3) if one.kind == "picture" else 0.2


RULES: dict[str, Rule] = {
    "layout-balance": oversized,
    "layout-layering": stacked,
    "layout-whitespace": crowded,
    "layout-alignment": out_of_line,
    "color-harmony": clashing,
    "color-contrast": faint,
    "color-appeal": unloved,
    "color-psychology": out_of_mood,
    "font-legibility": hard_to_read,
    "font-hierarchy": out_of_rank,
    "graphic-quality": coarse,
    "graphic-relevance": any_picture,
}
"""Indicator -> rule."""


def apart(one: Rect, two: Rect) -> bool:
    """Whether two boxes are of different elements: not nearly the same."""
    shared = _shared(one, two)
    union = _area(one) + _area(two) - shared
    return shared < 0.6 * union


def _overlap(one: Look, scene: Scene) -> float:
    """The largest share of the smaller of two boxes that lies on the other; boxes inside of others do not count."""
    most = 0.0
    for other in scene.looks:
        if apart(other.rect, one.rect):
            share = _shared(one.rect, other.rect) / max(1, min(_area(one.rect), _area(other.rect)))
            most = max(most, share if share < 0.93 else 0.0)
    return most


def _room(one: Look, scene: Scene) -> float:
    """Blank px to the nearest neighbour that is neither inside nor around it, or to the page's edge."""
    left, top, right, bottom = one.rect
    room = float(min(left, top, scene.width - right, scene.height - bottom))
    for other in scene.looks:
        if apart(other.rect, one.rect) and not _shared(other.rect, one.rect):
            a, b, c, d = other.rect
            room = min(room, float(np.hypot(max(0, left - c, a - right), max(0, top - d, b - bottom))))
    return max(room, 0.0)


def _shared(one: Rect, two: Rect) -> int:
    return max(0, min(one[2], two[2]) - max(one[0], two[0])) * max(0, min(one[3], two[3]) - max(one[1], two[1]))


def _area(rect: Rect) -> int:
    return max(0, rect[2] - rect[0]) * max(0, rect[3] - rect[1])
