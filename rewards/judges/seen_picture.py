"""Pictures that can be recognised on a page: how much of one is shown, where, and whether it still looks like itself.

A picture is known by its file alone, so nothing that an agent writes stands in for it. It is recognised if at least
half of it is shown and what is seen there is like the picture as it was given: filters, fading and what lies above may
change that, and the correlation of both, small, says how far.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.graphics.assets import asset_image
from designgym.graphics.document import ImageLayer
from designgym.graphics.raster import LayerImage, PixelBox, rasterize
from designgym.rewards.judges.ink import Floats, Ink, PageBox, Scene
from designgym.rewards.judges.meanings import EXTENTS, extent

LEAST_RECOGNISED = 0.5
"""Least share of a picture that must be shown for it to be on the page."""
LEAST_LIKENESS = 0.6
"""Least correlation of what is seen with the picture as it was given."""
LEAST_STRENGTH = 0.25
"""Least share of the picture's contrasts that is left (the slope of that correlation)."""
MOST_DISTORTED = 2.5
"""Most by which the ratio of its sides may be changed."""

_COARSE_PX = 32
_FLAT = 5.0  # standard deviation, levels of 255, below which there is nothing to correlate
_NEAR = 16.0  # levels by which a flat picture may differ from itself


@dataclass(frozen=True)
class SeenPicture:
    """A picture as it is seen.

    Attributes:
        box: Around what is visible of it.
        shown: The share of it that is neither cut off nor covered.
    """

    box: PageBox
    shown: float


def seen_picture(scene: Scene, ink: Ink, layer: ImageLayer) -> SeenPicture | None:
    """How a picture is seen; None if it cannot be recognised, or is smaller than anything that is called small."""
    shown = ink.shown * _uncropped(scene, layer)
    if shown < LEAST_RECOGNISED or _distorted(scene, layer):
        return None
    visible = (ink.coverage >= 0.1) & ink.through
    box = scene.box(np.flatnonzero(visible.any(axis=1)), np.flatnonzero(visible.any(axis=0)), ink)
    if extent(box) < EXTENTS["small"][0] or not _recognisable(scene, ink, layer):
        return None
    return SeenPicture(box, shown)


def _aspects(scene: Scene, layer: ImageLayer) -> float:
    """Width over height of the layer, over that of its picture."""
    picture = asset_image(scene.document.assets[layer.asset])
    return (layer.width / layer.height) / (picture.width() / picture.height())


def _uncropped(scene: Scene, layer: ImageLayer) -> float:
    """The share of the picture that its fit leaves."""
    ratio = _aspects(scene, layer)
    return min(ratio, 1 / ratio) if layer.fit == "cover" else 1.0


def _distorted(scene: Scene, layer: ImageLayer) -> bool:
    ratio = _aspects(scene, layer)
    return layer.fit == "fill" and max(ratio, 1 / ratio) > MOST_DISTORTED


def _recognisable(scene: Scene, ink: Ink, layer: ImageLayer) -> bool:
    plain = dataclasses.replace(layer, filters=(), opacity=1.0)
    image = ink.image if plain == layer else rasterize(plain, scene.document, scene.scale)
    if image.pixels is None:
        return False
    pixels = _within(image, ink.image.box)  # filters may reach beyond the picture's own edge
    page = scene.image[ink.slices]
    ground = _ground(page, ink)
    alpha = pixels[..., 3]
    own = (ink.coverage >= 0.1) | (alpha >= 26)  # outside of its shape the page is none of its looks
    small, mask = _coarse(alpha), _coarse(own.view(np.uint8) * np.uint8(255))
    inside = small >= 128
    given, seen = (
        _coarse(np.ascontiguousarray(layer_pixels)) + ground * (np.float32(1) - share[..., None] / np.float32(255))
        for layer_pixels, share in ((pixels[..., 2::-1], small), (page * own[..., None], mask))
    )
    one, two = _planes(given), _planes(seen)
    if inside.any() and one[0][inside].std() >= _FLAT:  # it has lights and darks of its own
        return any(_alike(first[inside], second[inside]) for first, second in zip(one, two, strict=True))
    if _same_flat([each[inside] for each in one], [each[inside] for each in two]):
        return True
    framed = (
        [np.pad(plane, 2, constant_values=shade) for plane, shade in zip(planes, _planes(ground), strict=True)]
        for planes in (one, two)
    )  # so that its outline counts
    return any(_alike(first, second) for first, second in zip(*framed, strict=True))


def _within(image: LayerImage, box: PixelBox) -> NDArray[np.uint8]:
    """What of an image lies in a box of the page, uint8 (h, w, 4) of that box."""
    if image.box == box:
        assert image.pixels is not None
        return image.pixels
    x1, y1, x2, y2 = (choose(a, b) for choose, a, b in zip((max, max, min, min), image.box, box, strict=True))
    found = np.zeros((box[3] - box[1], box[2] - box[0], 4), np.uint8)
    if x1 < x2 and y1 < y2 and image.pixels is not None:
        left, top = image.box[:2]
        found[y1 - box[1] : y2 - box[1], x1 - box[0] : x2 - box[0]] = image.pixels[
            y1 - top : y2 - top, x1 - left : x2 - left
        ]
    return found


def _ground(page: NDArray[np.uint8], ink: Ink) -> Floats:
    """The colour that the picture stands on: what is around its shape in its box, else the opposite of its shade."""
    free = page[ink.coverage < 0.1]
    if len(free) >= 0.01 * ink.coverage.size and len(free):
        return np.median(free[:: max(1, len(free) // 4096)], axis=0).astype(np.float32)
    return np.full(3, 0 if page.mean() > 127 else 255, np.float32)


def _coarse(pixels: NDArray[np.uint8]) -> Floats:
    height, width = pixels.shape[:2]
    factor = min(1.0, _COARSE_PX / max(height, width))
    size = max(1, round(width * factor)), max(1, round(height * factor))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX), np.float32)


def _planes(pixels: Floats) -> list[NDArray[Any]]:
    """Brightness, red, green and blue."""
    luma = pixels @ np.array([0.299, 0.587, 0.114], np.float32)
    return [luma, *np.moveaxis(pixels, -1, 0)]


def _alike(given: Floats, seen: Floats) -> bool:
    one, two = given - given.mean(), seen - seen.mean()
    spread, other = float((one * one).mean()), float((two * two).mean())
    if spread < _FLAT**2 or other <= 0:
        return False
    common = float((one * two).mean())
    return common >= LEAST_LIKENESS * (spread * other) ** 0.5 and common >= LEAST_STRENGTH * spread


def _same_flat(given: list[Floats], seen: list[Floats]) -> bool:
    """Whether both are of one colour, the same."""
    return given[0].size > 0 and all(
        float(one.std()) < _FLAT and float(np.abs(one - two).mean()) < _NEAR
        for one, two in zip(given, seen, strict=True)
    )
