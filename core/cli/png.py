"""Saving the images that commands are asked for."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

from designgym.atomic import write_atomically
from designgym.errors import UserError


def require_png(path: Path) -> None:
    """Check the name of a file to write, before any work.

    Raises:
        UserError: If it does not end in ``.png``.
    """
    if path.suffix.lower() != ".png":
        raise UserError(f"The image file '{path}' must have a name that ends in .png.")


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
