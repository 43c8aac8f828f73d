"""Pages with the true box (solid) and the answered box (dashed) drawn on them, alone or together on a sheet."""

from __future__ import annotations

import base64
import io
import itertools
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from designgym.eval.report.data import Box, Example

TRUTH = (17, 17, 17)
ANSWER = (214, 0, 110)
OTHER = (92, 101, 112)
HALO = (255, 255, 255)
LETTERS = "ABCD"
"""Names of the regions offered."""
LINE_PX = 3
THIN_PX = 2
OUTSET_PX = 2
LEAST_PX = 6  # side of the smallest box drawn
DASH_PX, GAP_PX = 12, 8
TAG_PX = 18  # side of a region's letter

Corners = list[tuple[int, int]]
"""A closed outline, px."""


def annotated(example: Example, long_side_px: int = 336) -> Image.Image:
    """The example's page, scaled, with its boxes; an answer that could not be read draws none.

    Regions that were offered carry their letters; those that are neither right nor chosen are drawn thin.
    """
    pixels = example.image[..., 0] if example.image.shape[-1] == 1 else example.image
    page = Image.fromarray(pixels)
    factor = long_side_px / max(page.size)
    size = (max(1, round(page.width * factor)), max(1, round(page.height * factor)))
    page = page.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    canvas = ImageDraw.Draw(page)
    truths = [_corners(box, page.size) for box in (example.truth, *example.more) if box is not None]
    answer = None if example.answer is None or example.error else _corners(example.answer, page.size)
    offered = [None if box is None else _corners(box, page.size) for box in example.options]
    others = [corners for corners in offered if corners and corners not in truths and corners != answer]
    for corners in others:
        canvas.line(corners, fill=HALO, width=THIN_PX + 2, joint="curve")
    for corners in [*truths, *([answer] if answer else [])]:
        canvas.line(corners, fill=HALO, width=LINE_PX + 2, joint="curve")  # keeps the lines visible on any page
    for corners in others:
        canvas.line(corners, fill=OTHER, width=THIN_PX, joint="curve")
    for corners in truths:
        canvas.line(corners, fill=TRUTH, width=LINE_PX, joint="curve")
    if answer:
        _dash(canvas, answer)
    _letter(canvas, page.size, offered, truths, answer)
    return page


def sheet(examples: Sequence[Example], columns: int = 6, long_side_px: int = 224, gap_px: int = 12) -> Image.Image:
    """All examples on one white sheet, row by row in their order.

    Raises:
        ValueError: Without examples.
    """
    if not examples:
        raise ValueError("A sheet needs at least one example.")
    columns = min(columns, len(examples))
    rows = -(-len(examples) // columns)
    cell = long_side_px + gap_px
    result = Image.new("RGB", (columns * cell + gap_px, rows * cell + gap_px), HALO)
    for index, example in enumerate(examples):
        page = annotated(example, long_side_px)
        left = gap_px + index % columns * cell + (long_side_px - page.width) // 2
        top = gap_px + index // columns * cell + (long_side_px - page.height) // 2
        result.paste(page, (left, top))
    return result


def data_uri(image: Image.Image) -> str:
    """The picture as a ``data:`` address (PNG; a palette, its own or of 256 colours, keeps flat designs small)."""
    stream = io.BytesIO()
    flat = image if image.mode == "P" else image.convert("P", palette=Image.Palette.ADAPTIVE, colors=256)
    flat.save(stream, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")


def _corners(box: Box, size: tuple[int, int]) -> Corners:
    """The closed outline of a box of fractions, px, drawn just around it so that small elements stay in sight."""
    (left, right), (top, bottom) = (
        _ends(box[i] - OUTSET_PX / size[i], box[i + 2] + OUTSET_PX / size[i], size[i]) for i in (0, 1)
    )
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]


def _letter(
    canvas: ImageDraw.ImageDraw,
    size: tuple[int, int],
    offered: Sequence[Corners | None],
    truths: Sequence[Corners],
    answer: Corners | None,
) -> None:
    """Name the regions, each above or below its box or else in a corner of it, where no other name stands yet."""
    font = ImageFont.load_default(TAG_PX - 4)
    taken: list[tuple[int, int]] = []
    for letter, corners in zip(LETTERS, offered, strict=False):
        if corners is None:
            continue
        (left, top), (right, bottom) = corners[0], corners[2]
        x2, y2 = max(left, right - TAG_PX), max(top, bottom - TAG_PX)
        beside = [(x, y) for y in (top - TAG_PX - 1, bottom + 1) for x in (left, x2)]
        places = [p for p in beside if p[1] >= 0 and p[0] + TAG_PX < size[0] and p[1] + TAG_PX < size[1]]
        places += [(left, top), (x2, top), (left, y2), (x2, y2)]
        free = [p for p in places if all(max(abs(p[0] - q[0]), abs(p[1] - q[1])) > TAG_PX for q in taken)]
        x, y = (free or places)[0]
        taken.append((x, y))
        fill = ANSWER if corners == answer else TRUTH if corners in truths else OTHER
        canvas.rectangle((x, y, x + TAG_PX, y + TAG_PX), fill=fill, outline=HALO)
        canvas.text((x + TAG_PX / 2, y + TAG_PX / 2), letter, fill=HALO, font=font, anchor="mm")


def _dash(canvas: ImageDraw.ImageDraw, corners: Corners) -> None:
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        length = abs(x1 - x0) + abs(y1 - y0)
        for start in range(0, length, DASH_PX + GAP_PX):
            ends = (start, min(length, start + DASH_PX))
            points = [(x0 + (x1 - x0) * t / length, y0 + (y1 - y0) * t / length) for t in ends]
            canvas.line(points, fill=ANSWER, width=LINE_PX)


def _ends(low: float, high: float, side_px: int) -> tuple[int, int]:
    """The ends of one side in px, moved inside the picture and at least so far apart that the box can be seen."""
    first, last = LINE_PX // 2 + 1, side_px - 2 - LINE_PX // 2
    start, end = (min(max(round(min(max(v, 0.0), 1.0) * side_px), first), last) for v in (low, high))
    if end - start >= LEAST_PX:
        return start, end
    start = max(first, min((start + end - LEAST_PX) // 2, last - LEAST_PX))
    return start, start + LEAST_PX
