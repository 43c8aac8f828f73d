import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFilter

from designgym.envs.canvas.skia_raster import SkiaRaster
from designgym.envs.canvas.svg.read import SUPPORTED_ELEMENTS, Note, Skipped, Svg, SvgError, read_svg
from designgym.envs.canvas.svg.report import in_words
from designgym.envs.canvas.svg.transform import read_transform
from designgym.graphics.skia_library import skia


def drawn(markup):
    """The outlines of markup of which nothing is skipped or noted."""
    read = read_svg(markup)
    assert isinstance(read, Svg), read
    assert read.skipped == () and read.notes == ()
    return [path for element in read.elements for path in element.subpaths]


def box(markup):
    """Left, top, right and bottom of all outlines, px."""
    points = np.array([point for path in drawn(markup) for point in path.points])
    return [*points.min(0), *points.max(0)]


def ink(markup):
    """What our reader and skia without anti-aliasing draw: bool 400 x 400."""
    array = np.full((400, 400), 255, np.uint8)
    SkiaRaster(array).draw_paths(drawn(markup), False)
    return array == 0


def reference_ink(markup):
    """What skia's own SVG renderer draws of a document, every stroke 5 px: bool 400 x 400."""
    array = np.full((400, 400), 255, np.uint8)
    info = skia.ImageInfo.Make(400, 400, skia.kGray_8_ColorType, skia.kOpaque_AlphaType)
    surface = skia.Surface.MakeRasterDirect(info, array.data, 400)
    dom = skia.SVGDOM.MakeFromStream(skia.MemoryStream(markup.encode()))
    dom.setContainerSize(skia.Size(400, 400))
    canvas = surface.getCanvas()
    canvas.translate(0.5, 0.5)  # as in the raster: whole coordinates are the middles of pixels
    dom.render(canvas)
    return array < 128


def widened(mask):
    return np.asarray(Image.fromarray(mask).convert("L").filter(ImageFilter.MaxFilter(3))) > 0


@pytest.mark.parametrize(
    ("scale", "attributes", "content"),
    [
        (1, "", '<circle cx="200" cy="150" r="100"/><ellipse cx="120" cy="300" rx="90" ry="30"/>'),
        (
            1,
            "",
            '<rect x="40" y="50" width="200" height="99"/><rect x="60" y="180" width="99" height="99" rx="30" ry="9"/>',
        ),
        (
            1,
            "",
            '<rect x="60" y="80" width="120" height="60" rx="20"/><rect x="60" y="180" width="90" height="60" ry="9"/>',
        ),
        (1, "", '<line x1="20" y1="30" x2="380" y2="350"/><polyline points="10,20 50,90 90 20,130,90"/>'),
        (1, "", '<polygon points="200,40 340,160 290,330 110,330 60,160"/>'),
        (1, "", '<path d="M60 300q40-60 80 0t80 0 80 0M20 20c60 0 60 100 120 100s60-100 120-100"/>'),
        (1, "", '<path d="M40 200a120 60 30 1 1 90 90zM300 100A50 80 -20 0 0 340 300L380 380z"/>'),
        (1, "", '<g transform="translate(200 200)"><g transform="rotate(30)"><rect width="90" height="50"/></g></g>'),
        (2, "", '<g transform="scale(2)translate(10,9)"><path d="M50 50h90v60z" transform="rotate(20,80,60)"/></g>'),
        (1, "", '<svg x="50" y="100" width="200" height="100"><line x1="10%" y1="0" x2="50%" y2="100%"/></svg>'),
        (4, 'viewBox="0 0 100 100"', '<rect x="25%" y="25%" width="50%" height="50%"/>'),
        (2, 'viewBox="-50 0 200 100"', '<circle r="40" cx="50" cy="50%"/>'),
        (2, 'viewBox="0 0 200 100" preserveAspectRatio="xMinYMax"', '<circle r="40" cx="100" cy="50"/>'),
        (4, 'viewBox="0 0 200 100" preserveAspectRatio="xMidYMid slice"', '<circle r="40" cx="100" cy="50"/>'),
        (1, 'width="200" height="200" viewBox="0 0 200 200"', '<circle r="60" cx="100" cy="100"/>'),
    ],
)
def test_shapes_transforms_and_view_boxes_draw_what_another_renderer_draws(scale, attributes, content):
    # Its strokes are scaled, ours never are.
    look = f'fill="none" stroke="#000" stroke-width="{5 / scale}" stroke-linecap="round" stroke-linejoin="round"'
    markup = f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}><g {look}>{content}</g></svg>'
    ours, other = ink(markup), reference_ink(markup)
    assert other.sum() > 500
    assert not (ours & ~widened(other)).any()
    assert not (other & ~widened(ours)).any()


