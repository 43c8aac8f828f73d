"""Whether a place on a page that is like a picture in the large is like it in detail: in edges, lines and outline.

Two flat colours side by side are like half of all small drawings in colour alone. What is left of both once their
surroundings' mean is taken out tells them apart. Of the embedded pool's pictures, on pages of briefs, those on the page
had .88 and more where nothing covered them, and of places that were taken for others hardly one had more than .35.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

Floats = NDArray[np.float32]

SIDE_PX = 64
"""Longer side at which picture and place are compared, px."""
BLUR_PX = 4
"""Detail is what differs from the mean of a square that reaches so far."""
LEAST_DETAIL = 0.45
"""From this likeness of details on a place may be the picture."""

_PAD = 6  # px around the picture
_SIZES = (0.98, 1.0, 1.02)  # of the place, which is known to about a hundredth
_PLAIN = 4.0  # variance of details, levels squared, below which a picture has none to compare


def detail_likeness(page: NDArray[np.uint8], ink: NDArray[np.uint8], box: tuple[float, float, float, float]) -> float:
    """The correlation of a picture's details with the page's, about a place and a little around it.

    Args:
        page: uint8 H x W x 3.
        ink: The picture, uint8 h x w x 4, not premultiplied, without a transparent edge.
        box: x1, y1, x2, y2 as shares of the page; may leave it, and what does is not compared.

    Returns:
        -1 to 1; 1 for a picture without any details.
    """
    height, width = page.shape[:2]
    x1, y1, x2, y2 = box[0] * width, box[1] * height, box[2] * width, box[3] * height
    factor = SIDE_PX / max(x2 - x1, y2 - y1, 1.0)
    across, down = max(8, round((x2 - x1) * factor)), max(8, round((y2 - y1) * factor))
    small = Image.fromarray(ink).convert("RGBa").resize((across, down), Image.Resampling.BILINEAR).convert("RGBA")
    shown = Image.new("RGBA", (across + 2 * _PAD, down + 2 * _PAD))
    shown.paste(small, (_PAD, _PAD))
    solid = np.asarray(shown)[..., 3]
    near = np.asarray(Image.fromarray(solid).filter(ImageFilter.MaxFilter(5))) > 5
    best = -1.0
    for size in _SIZES:
        step = size * (x2 - x1) / across, size * (y2 - y1) / down  # px of the page to one here
        center = (x1 + x2) / 2, (y1 + y2) / 2
        spare = across / 2 + _PAD + 1, down / 2 + _PAD + 1
        area = (center[0] - spare[0] * step[0], center[1] - spare[1] * step[1],
                center[0] + spare[0] * step[0], center[1] + spare[1] * step[1])  # fmt: skip
        place, inside = _cut_out(page, area, (shown.width + 2, shown.height + 2))
        free = inside[1:-1, 1:-1] & (solid < 5)
        ground = np.median(np.asarray(place)[1:-1, 1:-1][free], axis=0) if free.any() else np.full(3, 255.0)
        laid = Image.new("RGB", shown.size, tuple(int(part) for part in ground))
        laid.paste(shown, (0, 0), shown)
        given, seen = _details(laid), _details(place)
        for dy in range(3):
            for dx in range(3):
                part = slice(dy, dy + shown.height), slice(dx, dx + shown.width)
                best = max(best, _correlation(given, seen[part], near & inside[part]))
    return best


def _cut_out(
    page: NDArray[np.uint8], area: tuple[float, float, float, float], size: tuple[int, int]
) -> tuple[Image.Image, NDArray[np.bool_]]:
    """A part of a page at another size, and which of its pixels lie on the page; beyond that its edge goes on."""
    height, width = page.shape[:2]
    left, top = (int(np.floor(edge)) for edge in area[:2])
    right, bottom = (int(np.ceil(edge)) + 1 for edge in area[2:])
    columns, rows = np.arange(left, right), np.arange(top, bottom)
    there = ((rows >= 0) & (rows < height))[:, None] & ((columns >= 0) & (columns < width))
    part = page[np.clip(rows, 0, height - 1)[:, None], np.clip(columns, 0, width - 1)]
    within = (area[0] - left, area[1] - top, area[2] - left, area[3] - top)
    place, mask = (
        Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR, box=within)
        for pixels in (np.ascontiguousarray(part), there.astype(np.uint8) * np.uint8(255))
    )
    return place, np.asarray(mask) > 250


def _details(picture: Image.Image) -> Floats:
    mean = picture.filter(ImageFilter.BoxBlur(BLUR_PX))
    return np.asarray(picture, np.float32) - np.asarray(mean, np.float32)


def _correlation(given: Floats, seen: Floats, where: NDArray[np.bool_]) -> float:
    if not where.any():
        return -1.0
    one, two = given[where], seen[where]
    one, two = one - one.mean(axis=0), two - two.mean(axis=0)
    power, other = float((one * one).mean()), float((two * two).mean())
    if power < _PLAIN:
        return 1.0
    return float((one * two).mean()) / (power * other) ** 0.5 if other > 0 else -1.0
