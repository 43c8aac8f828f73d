"""Renderers of the documents drawn last, so that a variant of one of these is drawn by what changed alone."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import Document
from designgym.graphics.raster import LayerImage
from designgym.graphics.render import Renderer, render

KEPT = 12
"""Renderers that are kept; each holds the pixels of its layers, some MB."""

_kept: OrderedDict[tuple[int, float], tuple[Document, Renderer]] = OrderedDict()
_lock = threading.Lock()


def keep(document: Document, scale: float) -> tuple[LayerImage, ...]:
    """Draw a document, keep its renderer for variants of it, and return its layers' images, back to front."""
    renderer = Renderer(document, scale)
    with _lock:
        _kept[id(document), scale] = (document, renderer)  # holding the document keeps its id from being given again
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return renderer.layer_images


def redraw(base: Document, variant: Document, scale: float) -> NDArray[np.uint8]:
    """The same pixels as ``render(variant, scale)``, sooner if ``base`` was kept at this scale and shares layers."""
    with _lock:
        found = _kept.get((id(base), scale))
        if found is not None:
            _, renderer = found
            renderer.update(variant)
            return renderer.image()
    return render(variant, scale)
