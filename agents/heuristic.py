"""An honest baseline that sees what a model sees: the picture and the question, nothing else.

This one is for simple pages; `designgym.agents.aesthetics` has that for whole designs.

The question says which quality is asked about; for each there is one plain rule over the page's regions:

* alignment: a region that runs into the page's edge;
* balance: a region that is far larger than a page of this kind needs;
* contrast: the region that stands out least from the page, if it hardly does;
* harmony: the most colourful region, if it is loud and its hue is far from the others';
* layering: a region that is no single text, shape or picture, and in it what lies on top.

The thresholds were set on training pages. Needs numpy only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from designgym.agents.aesthetics.answering import ARGUMENTS, Argument, call, require
from designgym.agents.aesthetics.heuristic import PixelHeuristic
from designgym.agents.base import Action, Info, Observation
from designgym.agents.constant import answer
from designgym.agents.regions import Rect, Region, area, background, regions
from designgym.boxes import iou
from designgym.envs.aesthetics.questions import LETTERS, split_question
from designgym.envs.aesthetics.sample import FractionBox
from designgym.graphics.color import srgb_to_oklab

EDGE_FRAC = 0.006
"""A region this near to the edge, in parts of the page's side, touches it."""
LARGE_FRAC = 0.14
"""An element is out of scale from this share of the page's area."""
FAINT_CONTRAST = 1.6
"""An element is faint up to this WCAG contrast ratio with the page."""
LOUD_CHROMA = 0.07
"""Below this OKLab chroma a colour has no hue to speak of."""
FAR_HUE_DEG = 90.0
"""A hue is foreign from this distance to the median of the others."""
FULL = 0.96
"""A shape fills its box from this share on; the rest are its smoothed edges."""
OTHER_INK = 4.0
"""A pixel is of another ink from this distance (of 8-bit sRGB) to the line between ink and paper."""
COVERING_INK = 24
"""What covers a shape differs from it by more than this in a channel."""
OTHER_SHARE = 0.02
"""A region has several inks from this share of such pixels."""

Page = NDArray[np.uint8]
Rule = Callable[[Page, list[Region]], "Rect | None"]


class Heuristic:
    """See the module. Finds nothing in answer to a question that it does not know.

    Args:
        argument: What the environment asks for: a box, a verdict, or the letter of a region.
    """

    def __init__(self, argument: Argument = "bbox") -> None:
        self.argument = argument

    def __call__(self, observation: Observation, info: Info) -> Action:
        """Answer by the box that the rule of the question finds: with it, with yes, or with the nearest region."""
        page: Page = observation["image"]
        rule = rule_for(str(observation["task"]))
        rect = rule(page, regions(page)) if rule else None
        height, width = page.shape[:2]
        box = None if rect is None else tuple(v / s for v, s in zip(rect, (width, height) * 2, strict=True))
        if self.argument == "verdict":
            return call("verdict", "no" if box is None else "yes")
        if self.argument == "choice":
            return call("choice", _nearest(box, split_question(observation["task"])[2]))
        return answer(box)


def build(env: gym.Env[Any, Any], seed: int = 0) -> Heuristic | PixelHeuristic:
    """The heuristic agent; it has nothing to learn from the environment and draws nothing at random.

    Simple pages have this one; whole designs have `designgym.agents.aesthetics.heuristic`.
    """
    argument = require(env, "heuristic", *ARGUMENTS)
    settings = env.unwrapped.settings  # type: ignore[attr-defined]
    return Heuristic(argument) if settings.designs == "blocks" else PixelHeuristic(argument)


