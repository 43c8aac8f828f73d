"""Many pictures on one sheet, to look at."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image

from designgym.pool.cache import encode_png
from designgym.pool.pool import ImagePool


def picture_sheet(pool: ImagePool, ids: Sequence[str], columns: int = 14, cell_px: int = 96) -> bytes:
    """A PNG file with pictures in rows, in the order of the ids, each in the middle of its cell.

    Args:
        pool: Whose pictures they are.
        ids: The pictures; at least one.
        columns: Pictures a row.
        cell_px: Side of a cell; pictures fill it but for a margin.

    Returns:
        An RGBA PNG file on a transparent ground, so that it suits light and dark pages alike.
    """
    columns = min(columns, len(ids))
    sheet = Image.new("RGBA", (columns * cell_px, -(-len(ids) // columns) * cell_px))
    longest_px = round(0.86 * cell_px)
    for index, id in enumerate(ids):
        with Image.open(io.BytesIO(pool.png(id, longest_px))) as picture:
            left = index % columns * cell_px + (cell_px - picture.width) // 2
            top = index // columns * cell_px + (cell_px - picture.height) // 2
            sheet.paste(picture, (left, top))
    return encode_png(np.asarray(sheet))
