"""Groups on their way to pixels: which layers are laid over each other first, and what their group leaves of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import Document, Group, ShapeLayer
from designgym.graphics.raster import LayerImage, rasterize


def runs(document: Document) -> Iterator[tuple[Group | None, range]]:
    """The layers' indices, back to front, in runs: an isolated group with its members, and None with others."""
    if not document.groups:
        yield None, range(len(document.layers))
        return
    start = 0
    for group, layers in groupby(map(document.group_of, document.layers), lambda g: g if g and g.isolated else None):
        stop = start + len(list(layers))
        yield group if group and group.isolated else None, range(start, stop)
        start = stop


def alpha_level(group: Group) -> int:
    """The group's opacity as the renderer has it, 0 to 255."""
    return round(group.opacity * 255)


def clip_image(group: Group, document: Document, scale: float) -> LayerImage:
    """The group's box, turned, in opaque black: what lies outside of it is cut off."""
    return _clip_image(dataclasses.replace(group, id="", name="", opacity=1.0), document.width, document.height, scale)


def fade(group: Group, document: Document, scale: float, shape: tuple[int, int]) -> NDArray[np.float32]:
    """What the group leaves of its members, per pixel: its opacity within its edge, float32 (H, W), 0 to 1."""
    level = np.float32(alpha_level(group) / 255)
    if not group.clip:
        return np.full(shape, level, np.float32)
    left = np.zeros(shape, np.float32)
    image = clip_image(group, document, scale)
    if image.pixels is not None:
        x1, y1, x2, y2 = image.box
        left[y1:y2, x1:x2] = image.pixels[..., 3] * (level / 255)
    return left


@functools.lru_cache(maxsize=8)
def _clip_image(group: Group, width: int, height: int, scale: float) -> LayerImage:
    x, y, w, h = group.x, group.y, group.width, group.height
    frame = ShapeLayer(id="clip", x=x, y=y, width=w, height=h, rotation_deg=group.rotation_deg)
    return rasterize(frame, Document(width, height), scale)