def _nearest(box: Sequence[float] | None, options: Sequence[FractionBox | None]) -> str:
    """The letter of the region that a box fits best; without one that of None, or A where None is not offered."""
    if box is None:
        return LETTERS[options.index(None)] if None in options else LETTERS[0]
    return LETTERS[max(range(len(options)), key=lambda index: iou(box, options[index] or (0.0, 0.0, 0.0, 0.0)))]


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
    paper = background(page).astype(np.float64)
    rects = [_dominant(region) if _is_compound(region, paper) else region.rect for region in found]
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
    """The region whose strongest colour is farthest in hue from the others', if it is far and no near-grey."""
    chromas, hues = [], []
    for region in found:
        lab = srgb_to_oklab(region.rgb)
        chroma = np.hypot(lab[:, 1], lab[:, 2])
        strong = lab[chroma >= np.percentile(chroma, 90)].mean(axis=0)
        chromas.append(float(np.hypot(strong[1], strong[2])))
        hues.append(float(np.degrees(np.arctan2(strong[2], strong[1]))))
    best: tuple[float, Rect] | None = None
    for index, region in enumerate(found):
        others = [hue for other, hue in enumerate(hues) if other != index]
        if not others or chromas[index] < LOUD_CHROMA:
            continue
        far = float(np.median([_hue_distance(hues[index], hue) for hue in others]))
        if far > FAR_HUE_DEG and (best is None or chromas[index] > best[0]):
            best = (chromas[index], region.rect)
    return best[1] if best else None


def covering(page: Page, found: list[Region]) -> Rect | None:
    """What lies on top in the largest region that cannot be a single element."""
    paper = background(page).astype(np.float64)
    suspects = [region for region in found if _is_compound(region, paper)]
    return _topmost(max(suspects, key=lambda region: area(region.rect))) if suspects else None


_STEMS: dict[str, Rule] = {
    "align": misaligned,
    "balance": oversized,
    "contrast": faint,
    "harmon": loud,
    "layer": covering,
}


def _dominant(region: Region) -> Rect:
    """The bounding box of the colour that spans most of a region, if it spans most of it; else the region's own."""
    widest = max((paint.rect for paint in region.paints(0.03)), key=area, default=region.rect)
    return widest if area(widest) > 0.4 * area(region.rect) else region.rect


def _is_compound(region: Region, paper: NDArray[np.float64]) -> bool:
    """Whether a region is neither a full rectangle, as pictures are, nor of one ink, as texts and shapes are.

    The edges of an ink are mixed with the paper, so every colour between the two counts as that ink.
    """
    if region.fill > FULL:
        return False
    off = region.rgb - paper
    strength = np.linalg.norm(off, axis=1)
    ink = off[strength >= np.percentile(strength, 90)].mean(axis=0)
    along = np.clip(off @ ink / max(float(ink @ ink), 1.0), 0.0, 1.2)
    beside = np.linalg.norm(off - along[:, None] * ink, axis=1)
    return float((beside > OTHER_INK).mean()) > OTHER_SHARE


def _topmost(region: Region) -> Rect:
    """The solid colour that nothing cuts into, else all that is not the largest solid colour."""
    solid = [paint for paint in region.paints() if paint.fill > 0.6 and area(paint.rect) > 0.08 * area(region.rect)]
    whole = [paint for paint in solid if paint.fill > FULL or abs(paint.fill - np.pi / 4) < 0.02]
    if whole:
        return max(whole, key=lambda paint: paint.pixels).rect
    if not solid:
        return region.rect
    under = max(solid, key=lambda paint: paint.pixels)
    ys, xs = np.nonzero(region.mask)
    rest = np.abs(region.rgb.astype(np.int16) - np.array(under.rgb, np.int16)).max(axis=1) > COVERING_INK
    if not rest.any():
        return region.rect
    left, top = region.rect[:2]
    xs, ys = xs[rest], ys[rest]
    return (left + int(xs.min()), top + int(ys.min()), left + int(xs.max()) + 1, top + int(ys.max()) + 1)


def _luminance(rgb: NDArray[np.uint8]) -> Any:
    """WCAG relative luminance of sRGB colours (..., 3)."""
    part = rgb.astype(np.float64) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _contrast(one: float, two: float) -> float:
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


def _hue_distance(one: float, two: float) -> float:
    return abs((one - two + 180.0) % 360.0 - 180.0)
