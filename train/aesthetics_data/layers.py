"""Pictures for models that explain or label: the page with regions marked, and an element by itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from designgym.envs.aesthetics.sample import Element, FractionBox, Sample
from designgym.graphics.render import render

Page = NDArray[np.uint8]

GROUND = "#b4b4b4"
"""Grey behind an element by itself: both black and white ink show on it."""
MARK = "#ff00c8"
"""Few designs have this magenta."""
MIN_SIDE_PX = 32
"""Smaller cuts are enlarged: vision encoders refuse slivers."""


def marked(page: Page, boxes: Mapping[str, FractionBox]) -> Page:
    """The page with outlined boxes, each with its name beside the upper left corner; names may be empty.

    Args:
        page: uint8 H x W x 3; stays as it is.
        boxes: Name to box, fractions of the page.
    """
    picture = Image.fromarray(page)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(max(12, page.shape[0] // 28))
    for name, box in boxes.items():
        x1, y1, x2, y2 = _pixels(box, picture.size)
        for line in range(2):  # outside of the box, so that nothing of it is covered
            draw.rectangle((x1 - 1 - line, y1 - 1 - line, x2 + line, y2 + line), outline=MARK)
        if name:
            left, top, right, bottom = draw.textbbox((0, 0), name, font=font)
            width, height = right - left + 6, bottom - top + 6
            at_x = min(max(0, x1 - 2), picture.width - width)
            at_y = y1 - 2 - height if y1 - 2 - height >= 0 else min(y2 + 2, picture.height - height)
            draw.rectangle((at_x, at_y, at_x + width, at_y + height), fill=MARK)
            draw.text((at_x + 3 - left, at_y + 3 - top), name, fill="white", font=font)
    return np.asarray(picture)


def element_alone(sample: Sample, element: Element, longest_px: int) -> Page:
    """What an element shows by itself, cut to its box: its own layer on grey, or the page where there are no layers.

    Args:
        sample: The design.
        element: One of its elements.
        longest_px: The page's longer side, px; the cut is as large as it is on a page of this size.

    Returns:
        uint8 H x W x 3, each side at least `MIN_SIDE_PX`.
    """
    document = sample.document
    layers = () if document is None else tuple(layer for layer in document.layers if layer.id == element.id)
    if document is not None and layers:
        alone = dataclasses.replace(document, background=GROUND, layers=layers)
        whole = render(alone, longest_px / max(sample.width, sample.height))
    else:
        whole = sample.page(longest_px)
    x1, y1, x2, y2 = _pixels(element.box, (whole.shape[1], whole.shape[0]))
    cut = Image.fromarray(np.ascontiguousarray(whole[y1:y2, x1:x2]))
    scale = max(1.0, MIN_SIDE_PX / min(cut.size))
    # A long line would grow without end: its longer side stays within the page's.
    size = tuple(max(1, min(longest_px, round(side * scale))) for side in cut.size)
    return np.asarray(cut.resize((max(size[0], MIN_SIDE_PX), max(size[1], MIN_SIDE_PX)), Image.Resampling.LANCZOS))


def _pixels(box: FractionBox, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Whole px, at least one wide and high."""
    width, height = size
    x1, y1 = min(width - 1, max(0, int(box[0] * width))), min(height - 1, max(0, int(box[1] * height)))
    return x1, y1, max(x1 + 1, min(width, round(box[2] * width))), max(y1 + 1, min(height, round(box[3] * height)))
