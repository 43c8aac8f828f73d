"""Importing: pictures of any usual kind, SVG files, and what experts saved, laid on the page's middle.

A picture has its own size, or as much of it as fits the page. Editable files come with their layers, as a group;
everything else comes flat.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from designgym.envs.design.drawing import Arguments
from designgym.envs.design.failure import Failed, lacking
from designgym.envs.design.grouping import Place, with_page
from designgym.envs.design.layers import added, centred, check_name, where, with_asset
from designgym.envs.design.sandbox import File, Files, find_file
from designgym.envs.design.saving import importable, pixels_of_page, png_file
from designgym.graphics.assets import asset_image
from designgym.graphics.decode import DecodeError, decode_image
from designgym.graphics.document import Document, ImageLayer
from designgym.graphics.svg_picture import SvgError, read_svg
from designgym.values import show

SVG_PX = 1024
"""Longer side of the picture that is drawn of an SVG file."""


def import_object(document: Document, arguments: Arguments, files: Files) -> tuple[Document, str]:
    """The document with a file on it, and what is said.

    Raises:
        Failed: For a file that nobody saved or that is no readable picture, a name that is taken, too many layers.
    """
    file, name = find_file(files, arguments["fileName"]), arguments["layerName"]
    check_name(document, name)
    if file.editable and file.document is not None:
        whole = _as_group(document, file, name)
        if whole is not None:
            group = whole.groups[-1]
            count = len(file.document.layers)
            return whole, f"Imported {show(file.name)} as {show(name)} with its {count} layers: {where(group, whole)}."
        data, notes = _flat(file.document)
    else:
        data, notes = _picture(file)
    document, asset = with_asset(document, file.name, data)
    image = asset_image(data)
    factor = min(1.0, document.width / image.width(), document.height / image.height())
    width, height = image.width() * factor, image.height() * factor
    picture = centred(
        ImageLayer(id=name, name=file.name, asset=asset, width=width, height=height), document.width, document.height
    )
    told = f"Imported {show(file.name)} as {show(name)}: {where(picture, document)}."
    return added(document, picture), " ".join((told, *notes))


def laid(file: File) -> bytes:
    """The image file that importing a file lays on a page: its own bytes, or the drawing of an SVG file.

    For a file that cannot be imported, its own bytes.
    """
    try:
        return _picture(file)[0]
    except Failed:
        return file.data


@lru_cache(maxsize=256)
def laid_hash(file: File) -> str:
    """SHA-256 of what :func:`laid` gives, in hexadecimal."""
    return hashlib.sha256(laid(file)).hexdigest()


def _as_group(document: Document, file: File, name: str) -> Document | None:
    page = file.document
    assert page is not None
    factor = min(1.0, document.width / page.width, document.height / page.height)
    width, height = page.width * factor, page.height * factor
    place = Place((document.width - width) / 2, (document.height - height) / 2, width)
    return with_page(document, len(document.layers), page, place, name, file.name)


def _flat(document: Document) -> tuple[bytes, tuple[str, ...]]:
    return importable(png_file(pixels_of_page(document))), ("It came flat: its layers cannot be kept apart here.",)


def _picture(file: File) -> tuple[bytes, tuple[str, ...]]:
    """A readable image file of what a file shows, and notes."""
    data = file.shown or file.data
    try:
        if _looks_like_svg(data):
            return _drawn_svg(data)
        return data, _notes(data, file.name) if file.document is None else ()
    except (DecodeError, SvgError) as error:
        raise lacking(f"{show(file.name)} is no picture that can be imported: {error}", "global") from None


@lru_cache(maxsize=64)
def _notes(data: bytes, name: str) -> tuple[str, ...]:
    """What there is to say of an image file; the episodes of a group all import the same ones."""
    return decode_image(data, name).notes


def _looks_like_svg(data: bytes) -> bool:
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<svg", b"<?xml", b"<!doctype svg", b"<!--"))


@lru_cache(maxsize=16)
def _drawn_svg(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    picture = read_svg(data)
    return png_file(picture.raster(SVG_PX)), picture.notes
