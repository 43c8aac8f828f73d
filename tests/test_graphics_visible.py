"""What of a layer can be seen: every way to hide one, and exact masks for simple scenes."""

import dataclasses
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from designgym.graphics.document import Document, ImageLayer, ShapeLayer, Stroke, TextLayer
from designgym.graphics.render import render
from designgym.graphics.visible import Rule, mask_box, visibility, visible_box, visible_fraction, visible_masks


def box(name: str, x: float, y: float, width: float, height: float, fill: str = "#000000", **fields) -> ShapeLayer:
    return ShapeLayer(id=name, x=x, y=y, width=width, height=height, fill=fill, **fields)


def words(**fields) -> TextLayer:
    base = {"x": 20, "y": 20, "width": 160, "height": 30, "text": "Secret 42", "size_px": 24, "color": "#102030"}
    return TextLayer(id="words", **{**base, **fields})


def page(*layers, background="#ffffff") -> Document:
    return Document(200, 100, background, layers)


def test_a_layer_alone_is_visible_exactly_where_it_lies():
    masks = visible_masks(page(box("a", 10, 20, 50, 30)))
    expected = np.zeros((100, 200), bool)
    expected[20:50, 10:60] = True
    assert masks["a"].dtype == np.bool_
    np.testing.assert_array_equal(masks["a"], expected)
    assert visible_box(page(box("a", 10, 20, 50, 30)), "a") == (0.05, 0.2, 0.3, 0.5)


def test_of_a_half_covered_layer_the_other_half_is_visible():
    document = page(box("under", 0, 0, 100, 50), box("over", 50, 0, 100, 50, "#ff0000"))
    assert visible_box(document, "under") == (0.0, 0.0, 0.25, 0.5)
    assert visible_fraction(document, "under") == 0.5
    assert visible_fraction(document, "over") == 1.0


def test_a_layer_beyond_the_edge_is_visible_up_to_it_and_the_rest_counts_as_hidden():
    document = page(box("a", -30, 40, 40, 20))
    assert visible_box(document, "a") == (0.0, 0.4, 0.05, 0.6)
    assert visible_fraction(document, "a") == pytest.approx(0.25, abs=0.01)
    edge = Document(1080, 1080, layers=(box("edge", 100, 1050, 300, 90),))
    assert visible_box(edge, "edge") == (100 / 1080, 1050 / 1080, 400 / 1080, 1.0)
    assert visible_fraction(edge, "edge") == pytest.approx(1 / 3, abs=0.01)


SHADE = box("shade", 0, 0, 200, 100, "#336699")
HIDDEN = {
    "behind something opaque": page(words(), SHADE),
    "transparent by opacity": page(words(opacity=0.0)),
    "nearly transparent by opacity": page(words(opacity=0.05)),
    "transparent by colour": page(words(color="#10203000")),
    "in the page's colour": page(words(color="#ffffff")),
    "in the colour of a coloured page": page(words(color="#ff8000"), background="#ff8000"),
    "in the colour of a translucent page": page(words(color="#ffc07f"), background="#ff800080"),
    "nearly in the page's colour": page(words(color="#fafafa")),
    "in the colour of the layer beneath": page(SHADE, words(color="#336699")),
    "in 1-px type": page(words(size_px=1)),
    "in 4-px type": page(words(size_px=4)),
    "beyond the right edge": page(words(x=300)),
    "above the page": page(words(y=-60)),
    "empty": page(words(text="")),
    "only spaces": page(words(text=" \n\t ")),
}


