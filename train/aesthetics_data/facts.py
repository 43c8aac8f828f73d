"""What can be said of a design and its elements from places, type and colours alone: numbers for the reasoning paths.

Lengths are shares of the page's height or width unless a name says px; a fact that cannot be known is None.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.envs.aesthetics.sample import Element, FractionBox, Sample
from designgym.graphics.color import contrast_ratio, to_hex
from designgym.graphics.document import ImageLayer, Layer, ShapeLayer, TextLayer

SAME_EDGE = 0.006
"""Edges within so much of the page's width count as one line (about 3 px at 448 px)."""


@dataclass(frozen=True, eq=False)
class Facts:
    """A sample with its page as pixels, and what can be read off them.

    Attributes:
        sample: The design.
        page: uint8 H x W x 3 as the model sees it.
    """

    sample: Sample
    page: NDArray[np.uint8]

    @cached_property
    def foreground(self) -> tuple[Element, ...]:
        """All elements but those that cover the whole page."""
        return tuple(e for e in self.sample.elements if e.kind != "background" and area(e.box) < 0.9)

    @cached_property
    def texts(self) -> tuple[Element, ...]:
        """The texts, largest type first."""
        known = [e for e in self.foreground if e.kind == "text"]
        return tuple(sorted(known, key=lambda e: -(self.type_px(e) or 0.0)))

    def layer(self, element: Element) -> Layer | None:
        """The layer of an element as shown."""
        layers: Mapping[str, Layer] = self._layers
        return layers.get(element.id)

    @cached_property
    def _layers(self) -> dict[str, Layer]:
        document = self.sample.document
        return {} if document is None else {layer.id: layer for layer in document.layers}

    def type_px(self, element: Element) -> float | None:
        """Size of the type in page px."""
        layer = self.layer(element)
        return layer.size_px if isinstance(layer, TextLayer) else None

    def type_share(self, element: Element) -> float | None:
        """Size of the type as a share of the page's height."""
        size = self.type_px(element)
        return None if size is None else size / self.sample.height

    def font(self, element: Element) -> str | None:
        """Family of the type."""
        layer = self.layer(element)
        return layer.font if isinstance(layer, TextLayer) else None

    def color(self, element: Element) -> str | None:
        """Colour of a text or a shape, ``#rrggbb``."""
        layer = self.layer(element)
        if isinstance(layer, TextLayer):
            return layer.color[:7]
        return layer.fill[:7] if isinstance(layer, ShapeLayer) and layer.fill else None

    def contrast(self, element: Element) -> float | None:
        """WCAG contrast, 1 to 21, of a text or shape to the commonest colour around what it draws."""
        color = self.color(element)
        ground = self._ground(element)
        return None if color is None or ground is None else contrast_ratio(color, ground)

    def _ground(self, element: Element) -> str | None:
        """The median colour in a text's box, which is mostly ground, or of a ring around another element."""
        height, width = self.page.shape[:2]
        left, top, right, bottom = element.box
        x1, x2 = int(left * width), max(int(left * width) + 1, round(right * width))
        y1, y2 = int(top * height), max(int(top * height) + 1, round(bottom * height))
        if element.kind == "text":
            region = self.page[y1:y2, x1:x2].reshape(-1, 3)
        else:
            wide = self.page[max(0, y1 - 4) : y2 + 4, max(0, x1 - 4) : x2 + 4]
            inside = np.zeros(wide.shape[:2], bool)
            inside[y1 - max(0, y1 - 4) : y2 - max(0, y1 - 4), x1 - max(0, x1 - 4) : x2 - max(0, x1 - 4)] = True
            region = wide[~inside]
        return to_hex(np.median(region, axis=0)) if len(region) else None

    def resolution(self, element: Element) -> float | None:
        """Pixels that a picture's file has for each page px of its longer side."""
        layer, document = self.layer(element), self.sample.document
        if document is None or not isinstance(layer, ImageLayer):
            return None
        data = document.assets.get(layer.asset)
        if data is None:
            return None
        with Image.open(io.BytesIO(data)) as picture:  # reads the size alone
            return min(picture.width / layer.width, picture.height / layer.height)

    def nearest(self, element: Element) -> tuple[Element, float] | None:
        """The foreground element with the least gap to this one, and the gap as a share of the page's longer side."""
        others = [other for other in self.foreground if other.id != element.id and not _nested(other.box, element.box)]
        if not others:
            return None
        sample = self.sample
        longer = max(sample.width, sample.height)
        gaps = [_gap(element.box, other.box, sample.width, sample.height) / longer for other in others]
        best = min(range(len(others)), key=gaps.__getitem__)
        return others[best], gaps[best]

    def lined_up(self, element: Element) -> tuple[str, tuple[Element, ...]] | None:
        """The line down the page that an element shares with most others (left, centre or right), and with whom."""
        best: tuple[str, tuple[Element, ...]] | None = None
        for name, place in (("left", _left), ("centre", _centre), ("right", _right)):
            others = tuple(
                other
                for other in self.foreground
                if other.id != element.id and abs(place(other.box) - place(element.box)) <= SAME_EDGE
            )
            if others and (best is None or len(others) > len(best[1])):
                best = (name, others)
        return best

    def margin(self, element: Element) -> float:
        """The least distance to an edge of the page, as a share of that side."""
        left, top, right, bottom = element.box
        return max(0.0, min(left, top, 1 - right, 1 - bottom))

    def covered(self, element: Element) -> tuple[Element, ...]:
        """Texts and pictures in front of which this element lies, wholly or in part."""
        order = [e.id for e in self.sample.elements]
        below = [e for e in self.foreground if order.index(e.id) < order.index(element.id) and e.kind != "shape"]
        return tuple(e for e in below if overlap(e.box, element.box) > 0.02)

    @cached_property
    def weight(self) -> tuple[float, float]:
        """The centre of the foreground's boxes weighted by area, as fractions of the page."""
        parts = [(area(e.box), e.box) for e in self.foreground]
        total = sum(part for part, _ in parts)
        if total <= 0:
            return 0.5, 0.5
        x = sum(part * (box[0] + box[2]) / 2 for part, box in parts) / total
        y = sum(part * (box[1] + box[3]) / 2 for part, box in parts) / total
        return x, y


