"""Documents as they are observed: fitted into a square, at its top left, and drawn anew only where they changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import Document
from designgym.graphics.raster import page_size
from designgym.graphics.render import MAX_SCALE, Renderer

GROUND = 128
"""Shade, 0 to 255, of what of the picture is no page."""

KEPT = 4
"""Documents that are kept drawn: those of three experts, and the one submitted."""


def scale_of(document: Document, side: int) -> float:
    """Pixels per page px of a page that is fitted into a square of ``side`` px, at most 8."""
    return min(MAX_SCALE, side / max(document.width, document.height))


def shown_size(document: Document, side: int) -> tuple[int, int]:
    """Width and height of the page in the square, px."""
    return page_size(document, scale_of(document, side))


class Views:
    """Renderers of the documents seen last. What they give never depends on what they gave before."""

    def __init__(self, side: int) -> None:
        self.side = side
        self._renderers: dict[str, Renderer] = {}

    def page(self, document: Document, whose: str) -> NDArray[np.uint8]:
        """The page alone, uint8 H x W x 3, an array of its own; its longer side is ``side``, if not too much larger.

        Args:
            document: What is shown.
            whose: A name under which successive versions of a document are shown.
        """
        renderer = next((each for each in self._renderers.values() if each.document is document), None)
        if renderer is None:
            renderer = self._renderers.get(whose)
            scale = scale_of(document, self.side)
            if renderer is None or renderer.scale != scale:
                while len(self._renderers) >= KEPT:
                    del self._renderers[next(iter(self._renderers))]
                renderer = self._renderers[whose] = Renderer(document, scale)
            else:
                renderer.update(document)
        return renderer.image()

    def square(self, document: Document | None, whose: str) -> NDArray[np.uint8]:
        """The page at the top left of a square, the rest grey; all grey without a document."""
        picture = np.full((self.side, self.side, 3), GROUND, np.uint8)
        if document is not None:
            page = self.page(document, whose)
            picture[: page.shape[0], : page.shape[1]] = page
        return picture

    def __getstate__(self) -> dict[str, Any]:
        return {"side": self.side, "_renderers": {}}

    def __deepcopy__(self, memo: dict[int, Any]) -> Views:
        return Views(self.side)
