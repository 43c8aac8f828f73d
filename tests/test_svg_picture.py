"""SVG pictures: what is drawn, how it is cropped, and that hostile files are refused with a sentence, and quickly."""

from __future__ import annotations

import numpy as np
import pytest

from designgym.graphics.decode import DecodeError
from designgym.graphics.svg_picture import SvgError, read_svg

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
TEN_TIMES = "".join(f'<g id="l{i}">' + f'<use href="#l{i - 1}"/>' * 10 + "</g>" for i in range(1, 12))


def svg(body: str, root: str = 'viewBox="0 0 100 100"') -> bytes:
    return f"<svg {NAMESPACES} {root}>{body}</svg>".encode()


def test_shapes_are_drawn_in_their_colours_on_a_transparent_ground() -> None:
    pixels = read_svg(svg('<rect x="10" y="20" width="50" height="40" fill="#ff8000"/>')).raster(100)
    assert pixels.shape == (100, 100, 4) and pixels.dtype == np.uint8
    assert (pixels[20:60, 10:60] == (255, 128, 0, 255)).all()
    assert pixels[..., 3].sum() == 255 * 50 * 40


def test_colours_of_half_transparent_parts_are_straight() -> None:
    pixels = read_svg(svg('<rect width="100" height="100" fill="#ffffff" opacity="0.5"/>')).raster(10)
    assert (pixels == (255, 255, 255, 128)).all()


@pytest.mark.parametrize("reference", ['href="#r"', 'xlink:href="#r"'])
def test_references_within_the_file_are_followed(reference: str) -> None:
    body = f'<defs><rect id="r" width="30" height="30"/></defs><use {reference} x="20" y="20"/>'
    pixels = read_svg(svg(body)).raster(100)
    assert pixels[..., 3].sum() == 255 * 30 * 30 and pixels[20, 20, 3] == 255


def test_gradients_clips_and_style_attributes_are_drawn() -> None:
    body = (
        '<linearGradient id="a"><stop offset="0" style="stop-color:#ff0000"/></linearGradient>'
        '<linearGradient id="b" href="#a"/><clipPath id="c"><rect width="20" height="20"/></clipPath>'
        '<rect width="50" height="50" style="fill:url(#b)" clip-path="url(#c)"/>'
    )
    pixels = read_svg(svg(body)).raster(100)
    assert (pixels[:20, :20] == (255, 0, 0, 255)).all() and pixels[..., 3].sum() == 255 * 400


def test_the_frame_is_the_view_box_else_width_and_height_else_the_ink() -> None:
    body = '<rect x="30" y="20" width="60" height="40"/>'
    assert read_svg(svg(body, 'width="10" height="5" viewBox="10 0 200 100"')).frame == (10, 0, 200, 100)
    assert read_svg(svg(body, 'width="2in" height="96"')).frame == (0, 0, 192, 96)
    for no_size in ("", 'width="100%" height="100%"', 'viewBox="0 0 0 0"', 'viewBox="0 0 nan 5"'):
        assert read_svg(svg(body, no_size)).frame == pytest.approx((30, 20, 60, 40), abs=0.5)


def test_what_lies_outside_of_the_frame_is_cut_off() -> None:
    pixels = read_svg(svg('<rect x="-50" y="90" width="100" height="100"/>')).raster(100)
    assert pixels.shape[:2] == (100, 100) and pixels[..., 3].sum() == 255 * 50 * 10


def test_cropping_shows_the_ink_alone_with_its_longer_side_as_asked() -> None:
    pixels = read_svg(svg('<rect x="20" y="70" width="40" height="10" fill="#00ff00"/>')).raster(200, crop=True)
    assert pixels.shape[1] == 200 and abs(pixels.shape[0] - 50) <= 1  # the ink is found to 1/256
    assert (pixels[2:-2, 3:-3] == (0, 255, 0, 255)).all()


def test_ink_is_found_where_it_is_tiny_and_far_off() -> None:
    specks = '<circle cx="5000" cy="40" r="20"/><circle cx="5300" cy="40" r="20"/>'
    assert read_svg(svg(specks, 'viewBox="0 0 10000 10000"')).ink() == pytest.approx((4980, 20, 340, 40), abs=1.5)


