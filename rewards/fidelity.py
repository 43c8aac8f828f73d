"""Whether given pictures are in the design and look like themselves, by what is visible of each and its likeness."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.graphics.assets import asset_image
from designgym.graphics.document import Document, ImageLayer
from designgym.graphics.raster import rasterize
from designgym.graphics.render import render
from designgym.graphics.visible import Visibility, visibility
from designgym.rewards.base import EpisodeReward
from designgym.rewards.given import GivenPicture, check_given, digest, given_pictures
from designgym.rewards.judges.border import border_color
from designgym.rewards.judges.find_picture import find_picture
from designgym.rewards.judges.meanings import EXTENTS, extent
from designgym.score import Backend, Score

SIDE_PX = 448
"""Longer side of the page at which pictures are compared, px."""

_FLAT = 25.0  # variance of a picture, in levels squared, below which there is nothing to correlate
_NEAR = 16.0  # levels by which a flat picture may differ from itself


@dataclass(frozen=True)
class Fidelity(EpisodeReward):
    """The mean over the given pictures of how much of each is seen, unchanged, 0 to 1.

    With a document: the visible share of the picture's ink, times the correlation of what is seen there with the
    picture as it was given, times how far its sides keep their proportion; the best of its places counts, and one
    smaller than anything that is called small counts nothing. So a blank page has 0, and so has a picture that is
    covered, faded, filtered beyond recognition or off the page. Without a document the picture is looked for in the
    pixels, at all sizes; then its likeness counts from .8 on. None without given pictures, or without the pixels of
    one where they are needed.

    Parts: ``fidelity/found``, the share of the pictures with more than half of their value.

    Args:
        pool: The pool that given pictures are from, see ``designgym.pool.resolve``.
    """

    name = "fidelity"
    backend = Backend("visible-correlation", "1")

    pool: str = "embedded"

    def check(self, episode: Episode) -> None:
        """Refuse environments that hand out no pictures."""
        check_given(self.name, episode)

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def score(self, episode: Episode) -> Score:
        """The mean, and the share of pictures that were found."""
        values = self._values(episode)
        if values is None:
            return self.scored(None, {"found": None})
        return self.scored(sum(values) / len(values), {"found": sum(value > 0.5 for value in values) / len(values)})

    def _values(self, episode: Episode) -> list[float] | None:
        pictures = given_pictures(episode, self.pool)
        if not pictures:
            return None
        if episode.document is not None:
            page = _Page(episode.document)
            return [page.fidelity(picture.sha256) for picture in pictures]
        if episode.image is None or any(picture.pixels is None for picture in pictures):
            return None
        return [_in_pixels(episode.image, picture) for picture in pictures]


def _in_pixels(image: NDArray[np.uint8], picture: GivenPicture) -> float:
    assert picture.pixels is not None
    found = find_picture(image, picture.pixels, border_color(image))
    return found.likeness * found.shown if found is not None and found.is_there else 0.0


class _Page:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.scale = min(1.0, SIDE_PX / max(document.width, document.height))
        self._pixels: NDArray[np.uint8] | None = None
        self._visibility: Visibility | None = None

    def fidelity(self, sha256: str) -> float:
        """The best value of the picture's places; 0 if it lies nowhere."""
        layers = [
            layer
            for layer in self.document.layers
            if isinstance(layer, ImageLayer) and digest(self.document.assets[layer.asset]) == sha256
        ]
        return max((self._of_layer(layer) for layer in layers), default=0.0)

    def _of_layer(self, layer: ImageLayer) -> float:
        if self._pixels is None or self._visibility is None:
            self._pixels = render(self.document, self.scale)
            self._visibility = visibility(self.document, self.scale)
        box = self._visibility.box(layer.id)
        if box is None or extent(box) < EXTENTS["small"][0]:
            return 0.0
        shown = self._visibility.fraction(layer.id)
        return shown * self._likeness(layer) * _proportion(layer, self.document)

    def _likeness(self, layer: ImageLayer) -> float:
        """Correlation, 0 to 1, of what is seen of the layer with the picture as it was given."""
        assert self._pixels is not None and self._visibility is not None
        given = rasterize(dataclasses.replace(layer, filters=(), opacity=1.0), self.document, self.scale)
        if given.pixels is None:
            return 0.0
        x1, y1, x2, y2 = given.box
        seen = self._visibility.masks[layer.id][y1:y2, x1:x2] & (given.pixels[..., 3] >= 250)
        one = given.pixels[..., 2::-1][seen].astype(np.float64)
        two = self._pixels[y1:y2, x1:x2][seen].astype(np.float64)
        if not len(one):
            return 0.0
        first, second = one - one.mean(axis=0), two - two.mean(axis=0)
        power, other = float((first**2).mean()), float((second**2).mean())
        if power < _FLAT:
            return float(float(np.abs(one - two).mean()) < _NEAR)
        return max(0.0, float((first * second).mean()) / (power * other) ** 0.5) if other > 0 else 0.0


def _proportion(layer: ImageLayer, document: Document) -> float:
    """The smaller over the larger of both ratios of sides; 1 where the picture's fit keeps its proportion."""
    if layer.fit != "fill":
        return 1.0
    picture = asset_image(document.assets[layer.asset])
    ratio = (layer.width * picture.height()) / (layer.height * picture.width())
    return min(ratio, 1 / ratio)
