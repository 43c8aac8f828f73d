"""Documents to pixels, whole or only where something changed.

There is one path: every layer becomes a tight image (``raster``) and the images are laid over the background. Updating
only the changed regions therefore gives the same bytes as rendering everything anew.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import over
from designgym.graphics.document import Document, Group, ImageLayer, Layer
from designgym.graphics.groups import alpha_level, clip_image, runs
from designgym.graphics.paint import skia_color
from designgym.graphics.raster import LayerImage, PixelBox, page_size, rasterize
from designgym.graphics.skia_library import skia

MAX_SCALE = 8.0


def render(document: Document, scale: float = 1.0) -> NDArray[np.uint8]:
    """Render a valid document.

    Args:
        document: The page and its layers. A background that is not opaque lies on white.
        scale: Pixels per page px, above 0 up to 8; the picture's sides are rounded half up, at least 1 px.

    Returns:
        A fresh uint8 array (H, W, 3), red-green-blue.

    Raises:
        FontError: For a font that is not embedded.
        DecodeError: For an asset that cannot be decoded.
        ValueError: For a scale out of range.
    """
    scale = _checked(scale)
    width, height = page_size(document, scale)
    pixels, surface = _page(width, height)
    # Each layer's image is dropped once it is laid: those of many large layers together would fill the memory.
    _lay_all(
        surface.getCanvas(),
        document,
        scale,
        lambda members: (rasterize(document.layers[index], document, scale) for index in members),
    )
    rgb = np.empty((height, width, 3), np.uint8)
    for channel in range(3):
        rgb[..., channel] = pixels[..., 2 - channel]
    return rgb


class Renderer:
    """A document's pixels, kept up to date edit by edit.

    Pickling keeps the document and the scale; the pixels are rendered again on load, to the same bytes. After an
    exception in :meth:`update` it still shows the document that it showed before.

    Attributes:
        document: The document that is shown.
        scale: Pixels per page px.
    """

    def __init__(
        self, document: Document, scale: float = 1.0, draw: Callable[[Layer, Document, float], LayerImage] = rasterize
    ) -> None:
        """``draw`` gives the image of a layer, by default drawn anew; it may give one that it has kept."""
        self.scale = _checked(scale)
        self._rasterize = draw
        self.document: Document
        self._stack: list[LayerImage]
        self._start(document)

    def image(self) -> NDArray[np.uint8]:
        """The page as a fresh uint8 array (H, W, 3), red-green-blue."""
        return self._rgb.copy()

    @property
    def layer_images(self) -> tuple[LayerImage, ...]:
        """The layers' images, back to front, in the order of ``document.layers``."""
        return tuple(self._stack)

    def update(self, document: Document) -> None:
        """Show another document. Layers equal to one shown before keep their image; only changed regions are laid anew.

        Raises:
            FontError: For a font that is not embedded.
            DecodeError: For an asset that cannot be decoded.
        """
        old = self.document
        if page_size(document, self.scale) != page_size(old, self.scale):
            self._start(document)
            return
        known = {layer.id: (layer, image) for layer, image in zip(old.layers, self._stack, strict=True)}
        stack = []
        for layer in document.layers:
            before, image = known.get(layer.id, (None, None))
            same = layer is before or layer == before
            if image is None or not same or _asset_changed(layer, old, document):
                image = self._rasterize(layer, document, self.scale)
            elif layer.group and (group := document.group_of(layer)) != (former := old.group_of(layer)):
                # A copy is another image: what it covers is laid anew. Pixels change only where the group turns.
                moved = group is None or former is None or _turn(group) != _turn(former)
                image = self._rasterize(layer, document, self.scale) if moved else dataclasses.replace(image)
            stack.append(image)
        if document.background != old.background:
            dirty: list[PixelBox] = [(0, 0, *page_size(document, self.scale))]
        else:
            dirty = changed_boxes(self._stack, stack)
        self.document, self._stack = document, stack
        for box in dirty:
            self._compose(box)

    def _start(self, document: Document) -> None:
        stack = [self._rasterize(layer, document, self.scale) for layer in document.layers]
        width, height = page_size(document, self.scale)
        self.document, self._stack = document, stack
        self._pixels, self._surface = _page(width, height)
        self._rgb = np.empty((height, width, 3), np.uint8)
        self._compose((0, 0, width, height))

    def variant(self, index: int, image: LayerImage) -> NDArray[np.uint8]:
        """How the page would look within an image's box if that image stood in a layer's place.

        Args:
            index: Of the layer, counted from the back.
            image: What stands there instead; its box is not empty.

        Returns:
            A fresh uint8 array (h, w, 3), red-green-blue, of the box. The renderer goes on showing its document.
        """
        x1, y1, x2, y2 = image.box
        region = self._pixels[y1:y2, x1:x2]
        kept = region.copy()
        self._draw([*self._stack[:index], image, *self._stack[index + 1 :]], image.box)
        found = region[..., 2::-1].copy()
        region[...] = kept
        return found

    def _compose(self, box: PixelBox) -> None:
        """Lay background and layers anew within a box and carry it over into the RGB array."""
        self._draw(self._stack, box)
        x1, y1, x2, y2 = box
        for channel in range(3):
            self._rgb[y1:y2, x1:x2, channel] = self._pixels[y1:y2, x1:x2, 2 - channel]

    def _draw(self, stack: Sequence[LayerImage], box: PixelBox) -> None:
        """Lay background and layers, with these images, anew within a box."""
        canvas = self._surface.getCanvas()
        canvas.save()
        canvas.clipRect(skia.Rect.MakeLTRB(*box))
        _lay_all(
            canvas,
            self.document,
            self.scale,
            lambda members: [stack[index] for index in members if _overlap(stack[index].box, box)],
        )
        canvas.restore()

    def __getstate__(self) -> dict[str, Any]:
        return {"document": self.document, "scale": self.scale}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.scale, self._rasterize = state["scale"], rasterize
        self._start(state["document"])


