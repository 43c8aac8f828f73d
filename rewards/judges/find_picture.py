"""Finding a given picture on a page by its pixels alone, wherever it lies and however large it is.

The likeness is the correlation of colours (of all three channels together, their means taken out) between the page and
the picture as it would look there: on the ground that is around it, and on its ink alone, for pictures that lie on
something else. It is computed by Fourier transforms for all places at once, first roughly over all sizes, then finely
around the best places, whose details are compared then. What is not found as a whole is looked for beyond the page's
edge (``find_cut``). Turned, mirrored and stretched pictures are not looked for.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.rewards.judges.find_cut import find_cut
from designgym.rewards.judges.picture_detail import LEAST_DETAIL, detail_likeness

Floats = NDArray[np.float32]

ROUGH_PX = 160
"""Longer side of the page at which all sizes are tried, px."""
FINE_PX = 448
"""Longer side of the page at which the best of them are looked at again, px, but ..."""
ENOUGH_PX = 110
"""... no finer than that the picture's longer side has so many px."""
SURE = 0.9
"""A place that is so like the picture, and in detail too, is taken without looking at others."""
EXTENTS = tuple(float(0.06 * 1.09**step) for step in range(33))
"""Sizes that are tried: the larger of the picture's width and height over the page's own, 6 % to 95 %, and ..."""
WHOLE = 1.0
"""... one that fills a side of the page."""
MARGIN = 0.08
"""How much ground around the picture is compared with it, as a share of its longer side."""
CANDIDATES = 3
"""Rough places that are looked at finely."""
LEAST_LIKENESS = 0.8
"""From this likeness on a picture is there. Of the embedded pool's pictures, on pages of briefs, those on the page had
.93 and more where nothing covered them, and others .66 at most."""
LEAST_STRENGTH = 0.25
"""Least share of the picture's contrasts that the page has there; what is fainter is not there at all."""
MIN_VARIANCE = 30.0
"""Least variance (levels squared, three channels together) of what is compared; flat areas are like nothing."""


@dataclass(frozen=True)
class Found:
    """Where a picture lies.

    Attributes:
        likeness: Correlation with the page there, -1 to 1.
        box: x1, y1, x2, y2 as fractions of the page.
        detail: The same of edges, lines and outline alone.
        shown: The share of its box that lies on the page.
    """

    likeness: float
    box: tuple[float, float, float, float]
    detail: float = -1.0
    shown: float = 1.0

    @property
    def is_there(self) -> bool:
        """Whether that is the picture."""
        return self.likeness >= LEAST_LIKENESS and self.detail >= LEAST_DETAIL


def find_picture(
    page: NDArray[np.uint8], picture: NDArray[np.uint8], ground: tuple[float, float, float] = (255.0, 255.0, 255.0)
) -> Found | None:
    """The place on a page that is most like a picture.

    Args:
        page: uint8 H x W x 3.
        picture: uint8 H x W x 4, not premultiplied; its transparent edge is cut off.
        ground: The page's background colour, 0 to 255.

    Returns:
        The best place, however unlike; None for a picture without any ink.
    """
    ink = _cropped(picture)
    if ink is None:
        return None
    height, width = page.shape[:2]
    aspect = ink.shape[1] * height / (ink.shape[0] * width)  # over the page's own
    tried = []
    canvas = _Canvas(_shrunk(page, ROUGH_PX), ground)
    for extent in (*EXTENTS, WHOLE):
        size = extent * min(1.0, aspect), extent * min(1.0, 1 / aspect)
        likeness, center = canvas.best(ink, size)
        tried.append((likeness, size, center))
    tried.sort(key=lambda one: -one[0])
    best: Found | None = None
    for _, size, center in _apart(tried):
        fine = _shrunk(page, round(min(FINE_PX, max(ROUGH_PX, ENOUGH_PX / max(size)))))
        found = _refined(fine, ink, ground, size, center)
        if found.likeness >= LEAST_LIKENESS:
            found = dataclasses.replace(found, detail=detail_likeness(page, ink, found.box))
        if best is None or (found.is_there, found.likeness) > (best.is_there, best.likeness):
            best = found
        if best.is_there and best.likeness >= SURE:
            break
    if best is None or not best.is_there:
        cut = find_cut(page, ink, ground, LEAST_LIKENESS)
        best = best if cut is None else Found(*cut)
    return None if best is None else _on_page(best)


def _on_page(found: Found) -> Found:
    x1, y1, x2, y2 = found.box
    box = max(0.0, x1), max(0.0, y1), min(1.0, x2), min(1.0, y2)
    whole = (x2 - x1) * (y2 - y1)
    shown = max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1]) / whole if whole > 0 else 0.0
    return dataclasses.replace(found, box=box, shown=shown)


Place = tuple[float, float]


