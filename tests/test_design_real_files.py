"""Image files as they come from the world, imported by the action: what is on the page, what is said, what is not."""

import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from design_bench import do, page
from PIL import Image

from designgym.envs.design.sandbox import File
from designgym.envs.design.workspace import Workspace
from designgym.graphics.document import ImageLayer
from designgym.graphics.render import render

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 128, 0), (0, 0, 255), (255, 255, 255)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 20 10">%s</svg>'


def encoded(image: Image.Image, kind: str, **options) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def halves(mode: str, left, right) -> Image.Image:
    """A picture of 80 x 40 px: one colour on the left, another on the right."""
    image = Image.new(mode, (80, 40), left)
    image.paste(right, (40, 0, 80, 40))
    return image


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, bits: int, color: int, rows: bytes, extra: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    parts = (chunk(b"IHDR", header), extra, chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def turned(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(halves("RGB", RED, BLUE), "JPEG", quality=95, exif=exif)


def sixteen(colored: bool) -> bytes:
    left, right = ((0xFFFF, 0, 0), (0, 0, 0xFFFF)) if colored else ((0x4000,), (0xC000,))
    row = b"\0" + struct.pack(f">{40 * len(left)}H", *left * 40) + struct.pack(f">{40 * len(right)}H", *right * 40)
    return png(80, 40, 16, 2 if colored else 0, row * 40)


def palette() -> Image.Image:
    image = halves("P", 0, 1)
    image.putpalette([*RED, *BLUE])
    return image


def animation(kind: str) -> bytes:
    frames = [halves("RGB", RED, BLUE), halves("RGB", GREEN, GREEN), halves("RGB", WHITE, WHITE)]
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=40, loop=0)


def imported(name: str, data: bytes) -> tuple[Workspace, str]:
    """A page of 100 x 100 px on which a file was laid, and what was said."""
    bench = page(width=100, height=100)
    bench.files = {**bench.files, name: File(name, data, caption="a picture")}
    step = do(bench, "ImportObject", fileName=name, layerName="it")
    assert not step.error, step
    return bench, step.message


def colors(bench: Workspace) -> list[tuple[int, ...]]:
    """Of the page's middle: a quarter of the picture to the left and to the right (or above and below)."""
    assert bench.document is not None
    layer = bench.document.validate().layer("it")
    assert isinstance(layer, ImageLayer)
    pixels = render(bench.document)
    sideways = layer.width > layer.height
    places = [(50, 30), (50, 70)] if sideways else [(30, 50), (70, 50)]
    return [tuple(map(int, pixels[place])) for place in places]


def close(found, expected, most: int) -> bool:
    return bool(np.abs(np.array(found, int) - np.array(expected, int)).max() <= most)


FILES = {
    "photo.jpg": (turned(1), (RED, BLUE), ""),
    "upside-down.jpg": (turned(3), (BLUE, RED), "orientation tag (3)"),
    "on-its-side.jpg": (turned(6), (RED, BLUE), "orientation tag (6)"),
    "on-its-other-side.jpg": (turned(8), (BLUE, RED), "orientation tag (8)"),
    "print.jpg": (encoded(halves("CMYK", (0, 255, 255, 0), (255, 255, 0, 0)), "JPEG", quality=95), (RED, BLUE), ""),
    "grey.jpg": (encoded(halves("L", 60, 200), "JPEG", quality=95), ((60,) * 3, (200,) * 3), ""),
    "progressive.jpg": (encoded(halves("RGB", RED, BLUE), "JPEG", quality=95, progressive=True), (RED, BLUE), ""),
    "deep.png": (sixteen(True), (RED, BLUE), "16 bits"),
    "deep-grey.png": (sixteen(False), ((64,) * 3, (192,) * 3), "16 bits"),
    "palette.png": (encoded(palette(), "PNG"), (RED, BLUE), ""),
    "palette-with-hole.png": (encoded(palette(), "PNG", transparency=0), (WHITE, BLUE), ""),
    "bilevel.png": (encoded(halves("1", 0, 1), "PNG"), ((0,) * 3, WHITE), ""),
    "half-there.png": (encoded(halves("RGBA", (*RED, 0), (*BLUE, 128)), "PNG"), (WHITE, (127, 127, 255)), ""),
    "moving.gif": (animation("GIF"), (RED, BLUE), "2 further"),
    "moving.webp": (animation("WEBP"), (RED, BLUE), "2 further"),
    "moving.png": (animation("PNG"), (RED, BLUE), "2 further"),
    "really-a-photo.png": (encoded(halves("RGB", RED, BLUE), "JPEG", quality=95), (RED, BLUE), "is a JPEG image"),
    "really-a-png.svg": (encoded(halves("RGB", RED, BLUE), "PNG"), (RED, BLUE), "is a PNG image"),
    "no ending": (encoded(halves("RGB", RED, BLUE), "PNG"), (RED, BLUE), ""),
    "drawing.svg": (
        SVG % b'<rect width="10" height="10" fill="red"/><rect x="10" width="10" height="10" fill="#00f"/>',
        (RED, BLUE),
        "",
    ),
    "really-a-drawing.png": (
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- by hand -->"
        + SVG % b'<rect width="10" height="10" fill="red"/><rect x="10" width="10" height="10" fill="#00f"/>',
        (RED, BLUE),
        "",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_it_is_on_the_page_in_its_colours_upright_and_what_was_done_to_it_is_said(name: str) -> None:
    data, expected, note = FILES[name]
    bench, message = imported(name, data)
    assert close(colors(bench), expected, 12), (colors(bench), expected)
    assert note in message
    layer = bench.document.layer("it")
    assert sorted((layer.width, layer.height)) == pytest.approx([50, 100] if "drawing" in name else [40, 80])


def svg(body: bytes, head: bytes = b"") -> bytes:
    return head + SVG % (body + b'<rect width="20" height="10" fill="red"/>')


TORN = encoded(Image.fromarray(np.random.default_rng(1).integers(0, 256, (60, 60, 3), np.uint8)), "JPEG")
LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))

REFUSED = {
    "empty.png": (b"", "empty"),
    "torn.jpg": (TORN[: len(TORN) // 2], "cut off"),
    "torn.png": (encoded(halves("RGB", RED, BLUE), "PNG")[:-30], "cut off"),
    "header-only.png": (encoded(halves("RGB", RED, BLUE), "PNG")[:40], "header is damaged"),
    "text.jpg": (b"I am a picture.", "not a PNG"),
    "error-page.jpg": (b"<!DOCTYPE html><html><body>404 Not Found</body></html>", "HTML"),
    "print.tif": (encoded(halves("RGB", RED, BLUE), "TIFF"), "not a PNG"),
    "bitmap.bmp": (encoded(halves("RGB", RED, BLUE), "BMP"), "not a PNG"),
    "paper.pdf": (encoded(halves("RGB", RED, BLUE), "PDF"), "not a PNG"),
    "bomb.png": (png(40_000, 40_000, 1, 0, b"\0" * 5000 * 2000), "at most 50,000,000 pixels"),
    "long.png": (png(60_000, 10, 8, 0, b"\0" * 60_001 * 10), "a side may have at most"),
    "bomb.gif": (
        b"GIF89a"
        + struct.pack("<HHBBB", 65_535, 65_535, 0, 0, 0)
        + b","
        + struct.pack("<HHHHB", 0, 0, 65_535, 65_535, 0)
        + b"\x02\x01\0\0;",
        "pixels",
    ),
    "laughs.svg": (svg(b"<text>&l9;</text>", b'<!DOCTYPE svg [<!ENTITY l0 "ha">' + LAUGHS + b"]>"), "document type"),
    "reads-a-file.svg": (svg(b"", b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), "document type"),
    "asks-a-server.svg": (svg(b'<image xlink:href="http://127.0.0.1:9/x.png" width="9" height="9"/>'), "127.0.0.1"),
    "asks-the-disk.svg": (svg(b'<image href="file:///etc/passwd" width="9" height="9"/>'), "file:///etc/passwd"),
    "borrows.svg": (svg(b'<use href="other.svg#shape"/>'), "other.svg"),
    "styled-from-afar.svg": (svg(b"<style>@import url(http://127.0.0.1:9/x.css);</style>"), "style"),
    "runs.svg": (svg(b"<script>alert(1)</script>"), "script"),
    "torn.svg": (svg(b"")[:-9], "well-formed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_sentence_and_nothing_changes(name: str) -> None:
    data, reason = REFUSED[name]
    bench = page(width=100, height=100)
    bench.files = {**bench.files, name: File(name, data, caption="a picture")}
    before, files = bench.document, dict(bench.files)
    step = do(bench, "ImportObject", fileName=name, layerName="it")
    assert step.error
    assert reason in step.message
    assert name in step.message
    assert len(step.message) < 500
    assert (bench.document, dict(bench.files)) == (before, files)


def test_a_bomb_costs_no_memory() -> None:
    data, _ = REFUSED["bomb.png"]
    hidden = png(80, 40, 8, 0, b"\0" * 81 * 40, chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"\0" * 60_000_000, 9)))
    bench = page(width=100, height=100)
    bench.files = {**bench.files, "bomb.png": File("bomb.png", data), "hidden.png": File("hidden.png", hidden)}
    tracemalloc.start()
    for name in ("bomb.png", "hidden.png"):
        do(bench, "ImportObject", fileName=name, layerName=name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000
