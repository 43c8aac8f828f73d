"""Drawings and pages as pictures for a report; in drawings the shape that they started from has a colour of its own."""

from __future__ import annotations

import numpy as np
from PIL import Image

from designgym.eval.report.data import Drawing

DARK = 128
"""Grey levels below this one are ink."""
PAPER, INK, SHAPE = (255, 255, 255), (17, 17, 17), (11, 95, 165)
PAGE_PX = 420
"""Longer side of a coloured page."""


def coloured(drawing: Drawing) -> bool:
    """Whether it is a page in colours, and no drawing of ink on paper."""
    return drawing.image.ndim == 3 and drawing.image.shape[2] == 3


def picture(drawing: Drawing) -> Image.Image:
    """A drawing at its own size, in three colours, the shape on top as on the canvas; or a page, made smaller."""
    if coloured(drawing):
        page = Image.fromarray(np.ascontiguousarray(drawing.image))
        page.thumbnail((PAGE_PX, PAGE_PX), Image.Resampling.LANCZOS)
        return page
    grey = drawing.image.reshape(drawing.image.shape[:2])
    places = (grey < DARK).astype(np.uint8)
    if drawing.stimulus is not None:
        places[drawing.stimulus < DARK] = 2
    image = Image.fromarray(places, "P")
    image.putpalette([*PAPER, *INK, *SHAPE])
    return image


def describe(drawing: Drawing) -> str:
    """The drawing in words, for those who cannot see it."""
    if coloured(drawing):
        return f"Page for the brief {drawing.task}, a {drawing.title}."
    title = f"titled {drawing.title}" if drawing.title else "without a title"
    return f"Drawing {title}, made from the shape {drawing.task}."
