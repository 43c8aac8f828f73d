"""Finding a picture that lies partly beyond the page's edge, by what of it is on the page.

The likeness is the correlation of colours as in ``find_picture``, taken at every place over those pixels of the picture
that lie on the page. First the whole page is searched roughly over all sizes for the picture on the page's ground, then
the best places finely, also for its ink alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.rewards.judges.picture_detail import LEAST_DETAIL, detail_likeness

Floats = NDArray[np.float32]
Box = tuple[float, float, float, float]
Color = tuple[float, float, float]

ROUGH_PX = 96
"""Longer side of the page at which all sizes are tried, px."""
FINE_PX = 80
"""Longer side of the picture at which places are looked at again, px."""
EXTENTS = tuple(float(0.12 * 1.12**step) for step in range(19))
"""Sizes that are tried: the larger of the picture's width and height over the page's own, 12 % to 92 %."""
SHOWN = (0.45, 0.97)
"""Least and most of a picture's ink on the page; with more of it the picture is found as a whole."""
LEAST_ROUGH = 0.7
"""Rough places that are less like the picture are not looked at again, and ..."""
CANDIDATES = 2
"""... no more than so many. Of the embedded pool's pictures, half off a page, had .8 and more, others .6 at most."""
FACTORS = (0.92, 0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08)
"""Sizes about a rough place's own that are tried finely."""

_MIN_VARIANCE = 30.0  # levels squared, three channels together; flatter areas are like nothing
_LEAST_INK = 30.0  # px


def find_cut(
    page: NDArray[np.uint8], ink: NDArray[np.uint8], ground: Color, least: float
) -> tuple[float, Box, float] | None:
    """The place of a picture that the page's edge cuts off.

    Args:
        page: uint8 H x W x 3.
        ink: The picture, uint8 h x w x 4, not premultiplied, without a transparent edge.
        ground: The page's background colour, 0 to 255.
        least: Least likeness.

    Returns:
        Likeness, box (shares of the page, leaving it) and likeness in detail of the best place that is like it in
        both; None if there is none.
    """
    height, width = page.shape[:2]
    scale = min(1.0, ROUGH_PX / max(height, width))
    small = _resized(page, round(width * scale), round(height * scale))
    places = sorted(_rough(small, ink, ground, (height, width)), key=lambda place: -place[0])[:CANDIDATES]
    best: tuple[float, Box, float] | None = None
    for rough, box in places:
        if rough < LEAST_ROUGH:
            break
        likeness, box = _refined(page, ink, ground, box)
        if likeness < least or (best is not None and likeness <= best[0]):
            continue
        detail = detail_likeness(page, ink, box)
        if detail >= LEAST_DETAIL:
            best = likeness, box, detail
    return best


def _rough(small: Floats, ink: NDArray[np.uint8], ground: Color, size: tuple[int, int]) -> Iterator[tuple[float, Box]]:
    aspect = ink.shape[1] * size[0] / (ink.shape[0] * size[1])  # over the page's own
    part = _Part(small, small.shape[1], small.shape[0])
    down, across = small.shape[:2]
    for extent in EXTENTS:
        sides = max(4, round(extent * min(1.0, aspect) * across)), max(4, round(extent * min(1.0, 1 / aspect) * down))
        found = part.best(ink, *sides, ground)
        if found is not None:
            likeness, x, y = found
            yield likeness, (x / across, y / down, (x + sides[0]) / across, (y + sides[1]) / down)


