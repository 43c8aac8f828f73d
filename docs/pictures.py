"""The pictures of the documentation, drawn from the code; ``build.py`` writes and checks them.

No page is chosen by hand: each is the first test page of its kind that has five elements, none of them too small to be
seen at this size. The pictures have no background of their own, so that they suit light and dark pages alike.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFont

from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.envs.aesthetics.blocks.item import FractionBox, Item, Settings, item
from designgym.graphics.fonts import find_family
from designgym.graphics.render import render

ELEMENTS = 5
LEAST_SHARE = 0.03
"""A page is shown if its flawed element covers this share of it."""
SEARCHED = 2000
"""Test pages that are looked through."""

TILE_PX = 304
PAIR_TILE_PX = 256
GAP_PX = 16
CAPTION_PX = 46
CORNER_PX = 10
SMOOTH = 4
"""Outlines are drawn so many times larger and scaled down."""

BOX = "#d6006e"
EDGE = "#8c939c66"
CAPTION = "#7a828e"
"""A grey that reads on white (contrast 3.9) and on GitHub's dark page (4.8), at the size of headings."""

TOLERANCE = 1.0
"""Mean difference, in levels of 255, up to which a picture is taken for the same: libraries differ in rounding."""


def examples() -> dict[str, Item]:
    """The page that is shown of each kind of flaw, and of those without, under ``"none"``."""
    settings = Settings(elements=(ELEMENTS, ELEMENTS), image_size=TILE_PX)
    found: dict[str, Item] = {}
    for number in range(SEARCHED):
        page = item(f"test-{number:06d}", settings)
        if page.flaw is not None and page.truth is not None and _share(page.truth) < LEAST_SHARE:
            continue
        found.setdefault(page.flaw.kind if page.flaw else "none", page)
        if len(found) == len(KINDS) + 1:
            return {kind: found[kind] for kind in (*KINDS, "none")}
    raise RuntimeError(f"Among {SEARCHED} test pages there are none to show for {({*KINDS, 'none'}) - set(found)}.")


def overview(pages: dict[str, Item], columns: int = 6) -> Image.Image:
    """Pages of all kinds with their true boxes, the kind of flaw beneath each."""
    rows = -(-len(pages) // columns)
    width = columns * (TILE_PX + GAP_PX) - GAP_PX
    sheet = Image.new("RGBA", (width, rows * (TILE_PX + CAPTION_PX)))
    for index, (kind, page) in enumerate(pages.items()):
        left, top = index % columns * (TILE_PX + GAP_PX), index // columns * (TILE_PX + CAPTION_PX)
        sheet.paste(tile(page.image, page.truth), (left, top))
        text = "no flaw" if kind == "none" else kind.replace("_", " ")
        _centred(sheet, text, left + TILE_PX // 2, top + TILE_PX + 9)
    return sheet


def pair(page: Item) -> Image.Image:
    """A page before and after it was harmed, side by side, with the true box on the second."""
    sheet = Image.new("RGBA", (2 * PAIR_TILE_PX + GAP_PX, PAIR_TILE_PX))
    scale = PAIR_TILE_PX / page.document.width
    sheet.paste(tile(render(page.clean_document, scale), None), (0, 0))
    sheet.paste(tile(render(page.document, scale), page.truth), (PAIR_TILE_PX + GAP_PX, 0))
    return sheet


def tile(image: np.ndarray, box: FractionBox | None, pad_px: int = 0) -> Image.Image:
    """A page (uint8 H x W x 3) with rounded corners, a thin edge and perhaps a box, drawn so many px around it."""
    height, width = image.shape[:2]
    wide, high = width * SMOOTH, height * SMOOTH
    lines = Image.new("RGBA", (wide, high))
    draw = ImageDraw.Draw(lines)
    frame = (0, 0, wide - 1, high - 1)
    draw.rounded_rectangle(frame, CORNER_PX * SMOOTH, outline=EDGE, width=SMOOTH)
    if box is not None:
        sides = zip(box, (wide, high, wide, high), strict=True)
        pads = np.multiply((-pad_px, -pad_px, pad_px, pad_px), SMOOTH)
        left, top, right, bottom = (
            float(min(max(v * side + pad, 2 * SMOOTH), side - 2 * SMOOTH))
            for (v, side), pad in zip(sides, pads, strict=True)
        )
        draw.rounded_rectangle((left, top, right, bottom), 2 * SMOOTH, outline=BOX, width=3 * SMOOTH)
    mask = Image.new("L", (wide, high))
    ImageDraw.Draw(mask).rounded_rectangle(frame, CORNER_PX * SMOOTH, fill=255)
    small = (width, height)
    page = Image.fromarray(image).convert("RGBA")
    page.alpha_composite(lines.resize(small, Image.Resampling.BOX))
    page.putalpha(mask.resize(small, Image.Resampling.BOX))
    return page


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """File name and picture of all."""
    pages = examples()
    yield "designs.png", overview(pages)
    for kind in KINDS:
        yield f"flaw-{kind}.png", pair(pages[kind])


def png(picture: Image.Image) -> bytes:
    """The file's content."""
    stream = io.BytesIO()
    picture.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def same(path: Path, picture: Image.Image) -> bool:
    """Whether a file shows this picture, up to :data:`TOLERANCE`."""
    if not path.is_file():
        return False
    with Image.open(path) as opened:
        there = opened.convert("RGBA")
    if there.size != picture.size:
        return False
    return float(np.asarray(ImageChops.difference(there, picture.convert("RGBA"))).mean()) <= TOLERANCE


def _share(box: FractionBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _centred(sheet: Image.Image, text: str, x: int, y: int) -> None:
    font = ImageFont.truetype(str(find_family("Open Sans").path(700)), 26)
    ImageDraw.Draw(sheet).text((x, y), text, fill=CAPTION, font=font, anchor="ma")