def test_a_circle_is_a_circle_and_a_rect_its_corners():
    (circle,) = drawn("<circle cx='200' cy='150' r='100'/>")
    assert circle.closed
    assert np.allclose(np.hypot(*(np.array(circle.points) - (200, 150)).T), 100)
    (rect,) = drawn("<rect x='10' y='20' width='30' height='40'/>")
    assert rect.closed and rect.points == ((10, 20), (40, 20), (40, 60), (10, 60))


def test_the_corners_of_a_rect_are_quarters_of_ellipses_no_larger_than_half_a_side():
    (rounded,) = drawn("<rect x='100' y='100' width='40' height='20' rx='50' ry='5'/>")
    left = np.array([point for point in rounded.points if point[0] < 120 - 1e-9 and point[1] < 105 - 1e-9])
    assert np.allclose(((left - (120, 105)) / (20, 5)) ** 2 @ (1, 1), 1)
    assert drawn("<rect width='40' height='20' rx='8'/>") == drawn("<rect width='40' height='20' rx='8' ry='8'/>")
    assert drawn("<rect width='40' height='20' ry='8'/>") == drawn("<rect width='40' height='20' rx='8' ry='8'/>")
    assert drawn("<rect width='40' height='20' rx='0' ry='8'/>") == drawn("<rect width='40' height='20'/>")
    assert drawn("<rect width='40' height='20' rx='-3' ry='ten'/>") == drawn("<rect width='40' height='20'/>")


SHAPE = "<rect x='0' y='0' width='40' height='20'/>"


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("translate(100,50) rotate(90)", (80, 50, 100, 90)),
        ("rotate (90) translate (50, -100)", (80, 50, 100, 90)),
        ("rotate(90 100 100)", (180, 0, 200, 40)),
        ("rotate(90,100,100)", (180, 0, 200, 40)),
        ("scale(2)translate(10,10)", (20, 20, 100, 60)),
        ("scale(2 , 3)", (0, 0, 80, 60)),
        ("matrix(1 0 0 1 30 40)", (30, 40, 70, 60)),
        ("matrix(1,0,0,-1,30,40)", (30, 20, 70, 40)),
        ("translate(1e2 5e1)", (100, 50, 140, 70)),
        ("translate(100)", (100, 0, 140, 20)),
        ("translate(10-5.5)", (10, -5.5, 50, 14.5)),
        ("skewX(45)", (0, 0, 60, 20)),
        ("skewY(45)", (0, 0, 40, 60)),
        ("rotate(-90) , rotate(450)", (0, 0, 40, 20)),
        ("  ", (0, 0, 40, 20)),
        ("none", (0, 0, 40, 20)),
    ],
)
def test_transform_lists_apply_from_right_to_left(transform, expected):
    assert box(f"<g transform='{transform}'>{SHAPE}</g>") == pytest.approx(expected, abs=1e-9)
    assert box(SHAPE.replace("/>", f" transform='{transform}'/>")) == pytest.approx(expected, abs=1e-9)


def test_the_transforms_of_groups_nest():
    inner = f"<g transform='rotate(90)'><g transform='scale(2)'>{SHAPE}</g></g>"
    assert box(f"<g transform='translate(200 200)'>{inner}</g>") == pytest.approx((160, 200, 200, 280))


