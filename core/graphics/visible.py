"""What of each layer can be seen, given the page's edge, the layers above, transparency and what lies beneath.

The rule, exactly. A pixel belongs to a layer's visible mask if both hold there:

- *coverage*: the layer's own alpha (anti-aliased edge, colour, picture and opacity together) times the share that the
  layers above let through is at least ``min_coverage``;
- *difference*: taking the layer away would change the finished page there by at least ``min_difference`` levels (of
  255) in at least one of red, green and blue.

Text set smaller than ``min_text_px`` has no visible pixel. So what lies off the page, behind something opaque, at an
opacity near 0, in the colour of its ground or in 1-px type is invisible; of a half covered layer the other half counts.
A group's opacity and edge count as its members' own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import parse_color
from designgym.graphics.document import Document, Layer, TextLayer
from designgym.graphics.groups import fade, runs
from designgym.graphics.raster import LayerImage, page_size, rasterize, reach

Mask = NDArray[np.bool_]
FractionBox = tuple[float, float, float, float]
"""x1, y1, x2, y2 as fractions of the page."""

_TOTAL_INK_PIXELS = 1_000_000  # the most that is drawn to measure the ink of a layer that leaves the page


@dataclass(frozen=True)
class Rule:
    """The thresholds of visibility."""

    min_coverage: float = 0.1
    """Least share (0 to 1) of a pixel's light that must come from the layer."""
    min_difference: float = 12.0
    """Least change of the page in levels of 255; 0 leaves likeness to the ground out of account."""
    min_text_px: float = 5.0
    """Least font size, in page px, of text that counts as visible."""


@dataclass(frozen=True, eq=False)
class Visibility:
    """What can be seen of every layer of a document."""

    document: Document
    scale: float
    rule: Rule
    masks: dict[str, Mask] = field(repr=False)
    """Layer id to bool (H, W) of the page rendered at ``scale``."""

    def box(self, layer_id: str) -> FractionBox | None:
        """The smallest box around the layer's visible pixels, as fractions of the page; None if there are none.

        ``KeyError`` with the known ids for an unknown one.
        """
        return mask_box(self.masks[self.document.layer(layer_id).id])

    def fraction(self, layer_id: str) -> float:
        """The visible share of the layer's ink, 0 to 1: visible pixels over those that it would have alone and opaque.

        Ink beyond the page's edge counts as not visible.
        """
        layer = self.document.layer(layer_id)
        seen = int(np.count_nonzero(self.masks[layer_id]))
        return min(1.0, seen / _total_ink(layer, self.document, self.scale, self.rule)) if seen else 0.0


def visibility(document: Document, scale: float = 1.0, rule: Rule | None = None) -> Visibility:
    """Find what can be seen of every layer of a valid document, in one pass.

    Args:
        document: The document.
        scale: Pixels per page px. Masks at a small scale miss strokes much thinner than a pixel.
        rule: The thresholds; the defaults of :class:`Rule` if None.
    """
    rule = rule or Rule()
    images = [rasterize(layer, document, scale) for layer in document.layers]
    width, height = page_size(document, scale)
    fades = {group.id: fade(group, document, scale, (height, width)) for group in document.groups if group.isolated}
    differences = _differences(document, images, fades, (height, width))
    through = np.ones((height, width), np.float32)
    masks = {}
    for group, members in reversed(list(runs(document))):
        # Within a group its members cover each other as they are; only what they make together is faded and cut off.
        inner = np.ones_like(through) if group else through
        left = fades[group.id] * through if group else None
        for index in reversed(members):
            layer, image = document.layers[index], images[index]
            mask = masks[layer.id] = np.zeros((height, width), np.bool_)
            if image.pixels is None:
                continue
            region = _slices(image)
            alpha = image.pixels[..., 3].astype(np.float32) / 255
            if not (isinstance(layer, TextLayer) and layer.size_px < rule.min_text_px):
                share = inner[region] if left is None else inner[region] * left[region]
                covered = alpha * share >= max(rule.min_coverage, 1 / 255)
                mask[region] = covered & (differences[index] * share >= rule.min_difference)
            inner[region] *= 1 - alpha
        if group:
            through *= 1 - fades[group.id] * (1 - inner)
    return Visibility(document, scale, rule, {layer.id: masks[layer.id] for layer in document.layers})


