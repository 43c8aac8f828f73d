"""Traits: what is measured of one layer by itself. Hulls and edges in page px, masks on a small picture of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.geometry import Box
from designgym.graphics.document import ImageLayer, Layer, TextLayer
from designgym.graphics.raster import LayerImage
from designgym.graphics.skia_library import skia

Float = NDArray[np.float64]

CONTENT = frozenset({"picture", "title", "subtitle", "body", "detail", "badge"})
"""Roles of elements that carry meaning; the others are grounds and ornaments."""
SOLID_ALPHA = 128
"""From this alpha (of 255) on a layer hides what is behind it."""


@dataclass(frozen=True, eq=False)
class Trait:
    """One layer's traits."""

    layer: Layer
    role: str
    hull: Box
    """Around what is inked, turned, not clipped to the page; of text the lines rather than the frame."""
    draw: Callable[[], LayerImage] = field(repr=False)
    """Draws :attr:`image`."""
    map_size: tuple[int, int]

    @cached_property
    def image(self) -> LayerImage:
        """The layer on the small picture of the page; drawn when it is first looked at."""
        return self.draw()

    @property
    def kind(self) -> Literal["text", "picture", "shape"]:
        """Text, picture or shape."""
        if isinstance(self.layer, TextLayer):
            return "text"
        return "picture" if isinstance(self.layer, ImageLayer) else "shape"

    @property
    def content(self) -> bool:
        """Whether it carries meaning."""
        return self.role in CONTENT

    @cached_property
    def mask(self) -> NDArray[np.float32]:
        """What it takes up, flattened: float32 (H * W), 0 or 1. Lines of text count as solid blocks."""
        full = np.zeros(self.map_size[::-1], np.float32)
        if self.image.pixels is not None:
            x1, y1, x2, y2 = self.image.box
            # What has faded still takes up its place.
            if self.kind != "text":
                full[y1:y2, x1:x2] = self.image.pixels[..., 3] >= SOLID_ALPHA * self.layer.opacity
                return full.ravel()
            inked = self.image.pixels[..., 3] > 24 * self.layer.opacity
            after = np.maximum.accumulate(inked, axis=1)
            before = np.maximum.accumulate(inked[:, ::-1], axis=1)[:, ::-1]
            full[y1:y2, x1:x2] = after & before
        return full.ravel()

    @cached_property
    def solid(self) -> NDArray[np.float32]:
        """Where it hides what is behind it, flattened: float32 (H * W), 0 or 1."""
        full = np.zeros(self.map_size[::-1], np.float32)
        if self.image.pixels is not None:
            x1, y1, x2, y2 = self.image.box
            full[y1:y2, x1:x2] = self.image.pixels[..., 3] >= SOLID_ALPHA
        return full.ravel()

    @cached_property
    def area(self) -> float:
        """Px of the small picture that it takes up."""
        return float(self.mask.sum())

    @cached_property
    def share(self) -> float:
        """Share of the page that it takes up."""
        return self.area / (self.map_size[0] * self.map_size[1])

    @cached_property
    def ink_share(self) -> float:
        """Share of the page that it inks, 0 to 1."""
        return self.inked[0] / (self.map_size[0] * self.map_size[1])

    @cached_property
    def lines(self) -> tuple[dict[str, float], dict[str, float]]:
        """The vertical and horizontal lines that it offers to the eye, by kind, page px.

        Of ragged text only the side counts on which it is set.
        """
        left, top, right, bottom = self.hull
        across = {"left": left, "center": (left + right) / 2, "right": right}
        if isinstance(self.layer, TextLayer) and self.layer.align != "justify":
            across = {self.layer.align: across[self.layer.align]}
        return across, {"top": top, "middle": (top + bottom) / 2, "bottom": bottom}

    @cached_property
    def fills_page(self) -> bool:
        """Whether it covers the whole page."""
        return self.share > 0.97

    @cached_property
    def _premultiplied(self) -> Float:
        """Red, green, blue and alpha of its inked pixels, (n, 4), premultiplied."""
        if self.image.pixels is None:
            return np.zeros((0, 4))
        flat = self.image.pixels.reshape(-1, 4)
        return flat[flat[:, 3] > 24][:, [2, 1, 0, 3]].astype(np.float64)

    @cached_property
    def rgb(self) -> Float:
        """Colours of its inked pixels, (n, 3), 0 to 255."""
        inked = self._premultiplied
        return np.clip(inked[:, :3] * 255.0 / inked[:, 3:], 0.0, 255.0)

    @cached_property
    def mean_rgb(self) -> Float:
        """Mean colour of its ink; white without any."""
        return self.rgb.mean(axis=0) if len(self.rgb) else np.full(3, 255.0)

    @cached_property
    def vivid_rgb(self) -> Float:
        """Mean colour with every pixel counted by how colourful it is."""
        if not len(self.rgb):
            return np.full(3, 255.0)
        vivid = self.rgb.max(axis=1) - self.rgb.min(axis=1) + 1.0
        return np.asarray(self.rgb.T @ vivid / vivid.sum(), np.float64)

    @cached_property
    def inked(self) -> tuple[float, float, float]:
        """Inked px of the small picture, as if it were opaque, and their middle as fractions of the page."""
        if self.image.pixels is None:
            return 0.0, 0.5, 0.5
        alpha = self.image.pixels[..., 3].astype(np.float32) / (255 * max(self.layer.opacity, 0.01))
        total = float(alpha.sum())
        if total <= 0:
            return 0.0, 0.5, 0.5
        height, width = alpha.shape
        x = float(alpha.sum(axis=0) @ (np.arange(width) + self.image.box[0] + 0.5)) / total
        y = float(alpha.sum(axis=1) @ (np.arange(height) + self.image.box[1] + 0.5)) / total
        return total, x / self.map_size[0], y / self.map_size[1]


def reduced(image: LayerImage, step: int) -> LayerImage:
    """An image of a layer at a ``step``-th of its scale: means of squares of px."""
    if image.pixels is None:
        return image
    x1, y1, x2, y2 = image.box
    left, top = x1 // step, y1 // step
    right, bottom = -(-x2 // step), -(-y2 // step)
    on_grid = image.pixels
    if (left * step, top * step, right * step, bottom * step) != image.box:
        on_grid = np.zeros(((bottom - top) * step, (right - left) * step, 4), np.uint8)
        on_grid[y1 - top * step : y2 - top * step, x1 - left * step : x2 - left * step] = image.pixels
    small = _means(on_grid, step)
    drawn = skia.Image.fromarray(small, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType, copy=False)
    return LayerImage((left, top, right, bottom), small, drawn)


def _means(pixels: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Rounded means of squares of px, uint8 (h * step, w * step, 4) to (h, w, 4); ``step`` is at most 16."""
    height, width = pixels.shape[0] // step, pixels.shape[1] // step
    rows = pixels.reshape(height, step, width * step * 4)
    sums = rows[:, 0].astype(np.uint16)
    for row in range(1, step):
        sums += rows[:, row]
    across = sums.view(np.uint64)  # a px of four sums of 16 bits, which do not run over into one another
    total = across[:, ::step].copy()
    for column in range(1, step):
        total += across[:, column::step]
    area = step * step
    return ((total.view(np.uint16) + area // 2) // area).astype(np.uint8).reshape(height, width, 4)
