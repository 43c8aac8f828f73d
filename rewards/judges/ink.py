"""The ink of a page's layers and how much of it comes through to the eye, before any question is asked.

A page is drawn once, small, as it is observed. What of a layer comes through is measured by exchanging its image for a
white and for a black one of the same shape: where the page changes by as much as they differ, nothing covers it. That
takes in the layers above, their transparency, and what groups fade and cut off.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import parse_color
from designgym.graphics.document import Document, Layer, TextLayer
from designgym.graphics.raster import LayerImage, page_size, rasterize, reach
from designgym.graphics.render import MAX_SCALE, Renderer
from designgym.graphics.skia_library import skia

SIDE_PX = 448
"""Longer side of the page as it is looked at, px."""

THROUGH = 0.4
"""Ink is covered, or faded away, where less than this share of its light comes through."""

_FAINT = 0.1  # least opacity of ink that is looked for at all
_MOST_PIXELS = 4_000_000  # of a layer that leaves the page; larger ones count as cut off entirely

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
PageBox = tuple[float, float, float, float]
"""x1, y1, x2, y2 as shares of the page."""


@dataclass(frozen=True, eq=False)
class Ink:
    """What of a layer lies on the page.

    Attributes:
        index: Of the layer, counted from the back.
        image: Its pixels, opacity included.
        coverage: float32 (h, w) of the image's box, 0 to 1: its shape, without its opacity.
        through: bool (h, w): where it comes through.
        total: Sum of its coverage, that beyond the page's edge included; infinite for a layer far larger than the page.
    """

    index: int
    image: LayerImage
    coverage: Floats
    through: Mask
    total: float

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns of the image's box on the page."""
        x1, y1, x2, y2 = self.image.box
        return slice(y1, y2), slice(x1, x2)

    @property
    def shown(self) -> float:
        """The share of its ink that lies on the page and comes through, 0 to 1."""
        return float(self.coverage[self.through].sum()) / self.total if self.total > 0 else 0.0


class Scene:
    """A document, drawn once, whose layers' ink is measured as it is asked for.

    Attributes:
        document: A valid one.
        scale: Pixels per page px.
        image: The page, uint8 (H, W, 3).
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.scale = min(MAX_SCALE, SIDE_PX / max(document.width, document.height))
        self._renderer = Renderer(document, self.scale)
        self.image = self._renderer.image()
        self._inks: dict[int, Ink | None] = {}

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the drawn page."""
        return page_size(self.document, self.scale)

    def ink(self, index: int) -> Ink | None:
        """The ink of a layer; None if the page has none of it."""
        if index not in self._inks:
            self._inks[index] = self._measured(index)
        return self._inks[index]

    def box(self, rows: NDArray[np.int64], columns: NDArray[np.int64], ink: Ink) -> PageBox:
        """The smallest box around some pixels, at least one, given by rows and columns within the ink's box."""
        width, height = self.size_px
        left, top = ink.image.box[:2]
        return (
            float(left + columns.min()) / width,
            float(top + rows.min()) / height,
            float(left + columns.max() + 1) / width,
            float(top + rows.max() + 1) / height,
        )

    def _measured(self, index: int) -> Ink | None:
        layer, image = self.document.layers[index], self._renderer.layer_images[index]
        if image.pixels is None:
            return None
        alpha = image.pixels[..., 3]
        full = 255 * layer.opacity * _opacity_of_color(layer)
        if int(alpha.max()) < 255 * _FAINT or full < 255 * _FAINT:
            return None
        coverage = np.minimum(alpha.astype(np.float32) / np.float32(full), 1)
        return Ink(index, image, coverage, self._through(index, image), self._total(layer, coverage, full))

    def _through(self, index: int, image: LayerImage) -> Mask:
        assert image.pixels is not None
        alpha = image.pixels[..., 3]
        group = self.document.group_of(self.document.layers[index])
        above = self._renderer.layer_images[index + 1 :]
        if not (group and group.isolated) and not any(_overlap(other.box, image.box) for other in above):
            return alpha > 0
        black = np.zeros_like(image.pixels)
        black[..., 3] = alpha
        white = np.repeat(alpha[..., None], 4, axis=-1)
        light, dark = (
            self._renderer.variant(index, _image(image, pixels))[..., 0].astype(np.int32) for pixels in (white, black)
        )
        return (light - dark >= np.maximum(THROUGH * alpha, 1)) & (alpha > 0)

    def alone(self, layer: Layer) -> tuple[Layer, Document] | None:
        """A layer moved onto a page that holds all of it, and that page; None if it is far larger than its own page.

        It is moved by whole pixels of the drawn page, so that it is drawn alike.
        """
        x1, y1, x2, y2 = reach(layer, self.document)
        if not (x2 - x1) * (y2 - y1) * self.scale**2 <= _MOST_PIXELS:
            return None
        left, top = (math.floor(edge * self.scale) / self.scale for edge in (x1, y1))
        moved = dataclasses.replace(layer, x=layer.x - left, y=layer.y - top)
        group = self.document.group_of(layer)
        groups = (dataclasses.replace(group, x=group.x - left, y=group.y - top),) if group else ()
        size = math.ceil(x2 - left) + 1, math.ceil(y2 - top) + 1
        return moved, Document(*size, layers=(moved,), assets=self.document.assets, groups=groups)

    def _total(self, layer: Layer, coverage: Floats, full: float) -> float:
        x1, y1, x2, y2 = reach(layer, self.document)
        inside = float(coverage.sum())
        if x1 >= 0 and y1 >= 0 and x2 <= self.document.width and y2 <= self.document.height:
            return inside
        alone = self.alone(layer)
        if alone is None:
            return math.inf
        pixels = rasterize(*alone, self.scale).pixels
        return inside if pixels is None else max(inside, float(np.minimum(pixels[..., 3] / full, 1).sum()))


def _opacity_of_color(layer: Layer) -> float:
    """That of a text's letters or of their outline; pictures have parts of their own that are not opaque."""
    if not isinstance(layer, TextLayer):
        return 1.0
    outline = parse_color(layer.stroke.color).alpha if layer.stroke else 0
    return max(parse_color(layer.color).alpha, outline) / 255


def _image(image: LayerImage, pixels: NDArray[np.uint8]) -> LayerImage:
    pixels = np.ascontiguousarray(pixels)
    drawn = skia.Image.fromarray(pixels, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType, copy=False)
    return LayerImage(image.box, pixels, drawn)


def _overlap(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
