"""Renderers of the documents drawn last, so that a variant of one of these is drawn by what changed alone.

The images of layers of variants are kept for a while, too: a layer that was drawn to be measured is not drawn again for
the page.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import Document, ImageLayer, Layer
from designgym.graphics.raster import LayerImage, page_size, rasterize
from designgym.graphics.render import Renderer, render

KEPT = 12
"""Renderers that are kept; each holds the pixels of its layers, some MB."""

LAYERS_KEPT = 24
"""Images of layers of variants that are kept; each holds at most the pixels of a page."""

_kept: OrderedDict[tuple[int, float], tuple[Document, Renderer]] = OrderedDict()
_layers: OrderedDict[object, LayerImage] = OrderedDict()
_lock = threading.RLock()


def keep(document: Document, scale: float) -> tuple[LayerImage, ...]:
    """Draw a document, keep its renderer for variants of it, and return its layers' images, back to front."""
    renderer = variants(document, scale)
    with _lock:
        _kept[id(document), scale] = (document, renderer)  # holding the document keeps its id from being given again
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return renderer.layer_images


def variants(document: Document, scale: float) -> Renderer:
    """A renderer for variants of a document: it keeps the document's own images, and knows layers drawn just now."""
    own: dict[str, tuple[Layer, LayerImage]] = {}

    def drawn(layer: Layer, variant: Document, at: float) -> LayerImage:
        if not own:  # the document itself: these images are kept with the renderer
            return rasterize(layer, variant, at)
        known, image = own.get(layer.id, (None, None))
        if image is None or layer.group or layer != known or page_size(variant, at) != page_size(document, at):
            return draw(layer, variant, at)
        return image if _asset(layer, variant) is _asset(layer, document) else draw(layer, variant, at)

    renderer = Renderer(document, scale, drawn)
    own.update((layer.id, (layer, image)) for layer, image in zip(document.layers, renderer.layer_images, strict=True))
    return renderer


def draw(layer: Layer, document: Document, scale: float) -> LayerImage:
    """As ``rasterize``, but for the layers drawn last the image that is known."""
    if layer.group or (isinstance(layer, ImageLayer) and layer.filters):
        return rasterize(layer, document, scale)
    key = layer, _asset(layer, document), page_size(document, scale), scale
    with _lock:
        found = _layers.get(key)
        if found is not None:
            _layers.move_to_end(key)
            return found
    image = rasterize(layer, document, scale)
    with _lock:
        _layers[key] = image
        while len(_layers) > LAYERS_KEPT:
            _layers.popitem(last=False)
    return image


def _asset(layer: Layer, document: Document) -> bytes | None:
    return document.assets.get(layer.asset) if isinstance(layer, ImageLayer) else None


def redraw(base: Document, variant: Document, scale: float) -> NDArray[np.uint8]:
    """The same pixels as ``render(variant, scale)``, sooner if ``base`` was kept at this scale and shares layers."""
    with _lock:
        found = _kept.get((id(base), scale))
        if found is not None:
            _, renderer = found
            renderer.update(variant)
            return renderer.image()
    return render(variant, scale)
