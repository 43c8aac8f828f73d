"""A sheet with a palette, which keeps its file small: most colours for what is opaque, some for letters and edges."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageColor

SHADES = 24
"""Steps between transparent and opaque, all of one colour."""


def with_palette(sheet: Image.Image, grey: str) -> Image.Image:
    """The same picture with a palette.

    Args:
        sheet: RGBA. What is neither opaque nor transparent should be of the colour ``grey``: letters, thin edges.
        grey: That colour.
    """
    pixels = np.asarray(sheet)
    alpha = pixels[..., 3]
    shades = np.round(alpha / 255 * (SHADES - 1)).astype(np.uint8)
    opaque = alpha == 255
    strip = Image.fromarray(pixels[opaque][None, :, :3])
    few = strip.quantize(256 - SHADES, method=Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
    places = np.where(shades == SHADES - 1, SHADES - 2, shades)  # the last step is for opaque colours
    places[opaque] = np.asarray(few)[0] + SHADES
    found = Image.fromarray(places, "P")
    colors = (few.getpalette() or [])[: 3 * (256 - SHADES)]
    found.putpalette([*ImageColor.getrgb(grey)[:3] * SHADES, *colors])
    steps = [round(255 * step / (SHADES - 1)) for step in range(SHADES)]
    found.info["transparency"] = bytes([*steps, *[255] * (256 - SHADES)])
    return found