def test_a_view_box_enlarges_before_the_group_around_it_shifts():
    markup = f"<g transform='translate(100 0)'><svg viewBox='0 0 100 100' transform='scale(2)'>{SHAPE}</svg></g>"
    assert box(markup) == [100, 0, 100 + 320, 160]


@pytest.mark.parametrize(
    "transform",
    ["rotate(45deg)", "TRANSLATE(10,10)", "translate(10 20", "rotate(1 2)", "scale()", "scale(2) x", "translate(1,)",
     "translate(1,,2)", "matrix(1 0 0 1 30)", "matrix(1 0 0 1 30 40 50)", "(3)", "rotate(1)" * 21],
)  # fmt: skip
def test_an_invalid_transform_is_left_out_as_a_whole_and_noted(transform):
    assert read_transform(transform) is None
    read = read_svg(f"<g transform='translate(5 5)'><g transform='scale(2) {transform}'>{SHAPE}</g></g>")
    (element,) = read.elements
    assert element.subpaths[0].points[0] == (5, 5) and element.subpaths[0].points[2] == (45, 25)
    (note,) = read.notes
    assert note.tag == "g" and note.reason.endswith("is invalid and left out")


def test_a_coordinate_that_is_no_number_is_zero_and_the_element_is_drawn():
    (circle,) = drawn("<circle cx='337' cy=' ninety' r='10'/>")  # PainterBench, Appendix E.2
    assert np.allclose(np.hypot(*(np.array(circle.points) - (337, 0)).T), 10)
    assert drawn("<line x1='10' y1='NaN' x2='1_0' y2='５'/>")[0].points == ((10, 0), (0, 0))
    assert drawn("<rect x='left' width='4' height='2'/>")[0].points[0] == (0, 0)


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        ("<circle cx='5' cy='5' r='ten'/>", "r is 'ten', not a length above 0"),
        ("<circle cx='5' cy='5'/>", "r is missing"),
        ("<circle r='0'/>", "r is '0', not a length above 0"),
        ("<circle r='-1'/>", "r is '-1', not a length above 0"),
        ("<circle r='2em'/>", "r is '2em', not a length above 0"),
        ("<rect height='5'/>", "width is missing"),
        ("<rect x='100' y='100' width='-50' height='20'/>", "width is '-50', not a length above 0"),
        ("<rect width='5' height='auto'/>", "height is 'auto', not a length above 0"),
        ("<ellipse cx='5'/>", "rx is missing"),
        ("<ellipse rx='5' ry='0'/>", "ry is '0', not a length above 0"),
        ("<line/>", "none of x1, y1, x2, y2 is a number"),
        ("<line x1='one' y2=''/>", "none of x1, y1, x2, y2 is a number"),
        ("<polyline/>", "points is missing"),
        ("<polygon points=' '/>", "points has no point"),
        ("<polygon points='ten 20 30 40'/>", "points has no point"),
        ("<path/>", "d is missing"),
        ("<path d='  '/>", "d is empty"),
        ("<path d='M 10 10 m 5 5'/>", "it only moves"),
        ("<path d='M ninety 10 L 5 5'/>", "expected a number at character 3 ('ninety')"),
        ("<path d='M100 200 A100 100 0 2 1 300 200 z'/>", "expected a flag, 0 or 1, at character 21 ('2')"),
        ("<rect width='5' height='5' transform='scale(0)'/>", "its transform leaves nothing of it"),
        ("<text x='20' y='80'>Hi</text>", "not supported"),
        ("<use href='#k' x='100'/>", "not supported"),
        ("<use xlink:href='#k' x='100'/>", "not supported"),
        ("<image href='http://127.0.0.1/x.png'/>", "not supported"),
        ("<defs><rect id='k' width='10' height='10'/></defs>", "not supported"),
        ("<style>.a{fill:#000}</style>", "not supported"),
        ("<a><circle r='5'/></a>", "not supported"),
        ("<Circle r='5'/>", "not supported"),
        ("<x:circle r='5' xmlns:x='http://www.w3.org/1999/xhtml'/>", "not supported"),
        ("<svg:circle r='5' xmlns:svg='urn:other'/>", "not supported"),
        ("<svg width='0'><circle r='5'/></svg>", "its width is 0"),
        ("<svg viewBox='0 0 0 50'><circle r='5'/></svg>", "its viewBox has no area"),
    ],
)
def test_elements_without_geometry_or_outside_of_the_subset_are_skipped_with_a_reason(element, reason):
    read = read_svg(f"<line x2='9'/>{element}<line x2='8'/>")
    assert [element.tag for element in read.elements] == ["line", "line"]
    tag = element[1:].split(">")[0].split(" ")[0].rstrip("/")
    assert read.skipped == (Skipped(tag, reason),)


