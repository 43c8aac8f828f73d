"""Drawings as pictures for a report: black on white, the shape that they started from in a colour of its own."""

from __future__ import annotations

import numpy as np
from PIL import Image

from designgym.eval.report.data import Drawing

DARK = 128
"""Grey levels below this one are ink."""
PAPER, INK, SHAPE = (255, 255, 255), (17, 17, 17), (11, 95, 165)


def picture(drawing: Drawing) -> Image.Image:
    """The drawing at its own size, in three colours; the shape lies on top, as it does on the canvas."""
    grey = drawing.image.reshape(drawing.image.shape[:2])
    places = (grey < DARK).astype(np.uint8)
    if drawing.stimulus is not None:
        places[drawing.stimulus < DARK] = 2
    image = Image.fromarray(places, "P")
    image.putpalette([*PAPER, *INK, *SHAPE])
    return image


def describe(drawing: Drawing) -> str:
    """The drawing in words, for those who cannot see it."""
    title = f"titled {drawing.title}" if drawing.title else "without a title"
    return f"Drawing {title}, made from the shape {drawing.task}."
