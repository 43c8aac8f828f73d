"""Designs: a layout, a palette and fonts turned into a document of text, shapes and pictures."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypedDict

import numpy as np

from designgym.envs.aesthetics.blocks.layout import GRID, Cells, Layout, sample_layout
from designgym.envs.aesthetics.blocks.palette import Palette, sample_ink, sample_palette
from designgym.envs.aesthetics.blocks.picture import VARIANTS, picture
from designgym.graphics.document import Document, ImageLayer, Layer, Shape, ShapeLayer, TextLayer
from designgym.graphics.text import measure_text

PAGE_PX = 1080
CELL_PX = PAGE_PX // GRID

FONTS = {
    "train": (
        "Arimo", "Carlito", "Open Sans", "Lato", "Tinos", "Gelasio", "Playfair Display", "Roboto Slab", "Cousine",
        "Oswald", "Abril Fatface", "Comic Neue", "Lobster",
    ),
    "validation": ("Poppins", "EB Garamond", "Bebas Neue"),
    "test": ("Montserrat", "Merriweather", "Roboto Mono", "Anton", "Dancing Script", "Pacifico"),
}  # fmt: skip
"""Families of each split; none is shared."""

TITLES = (
    "Summer Jazz", "Open Studio", "Design Week", "Fresh Market", "Coffee & Film", "Garden Tour", "Art Fair",
    "Spring Sale", "Night Music", "Book Talk", "Harvest Day", "City Run", "New Menu", "Poetry Slam", "Winter Ball",
    "Grand Opening",
)  # fmt: skip
SENTENCES = (
    "Doors open at seven.",
    "Bring a friend and stay for the evening.",
    "Free entry for members.",
    "Saturday 14 May, Old Town Hall.",
    "Live on two stages until midnight.",
    "Reserve your seat online.",
    "Local makers, good food and music.",
    "All ages welcome.",
    "Limited places, sign up today.",
    "Drinks and snacks at the bar.",
    "A new programme every month.",
    "See you in the courtyard.",
)

_SHAPES: tuple[Shape, ...] = ("rectangle", "rounded", "ellipse")
BODY_LINE_HEIGHT = 1.35


def sample_design(rng: np.random.Generator, split: str, count: int) -> tuple[Document, Palette, Layout]:
    """Draw a clean design of ``count`` elements whose layout, palette and fonts belong to ``split``."""
    layout = sample_layout(rng, split, count)
    palette = sample_palette(rng, split)
    families = FONTS[split]
    display, text = (families[int(i)] for i in rng.permutation(len(families))[:2])
    layers: list[Layer] = []
    assets: dict[str, bytes] = {}
    for index, slot in enumerate(layout.slots):
        layer_id, box = f"e{index}", _frame(slot.cells)
        if slot.kind == "picture":
            image, data = _picture(rng, layer_id, box, palette)
            assets[image.asset] = data
            layers.append(image)
        elif slot.kind == "shape":
            layers.append(_shape(rng, layer_id, box, palette))
        elif slot.kind == "title":
            layers.append(_title(rng, layer_id, box, palette, display))
        else:
            layers.append(_body(rng, layer_id, box, palette, text))
    document = Document(PAGE_PX, PAGE_PX, palette.background, tuple(layers), assets)
    return document, palette, layout


class Frame(TypedDict):
    """Where a layer lies, page px."""

    x: float
    y: float
    width: float
    height: float


def _frame(cells: Cells) -> Frame:
    left, top, right, bottom = (float(cell * CELL_PX) for cell in cells)
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


def _picture(rng: np.random.Generator, layer_id: str, box: Frame, palette: Palette) -> tuple[ImageLayer, bytes]:
    data = picture(sample_ink(rng, palette, dark=False), int(rng.integers(VARIANTS)))
    return ImageLayer(id=layer_id, name="picture", asset=f"{layer_id}.png", fit="cover", **box), data


def _shape(rng: np.random.Generator, layer_id: str, box: Frame, palette: Palette) -> ShapeLayer:
    shape = _SHAPES[int(rng.integers(len(_SHAPES)))]
    fill = sample_ink(rng, palette, dark=False)
    radius = 0.2 * min(box["width"], box["height"]) if shape == "rounded" else 0.0
    return ShapeLayer(id=layer_id, name="shape", shape=shape, fill=fill, radius_px=radius, **box)


def _title(rng: np.random.Generator, layer_id: str, box: Frame, palette: Palette, font: str) -> TextLayer:
    color = sample_ink(rng, palette, dark=True)
    words = TITLES[int(rng.integers(len(TITLES)))]
    size, width, height = _title_box(words, font, box["width"], box["height"])
    tight: Frame = {**box, "width": width, "height": height}
    line_height = round(height / size, 4)
    return TextLayer(
        id=layer_id, name="title", text=words, font=font, size_px=size, weight=700, color=color,
        line_height=line_height, **tight,
    )  # fmt: skip


def _body(rng: np.random.Generator, layer_id: str, box: Frame, palette: Palette, font: str) -> TextLayer:
    color = sample_ink(rng, palette, dark=True)
    sentences = [SENTENCES[int(i)] for i in rng.permutation(len(SENTENCES))]
    size, words = _body_text(sentences, font, box["width"], box["height"])
    return TextLayer(
        id=layer_id, name="body", text=words, font=font, size_px=size, color=color, line_height=BODY_LINE_HEIGHT, **box
    )


@lru_cache(maxsize=4096)
def _title_box(words: str, font: str, width: float, height: float) -> tuple[float, float, float]:
    """Font size, width and height of a one-line title that fits the given box: its own box is tight, on the grid."""
    probe = TextLayer(id="probe", width=1e4, height=1e3, text=words, font=font, size_px=100.0, weight=700)
    per_px = measure_text(probe).width / 100.0
    size = math.floor(10 * min(0.99 * width / per_px, height)) / 10
    own_width, own_height = (CELL_PX * math.ceil(side / CELL_PX) for side in (size * per_px, size))
    return size, float(min(own_width, width)), float(min(own_height, height))


@lru_cache(maxsize=16384)
def _advance(words: str, font: str) -> float:
    """Width of a line at size 100 px."""
    probe = TextLayer(id="probe", width=1e5, height=1e3, text=words, font=font, size_px=100.0)
    return measure_text(probe).width


def _body_text(sentences: list[str], font: str, width: float, height: float) -> tuple[float, str]:
    """Font size and text of a paragraph: whole sentences, in lines of about 20 characters, until the box is full."""
    per_character = _advance("the quick brown fox jumps over a lazy dog", font) / 41 / 100
    size = float(np.clip(width / (20 * per_character), 30.0, 44.0))
    lines = max(2, int(height / (size * BODY_LINE_HEIGHT)))
    size = height / (lines * BODY_LINE_HEIGHT)
    room = int(lines * (width / (size * per_character) - 3))  # a line ends some letters early, where a word ends
    words = ""
    for sentence in sentences:
        if len(words) + 1 + len(sentence) <= room:
            words = f"{words} {sentence}".strip()
    return round(size, 1), words or min(sentences, key=len)