class _Canvas:
    """A page whose spectra are kept, with some of its ground around it."""

    def __init__(self, page: Floats, ground: tuple[float, float, float]) -> None:
        self.height, self.width = page.shape[:2]
        self.pad = 2 + int(np.ceil(MARGIN * max(self.height, self.width)))
        wide = np.empty((self.height + 2 * self.pad, self.width + 2 * self.pad, 3), np.float32)
        wide[:] = ground
        wide[self.pad : -self.pad, self.pad : -self.pad] = page
        wide -= 128  # keeps sums of squares small
        self.ground = np.array(ground, np.float32) - 128
        self.shape = wide.shape[0], wide.shape[1]
        planes = np.moveaxis(wide, 2, 0)
        self.spectra = np.fft.rfft2(np.concatenate([planes, (planes**2).sum(axis=0, keepdims=True)]))

    def best(self, ink: NDArray[np.uint8], size: Place) -> tuple[float, Place]:
        """Likeness and centre (fractions of the page) of the best place for a picture of this size."""
        across, down = max(3, round(size[0] * self.width)), max(3, round(size[1] * self.height))
        margin = min(self.pad, max(1, round(MARGIN * max(across, down))))
        if down + 2 * margin > self.shape[0] or across + 2 * margin > self.shape[1]:
            return -1.0, (0.5, 0.5)
        small = _resized(ink, across, down)
        alpha = np.zeros((down + 2 * margin, across + 2 * margin, 1), np.float32)
        alpha[margin:-margin, margin:-margin] = small[..., 3:] / 255
        color = np.zeros((*alpha.shape[:2], 3), np.float32)
        color[margin:-margin, margin:-margin] = small[..., :3] - 128
        shown = (self.ground + alpha * (color - self.ground)).astype(np.float32, copy=False)
        on_ground = self._likeness(shown, np.ones_like(alpha[..., 0]))
        inside = self._likeness(color, np.where(alpha[..., 0] > 0.9, np.float32(1), np.float32(0)))
        found = on_ground if inside is None else np.maximum(on_ground if on_ground is not None else -1.0, inside)
        if found is None:
            return -1.0, (0.5, 0.5)
        y, x = np.unravel_index(int(found.argmax()), found.shape)
        center = (x + margin + across / 2 - self.pad) / self.width, (y + margin + down / 2 - self.pad) / self.height
        return float(found[y, x]), (float(center[0]), float(center[1]))

    def _likeness(self, shown: Floats, weight: Floats) -> Floats | None:
        """The correlation at every place where the picture fits; None for a picture without contrast."""
        total = float(weight.sum())
        if total < 9:
            return None
        centred = (shown - (shown * weight[..., None]).sum(axis=(0, 1)) / total) * weight[..., None]
        power = float((centred**2).sum())
        if power / total < MIN_VARIANCE:
            return None
        spectra = np.conj(
            np.fft.rfft2(np.concatenate([np.moveaxis(centred, 2, 0), weight[None]]), s=self.shape, axes=(1, 2))
        )
        product = (self.spectra[:3] * spectra[:3]).sum(axis=0, keepdims=True)
        sums = np.fft.irfft2(np.concatenate([product, self.spectra * spectra[3]]), s=self.shape, axes=(1, 2))
        sums = sums[:, : self.shape[0] - shown.shape[0] + 1, : self.shape[1] - shown.shape[1] + 1]
        variance = sums[4] - (sums[1:4] ** 2).sum(axis=0) / total
        flat = (variance < MIN_VARIANCE * total) | (sums[0] < LEAST_STRENGTH * power)
        found: Floats = np.where(flat, -1.0, sums[0] / np.sqrt(power * np.where(flat, 1.0, variance)))
        return found


def _apart(tried: list[tuple[float, Place, Place]]) -> list[tuple[float, Place, Place]]:
    """The best ones that are different places or sizes."""
    kept: list[tuple[float, Place, Place]] = []
    for one in tried:
        near = (
            abs(one[2][0] - other[2][0]) + abs(one[2][1] - other[2][1]) < 0.1 * max(other[1])
            and max(one[1]) < 1.3 * max(other[1]) < 1.69 * max(one[1])
            for other in kept
        )
        if not any(near):
            kept.append(one)
        if len(kept) == CANDIDATES:
            break
    return kept


def _refined(
    page: Floats, ink: NDArray[np.uint8], ground: tuple[float, float, float], size: Place, center: Place
) -> Found:
    """The best place near one that is roughly known; its box may leave the page."""
    height, width = page.shape[:2]
    reach = [0.62 * side + MARGIN * max(size) + 0.02 for side in size]
    x1, x2 = (round(width * min(1.0, max(0.0, center[0] + sign * reach[0]))) for sign in (-1, 1))
    y1, y2 = (round(height * min(1.0, max(0.0, center[1] + sign * reach[1]))) for sign in (-1, 1))
    part = page[y1 : max(y2, y1 + 3), x1 : max(x2, x1 + 3)]
    canvas = _Canvas(part, ground)
    best = Found(-1.0, (0.0, 0.0, 0.0, 0.0))
    for factor in (0.92, 0.95, 0.975, 1.0, 1.025, 1.05, 1.08):
        across, down = factor * size[0], factor * size[1]
        likeness, (x, y) = canvas.best(ink, (across * width / part.shape[1], down * height / part.shape[0]))
        if likeness > best.likeness:
            x, y = (x1 + x * part.shape[1]) / width, (y1 + y * part.shape[0]) / height
            box = x - across / 2, y - down / 2, x + across / 2, y + down / 2
            best = Found(likeness, box)
    return best


def _cropped(picture: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    solid = picture[..., 3] > 16
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if not len(rows):
        return None
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _shrunk(page: NDArray[np.uint8], longest: int) -> Floats:
    factor = min(1.0, longest / max(page.shape[:2]))
    size = max(1, round(page.shape[1] * factor)), max(1, round(page.shape[0] * factor))
    return np.asarray(Image.fromarray(page).resize(size, Image.Resampling.BOX), np.float32)


def _resized(ink: NDArray[np.uint8], across: int, down: int) -> Floats:
    """The picture at another size, its colours not darkened by what is transparent."""
    small = Image.fromarray(ink).convert("RGBa").resize((across, down), Image.Resampling.BOX).convert("RGBA")
    return np.asarray(small, np.float32)
