"""An honest baseline for localization that sees what a model sees: the picture and the question, nothing else.

The question says which quality is asked about; for each there is one plain rule over the page's regions:

* alignment: a region that runs into the page's edge;
* balance: a region that is far larger than a page of this kind needs;
* contrast: the region that stands out least from the page, if it hardly does;
* harmony: the most colourful region, if it is loud and its hue is far from the others';
* layering: a region that is no single text, shape or picture, and in it what lies on top.

The thresholds were set on training pages. Needs numpy only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from designgym.agents.base import Action, Info, Observation
from designgym.agents.constant import answer, require_answer_tool
from designgym.agents.regions import Rect, Region, area, background, regions
from designgym.graphics.color import oklab_to_oklch, srgb_to_oklab

EDGE_FRAC = 0.006
LARGE_FRAC = 0.14
FAINT_CONTRAST = 1.6
LOUD_CHROMA = 0.115
FAR_HUE_DEG = 60.0

Page = NDArray[np.uint8]
Rule = Callable[[Page, list[Region]], "Rect | None"]


class Heuristic:
    """See the module. Answers None to a question that it does not know."""

    def __call__(self, observation: Observation, info: Info) -> Action:
        """Answer with the box that the rule of the question finds."""
        page: Page = observation["image"]
        rule = rule_for(str(observation["task"]))
        rect = rule(page, regions(page)) if rule else None
        height, width = page.shape[:2]
        return answer(None if rect is None else tuple(v / s for v, s in zip(rect, (width, height) * 2, strict=True)))


def build(env: gym.Env[Any, Any], seed: int = 0) -> Heuristic:
    """The heuristic agent; it has nothing to learn from the environment and draws nothing at random."""
    require_answer_tool(env, "heuristic")
    return Heuristic()


def rule_for(question: str) -> Rule | None:
    """The rule for a question, by the first of the words that name a quality."""
    words = question.casefold()
    places = [(words.find(stem), rule) for stem, rule in _STEMS.items() if stem in words]
    return min(places, key=lambda place: place[0])[1] if places else None


def misaligned(page: Page, found: list[Region]) -> Rect | None:
    """The largest region that touches the page's edge."""
    height, width = page.shape[:2]
    rim = EDGE_FRAC * max(height, width)
    touching = [
        r.rect
        for r in found
        if r.rect[0] <= rim or r.rect[1] <= rim or r.rect[2] >= width - rim or r.rect[3] >= height - rim
    ]
    return max(touching, key=area, default=None)


def oversized(page: Page, found: list[Region]) -> Rect | None:
    """The largest region, or the flat shape that makes up most of it, if it takes up much of the page."""
    rects = [_dominant(region) for region in found]
    largest = max(rects, key=area, default=None)
    return largest if largest is not None and area(largest) > LARGE_FRAC * page.shape[0] * page.shape[1] else None


def faint(page: Page, found: list[Region]) -> Rect | None:
    """The region whose strongest pixels contrast least with the page."""
    paper = _luminance(background(page))
    ratios = [_contrast(np.percentile(_luminance(r.rgb), 5), paper) for r in found]
    if not ratios or min(ratios) > FAINT_CONTRAST:
        return None
    return found[int(np.argmin(ratios))].rect


def loud(page: Page, found: list[Region]) -> Rect | None:
    """The most colourful region, if its hue is far from the hues of the others."""
    chromas, hues = [], []
    for region in found:
        lab = srgb_to_oklab(region.rgb)
        lch = oklab_to_oklch(lab)
        strong = lch[:, 1] >= np.percentile(lch[:, 1], 75)
        chromas.append(float(lch[strong, 1].mean()))
        hues.append(float(np.degrees(np.arctan2(lab[strong, 2].mean(), lab[strong, 1].mean()))))
    if not found or max(chromas) < LOUD_CHROMA:
        return None
    first = int(np.argmax(chromas))
    others = [hue for index, hue in enumerate(hues) if index != first]
    if others and np.median([_hue_distance(hues[first], hue) for hue in others]) < FAR_HUE_DEG:
        return None
    return found[first].rect


def covering(page: Page, found: list[Region]) -> Rect | None:
    """What lies on top in the region that looks least like a single element."""
    suspects = [region for region in found if _is_compound(region)]
    if not suspects:
        return None
    region = max(suspects, key=lambda r: area(r.rect))
    return _topmost(region)


_STEMS: dict[str, Rule] = {
    "align": misaligned,
    "balance": oversized,
    "contrast": faint,
    "harmon": loud,
    "layer": covering,
}


def _dominant(region: Region) -> Rect:
    """The bounding box of a solid colour that covers most of a region, else the region's own."""
    for paint in region.paints()[:1]:
        if paint.fill > 0.7 and area(paint.rect) > 0.5 * area(region.rect):
            return paint.rect
    return region.rect


def _is_compound(region: Region) -> bool:
    """Whether a region is neither a full rectangle (a picture) nor of one colour that spans all of it (text, shape)."""
    if region.fill > 0.97:
        return False
    spans = [area(paint.rect) / area(region.rect) for paint in region.paints()]
    return not spans or max(spans) < 0.9


def _topmost(region: Region) -> Rect:
    """The box of the solid colour that covers others, else of the colour that most of the region does not hold."""
    paints = [paint for paint in region.paints() if area(paint.rect) > 0.05 * area(region.rect)]
    solid = [paint for paint in paints if paint.fill > 0.7]
    if solid:
        return max(solid, key=lambda p: p.pixels).rect
    return max(paints, key=lambda p: area(p.rect)).rect if paints else region.rect


def _luminance(rgb: NDArray[np.uint8]) -> Any:
    """WCAG relative luminance of sRGB colours (..., 3)."""
    part = rgb.astype(np.float64) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _contrast(one: float, two: float) -> float:
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


def _hue_distance(one: float, two: float) -> float:
    return abs((one - two + 180.0) % 360.0 - 180.0)