def visible_masks(document: Document, scale: float = 1.0, rule: Rule | None = None) -> dict[str, Mask]:
    """Layer id to bool (H, W): where each layer can be seen. The rule stands at the top of this module."""
    return visibility(document, scale, rule).masks


def visible_box(document: Document, layer_id: str, scale: float = 1.0, rule: Rule | None = None) -> FractionBox | None:
    """The box around what can be seen of one layer (x1, y1, x2, y2, fractions of the page); None if nothing can."""
    return visibility(document, scale, rule).box(layer_id)


def visible_fraction(document: Document, layer_id: str, scale: float = 1.0, rule: Rule | None = None) -> float:
    """The visible share of one layer's ink, 0 to 1."""
    return visibility(document, scale, rule).fraction(layer_id)


def mask_box(mask: Mask) -> FractionBox | None:
    """The smallest box around the true pixels of a bool (H, W) mask, as fractions of its sides; None without any."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not len(columns):
        return None
    height, width = mask.shape
    return (
        float(columns[0] / width),
        float(rows[0] / height),
        float((columns[-1] + 1) / width),
        float((rows[-1] + 1) / height),
    )


def _differences(
    document: Document, images: list[LayerImage], fades: Mapping[str, NDArray[np.float32]], shape: tuple[int, int]
) -> list[NDArray[np.float32]]:
    """Per layer, how much it changes what is beneath it, in levels: float32 (h, w) of its box; in a group, unfaded."""
    red, green, blue, alpha = parse_color(document.background)
    ground = 255 + (np.array([blue, green, red], np.float32) - 255) * np.float32(alpha / 255)
    page = np.broadcast_to(ground, (*shape, 3)).astype(np.float32)
    found: list[NDArray[np.float32]] = []
    for group, members in runs(document):
        below = page.copy() if group else page
        for index in members:
            image = images[index]
            if image.pixels is None:
                found.append(np.zeros((0, 0), np.float32))
                continue
            region = _slices(image)
            layer = image.pixels.astype(np.float32)
            change = layer[..., :3] - below[region] * (layer[..., 3:] / 255)
            below[region] += change
            found.append(np.abs(change).max(axis=-1))
        if group:
            page += fades[group.id][..., None] * (below - page)
    return found


def _slices(image: LayerImage) -> tuple[slice, slice]:
    x1, y1, x2, y2 = image.box
    return slice(y1, y2), slice(x1, x2)


def _total_ink(layer: Layer, document: Document, scale: float, rule: Rule) -> float:
    """How many pixels the layer would ink alone, opaque and on a page without edges."""
    solid = dataclasses.replace(layer, opacity=1.0)
    x1, y1, x2, y2 = reach(layer, document)
    if x1 >= 0 and y1 >= 0 and x2 <= document.width and y2 <= document.height:
        return _ink(solid, document, scale, rule)
    # Moved by whole px onto a page of its own, drawn smaller if that page would be large.
    left, top = math.floor(x1), math.floor(y1)
    moved = dataclasses.replace(solid, x=layer.x - left, y=layer.y - top)
    group = document.group_of(layer)
    groups = (dataclasses.replace(group, x=group.x - left, y=group.y - top),) if group else ()
    size = math.ceil(x2 - x1) + 1, math.ceil(y2 - y1) + 1
    page = Document(*size, layers=(moved,), assets=document.assets, groups=groups)
    smaller = min(scale, math.sqrt(_TOTAL_INK_PIXELS / (page.width * page.height)))
    return _ink(moved, page, smaller, rule) * (scale / smaller) ** 2


def _ink(layer: Layer, document: Document, scale: float, rule: Rule) -> int:
    pixels = rasterize(layer, document, scale).pixels
    if pixels is None:
        return 1
    return max(1, int(np.count_nonzero(pixels[..., 3] >= max(1.0, 255 * rule.min_coverage))))
