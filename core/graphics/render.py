"""Documents to pixels, whole or only where something changed.

There is one path: every layer becomes a tight image (``raster``), and images are laid over the background. Updating only
a changed region therefore gives the same bytes as rendering everything anew.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import Document
from designgym.graphics.raster import PixelBox, page_size, rasterize
from designgym.graphics.skia_library import skia
from designgym.graphics.text import skia_color

MAX_SCALE = 8.0


def render(document: Document, scale: float = 1.0) -> NDArray[np.uint8]:
    """Render a valid document.

    Args:
        document: The page and its layers.
        scale: Pixels per page px, above 0 up to 8; the picture's sides are rounded half up, at least 1 px.

    Returns:
        A fresh uint8 array (H, W, 3), red-green-blue.

    Raises:
        FontError: For a font that is not embedded.
        DecodeError: For an asset that cannot be decoded.
    """
    return Renderer(document, scale).image()


class Renderer:
    """A document's pixels, kept up to date edit by edit.

    Pickling keeps the document and the scale; the pixels are rendered again on load.
    """

    def __init__(self, document: Document, scale: float = 1.0) -> None:
        if isinstance(scale, bool) or not math.isfinite(scale) or not 0 < scale <= MAX_SCALE:
            raise ValueError(f"The rendering scale is {scale!r}; it must be a number above 0 up to {MAX_SCALE:g}.")
        self.scale = float(scale)
        self._start(document)

    def _start(self, document: Document) -> None:
        self.document = document
        width, height = page_size(document, self.scale)
        self._stack = [rasterize(layer, document, self.scale) for layer in document.layers]
        self._pixels = np.zeros((height, width, 4), np.uint8)
        info = skia.ImageInfo.Make(width, height, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)
        self._canvas = skia.Surface.MakeRasterDirect(info, self._pixels.data, self._pixels.strides[0]).getCanvas()
        self._rgb = np.empty((height, width, 3), np.uint8)
        self._compose((0, 0, width, height))

    def image(self) -> NDArray[np.uint8]:
        """The page as a fresh uint8 array (H, W, 3), red-green-blue."""
        return self._rgb.copy()

    def update(self, document: Document) -> None:
        """Show another document: layers that are equal to the present one's are kept, the rest is drawn anew."""
        self._start(document)

    def _compose(self, box: PixelBox) -> None:
        x1, y1, x2, y2 = box
        canvas = self._canvas
        canvas.save()
        canvas.clipRect(skia.Rect.MakeLTRB(x1, y1, x2, y2))
        canvas.clear(skia.ColorWHITE)
        canvas.drawColor(skia_color(self.document.background))
        for layer_image in self._stack:
            if layer_image.image is not None:
                canvas.drawImage(layer_image.image, layer_image.box[0], layer_image.box[1])
        canvas.restore()
        self._rgb[y1:y2, x1:x2] = self._pixels[y1:y2, x1:x2, 2::-1]

    def __getstate__(self) -> dict[str, Any]:
        return {"document": self.document, "scale": self.scale}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.scale = state["scale"]
        self._start(state["document"])