def test_data_with_an_error_are_drawn_up_to_it_and_noted():
    read = read_svg(
        "<path d='M5 5h9A100 100 0 2 1 300 200z'/><polyline points='1 2 3 4 5'/><polygon points='1 2 3 4 5 x 9'/>"
    )
    path, polyline, polygon = (element.subpaths[0].points for element in read.elements)
    assert path == ((5, 5), (14, 5)) and polyline == polygon == ((1, 2), (3, 4))
    assert read.notes == (
        Note("path", "drawn in part: expected a flag, 0 or 1, at character 18 ('2')"),
        Note("polyline", "drawn in part: points has an odd number of numbers; the last is left out"),
        Note("polygon", "drawn in part: points is no list of numbers from 'x 9' on"),
    )


def test_a_single_point_is_a_dot():
    for dot in ("<polyline points='7 8'/>", "<polygon points='7,8'/>", "<line x1='7' y1='8' x2='7' y2='8'/>"):
        assert drawn(dot)[0].points == ((7, 8), (7, 8))


def test_what_lies_out_of_sight_is_drawn_and_noted():
    read = read_svg(
        "<rect x='900' width='5' height='5'/><rect x='-5' y='-5' width='2' height='2'/><circle r='1' cx='-2'/>"
    )
    assert [len(element.subpaths) for element in read.elements] == [1, 1, 1]
    assert read.notes == (Note("rect", "outside of the canvas"),) * 2
    far = read_svg("<circle cx='1e30' cy='5' r='3'/>")
    assert far.elements[0].subpaths == () and far.notes == (Note("circle", "outside of the canvas"),)


def test_a_document_a_fragment_and_prefixed_elements_draw_the_same():
    plain = "<g><circle r='5' cx='9'/></g><path d='M1 2L3 4'/>"
    forms = [
        plain,
        f"<svg>{plain}</svg>",
        f"<svg xmlns='http://www.w3.org/2000/svg' width='400' height='400' viewBox='0 0 400 400'>{plain}</svg>",
        f"\ufeff \n<?xml version='1.0' encoding='UTF-16'?>\n<!-- a moth -->\n<svg>{plain}</svg>\n",
        f"<svg width='100%' height='100%'><title>Moth</title><desc>Grey.</desc><metadata><x/></metadata>{plain}</svg>",
        f"```svg\n{plain}\n```",
        plain.replace("</", "</svg:").replace("<c", "<svg:c").replace("<p", "<svg:p").replace("<g", "<svg:g"),
        "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g><s:circle r='5' cx='9'/></s:g><s:path d='M1 2L3 4'/></s:svg>",
        plain.replace(
            "/>", " fill='red' stroke='none' stroke-width='40' style='display:none' class='a' xlink:href='#b'/>"
        ),
        plain.replace("cx='9'", "cx='9px'").replace("r='5'", "r=' +5.0e0 '"),
    ]
    for form in forms:
        assert drawn(form) == drawn(plain)


def test_absolute_units_are_converted_at_96_px_an_inch():
    markup = "<line x1='1in' y1='25.4mm' x2='2.54cm' y2='72pt'/><line x1='6pc' y1='101.6Q' x2='50%' y2='50%'/>"
    first, second = drawn(markup)
    assert np.allclose(first.points, 96) and np.allclose(second.points, ((96, 96), (200, 200)))


