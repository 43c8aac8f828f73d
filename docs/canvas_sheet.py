"""A contact sheet of stimuli: each as it is on the canvas, its id beneath.

The sheet has no background of its own, so that it suits light and dark pages alike; the tiles are paper.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from designgym.envs.canvas.stimulus import Stimulus
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


def contact_sheet(stimuli: Sequence[Stimulus], columns: int, tile_px: int = TILE_PX) -> Image.Image:
    """Tiles in rows, with the stimulus's id beneath and, for objects, its name.

    Args:
        stimuli: What to show, in order.
        columns: Tiles a row, at least 1.
        tile_px: Side of a tile; 400 shows the canvas pixel by pixel.

    Returns:
        RGBA, transparent around the tiles.
    """
    rows = -(-len(stimuli) // columns)
    size = (columns * (tile_px + GAP_PX) - GAP_PX, rows * (tile_px + CAPTION_PX))
    sheet = Image.new("RGBA", size)
    draw = ImageDraw.Draw(sheet)
    fonts = _fonts(stimuli, tile_px)
    for index, stimulus in enumerate(stimuli):
        left, top = index % columns * (tile_px + GAP_PX), index // columns * (tile_px + CAPTION_PX)
        sheet.paste(_tile(stimulus, tile_px), (left, top))
        x, baseline = left + (tile_px - _width(stimulus, fonts)) / 2, top + tile_px + 20
        draw.text((x, baseline), stimulus.id, fill=CAPTION, font=fonts[0], anchor="ls")
        x += fonts[0].getlength(stimulus.id)
        draw.text((x, baseline), _name(stimulus), fill=CAPTION, font=fonts[1], anchor="ls")
    return sheet


def _fonts(stimuli: Sequence[Stimulus], most: float) -> Fonts:
    """Bold for ids and regular for names, at the largest size up to :data:`FONT_PX` at which every caption fits."""
    family = find_family("Open Sans")
    for size in range(FONT_PX, 7, -1):
        bold, plain = (ImageFont.truetype(str(family.path(weight)), size) for weight in (700, 400))
        if all(_width(stimulus, (bold, plain)) <= most for stimulus in stimuli):
            break
    return bold, plain


def _width(stimulus: Stimulus, fonts: Fonts) -> float:
    return fonts[0].getlength(stimulus.id) + fonts[1].getlength(_name(stimulus))


def _name(stimulus: Stimulus) -> str:
    return f"  {stimulus.name}" if stimulus.name else ""


def _tile(stimulus: Stimulus, side: int) -> Image.Image:
    """The canvas, scaled down, with rounded corners and a hairline around it."""
    large = side * SMOOTH
    frame = (0, 0, large - 1, large - 1)
    edge = Image.new("RGBA", (large, large))
    ImageDraw.Draw(edge).rounded_rectangle(frame, CORNER_PX * SMOOTH, outline=EDGE, width=SMOOTH)
    mask = Image.new("L", (large, large))
    ImageDraw.Draw(mask).rounded_rectangle(frame, CORNER_PX * SMOOTH, fill=255)
    small = (side, side)
    page = Image.fromarray(np.array(stimulus.pixels)).resize(small, Image.Resampling.BOX).convert("RGBA")
    page.alpha_composite(edge.resize(small, Image.Resampling.BOX))
    page.putalpha(mask.resize(small, Image.Resampling.BOX))
    return page
