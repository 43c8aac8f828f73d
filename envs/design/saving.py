"""Saving: PNG, JPEG and PDF as real files, and the editable form of this project for the other formats.

Photoshop's, Illustrator's and InDesign's own formats are not written: ``psd``, ``ai`` and ``indd`` name the JSON form
of :class:`designgym.graphics.document.Document`, which is imported again with its layers.
"""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.envs.design.actions import FORMATS
from designgym.envs.design.failure import Failed
from designgym.envs.design.sandbox import File, plain_name
from designgym.graphics.color import over
from designgym.graphics.decode import MAX_BYTES
from designgym.graphics.document import Document, ImageLayer, TextLayer
from designgym.graphics.filtered import MAX_PIXELS
from designgym.graphics.groups import alpha_level, runs
from designgym.graphics.paint import skia_color
from designgym.graphics.raster import draw_layer
from designgym.graphics.render import render
from designgym.graphics.skia_library import skia
from designgym.graphics.text import lay_out

EDITABLE = ("psd", "ai", "indd")
JPEG_QUALITY = 90
MAX_FILTERED_PX = 24_000_000
"""Most pixels that are filtered for a picture of a page, each filter of each layer counted: some ten seconds' work."""


def save(document: Document, name: str, form: str) -> tuple[File, str]:
    """A file of a document, and what is said of it.

    Args:
        document: A valid document.
        name: A plain name; the ending of another format is exchanged for this one's, a missing one added.
        form: One of ``FORMATS``.

    Raises:
        Failed: For a name that is none, for a page with too many filters on large pictures, and for one of so much
            detail that its file could not be imported.
    """
    plain_name(name)
    stem, dot, ending = name.rpartition(".")
    if dot and stem.strip(" .") and ending.lower() in FORMATS:
        name = stem
    name = plain_name(f"{name}.{form}")
    if form in EDITABLE:
        data = json.dumps(document.to_json(), ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        told = f"Saved the document with its {len(document.layers)} layers as {name!r}, in this program's own form."
        return File(name, data, document=document, editable=True), told
    pixels = pixels_of_page(document)
    told = f"Saved the page as {name!r}, {document.width} x {document.height} px, flat."
    if form in ("jpg", "jpeg"):
        data = importable(_encoded(pixels, "JPEG", quality=JPEG_QUALITY))
        return File(name, data, document=document, shown=data), told
    png = importable(png_file(pixels))
    if form == "png":
        return File(name, png, document=document, shown=png), told
    return File(name, page_pdf(document), document=document, shown=png), told


def pixels_of_page(document: Document) -> NDArray[np.uint8]:
    """The page in its own size, uint8 H x W x 3; ``Failed`` if that would take too long."""
    pictures = [layer for layer in document.layers if isinstance(layer, ImageLayer)]
    filtered = sum(len(layer.filters) * min(MAX_PIXELS, layer.width * layer.height) for layer in pictures)
    if filtered > MAX_FILTERED_PX:
        raise Failed(
            "limit",
            f"The filters of this page work on {filtered:,.0f} px together; in a flat file they may have "
            f"{MAX_FILTERED_PX:,}. Make the pictures smaller, apply fewer filters, or save it as psd.",
        )
    return render(document)


def png_file(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG file of uint8 H x W x 3, or of H x W x 4 that is not premultiplied."""
    return _encoded(pixels, "PNG", compress_level=1)


def importable(picture: bytes) -> bytes:
    """An image file itself; ``Failed`` if it is larger than any that is decoded."""
    if len(picture) > MAX_BYTES:
        raise Failed(
            "limit",
            f"The page has so much detail that a picture of it has {len(picture):,} bytes; at most {MAX_BYTES:,} are "
            "allowed. Make the page smaller or its pictures calmer, or save it as jpg or psd.",
        )
    return picture


def page_pdf(document: Document) -> bytes:
    """A PDF file of one page, a point a px, with text as text and shapes as shapes."""
    stream = skia.DynamicMemoryWStream()
    file = skia.PDF.MakeDocument(stream)
    canvas = file.beginPage(document.width, document.height)
    canvas.clear(skia_color(over(document.background, "#ffffff")))
    for group, members in runs(document):
        level = canvas.save()
        if group is not None:
            if group.clip:
                _turn(canvas, group)
                canvas.clipRect(skia.Rect.MakeXYWH(group.x, group.y, group.width, group.height), True)
                _turn(canvas, group, back=True)
            canvas.saveLayerAlpha(None, alpha_level(group))
        for index in members:
            _lay(canvas, document, index)
        canvas.restoreToCount(level)
    file.endPage()
    file.close()
    return bytes(stream.detachAsData())


def _lay(canvas: Any, document: Document, index: int) -> None:
    layer = document.layers[index]
    group = document.group_of(layer)
    canvas.save()
    if group is not None:
        _turn(canvas, group)
    _turn(canvas, layer)
    canvas.translate(layer.x, layer.y)
    if layer.opacity < 1:
        canvas.saveLayerAlpha(None, round(layer.opacity * 255))
    if isinstance(layer, TextLayer):  # its drawing has red and blue exchanged, for the renderer's sake
        lay_out(layer).paint(canvas)
        if layer.stroke:
            lay_out(layer, outline=layer.stroke).paint(canvas)
    else:
        draw_layer(layer, document).paint(canvas, 1.0)
    if layer.opacity < 1:
        canvas.restore()
    canvas.restore()


def _turn(canvas: Any, placed: Any, back: bool = False) -> None:
    if placed.rotation_deg % 360:
        angle = placed.rotation_deg % 360
        canvas.rotate(-angle if back else angle, placed.x + placed.width / 2, placed.y + placed.height / 2)


def _encoded(pixels: NDArray[np.uint8], kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind, **options)
    return stream.getvalue()