def test_a_faint_glow_does_not_widen_the_ink() -> None:
    body = '<rect width="100" height="100" opacity="0.02"/><rect x="40" y="40" width="20" height="20"/>'
    assert read_svg(svg(body)).ink() == pytest.approx((40, 40, 20, 20), abs=0.5)


def test_the_same_file_gives_the_same_pixels_again() -> None:
    data = svg('<circle cx="50" cy="50" r="33.3" fill="#123456" stroke="#fff"/>')
    assert np.array_equal(read_svg(data).raster(77, crop=True), read_svg(data).raster(77, crop=True))


def test_what_is_left_out_is_said() -> None:
    picture = read_svg(svg('<text>Hi</text><text>Ho</text><style>g rect{fill:red}</style><rect width="9" height="9"/>'))
    assert picture.notes == (
        "<text> is not drawn (2 left out).",
        "The style sheet has 1 rules of a kind that is not applied.",
    )


@pytest.mark.parametrize(
    ("sheet", "element", "color"),
    [
        (".a{fill:#ff0000}", 'class="a"', (255, 0, 0)),
        (".a { fill : #ff0000 !important ; }", 'class="b a"', (255, 0, 0)),
        ("<![CDATA[ .b, .a {fill:#ff0000;} ]]>", 'class="a"', (255, 0, 0)),
        ("/* .a{fill:#00ff00} */ rect{fill:#ff0000}", 'class="a"', (255, 0, 0)),
        ("#x{fill:#ff0000} .a{fill:#00ff00} rect{fill:#0000ff}", 'class="a" id="x"', (255, 0, 0)),
        ("rect.a{fill:#ff0000} .a{fill:#00ff00}", 'class="a"', (255, 0, 0)),
        (".a{fill:#00ff00} .a{fill:#ff0000}", 'class="a"', (255, 0, 0)),
        (".a{fill:#00ff00}", 'class="a" style="fill:#ff0000"', (255, 0, 0)),
        (".a{fill:#ff0000}", 'class="a" fill="#00ff00"', (255, 0, 0)),
        ("circle{fill:#00ff00} .c.a{fill:#00ff00}", 'class="a" fill="#ff0000"', (255, 0, 0)),
        ("@media print{rect{x:y} .a{fill:#00ff00}} @page{x:y} rect{fill:#ff0000}", 'class="a"', (255, 0, 0)),
    ],
)
def test_style_sheets_of_plain_selectors_apply_by_their_weight(sheet: str, element: str, color: tuple) -> None:
    pixels = read_svg(svg(f'<style>{sheet}</style><rect width="100" height="100" {element}/>')).raster(4)
    assert (pixels == (*color, 255)).all()


def test_a_style_goes_before_an_attribute_wherever_it_stands() -> None:
    pixels = read_svg(svg('<rect width="100" height="100" style="fill:#ff0000" fill="#00ff00"/>')).raster(4)
    assert (pixels == (255, 0, 0, 255)).all()


def test_metadata_and_foreign_elements_are_left_out_without_a_word() -> None:
    body = (
        '<metadata><a href="http://x"/></metadata><x:grid xmlns:x="urn:x" href="http://x"/><rect width="9" height="9"/>'
    )
    assert read_svg(svg(body)).notes == ()


