"""An episode's images in one picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

COLUMNS = 8
MOST_PIXELS = 16_000_000
"""Of the picture; images of a longer episode are made smaller."""
GROUND = 128


def filmstrip(images: Sequence[Image], gap_px: int = 4) -> Image:
    """Lay images side by side on mid grey, oldest first, up to eight in a row.

    Of many images each is halved, or divided by three and so on, until the picture has at most 16 million pixels.

    Args:
        images: At least one, uint8 H x W x C of one shape.
        gap_px: Space between them.

    Returns:
        uint8 H' x W' x 3.
    """
    columns = min(COLUMNS, len(images))
    rows = -(-len(images) // columns)
    divisor = 1
    while rows * columns * (images[0].shape[0] // divisor) * (images[0].shape[1] // divisor) > MOST_PIXELS:
        divisor += 1
    tiles = [_smaller(image, divisor) for image in images]
    height, width = tiles[0].shape[:2]
    strip = np.full((rows * (height + gap_px) - gap_px, columns * (width + gap_px) - gap_px, 3), GROUND, np.uint8)
    for index, tile in enumerate(tiles):
        top, left = index // columns * (height + gap_px), index % columns * (width + gap_px)
        strip[top : top + height, left : left + width] = tile  # one grey channel broadcasts to three
    return strip


def _smaller(image: Image, divisor: int) -> Image:
    """Means over squares; what does not fill one at the right and lower edge is left out."""
    if divisor == 1:
        return image
    height, width = (side // divisor for side in image.shape[:2])
    squares = image[: height * divisor, : width * divisor].reshape(height, divisor, width, divisor, -1)
    return squares.mean(axis=(1, 3)).round().astype(np.uint8)
