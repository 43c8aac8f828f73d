"""Whether a picture is fine enough for its size, sharp, and about the subject. Px are those of a page of 448 px."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.envs.aesthetics.view import View
from designgym.graphics.decoded import pixels_of
from designgym.graphics.document import Document, ImageLayer

STEEPEST_PERCENTILE = 99.0
"""A picture is as sharp as its hundredth steepest edge."""


class Detail(NamedTuple):
    """What a file holds: its sides in px, the side of the blocks that it is made of, and its sharpest edges."""

    width: int
    height: int
    block_px: float
    """1 for ordinary files; more for those blown up by repeating px."""
    edge_px: float
    """Width of the sharpest edges, px of the file, 1 or more."""


def picture_measures(view: View, element: str) -> dict[str, float]:
    """Measures of one picture of a perturbed design beside the clean one; neutral values for other elements.

    Returns:
        ``resolution``: px of the file (blocks, where px are merely repeated) per px as seen, along a side. ``blur``:
        width of the sharpest edges in px as seen, 1 or more. ``softened``: the same to that of the clean picture.
        ``irrelevant``: see ``Scene.unrelated``.
    """
    found = {"resolution": 9.0, "blur": 1.0, "softened": 1.0, "irrelevant": 0.0}
    layer = view.traits[element].layer
    if not isinstance(layer, ImageLayer):
        return found
    found["resolution"], found["blur"] = _fineness(layer, view.document, view.scene.seen_scale)
    before = view.scene.traits.get(element)
    if before is not None and isinstance(before.layer, ImageLayer):
        _, blur = _fineness(before.layer, view.scene.document, view.scene.seen_scale)
        found["softened"] = found["blur"] / blur
    found["irrelevant"] = irrelevance(view, layer)
    return found


def irrelevance(view: View, layer: ImageLayer) -> float:
    """How little a picture has to do with the subject: 0, 0.5 or 1; 0 where nothing is known of either."""
    known = view.scene.picture_id(view.document, layer)
    return view.scene.unrelated.get(known, 0.0) if known is not None else 0.0


def _fineness(layer: ImageLayer, document: Document, seen_scale: float) -> tuple[float, float]:
    """Px of the file per px as seen, and width of the sharpest edges in px as seen."""
    detail = detail_of(document.assets[layer.asset])
    across, down = layer.width * seen_scale, layer.height * seen_scale
    if layer.fit == "fill":
        scale_x, scale_y = detail.width / across, detail.height / down
    else:
        pick = max if layer.fit == "contain" else min
        scale_x = scale_y = pick(detail.width / across, detail.height / down)
    return min(scale_x, scale_y) / detail.block_px, max(1.0, detail.edge_px / max(scale_x, scale_y))


@lru_cache(maxsize=2048)
def detail_of(data: bytes) -> Detail:
    """How much detail an image file holds.

    A picture that was blown up by repeating px changes only every so many columns and rows; ordinary ones change from
    one column to the next wherever there is an edge. Edges are those of brightness or of opacity, whichever are
    steeper against the picture's whole range.
    """
    return _detail(pixels_of(data))


def _detail(pixels: NDArray[np.uint8]) -> Detail:
    height, width = pixels.shape[:2]
    shown = np.asarray(Image.fromarray(pixels).convert("RGBa"))
    brightness = np.asarray(Image.fromarray(np.ascontiguousarray(shown[..., :3])).convert("L"))
    steep = 0.0
    columns, rows = np.zeros(max(0, width - 1), np.uint8), np.zeros(max(0, height - 1), np.uint8)
    for plane in (brightness, shown[..., 3]):
        across, down = _steps(plane[:, 1:], plane[:, :-1]), _steps(plane[1:], plane[:-1])
        if width > 1 and height > 1:
            columns, rows = np.maximum(columns, across.max(axis=0)), np.maximum(rows, down.max(axis=1))
        spread = int(np.ptp(plane))
        if spread < 10:
            continue
        counts = np.bincount(across.ravel(), minlength=256) + np.bincount(down.ravel(), minlength=256)
        counts[: spread // 50 + 1] = 0  # what is nearly flat is no edge
        if counts.any():
            reached = np.cumsum(counts)
            steepest = int(np.searchsorted(reached, STEEPEST_PERCENTILE / 100 * reached[-1]))
            steep = max(steep, steepest / spread)
    block = min(_spacing(columns), _spacing(rows))
    return Detail(width, height, block, max(1.0, 1.0 / steep) if steep else 1.0)


def _steps(one: NDArray[np.uint8], two: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.maximum(one, two) - np.minimum(one, two)


def _spacing(changes: NDArray[np.uint8]) -> float:
    """The distance at which changes follow one another, but for the nearest tenth; 1 where there are hardly any."""
    apart = np.diff(np.flatnonzero(changes))
    return float(np.percentile(apart, 10)) if len(apart) >= 2 else 1.0