HOSTILE = {
    "document type": b"<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://x/svg.dtd'>" + svg(""),
    "entity bomb": b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>' + svg("<g>&b;</g>"),
    "outside entity": b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + svg("<text>&a;</text>"),
    "script": svg("<script>alert(1)</script>"),
    "script in metadata": svg("<metadata><script/></metadata>"),
    "event handler": svg('<rect onclick="x()" width="5" height="5"/>'),
    "event handler of the root": svg("", 'onload="x()"'),
    "outside picture": svg('<image href="http://example.org/x.png"/>'),
    "outside file": svg('<image xlink:href="file:///etc/passwd"/>'),
    "outside copy": svg('<use href="other.svg#a"/>'),
    "outside fill": svg('<rect fill="url(http://example.org/#a)"/>'),
    "outside style": svg("""<rect style="fill: URL( 'x.svg#a' )"/>"""),
    "script address": svg('<a href="javascript:x()"><rect width="5" height="5"/></a>'),
    "style sheet": b'<?xml version="1.0"?><?xml-stylesheet href="x.css"?>' + svg(""),
    "imported style sheet": svg("<style>@import 'x.css';</style>"),
    "outside fill by style sheet": svg("<style>rect{fill:url(http://example.org/#a)}</style>"),
    "many rules": svg("<style>" + "a{b:c}" * 3000 + "</style>"),
    "styles without end": svg("<style>*{fill:" + "x" * 9000 + "}</style>" + "<g/>" * 1000),
    "copies of copies": svg(f'<defs><rect id="l0" width="1" height="1"/>{TEN_TIMES}</defs><use href="#l11"/>'),
    "circle of copies": svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
    "circle of patterns": svg('<pattern id="p"><rect fill="url(#p)"/></pattern><rect fill="url(#p)"/>'),
    "circle of masks": svg('<mask id="m"><rect mask="url(#m)"/></mask><rect mask="url(#m)"/>'),
    "circle of clips": svg('<clipPath id="c" clip-path="url(#c)"><rect/></clipPath><rect clip-path="url(#c)"/>'),
    "circle of gradients": svg('<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/>'),
    "deep": svg("<g>" * 5000 + "</g>" * 5000),
    "many elements": svg("<g/>" * 21_000),
    "many blurs": svg(
        '<filter id="f">' + '<feGaussianBlur stdDeviation="20"/>' * 60 + "</filter>" + '<rect filter="url(#f)"/>' * 2
    ),
    "long path": svg(f'<path stroke="red" d="{"M0 0 L50 50 L0 1" * 10_000}"/>'),
    "large": svg("<!--" + "x" * 1_000_000 + "-->"),
    "not SVG": b"<html><body/></html>",
    "not XML": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "empty": b"",
    "cut off": svg('<rect width="5" height="5"/>')[:-9],
    "unknown encoding": b'<?xml version="1.0" encoding="klingon"?>' + svg(""),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_and_broken_files_are_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(SvgError) as refusal:
        read_svg(data)
    sentence = str(refusal.value)
    assert sentence[0].isupper() and sentence.endswith(".") and len(sentence) < 250
    assert isinstance(refusal.value, DecodeError)  # whoever reads picture files needs to catch one kind


def test_a_plain_document_type_passes_where_that_is_asked_for_and_one_with_declarations_never_does() -> None:
    body = svg('<rect width="50" height="50"/>')
    plain = b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.0//EN" "http://127.0.0.1:9/svg10.dtd">' + body
    assert read_svg(plain, doctype=True).raster(10)[..., 3].any()
    with pytest.raises(SvgError, match="document type"):
        read_svg(b"<!DOCTYPE svg [<!ELEMENT rect ANY>]>" + body, doctype=True)


@pytest.mark.parametrize(
    "body",
    [
        '<path d="M NaN inf L 1e39 -1e39 5 5 Z"/><rect x="-3e38" width="6e38" height="NaN"/>',
        '<path d="M0 0 L 1e7 1e7" stroke="red" stroke-dasharray="0.00001 0.00001"/>',
        '<pattern id="p" width="1e-7" height="1e-7" patternUnits="userSpaceOnUse"><rect width="1"/></pattern>'
        '<rect width="99" height="99" fill="url(#p)"/>',
        '<filter id="f"><feGaussianBlur stdDeviation="1e6"/></filter><rect width="9" height="9" filter="url(#f)"/>',
        '<g opacity="0.9">' * 60 + '<rect width="9" height="9"/>' + "</g>" * 60,
        '<g transform="scale(0) rotate(1e30) matrix(1 2)"><use href="#none" fill="url(#none)"/></g>',
    ],
)
def test_senseless_numbers_are_drawn_somehow_without_harm(body: str) -> None:
    assert read_svg(svg(body)).raster(64).shape == (64, 64, 4)


def test_a_picture_without_ink_is_drawn_whole_but_cannot_be_cropped() -> None:
    picture = read_svg(svg("<g/>"))
    assert not picture.raster(8).any()
    with pytest.raises(SvgError, match="no ink"):
        picture.raster(8, crop=True)
    with pytest.raises(SvgError, match="no ink"):
        read_svg(svg("<g/>", ""))


@pytest.mark.parametrize("side", [0, -5, 2049])
def test_sizes_out_of_range_are_refused(side: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 2048"):
        read_svg(svg("<g/>")).raster(side)
