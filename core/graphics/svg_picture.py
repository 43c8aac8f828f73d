"""SVG files to pixels, safely: a picture is read once, and drawn at any size, whole or cropped to its ink.

Shapes, gradients, clips, masks, patterns, simple filters and plain style sheets are drawn, by skia. Text and embedded
raster images are not: :attr:`SvgPicture.notes` says so where a file has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.graphics.skia_library import skia
from designgym.graphics.svg_markup import MAX_BYTES, Frame, read_markup
from designgym.graphics.svg_tree import Node, SvgError

__all__ = ["MAX_BYTES", "MAX_SIDE_PX", "SvgError", "SvgPicture", "read_svg"]

MAX_SIDE_PX = 2048
INK_ALPHA = 8
"""Least alpha (of 255) that counts as ink when a picture is cropped: fainter glows and shadows do not widen it."""

_SEARCH_PX = 256  # side of the drawings in which ink is looked for
_EVERYWHERE = (-8192.0, -8192.0, 16384.0, 16384.0)  # where ink is looked for if a file names no frame
_OWN_SIZE = frozenset(["width", "height", "viewBox", "preserveAspectRatio", "x", "y", "version", "xmlns", "xlink:href"])
_HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


@dataclass(frozen=True)
class SvgPicture:
    """An SVG file that was read; plain data, drawn anew at each call."""

    frame: Frame
    """x, y, width and height of what is shown, in the picture's own units; around its ink if the file names none."""
    notes: tuple[str, ...]
    """Sentences on what the file holds and is not drawn."""
    _markup: str = field(repr=False)

    @property
    def aspect(self) -> float:
        """Width over height of the frame."""
        return self.frame[2] / self.frame[3]

    def ink(self) -> Frame:
        """The smallest box around the ink within the frame.

        Raises:
            SvgError: If nothing is drawn there.
        """
        return _ink(_load(self._markup), self.frame)

    def raster(self, longest_px: int, crop: bool = False) -> NDArray[np.uint8]:
        """Draw the picture on a transparent ground.

        Args:
            longest_px: The longer side, 1 to :data:`MAX_SIDE_PX`.
            crop: Show the ink alone instead of the whole frame.

        Returns:
            uint8 (H, W, 4), red-green-blue-alpha, not premultiplied.

        Raises:
            SvgError: If it is to be cropped and has no ink.
            ValueError: For a size out of range.
        """
        if not 1 <= longest_px <= MAX_SIDE_PX:
            raise ValueError(f"A picture's longer side is {longest_px!r} px; it must be from 1 to {MAX_SIDE_PX}.")
        dom = _load(self._markup)
        x, y, width, height = _ink(dom, self.frame) if crop else self.frame
        scale = longest_px / max(width, height)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        premultiplied = _draw(dom, (x - self.frame[0], y - self.frame[1]), scale, size)
        return np.asarray(Image.frombuffer("RGBa", size, premultiplied.tobytes(), "raw", "RGBa", 0, 1).convert("RGBA"))


def read_svg(data: bytes, doctype: bool = False) -> SvgPicture:
    """Read an SVG file.

    Args:
        data: The file, at most :data:`MAX_BYTES`.
        doctype: Let a document type pass that declares nothing itself, as old drawing programs write it; it is never
            fetched.

    Raises:
        SvgError: If it has a document type, entities, scripts, event handlers or references outside of the file, is
            too large, too deeply nested or not SVG, or if it names no frame and has no ink.
    """
    root, frame, notes = read_markup(data, doctype)
    if frame is None:
        frame = _ink(_load(_markup(root, _EVERYWHERE)), _EVERYWHERE)
    return SvgPicture(frame, notes, _markup(root, frame))


def _markup(root: Node, frame: Frame) -> str:
    """The picture as SVG whose own units are one px each; what the root hands down to its children stays."""
    kept = {key: value for key, value in root.attributes.items() if key not in _OWN_SIZE}
    size = {"viewBox": " ".join(map(repr, frame)), "width": repr(frame[2]), "height": repr(frame[3])}
    return _HEAD + Node("svg", size | kept, root.children).markup()[len("<svg") :]


def _load(markup: str) -> Any:
    dom = skia.SVGDOM.MakeFromStream(skia.MemoryStream(markup.encode(), True))
    if dom is None:
        raise SvgError("The SVG file cannot be drawn.")
    return dom


def _draw(dom: Any, offset: tuple[float, float], scale: float, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Premultiplied red-green-blue-alpha, uint8 (h, w, 4), of the part that begins so far from the frame's corner."""
    width, height = size
    pixels = np.zeros((height, width, 4), np.uint8)
    info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType)
    canvas = skia.Surface.MakeRasterDirect(info, pixels.data, pixels.strides[0]).getCanvas()
    canvas.scale(scale, scale)
    canvas.translate(-offset[0], -offset[1])
    dom.render(canvas)
    return pixels


def _ink(dom: Any, frame: Frame) -> Frame:
    """The box around the ink, to 1/256 of its longer side: found in ever closer drawings, several in a huge frame.

    Specks that are smaller than about a thousandth of the frame may be missed.
    """
    x, y, width, height = frame
    left, top, right, bottom = 0.0, 0.0, width, height
    side = _SEARCH_PX if frame != _EVERYWHERE else 4 * _SEARCH_PX
    while True:
        longer = max(right - left, bottom - top)
        scale = side / longer
        size = max(1, math.ceil((right - left) * scale)), max(1, math.ceil((bottom - top) * scale))
        alpha = _draw(dom, (left, top), scale, size)[..., 3]
        inked = alpha >= (INK_ALPHA if alpha.max() >= INK_ALPHA else 1)  # what is tiny here covers little of a pixel
        columns, rows = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
        if not len(columns):
            raise SvgError("The SVG file has no ink in its frame.")
        # Until the last drawing a pixel more is kept around the ink, for edges too faint to count.
        closer = max(columns[-1] - columns[0], rows[-1] - rows[0]) + 1 < 0.8 * side
        spare = int(closer)
        left, right = left + (columns[0] - spare) / scale, left + (columns[-1] + 1 + spare) / scale
        top, bottom = top + (rows[0] - spare) / scale, top + (rows[-1] + 1 + spare) / scale
        left, top, right, bottom = max(0.0, left), max(0.0, top), min(width, right), min(height, bottom)
        if not closer or max(right - left, bottom - top) < 1e-6 * max(width, height):
            return x + float(left), y + float(top), float(right - left), float(bottom - top)
        side = _SEARCH_PX