def _refined(page: NDArray[np.uint8], ink: NDArray[np.uint8], ground: Color, box: Box) -> tuple[float, Box]:
    height, width = page.shape[:2]
    sides = (box[2] - box[0]) * width, (box[3] - box[1]) * height
    spare = 0.15 * max(sides) + 0.02 * max(height, width)
    left, top = max(0, round(box[0] * width - spare)), max(0, round(box[1] * height - spare))
    right, bottom = min(width, round(box[2] * width + spare)), min(height, round(box[3] * height + spare))
    scale = min(1.0, FINE_PX / max(sides))
    across, down = max(4, round((right - left) * scale)), max(4, round((bottom - top) * scale))
    steps = (right - left) / across, (bottom - top) / down  # px of the page to one here
    most = (max(4, round(FACTORS[-1] * side / step)) for side, step in zip(sides, steps, strict=True))
    part = _Part(_resized(page[top:bottom, left:right], across, down), *most)
    best = -1.0, box
    for factor in FACTORS:
        wide, high = (max(4, round(factor * side / step)) for side, step in zip(sides, steps, strict=True))
        both = (part.best(ink, wide, high, on) for on in (ground, None))
        found = max((each for each in both if each is not None), default=None)
        if found is not None and found[0] > best[0]:
            x, y = left + found[1] * steps[0], top + found[2] * steps[1]
            best = found[0], (
                x / width, y / height, (x + wide * steps[0]) / width, (y + high * steps[1]) / height
            )  # fmt: skip
    return best


class _Part:
    """Some of a page, beyond which nothing is compared, with its spectra, for pictures up to a size."""

    def __init__(self, pixels: Floats, across: int, down: int) -> None:
        self._size = pixels.shape[0], pixels.shape[1]
        self._shape = self._size[0] + down, self._size[1] + across
        planes = np.moveaxis(pixels - 128, 2, 0)
        there = np.ones((1, *self._size), np.float32)
        self._spectra = self._of(np.concatenate([planes, (planes**2).sum(axis=0, keepdims=True), there]))

    def best(self, ink: NDArray[np.uint8], across: int, down: int, on: Color | None) -> tuple[float, int, int] | None:
        """Likeness and top left corner of the best place for a picture of this size that is cut off; None if none.

        ``on`` is the colour that the picture lies on; without one its ink alone is compared.
        """
        small = Image.fromarray(ink).convert("RGBa").resize((across, down), Image.Resampling.BOX).convert("RGBA")
        pixels = np.asarray(small, np.float32)
        solid = (pixels[..., 3] > 230).astype(np.float32)
        total = float(solid.sum())
        if total < _LEAST_INK:
            return None
        if on is None:
            weight, color = solid, pixels[..., :3]
        else:
            weight, share = np.ones_like(solid), pixels[..., 3:] / np.float32(255)
            color = share * pixels[..., :3] + (1 - share) * np.array(on, np.float32)
        planes = np.moveaxis(color - 128, 2, 0) * weight
        own = np.conj(self._of(np.stack([*planes, (planes**2).sum(axis=0), weight, solid])))
        page, there = self._spectra[:4], self._spectra[4]
        both = (page[:3] * own[:3]).sum(axis=0, keepdims=True)
        sums = np.fft.irfft2(np.concatenate([both, page * own[4], own * there]), s=self._shape)
        count, shown = np.maximum(sums[9], 1), sums[10]
        one, two = (sums[at + 3] - (sums[at : at + 3] ** 2).sum(axis=0) / count for at in (1, 5))  # page, picture
        common = sums[0] - (sums[1:4] * sums[5:8]).sum(axis=0) / count
        cut = (shown >= SHOWN[0] * total) & (shown <= SHOWN[1] * total)
        cut &= (one >= _MIN_VARIANCE * count) & (two >= _MIN_VARIANCE * count)
        found = np.where(cut, common / np.sqrt(np.where(cut, one * two, 1.0)), -1.0)
        y, x = (int(place) for place in np.unravel_index(int(found.argmax()), found.shape))
        likeness = float(found[y, x])
        if likeness <= -1:
            return None
        # What begins left of the page or above it is at the end of the cycle.
        return likeness, x - self._shape[1] * (x >= self._size[1]), y - self._shape[0] * (y >= self._size[0])

    def _of(self, planes: Floats) -> NDArray[np.complexfloating]:
        return np.fft.rfft2(planes, s=self._shape)


def _resized(page: NDArray[np.uint8], across: int, down: int) -> Floats:
    return np.asarray(Image.fromarray(page).resize((max(1, across), max(1, down)), Image.Resampling.BOX), np.float32)
