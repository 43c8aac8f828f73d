"""Saving the images that commands are asked for."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from designgym.atomic import write_atomically
from designgym.errors import UserError

FRAME_MS = 400
LAST_FRAME_MS = 2000


def require_png(path: Path) -> None:
    """Check the name of a file to write, before any work.

    Raises:
        UserError: If it does not end in ``.png``.
    """
    if path.suffix.lower() != ".png":
        raise UserError(f"The image file '{path}' must have a name that ends in .png.")


def require_gif(path: Path) -> None:
    """Check the name of a file to write, before any work.

    Raises:
        UserError: If it does not end in ``.gif``.
    """
    if path.suffix.lower() != ".gif":
        raise UserError(f"The moving image '{path}' must have a name that ends in .gif.")


def save_gif(path: Path, images: Sequence[npt.NDArray[np.uint8]]) -> None:
    """Write images one after the other, forever again, the last one for longer; whole or not at all.

    Args:
        path: The file; its folder is made.
        images: At least one, uint8 H x W x 1 or H x W x 3, of one shape. Colours are reduced to 256 for each.
    """
    from PIL import Image

    frames = [Image.fromarray(image.squeeze(2) if image.shape[2] == 1 else image) for image in images]
    content = io.BytesIO()
    durations = [FRAME_MS] * (len(frames) - 1) + [LAST_FRAME_MS]
    frames[0].save(content, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    write_atomically(path, content.getvalue())


def save_png(path: Path, image: npt.NDArray[np.uint8]) -> None:
    """Write an image, whole or not at all.

    Args:
        path: The file; its folder is made.
        image: uint8 H x W x 1 or H x W x 3.
    """
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(image.squeeze(2) if image.shape[2] == 1 else image).save(content, format="PNG")
    write_atomically(path, content.getvalue())
