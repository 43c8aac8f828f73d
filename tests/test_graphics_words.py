"""Words of a text layer by their pixels, and pages with another image in a layer's place."""

import dataclasses

import numpy as np
import pytest

from designgym.graphics.document import Document, Group, ShapeLayer, Stroke, TextLayer
from designgym.graphics.raster import rasterize
from designgym.graphics.render import Renderer, render
from designgym.graphics.words import word_labels

BASE = TextLayer(id="t", x=10, y=10, width=280, height=60, text="one two three", size_px=32)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"rotation_deg": 30, "y": 80},
        {"align": "center", "italic": True, "opacity": 0.3},
        {"color": "#00000000", "stroke": Stroke("#ff0000", 2)},
        {"width": 90, "height": 150},
        {"text": "  one\n\ntwo\tthree "},
    ],
    ids=lambda fields: "-".join(fields) or "plain",
)
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_each_word_has_the_pixels_that_it_has_when_the_others_are_painted_over(fields, scale):
    layer = dataclasses.replace(BASE, **fields)
    document = Document(300, 200, layers=(layer,))
    labels = word_labels(layer, document, scale)
    alpha = rasterize(dataclasses.replace(layer, opacity=1.0), document, scale).pixels[..., 3]
    assert labels.shape == alpha.shape
    assert set(np.unique(labels)) == {-1, 0, 1, 2}
    assert not ((labels >= 0) & (alpha < 20)).any() and not ((labels < 0) & (alpha > 120)).any()
    if not fields:  # all on one line: the words follow each other from left to right
        columns = [np.flatnonzero((labels == word).any(axis=0)) for word in range(3)]
        assert columns[0].max() < columns[1].min() and columns[1].max() < columns[2].min()


def test_words_beyond_the_page_have_no_pixels():
    layer = dataclasses.replace(BASE, x=-60)
    assert set(np.unique(word_labels(layer, Document(300, 200, layers=(layer,))))) == {-1, 1, 2}


def test_many_words_are_told_apart():
    text = " ".join(str(number) for number in range(400))
    layer = TextLayer(id="t", width=1000, height=800, text=text, size_px=24)
    assert set(np.unique(word_labels(layer, Document(1000, 800, layers=(layer,))))) == set(range(-1, 400))


@pytest.mark.parametrize("group", [(), (Group(id="g", x=0, y=0, width=80, height=80, opacity=0.5, clip=True),)])
def test_a_variant_is_the_page_with_another_image_and_leaves_the_renderer_as_it_was(group):
    boxes = [
        ShapeLayer(id=str(i), x=20 * i, y=10 * i, width=50, height=50, fill=f"#{60 * i:02x}80ff", opacity=0.8)
        for i in range(4)
    ]
    boxes[1:3] = [dataclasses.replace(box, group="g" if group else "") for box in boxes[1:3]]
    document = Document(120, 100, "#ffeecc", tuple(boxes), groups=group)
    other = document.replace_layer(dataclasses.replace(boxes[1], fill="#ff0000", width=70))
    renderer = Renderer(document)
    image = rasterize(other.layers[1], other)
    x1, y1, x2, y2 = image.box
    np.testing.assert_array_equal(renderer.variant(1, image), render(other)[y1:y2, x1:x2])
    renderer.update(document.replace_layer(dataclasses.replace(boxes[3], fill="#00ff00")))
    np.testing.assert_array_equal(renderer.image(), render(renderer.document))
