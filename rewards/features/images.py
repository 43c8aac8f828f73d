"""Images as backbones take them: checked, square on white paper, grey or RGB."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Image8 = NDArray[np.uint8]

PAPER = 255


class ImageError(ValueError):
    """Something that is no image."""


def check_image(image: Image8) -> Image8:
    """The image as uint8 H x W or H x W x 3; a single channel in a third axis is dropped.

    Raises:
        ImageError: For anything else.
    """
    if not isinstance(image, np.ndarray) or image.dtype != np.uint8:
        kind = f"an array of {image.dtype}" if isinstance(image, np.ndarray) else f"a {type(image).__name__}"
        raise ImageError(f"An image is a numpy array of uint8, H x W or H x W x 3, not {kind}.")
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    if image.size == 0 or not (image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3)):
        raise ImageError(f"An image is uint8 H x W or H x W x 3 and not empty; this one is {image.shape}.")
    return image


def square(image: Image8) -> Image8:
    """A checked image in the middle of a square of white paper; itself if it is square."""
    height, width = image.shape[:2]
    side = max(height, width)
    if height == width:
        return image
    top, left = (side - height) // 2, (side - width) // 2
    page = np.full((side, side, *image.shape[2:]), PAPER, np.uint8)
    page[top : top + height, left : left + width] = image
    return page


def grey(image: Image8) -> NDArray[np.float32]:
    """The luma of a checked image (ITU-R BT.601), float32 H x W, 0 to 255."""
    if image.ndim == 2:
        return image.astype(np.float32)
    return (image @ np.array([0.299, 0.587, 0.114], np.float32)).astype(np.float32)


def rgb(image: Image8) -> Image8:
    """A checked image with three channels, uint8 H x W x 3."""
    return image if image.ndim == 3 else np.repeat(image[:, :, None], 3, axis=2)
