"""Where the words of a text layer lie, pixel by pixel."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import parse_color, to_hex
from designgym.graphics.document import Document, TextLayer
from designgym.graphics.raster import Drawing, rasterize
from designgym.graphics.text import lay_out

_LEVELS, _STEP = 10, 28  # a word's number as three digits, one a colour, far enough apart to be read off faint edges
_LEAST_ALPHA = 40


def word_labels(layer: TextLayer, document: Document, scale: float = 1.0) -> NDArray[np.int16]:
    """Which word each pixel of a layer's image belongs to.

    Args:
        layer: A layer with ink on the page.
        document: Gives the page's size, and the layer's group.
        scale: Pixels per page px.

    Returns:
        int16 (h, w) of the box of ``rasterize(layer, document, scale)``: the word's number in
        ``drawn_text(layer.text).split()``, and -1 where there is hardly any ink.
    """
    # Letters without a filling of their own are their outlines.
    outlined = layer.stroke if layer.stroke is not None and parse_color(layer.color).alpha == 0 else None
    words = lay_out(layer, outlined, _color)

    def paint(canvas: Any, scale: float) -> None:
        words.paint(canvas)

    opaque = dataclasses.replace(layer, opacity=1.0)
    pixels = rasterize(opaque, document, scale, Drawing(lay_out(layer).ink_box, paint)).pixels
    if pixels is None:
        return np.zeros((0, 0), np.int16)
    alpha = pixels[..., 3].astype(np.int32)
    straight = pixels[..., :3].astype(np.int32) * 255 // np.maximum(alpha, 1)[..., None]
    digits = np.minimum((straight + _STEP // 2) // _STEP, _LEVELS - 1)
    labels = digits[..., 2] + _LEVELS * (digits[..., 1] + _LEVELS * digits[..., 0])
    return np.where(alpha >= _LEAST_ALPHA, labels, -1).astype(np.int16)


def _color(word: int) -> str:
    return to_hex([_STEP * (word // _LEVELS**place % _LEVELS) for place in range(3)])