def area(box: FractionBox) -> float:
    """Share of the page in a box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap(one: FractionBox, two: FractionBox) -> float:
    """The share of the first box that lies in the second."""
    common = (max(one[0], two[0]), max(one[1], two[1]), min(one[2], two[2]), min(one[3], two[3]))
    if common[0] >= common[2] or common[1] >= common[3] or area(one) <= 0:
        return 0.0
    return area(common) / area(one)


def place(box: FractionBox) -> str:
    """Where a box lies, in words that follow ``lies``: ``at the top left``, ``in the middle``."""
    if area(box) > 0.7:
        return "over almost the whole page"
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    across = "left" if x < 0.38 else "right" if x > 0.62 else ""
    down = "top" if y < 0.36 else "bottom" if y > 0.64 else ""
    if box[2] - box[0] > 0.75:
        return f"across the {down or 'middle'} of the page"
    if not across and not down:
        return "in the middle of the page"
    return f"at the {down} {across}".strip() if down else f"on the {across} side"


def _left(box: FractionBox) -> float:
    return box[0]


def _right(box: FractionBox) -> float:
    return box[2]


def _centre(box: FractionBox) -> float:
    return (box[0] + box[2]) / 2


def _nested(outer: FractionBox, inner: FractionBox) -> bool:
    """Whether one holds most of the other: a panel and its text are no neighbours."""
    return overlap(inner, outer) > 0.6 or overlap(outer, inner) > 0.6


def _gap(one: FractionBox, two: FractionBox, width: int, height: int) -> float:
    """Distance of two boxes in px; 0 where they touch."""
    across = max(0.0, max(one[0], two[0]) - min(one[2], two[2])) * width
    down = max(0.0, max(one[1], two[1]) - min(one[3], two[3])) * height
    return float(np.hypot(across, down))
