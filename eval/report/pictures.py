"""Pages with the true box (solid) and the answered box (dashed) drawn on them, alone or together on a sheet."""

from __future__ import annotations

import base64
import io
import itertools
from collections.abc import Sequence

from PIL import Image, ImageDraw

from designgym.eval.report.data import Box, Example

TRUTH = (17, 17, 17)
ANSWER = (214, 0, 110)
HALO = (255, 255, 255)
LINE_PX = 3
LEAST_PX = 6  # side of the smallest box drawn
DASH_PX, GAP_PX = 12, 8


def annotated(example: Example, long_side_px: int = 336) -> Image.Image:
    """The example's page, scaled, with its boxes; an answer that could not be read draws none."""
    pixels = example.image[..., 0] if example.image.shape[-1] == 1 else example.image
    page = Image.fromarray(pixels)
    factor = long_side_px / max(page.size)
    size = (max(1, round(page.width * factor)), max(1, round(page.height * factor)))
    page = page.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    canvas = ImageDraw.Draw(page)
    truth = None if example.truth is None else _corners(example.truth, page.size)
    answer = None if example.answer is None or example.error else _corners(example.answer, page.size)
    for corners in (truth, answer):  # halos keep the lines visible on any page, and lie below all of them
        if corners:
            canvas.line(corners, fill=HALO, width=LINE_PX + 2, joint="curve")
    if truth:
        canvas.line(truth, fill=TRUTH, width=LINE_PX, joint="curve")
    if answer:
        _dash(canvas, answer)
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


def _corners(box: Box, size: tuple[int, int]) -> list[tuple[int, int]]:
    """The closed outline of a box of fractions, px."""
    (left, right), (top, bottom) = (_ends(box[i], box[i + 2], size[i]) for i in (0, 1))
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]


def _dash(canvas: ImageDraw.ImageDraw, corners: list[tuple[int, int]]) -> None:
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
