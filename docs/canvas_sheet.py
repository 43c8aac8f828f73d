"""A contact sheet of canvases: each with a frame around it and words beneath.

The sheet has no background of its own, so that it suits light and dark pages alike; the tiles are paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from designgym.graphics.fonts import find_family

Fonts = tuple[ImageFont.FreeTypeFont, ImageFont.FreeTypeFont]

TILE_PX = 200
"""Half the canvas's side: black or white pixels become four greys, and edges smooth."""
GAP_PX = 12
CAPTION_PX = 40
FONT_PX = 18
CORNER_PX = 6
SMOOTH = 4
"""Frames are drawn so many times larger and scaled down."""

EDGE = "#8c939c66"
CAPTION = "#7a828e"
"""A grey that reads on white and on dark pages alike; see ``pictures.py``."""


@dataclass(frozen=True)
class Tile:
    """A canvas (uint8, H x W or H x W x 3) and what stands beneath it, in bold and plain."""

    image: npt.NDArray[np.uint8]
    bold: str
    plain: str = ""


def contact_sheet(tiles: Sequence[Tile], columns: int, tile_px: int = TILE_PX) -> Image.Image:
    """Tiles in rows, with their words beneath.

    Args:
        tiles: What to show, in order.
        columns: Tiles a row, at least 1.
        tile_px: Side of a tile; 400 shows the canvas pixel by pixel.

    Returns:
        RGBA, transparent around the tiles.
    """
    rows = -(-len(tiles) // columns)
    size = (columns * (tile_px + GAP_PX) - GAP_PX, rows * (tile_px + CAPTION_PX))
    sheet = Image.new("RGBA", size)
    draw = ImageDraw.Draw(sheet)
    for index, tile in enumerate(tiles):
        left, top = index % columns * (tile_px + GAP_PX), index // columns * (tile_px + CAPTION_PX)
        sheet.paste(_framed(tile.image, tile_px), (left, top))
        _caption(draw, tile, left + tile_px / 2, top + tile_px + 20, tile_px)
    return sheet


def _caption(draw: ImageDraw.ImageDraw, tile: Tile, middle: float, baseline: float, most: float) -> None:
    """Both words beside each other, in letters small enough for the tile's width."""
    plain_text = f"  {tile.plain}" if tile.plain and tile.bold else tile.plain
    family = find_family("Open Sans")
    for size in range(FONT_PX, 7, -1):
        bold, plain = (ImageFont.truetype(str(family.path(weight)), size) for weight in (700, 400))
        width, rest = bold.getlength(tile.bold), plain.getlength(plain_text)
        if width + rest <= most:
            break
    x = middle - (width + rest) / 2
    draw.text((x, baseline), tile.bold, fill=CAPTION, font=bold, anchor="ls")
    draw.text((x + width, baseline), plain_text, fill=CAPTION, font=plain, anchor="ls")


def _framed(canvas: npt.NDArray[np.uint8], side: int) -> Image.Image:
    """The canvas, scaled down, with rounded corners and a hairline around it."""
    large = side * SMOOTH
    frame = (0, 0, large - 1, large - 1)
    edge = Image.new("RGBA", (large, large))
    ImageDraw.Draw(edge).rounded_rectangle(frame, CORNER_PX * SMOOTH, outline=EDGE, width=SMOOTH)
    mask = Image.new("L", (large, large))
    ImageDraw.Draw(mask).rounded_rectangle(frame, CORNER_PX * SMOOTH, fill=255)
    small = (side, side)
    page = Image.fromarray(np.array(canvas)).resize(small, Image.Resampling.BOX).convert("RGBA")
    page.alpha_composite(edge.resize(small, Image.Resampling.BOX))
    page.putalpha(mask.resize(small, Image.Resampling.BOX))
    return page