def test_percentages_of_a_radius_are_of_the_diagonal():
    assert box("<svg width='300' height='400'><circle r='10%'/></svg>")[2] == pytest.approx(50 / math.sqrt(2))


@pytest.mark.parametrize("attribute", ["viewBox='0 0 100'", "viewBox='a'", "viewBox='0 0 -5 5'", "viewBox='0 0 5 5 5'"])
def test_a_view_box_that_cannot_be_read_is_left_out_and_noted(attribute):
    read = read_svg(f"<svg {attribute}><line x2='9'/></svg>")
    assert read.elements[0].subpaths[0].points == ((0, 0), (9, 0))
    assert read.notes == (Note("svg", "viewBox is not four numbers, of which the last two are above 0"),)


def test_elements_inside_of_a_shape_are_not_drawn():
    read = read_svg("<circle r='5'><title>An eye</title><animate/><circle r='4'/></circle><circle r='3'/>")
    assert [element.tag for element in read.elements] == ["circle", "circle"]
    assert read.skipped == (Skipped("animate", "inside of a circle"), Skipped("circle", "inside of a circle"))


def test_remarks_in_words_are_grouped_and_few():
    many = [Skipped("text", "not supported"), Skipped("circle", "r is missing"), Skipped("text", "not supported")]
    assert in_words(many) == "2 text (not supported), circle (r is missing)"
    assert in_words([]) == ""
    assert in_words([Skipped(f"t{index}", "not supported") for index in range(12)]).endswith(
        "t7 (not supported) and 4 more"
    )


values = st.one_of(
    st.integers(-300, 700).map(str),
    st.sampled_from(["ninety", "", " 10 ", "50%", "1e308", "-1e999", "nan", "M1 2L3 4a1 1 0 01 5 5", "1,2 3,4 x",
                     "scale(1e9)", "rotate(30 1 2)", "0 0 1e-9 5", "matrix(0 0 0 0 1 1)"]),
    st.text("0123456789.,-+eMLCAz% ()é", max_size=12),
)  # fmt: skip
names = [
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "x",
    "y",
    "x1",
    "x2",
    "width",
    "height",
    "d",
    "points",
    "transform",
    "viewBox",
    "xmlns:s",
]
elements = st.recursive(
    st.tuples(
        st.sampled_from([*SUPPORTED_ELEMENTS, "text", "title", "s:rect"]),
        st.dictionaries(st.sampled_from(names), values),
    ).map(lambda parts: _element(*parts, "")),
    lambda inner: st.tuples(
        st.sampled_from(["g", "svg", "defs", "circle"]),
        st.dictionaries(st.sampled_from(names), values),
        st.lists(inner, max_size=3).map("".join),
    ).map(lambda parts: _element(*parts)),
    max_leaves=8,
)


def _element(tag, attributes, inside):
    written = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    return f"<{tag} {written}>{inside}</{tag}>"


@settings(max_examples=300)
@example("<svg viewBox='1e999 0 1 1e-320'><circle r='5' transform='skewX(90)matrix(1e9 1e9 1e9 -1e9 1e999 0)'/></svg>")
@given(st.one_of(elements, st.text(), st.text("<>/='\"gsvrect !&;[]?-d", max_size=40)))
def test_whatever_the_markup_what_is_drawn_is_finite_and_within_reach(markup):
    read = read_svg(markup)
    if isinstance(read, SvgError):
        assert read.kind in ("invalid_parameters", "limit") and read.message.endswith(".")
        return
    assert read.elements or read.skipped
    for element in read.elements:
        assert element.tag in SUPPORTED_ELEMENTS
        for path in element.subpaths:
            assert 2 <= len(path.points) <= 2_000
            assert all(-2000 <= x <= 2399 and -2000 <= y <= 2399 for x, y in path.points)
    for remark in (*read.skipped, *read.notes):
        assert remark.reason and len(remark.tag) <= 40
