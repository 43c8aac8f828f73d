import time

import pytest

from designgym.envs.canvas.svg.read import Svg, SvgError, read_svg

LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


@pytest.mark.parametrize(
    "markup",
    [
        f"{LAUGHS}<svg><title>&i;</title></svg>",
        f'<!DOCTYPE x [<!ENTITY a "{"a" * 100_000}">]><svg>{"&a;" * 100_000}</svg>',
        '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>',
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg/>',
        '<!DOCTYPE svg [<!ENTITY % remote SYSTEM "http://127.0.0.1/x.dtd"> %remote;]><svg/>',
        "<!doctype html><svg/>",
        "\n<!-- first --><!DOCTYPE svg><svg/>",
    ],
)
def test_a_document_type_is_refused_whatever_it_declares(markup):
    begin = time.process_time()
    read = read_svg(markup)
    assert time.process_time() - begin < 0.5
    sentence = "The markup declares a document type (<!DOCTYPE ...>), which is not read. Leave it out."
    assert read == SvgError("invalid_parameters", sentence)


@pytest.mark.parametrize(
    ("markup", "sentence"),
    [
        ("", "The markup holds no element that draws: path, line, polyline, polygon, rect, circle, ellipse."),
        ("a moth", "The markup holds no element that draws: path, line, polyline, polygon, rect, circle, ellipse."),
        ("<svg/>", "The markup holds no element that draws: path, line, polyline, polygon, rect, circle, ellipse."),
        ("<svg>\n<g><line/></svg>",
         "The markup is not well-formed XML: mismatched tag (line 2, column 13, inside of <g>)."),
        ("<svg><g>", "The markup is not well-formed XML: <g> is not closed."),
        ("<circle r=5/>", "The markup is not well-formed XML: not well-formed (invalid token) (line 1, column 11)."),
        ("<circle r='5' r='6'/>", "The markup is not well-formed XML: duplicate attribute (line 1, column 15)."),
        ("<title>Fish & chips</title>",
         "The markup is not well-formed XML: not well-formed (invalid token) (line 1, column 14, inside of <title>)."),
        ("<g>&moth;</g>", "The markup is not well-formed XML: undefined entity (line 1, column 4, inside of <g>)."),
        ("</designgym><designgym>",
         "The markup is not well-formed XML: junk after document element (line 1, column 13)."),
        ("\ud800", "The markup is not well-formed XML: not well-formed (invalid token) (line 1, column 1)."),
        ("<g>\x00</g>",
         "The markup is not well-formed XML: not well-formed (invalid token) (line 1, column 4, inside of <g>)."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_the_place(markup, sentence):
    assert read_svg(markup) == SvgError("invalid_parameters", sentence)


@pytest.mark.parametrize(
    ("markup", "sentence"),
    [
        ("<!--" + " " * 1_000_000 + "-->", "The markup has 1,000,007 characters; at most 1,000,000 are allowed."),
        ("<!--" + "é" * 600_000 + "-->", "The markup has 1,200,007 bytes; at most 1,048,576 are allowed."),
        ("<g>" * 101 + "</g>" * 101, "The elements are nested deeper than 100."),
        ("<a>" * 140_000 + "</a>" * 140_000, "The elements are nested deeper than 100."),
        ("<circle r='1'/>" * 1_001, "The markup has more than 1,000 elements that draw."),
        ("<use/>" * 1_001, "The markup has more than 1,000 elements that draw."),
        ("<g/>" * 1_001, "The markup has more than 1,000 elements such as g."),
        ("<circle r='190'/>" * 300,
         "The markup draws more than 20,000 points, those that curves are made of included."),
        (f"<path d='M0 0L{'1 2 ' * 240_000}'/>",
         "The markup draws more than 20,000 points, those that curves are made of included."),
        (f"<path d='M{'0 0M' * 10_000}'/>" * 20,
         "The markup draws more than 20,000 points, those that curves are made of included."),
    ],
)  # fmt: skip
def test_past_a_limit_nothing_is_drawn(markup, sentence):
    begin = time.process_time()
    assert read_svg(markup) == SvgError("limit", sentence)
    assert time.process_time() - begin < 1


def test_a_hundred_levels_and_a_thousand_elements_are_allowed():
    assert len(read_svg("<g>" * 99 + "<line x2='5'/>" + "</g>" * 99).elements) == 1
    assert len(read_svg("<line x2='5'/>" * 1_000).elements) == 1_000


@pytest.mark.parametrize(
    "markup",
    [
        "<g " + " ".join(f"xmlns:a{index}=''" for index in range(40_000)) + ">" + "<x:b/>" * 900 + "</g>",
        f"<circle r='{'1' * 900_000}x'/>",
        f"<g transform='matrix({'1' * 900_000}x)'><line x2='5'/></g>",
        f"<g transform='{'rotate(1)' * 100_000}'><line x2='5'/></g>",
        "<a>" + "<b/>" * 240_000 + "</a>",
        f"<circle r='5' transform='{'rotate(1)' * 20}'/>" * 1_000,
        "<circle r='1e308' transform='scale(1e308)'/>" * 1_000,
        f"<svg viewBox='0 0 1e-300 1e300' preserveAspectRatio='{'xMin' * 200_000}'><line x2='5'/></svg>",
    ],
)
def test_costly_markup_is_read_without_a_hang(markup):
    begin = time.process_time()
    assert isinstance(read_svg(markup), Svg)
    assert time.process_time() - begin < 1
