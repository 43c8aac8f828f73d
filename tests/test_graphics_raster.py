"""Layers as images: where their ink lies, and that nothing beyond the page is allocated."""

import dataclasses
import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, Stroke, TextLayer
from designgym.graphics.fonts import FAMILIES
from designgym.graphics.raster import draw_layer, rasterize
from designgym.graphics.skia_library import skia


def png(width: int, height: int, color: tuple[int, ...] = (255, 0, 0)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB" if len(color) == 3 else "RGBA", (width, height), color).save(file, "PNG")
    return file.getvalue()


def ink(layer: Layer, page: Document, scale: float = 1.0) -> np.ndarray:
    """The layer's alpha on the whole page, uint8 (H, W)."""
    image = rasterize(layer, page, scale)
    alpha = np.zeros((math.floor(page.height * scale + 0.5), math.floor(page.width * scale + 0.5)), np.uint8)
    if image.pixels is not None:
        x1, y1, x2, y2 = image.box
        alpha[y1:y2, x1:x2] = image.pixels[..., 3]
    return alpha


def ink_box(alpha: np.ndarray) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(alpha.any(1)), np.flatnonzero(alpha.any(0))
    return (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


PLACE = {"x": 300, "y": 300, "width": 90, "height": 60}
turns = st.sampled_from([0.0, 90.0, 33.0]) | st.floats(-180, 180)
outlines = st.builds(Stroke, width_px=st.floats(0.1, 30))
inked = st.builds(
    TextLayer,
    id=st.just("t"),
    text=st.text("fjgyAWQ|/ \n", min_size=1, max_size=8),
    font=st.sampled_from(sorted(FAMILIES)),
    size_px=st.floats(4, 80),
    weight=st.sampled_from([400, 700]),
    italic=st.booleans(),
    align=st.sampled_from(["left", "center", "right", "justify"]),
    line_height=st.floats(0.5, 2),
    letter_spacing_px=st.floats(-10, 10),
    stroke=st.none() | outlines,
    rotation_deg=turns,
    **{key: st.just(value) for key, value in PLACE.items()},
) | st.builds(  # always outlined: a filled shape's box is its path's, and skia smears up to 72 levels over it
    ShapeLayer,
    id=st.just("s"),
    shape=st.sampled_from(["rectangle", "rounded", "ellipse", "polygon"]),
    points=st.lists(st.tuples(st.floats(-1, 2), st.floats(-1, 2)), min_size=3, max_size=6).map(tuple),
    radius_px=st.floats(0, 40),
    stroke=outlines,
    rotation_deg=turns,
    **{key: st.just(value) for key, value in PLACE.items()},
)


def ink_cut_off(layer: Layer, page: Document, scale: float = 1.0) -> int:
    """The strongest alpha beyond the layer's box, on the whole page drawn without asking where ink can lie."""
    height, width = math.floor(page.height * scale + 0.5), math.floor(page.width * scale + 0.5)
    pixels = np.zeros((height, width, 4), np.uint8)
    info = skia.ImageInfo.MakeN32Premul(width, height)
    canvas = skia.Surface.MakeRasterDirect(info, pixels.data, 4 * width).getCanvas()
    canvas.scale(scale, scale)
    canvas.rotate(layer.rotation_deg, layer.x + layer.width / 2, layer.y + layer.height / 2)
    canvas.translate(layer.x, layer.y)
    draw_layer(layer, page).paint(canvas, scale)
    x1, y1, x2, y2 = rasterize(layer, page, scale).box
    pixels[y1:y2, x1:x2] = 0
    return int(pixels[..., 3].max())


SMEAR = 16  # levels of 255 by which skia's smoothing can smear over an edge


@settings(max_examples=50, deadline=None)
@given(inked, st.sampled_from([1.0, 0.2]))
def test_the_box_of_a_layer_cuts_off_no_ink(layer, scale):
    page = Document(700, 700)
    assert ink_cut_off(layer, page, scale) <= SMEAR


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("align", ["left", "right"])
def test_letters_that_reach_out_of_their_line_are_drawn_whole(family, align):
    text = "f\nj\nQ\nJ\ny\n/\ng\nW\nÅ"
    layer = TextLayer(id="t", text=text, font=family, size_px=60, align=align, italic=True, **PLACE)
    page = Document(700, 1200)
    assert ink_cut_off(layer, page) <= SMEAR


def test_justified_text_is_drawn_up_to_the_right_edge_of_its_layer():
    layer = TextLayer(id="t", x=20, y=20, width=300, height=50, text="a b " + "c" * 28, size_px=20, align="justify")
    page = Document(400, 100)
    assert ink_box(ink(layer, page))[2] >= 315
    assert ink_cut_off(layer, page) <= SMEAR


@pytest.mark.parametrize("angle", [0, 1, 45])
def test_an_outline_thinner_than_a_pixel_is_drawn_whole(angle):
    layer = ShapeLayer(id="s", fill=None, stroke=Stroke("#000000", 0.5), rotation_deg=angle, **PLACE)
    page = Document(700, 700)
    assert ink_cut_off(layer, page, 0.5) <= 2


def test_a_rectangle_on_whole_pixels_fills_exactly_its_box():
    shape = ShapeLayer(id="s", x=10, y=20, width=30, height=15)
    image = rasterize(shape, Document(100, 100))
    assert image.box == (10, 20, 40, 35)
    assert image.pixels.min(axis=(0, 1)).tolist() == [0, 0, 0, 255]


def test_a_layer_at_the_edge_is_cropped_by_the_page_not_moved():
    # Asked for at -20: its stripe at 25 to 30 of 40 px must appear at 5 to 10.
    stripe = Image.new("RGB", (40, 10), "#ffffff")
    stripe.paste("#000000", (25, 0, 30, 10))
    file = io.BytesIO()
    stripe.save(file, "PNG")
    layer = ImageLayer(id="i", x=-20, y=0, width=40, height=10, asset="a")
    image = rasterize(layer, Document(100, 10, assets={"a": file.getvalue()}))
    assert image.box == (0, 0, 20, 10)
    assert np.flatnonzero(image.pixels[5, :, 0] < 128).tolist() == [5, 6, 7, 8, 9]


def test_layers_far_away_or_huge_allocate_no_more_than_the_page():
    wide = ImageLayer(id="w", x=0, y=0, width=1e12, height=10, asset="a")
    far = ShapeLayer(id="f", x=1e9, y=-1e9, width=50, height=50, rotation_deg=30)
    big = ShapeLayer(id="b", x=-1e6, y=-1e6, width=2e6, height=2e6, shape="ellipse", fill="#112233")
    page = Document(40, 30, assets={"a": png(30, 20)})
    images = [rasterize(layer, page) for layer in (wide, far, big)]
    assert images[1].pixels is None
    assert images[1].box == (0, 0, 0, 0)
    assert [image.pixels.shape for image in (images[0], images[2])] == [(10, 40, 4), (30, 40, 4)]


def test_rotation_is_clockwise_about_the_centre_of_the_box():
    # A quarter turn brings the top left corner of a 40 x 20 box to its top right: at (30, 30) to (50, 70) on the page.
    triangle = ShapeLayer(
        id="t", shape="polygon", x=20, y=40, width=40, height=20, points=((0, 0), (0.5, 0), (0, 1)), rotation_deg=90
    )
    alpha = ink(triangle, Document(100, 100))
    assert ink_box(alpha) == (30, 30, 50, 50)
    assert alpha[31, 48] == 255
    assert alpha[48, 31] == 0


@pytest.mark.parametrize(
    ("fit", "box", "corner"),
    [("fill", (10, 10, 50, 30), 255), ("contain", (20, 10, 40, 30), 0), ("cover", (10, 10, 50, 30), 255)],
)
def test_a_square_picture_fills_a_wide_box_by_its_fit(fit, box, corner):
    layer = ImageLayer(id="i", x=10, y=10, width=40, height=20, asset="a", fit=fit)
    alpha = ink(layer, Document(60, 40, assets={"a": png(50, 50)}))
    assert ink_box(alpha) == box
    assert alpha[11, 11] == corner


def test_cover_shows_the_middle_of_the_picture():
    tall = Image.new("RGB", (20, 60), "#ff0000")
    tall.paste("#0000ff", (0, 20, 20, 40))
    file = io.BytesIO()
    tall.save(file, "PNG")
    layer = ImageLayer(id="i", x=0, y=0, width=20, height=20, asset="a", fit="cover")
    pixels = rasterize(layer, Document(20, 20, assets={"a": file.getvalue()})).pixels
    assert pixels[2:18].reshape(-1, 4).min(axis=0).tolist() == [255, 0, 0, 255]  # blue first


def test_a_shrunk_checkerboard_is_an_even_grey():
    board = (np.indices((256, 256)).sum(axis=0) % 2 * 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(board).save(file, "PNG")
    layer = ImageLayer(id="i", x=0, y=0, width=20, height=20, asset="a")
    pixels = rasterize(layer, Document(20, 20, assets={"a": file.getvalue()})).pixels[2:-2, 2:-2, 0]
    assert 120 <= pixels.min() <= pixels.max() <= 135


def test_a_translucent_picture_does_not_bleed_the_colour_of_its_transparent_pixels():
    half = Image.new("RGBA", (40, 40), (0, 255, 0, 0))
    half.paste((255, 0, 0, 255), (0, 0, 20, 40))
    file = io.BytesIO()
    half.save(file, "PNG")
    layer = ImageLayer(id="i", x=0, y=0, width=33, height=33, asset="a")
    pixels = rasterize(layer, Document(40, 40, assets={"a": file.getvalue()})).pixels
    assert pixels[..., 1].max() == 0


def test_a_stroke_is_centred_on_the_edge():
    shape = ShapeLayer(id="s", x=20, y=20, width=20, height=20, fill=None, stroke=Stroke("#000000", 6))
    alpha = ink(shape, Document(60, 60))
    assert ink_box(alpha) == (17, 17, 43, 43)
    assert alpha[22, 30] == 255
    assert alpha[24, 30] == 0


def test_a_line_runs_between_its_two_points_or_down_the_diagonal():
    page = Document(60, 60)
    level = ShapeLayer(
        id="l", shape="line", x=10, y=10, width=40, height=20, points=((0, 0.5), (1, 0.5)), stroke=Stroke("#000000", 2)
    )
    assert ink_box(ink(level, page)) == (10, 19, 50, 21)
    diagonal = dataclasses.replace(level, points=())
    alpha = ink(diagonal, page)
    assert alpha[20, 30] > 0
    assert alpha[12, 45] == alpha[28, 15] == 0
    assert ink(dataclasses.replace(level, stroke=None), page).max() == 0


def test_a_corner_radius_beyond_half_the_short_side_counts_as_half():
    pill = ShapeLayer(id="p", shape="rounded", x=0, y=0, width=60, height=20, radius_px=10)
    beyond = dataclasses.replace(pill, radius_px=500)
    page = Document(60, 20)
    np.testing.assert_array_equal(ink(pill, page), ink(beyond, page))
    assert ink(pill, page)[0, 0] == 0
    assert ink(pill, page)[0, 30] == 255


@pytest.mark.parametrize("layer_opacity", [0.0, 0.001])
def test_a_layer_without_opacity_draws_nothing(layer_opacity):
    assert ink(ShapeLayer(id="s", width=5, height=5, opacity=layer_opacity), Document(9, 9)).max() == 0