def _checked(scale: float) -> float:
    if isinstance(scale, bool) or not math.isfinite(scale) or not 0 < scale <= MAX_SCALE:
        raise ValueError(f"The rendering scale is {scale!r}; it must be a number above 0 up to {MAX_SCALE:g}.")
    return float(scale)


def _page(width: int, height: int) -> tuple[NDArray[np.uint8], Any]:
    """Pixels, uint8 (H, W, 4), blue-green-red-alpha, and the skia surface that draws into them."""
    pixels = np.empty((height, width, 4), np.uint8)
    info = skia.ImageInfo.Make(width, height, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)
    return pixels, skia.Surface.MakeRasterDirect(info, pixels.data, pixels.strides[0])


def _lay_all(canvas: Any, document: Document, scale: float, images_of: Callable[[range], Iterable[LayerImage]]) -> None:
    """Lay the background and all layers over each other; ``images_of`` gives the images of a range of layers."""
    canvas.clear(skia_color(over(document.background, "#ffffff")))
    for group, members in runs(document):
        images = images_of(members)
        if group is None:
            _lay(canvas, images)
        elif images:  # of a list, none may be there
            _lay_group(canvas, document, scale, group, images)


def _lay_group(canvas: Any, document: Document, scale: float, group: Group, images: Iterable[LayerImage]) -> None:
    """Lay a group's members over each other, apart, and what the group leaves of that over the page."""
    edge = clip_image(group, document, scale) if group.clip else None
    if edge is not None and edge.image is None:
        return
    canvas.save()
    if edge is not None:
        canvas.clipRect(skia.Rect.MakeLTRB(*edge.box))
    canvas.saveLayerAlpha(None, alpha_level(group))
    _lay(canvas, images)
    if edge is not None:
        keep = skia.Paint(BlendMode=skia.BlendMode.kDstIn)
        canvas.drawImage(edge.image, edge.box[0], edge.box[1], skia.SamplingOptions(), keep)
    canvas.restore()
    canvas.restore()


def _lay(canvas: Any, images: Iterable[LayerImage]) -> None:
    for image in images:
        if image.image is not None:
            canvas.drawImage(image.image, image.box[0], image.box[1])


def _turn(group: Group) -> tuple[float, ...]:
    """What of a group the pixels of its members depend on."""
    middle = group.x + group.width / 2, group.y + group.height / 2
    return (group.rotation_deg, *middle) if group.rotation_deg % 360 else ()


def changed_boxes(old: Sequence[LayerImage], new: Sequence[LayerImage]) -> list[PixelBox]:
    """Boxes outside which two stacks of layer images look the same: there the same images lie in the same order.

    Stacks of equal length are compared place by place; otherwise everything between the equal beginning and the equal
    end counts as changed. Boxes that would be laid at no less cost than their hull are joined into it.
    """
    if len(old) == len(new):
        pairs = [(a, b) for a, b in zip(old, new, strict=True) if a is not b]
        boxes = [hull for a, b in pairs for hull in _join([a.box, b.box])]
    else:
        start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), min(len(old), len(new)))
        room = min(len(old), len(new)) - start
        end = next((i for i in range(room) if old[-1 - i] is not new[-1 - i]), room)
        boxes = [image.box for image in (*old[start : len(old) - end], *new[start : len(new) - end])]
    return _join(boxes)


def _join(boxes: Sequence[PixelBox]) -> list[PixelBox]:
    filled = [box for box in boxes if box[2] > box[0]]
    if len(filled) < 2:
        return filled
    hull = (
        min(box[0] for box in filled),
        min(box[1] for box in filled),
        max(box[2] for box in filled),
        max(box[3] for box in filled),
    )
    return [hull] if _area(hull) <= sum(map(_area, filled)) else filled


def _area(box: PixelBox) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _overlap(a: PixelBox, b: PixelBox) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _asset_changed(layer: Layer, old: Document, new: Document) -> bool:
    return isinstance(layer, ImageLayer) and old.assets[layer.asset] != new.assets[layer.asset]