@pytest.mark.parametrize("document", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("scale", [1.0, 0.4])
def test_hidden_text_is_invisible(document, scale):
    assert not visible_masks(document, scale)["words"].any()
    assert visible_box(document, "words", scale) is None
    assert visible_fraction(document, "words", scale) == 0.0


SHOWN = {
    "plain": page(words()),
    "on a layer": page(SHADE, words(color="#ffffff")),
    "low contrast": page(words(color="#c8c8c8")),
    "half transparent": page(words(opacity=0.5)),
    "small": page(words(size_px=9)),
    "turned": page(words(rotation_deg=30, size_px=18)),
    "under glass": page(words(), box("glass", 0, 0, 200, 100, "#ffffff80")),
    "outlined only": page(words(color="#ffffff", stroke=Stroke("#000000", 1))),
}


@pytest.mark.parametrize("document", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("scale", [1.0, 0.4])
def test_shown_text_is_visible(document, scale):
    assert visible_box(document, "words", scale) is not None
    assert visible_fraction(document, "words", scale) > 0.25


def test_text_is_visible_where_its_letters_are_not_in_its_whole_box():
    mask = visible_masks(page(words(text="l l")))["words"]
    x1, y1, x2, y2 = mask_box(mask)
    assert 0 < mask.sum() < 0.5 * (x2 - x1) * 200 * (y2 - y1) * 100


def test_visible_pixels_are_those_that_change_the_page_when_the_layer_goes():
    # A stack of everything: a layer's mask, compared with pictures of the page with and without it.
    document = page(
        box("back", 0, 0, 120, 100, "#204060"),
        box("round", 30, 10, 90, 80, "#ffcc00", shape="ellipse", rotation_deg=20, opacity=0.8),
        words(x=40, y=30, color="#ffffff", rotation_deg=-8),
        box("veil", 100, 0, 60, 100, "#ff000060"),
        box("patch", 60, 40, 30, 30, "#ffcc00"),
    )
    masks = visible_masks(document, rule=Rule(min_coverage=0, min_difference=12))
    whole = render(document).astype(int)
    for layer in document.layers:
        without = dataclasses.replace(document, layers=tuple(one for one in document.layers if one is not layer))
        change = np.abs(render(without).astype(int) - whole).max(axis=-1)
        # Pictures are rounded to whole levels after every layer, the masks' sums are not.
        assert masks[layer.id][change >= 15].all()
        assert not masks[layer.id][change <= 9].any()


def test_the_ground_can_be_left_out_of_account():
    document = page(words(color="#ffffff"))
    assert visibility(document, rule=Rule(min_difference=0)).fraction("words") == 1.0


def test_transparent_parts_of_pictures_hide_nothing_and_are_not_visible():
    picture = Image.new("RGBA", (100, 50), (0, 0, 0, 0))
    picture.paste((0, 0, 255, 255), (0, 0, 50, 50))
    file = io.BytesIO()
    picture.save(file, "PNG")
    frame = ImageLayer(id="frame", x=0, y=0, width=100, height=50, asset="a")
    document = Document(100, 50, layers=(box("under", 0, 0, 100, 50, "#ff0000"), frame), assets={"a": file.getvalue()})
    left, top, right, bottom = visible_box(document, "under")
    assert (left, top, right, bottom) == (pytest.approx(0.5, abs=0.02), 0.0, 1.0, 1.0)
    assert visible_box(document, "frame")[2] == pytest.approx(0.5, abs=0.02)


def test_an_exact_copy_on_top_hides_the_lower_and_is_itself_no_difference():
    twins = page(box("lower", 10, 10, 50, 50), box("upper", 10, 10, 50, 50))
    assert visible_fraction(twins, "lower") == 0
    assert visible_fraction(twins, "upper") == 0


def test_an_enormous_layer_costs_no_more_than_the_page():
    document = page(box("vast", -1e9, -1e9, 2e9, 2e9, "#336699"))
    assert visible_box(document, "vast") == (0.0, 0.0, 1.0, 1.0)
    assert visible_fraction(document, "vast") < 1e-6


def test_an_unknown_layer_is_named_with_the_known_ones():
    with pytest.raises(KeyError, match=r"No layer 'nope'; this document has \['words'\]"):
        visible_box(page(words()), "nope")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-50, 150), st.integers(-50, 90), st.integers(1, 90), st.integers(1, 90)), max_size=6)
)
def test_opaque_boxes_of_different_colours_divide_the_page_among_themselves(places):
    stack = [box(str(i), *place, fill=f"#{40 * i:02x}8000") for i, place in enumerate(places)]
    masks = visible_masks(page(*stack))
    expected = {layer.id: np.zeros((100, 200), bool) for layer in stack}
    for layer in stack:
        x1, y1 = max(0, int(layer.x)), max(0, int(layer.y))
        x2, y2 = max(0, int(layer.x + layer.width)), max(0, int(layer.y + layer.height))
        for other in expected.values():
            other[y1:y2, x1:x2] = False
        expected[layer.id][y1:y2, x1:x2] = True
    for layer in stack:
        # Where a layer covers another of... its own colour nothing differs; all colours here are different.
        np.testing.assert_array_equal(masks[layer.id], expected[layer.id])
