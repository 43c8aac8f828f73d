"""A sheet of every filter at three strengths, on a picture like a photo and on cut-out ones, to look at.

``python docs/filter_sheet.py sheet.png``; with ``--only glass`` a filter alone, larger.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from landscape import landscape
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from designgym.graphics.document import Document, ImageLayer, ShapeLayer
from designgym.graphics.filters.applied import AppliedFilter, Value
from designgym.graphics.fonts import find_family
from designgym.graphics.render import render
from designgym.pool.resolve import resolve_pool

Values = Mapping[str, Value]

STRENGTHS: dict[str, Sequence[Values]] = {
    "brightness_contrast": (
        {"brightness": 60, "contrast": 0},
        {"brightness": -70, "contrast": 0},
        {"brightness": 10, "contrast": 70},
    ),
    "black_white": ({},),
    "hsl": (
        {"hue": 60, "saturation": 0, "light": 0},
        {"hue": 0, "saturation": 70, "light": 0},
        {"hue": 0, "saturation": -60, "light": 40},
    ),
    "blur": ({"blurAmount": 5}, {"blurAmount": 20}, {"blurAmount": 80}),
    "photo": (
        {"filterType": "Warming Filter (85)", "density": 40},
        {"filterType": "Underwater", "density": 80},
        {"filterType": "Sepia", "density": 100},
    ),
    "glass": (
        {"distortion": 4, "smoothness": 1, "scaling": 100},
        {"distortion": 10, "smoothness": 5, "scaling": 100},
        {"distortion": 20, "smoothness": 12, "scaling": 150},
    ),
    "glow": (
        {"graininess": 2, "glowAmount": 5, "clearAmount": 10},
        {"graininess": 5, "glowAmount": 12, "clearAmount": 8},
        {"graininess": 10, "glowAmount": 20, "clearAmount": 2},
    ),
    "ocean_ripple": (
        {"rippleSize": 2, "rippleMagnitude": 5},
        {"rippleSize": 7, "rippleMagnitude": 10},
        {"rippleSize": 14, "rippleMagnitude": 20},
    ),
    "stained_glass": (
        {"cellSize": 4, "borderThickness": 2, "lightIntensity": 0},
        {"cellSize": 10, "borderThickness": 4, "lightIntensity": 4},
        {"cellSize": 30, "borderThickness": 12, "lightIntensity": 8},
    ),
    "patchwork": (
        {"squareSize": 1, "relief": 4},
        {"squareSize": 4, "relief": 8},
        {"squareSize": 10, "relief": 25},
    ),
    "watercolor": (
        {"brushDetail": 14, "shadowIntensity": 1, "texture": 1},
        {"brushDetail": 9, "shadowIntensity": 4, "texture": 2},
        {"brushDetail": 2, "shadowIntensity": 12, "texture": 3},
    ),
}
"""Three settings of every filter, weak to strong where it has a strength."""

CUT_OUTS = ("openclipart/lighthouse", "openclipart/clown-loach")
BOX_PX = (480, 360)
CAPTION_PX = 40


def pictures() -> dict[str, bytes]:
    """The photo and the cut-out pictures, as PNG files."""
    file = io.BytesIO()
    Image.fromarray(landscape()).save(file, "PNG")
    pool = resolve_pool("embedded")
    known = {picture.id for picture in pool.pictures}
    return {"photo": file.getvalue()} | {id: pool.png(id, 700) for id in CUT_OUTS if id in known}


def tile(name: str, assets: Mapping[str, bytes], applied: AppliedFilter | None, scale: float) -> NDArray[np.uint8]:
    """One picture in its box, with or without a filter."""
    width, height = BOX_PX
    paper = ShapeLayer(id="paper", width=width, height=height, fill="#f3efe6")
    filters = (applied,) if applied else ()
    fit = "cover" if name == "photo" else "contain"
    layer = ImageLayer(id="picture", asset=name, width=width, height=height, fit=fit, filters=filters)
    return render(Document(width, height, layers=(paper, layer), assets=assets).validate(), scale)


def sheet(names: Sequence[str], scale: float) -> Image.Image:
    """A row for each filter and picture: as it is, and at three strengths."""
    assets = pictures()
    font = ImageFont.truetype(str(find_family("Open Sans").path(400)), 13)
    width, height = (round(side * scale) for side in BOX_PX)
    rows = [(name, asset) for name in names for asset in assets]
    paper = Image.new("RGB", ((width + 6) * 4, (height + CAPTION_PX) * len(rows)), "white")
    draw = ImageDraw.Draw(paper)
    for row, (name, asset) in enumerate(rows):
        top = row * (height + CAPTION_PX)
        steps: list[Values | None] = [None, *STRENGTHS[name]]
        for column, values in enumerate(steps):
            left = column * (width + 6)
            applied = None if values is None else AppliedFilter.of(name, values)
            paper.paste(Image.fromarray(tile(asset, assets, applied, scale)), (left, top))
            words = "as it is" if values is None else ", ".join(_words(key, value) for key, value in values.items())
            draw.text((left + 2, top + height + 2), _broken(words or name, font, width), "black", font)
    return paper


def _broken(words: str, font: ImageFont.FreeTypeFont, width: float) -> str:
    """Words on one line, or two if they are wider than a tile."""
    return words if font.getlength(words) <= width else ",\n".join(words.rsplit(", ", 1))


def _words(name: str, value: Value) -> str:
    return str(value) if isinstance(value, str) else f"{name} {value}"


def main() -> None:
    """Read the arguments, draw the sheet and save it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the PNG file to write")
    parser.add_argument("--only", choices=sorted(STRENGTHS), action="append", help="a filter; all if left out")
    parser.add_argument("--scale", type=float, default=0.5, help="pixels per page px (0.5)")
    asked = parser.parse_args()
    sheet(asked.only or list(STRENGTHS), asked.scale).save(asked.file)


if __name__ == "__main__":
    main()
