"""Pixel coordinates on the image of the canvas, as the agents of PainterBench see it (section 3): a ruler in grey.

Nothing of the ruler is as dark as ink, so it cannot be taken for drawing. The origin is the upper left corner; a tick
at 50 stands at the pixels whose coordinate is 50, the middle of a stroke along 50.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from designgym.envs.canvas.raster import PAPER
from designgym.envs.canvas.tools import SIDE_PX
from designgym.graphics.fonts import find_family

Place = Literal["outside", "over"]
Grey8 = npt.NDArray[np.uint8]

MARGIN_PX = (32, 16)
"""Beside the canvas, with ``"outside"``: left and above, right and below. Together with the canvas 448 px, which is a
multiple of 28 and of 32, so that the processors of Qwen-VL leave the image as it is."""

NUMBERS_EVERY_PX = 50
TICKS_EVERY_PX = 10

_FONT_PX = 12
_NUMBER_GREY, _LONG_TICK_GREY, _TICK_GREY, _FRAME_GREY = 72, 96, 160, 160
_LONG_TICK_PX, _TICK_PX = 6, 3
_GAP_PX = 3  # between a tick and its number

_OVER_GREY = 100
_HALO_GREY = 232  # what ink around the marks gives way to, so that they can be read over strokes


def annotated_size(side_px: int, axes: Literal["none", "outside", "over"]) -> int:
    """Width and height in px of a square canvas with axes."""
    return side_px + sum(MARGIN_PX) if axes == "outside" else side_px


def annotate(image: Grey8, place: Place) -> Grey8:
    """The canvas with its pixel coordinates.

    Args:
        image: uint8 400 x 400, 0 ink, 255 paper; not written to.
        place: ``"outside"`` puts the canvas, unaltered, into a larger image with a ruler above and on the left;
            ``"over"`` lays the ruler over the upper and left border of the canvas.

    Returns:
        A new uint8 array, 448 x 448 or 400 x 400.

    Raises:
        ValueError: For another shape or place.
    """
    if image.shape != (SIDE_PX, SIDE_PX):
        raise ValueError(f"The image has the shape {image.shape}; axes are made for {SIDE_PX} x {SIDE_PX}.")
    if place == "outside":
        framed = _frame().copy()
        before = MARGIN_PX[0]
        framed[before : before + SIDE_PX, before : before + SIDE_PX] = image
        return framed
    if place != "over":
        raise ValueError(f"place is {place!r}; it must be 'outside' or 'over'.")
    where, on_ink, on_paper = _overlay()
    result = image.copy()
    flat = result.reshape(-1)
    flat[where] = np.where(flat[where] < PAPER, on_ink, on_paper)
    return result


@cache
def _frame() -> Grey8:
    """The ruler around an empty canvas."""
    before, after = MARGIN_PX
    side = before + SIDE_PX + after
    image = Image.new("L", (side, side), PAPER)
    draw = ImageDraw.Draw(image)
    edge = before - 1
    draw.rectangle((edge, edge, before + SIDE_PX, before + SIDE_PX), outline=_FRAME_GREY)
    font = _font()
    for at in range(0, SIDE_PX + 1, TICKS_EVERY_PX):
        long = at % NUMBERS_EVERY_PX == 0
        length, grey = (_LONG_TICK_PX, _LONG_TICK_GREY) if long else (_TICK_PX, _TICK_GREY)
        position = before + at
        draw.line((position, edge - length, position, edge - 1), fill=grey)
        draw.line((edge - length, position, edge - 1, position), fill=grey)
        if long:
            end = edge - length - _GAP_PX
            _number(draw, font, at, (position, end), "ms", _NUMBER_GREY)
            _number(draw, font, at, (end, position), "rm", _NUMBER_GREY)
    return np.asarray(image)


@cache
def _overlay() -> tuple[npt.NDArray[np.intp], Grey8, Grey8]:
    """Which pixels the ruler over the canvas changes, and to what, on ink and on paper."""
    marks = Image.new("L", (SIDE_PX, SIDE_PX), 0)
    draw = ImageDraw.Draw(marks)
    font = _font()
    for at in range(TICKS_EVERY_PX, SIDE_PX, TICKS_EVERY_PX):
        long = at % NUMBERS_EVERY_PX == 0
        length = _LONG_TICK_PX if long else _TICK_PX
        draw.line((at, 0, at, length - 1), fill=255)
        draw.line((0, at, length - 1, at), fill=255)
        if long:
            _number(draw, font, at, (at, length + 1), "mt", 255)
            _number(draw, font, at, (length + 2, at), "lm", 255)
    strength = np.asarray(marks) / 255.0
    near = _widened(strength) > 0.25
    strength = np.where(near, strength, 0.0)
    halo = np.where(near, float(_HALO_GREY), 0.0)
    on_paper = PAPER + strength * (_OVER_GREY - PAPER)
    on_ink = halo + strength * (_OVER_GREY - halo)
    where = np.flatnonzero(near)
    return where, _rounded(on_ink)[where], _rounded(on_paper)[where]


def _widened(strength: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The greatest strength among a pixel and its eight neighbours."""
    padded = np.pad(strength, 1)
    rows, columns = strength.shape
    return np.max([padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)], axis=0)


def _rounded(values: npt.NDArray[np.float64]) -> Grey8:
    return np.rint(values).astype(np.uint8).reshape(-1)


def _font() -> ImageFont.FreeTypeFont:
    path = find_family("Arimo").path(400)
    return ImageFont.truetype(str(path), _FONT_PX, layout_engine=ImageFont.Layout.BASIC)


def _number(
    draw: ImageDraw.ImageDraw, font: ImageFont.FreeTypeFont, number: int, at: tuple[int, int], anchor: str, grey: int
) -> None:
    draw.text(at, str(number), fill=grey, font=font, anchor=anchor)
