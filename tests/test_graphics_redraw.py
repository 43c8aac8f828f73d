"""Variants of a kept document are drawn to the same bytes as from scratch."""

import dataclasses
import io

import numpy as np
from PIL import Image

from designgym.graphics import redraw as module
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.raster import rasterize
from designgym.graphics.redraw import draw, keep, redraw
from designgym.graphics.render import render

BASE = Document(
    200,
    100,
    "#fafafa",
    (
        ShapeLayer(id="bar", x=10, y=10, width=80, height=60, fill="#336699"),
        TextLayer(id="words", x=20, y=20, width=150, height=30, text="Open Gardens", size_px=22.0),
    ),
)


def test_a_variant_of_a_kept_document_has_the_bytes_of_one_drawn_from_scratch() -> None:
    images = keep(BASE, 1.5)
    assert len(images) == 2
    for x in (10, 60, 10):
        variant = BASE.replace_layer(dataclasses.replace(BASE.layer("bar"), x=x))
        assert np.array_equal(redraw(BASE, variant, 1.5), render(variant, 1.5))
    assert np.array_equal(redraw(BASE, BASE, 1.5), render(BASE, 1.5))


def test_a_document_that_is_not_kept_is_drawn_all_the_same() -> None:
    other = dataclasses.replace(BASE, background="#000000")
    assert np.array_equal(redraw(other, other, 0.7), render(other, 0.7))
    keep(BASE, 1.0)
    assert np.array_equal(redraw(BASE, other, 1.0), render(other, 1.0))  # another page colour
    assert np.array_equal(redraw(BASE, BASE, 2.0), render(BASE, 2.0))  # another scale


def test_only_the_latest_documents_are_kept() -> None:
    documents = [dataclasses.replace(BASE, width=200 + n) for n in range(module.KEPT + 5)]
    for document in documents:
        keep(document, 1.0)
    assert len(module._kept) == module.KEPT
    assert np.array_equal(redraw(documents[0], documents[0], 1.0), render(documents[0], 1.0))


def picture(fill: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGBA", (8, 8), (fill, fill, fill, 255)).save(buffer, "PNG")
    return buffer.getvalue()


def test_layers_drawn_before_are_known_by_fields_asset_page_and_scale() -> None:
    layer = ImageLayer(id="photo", x=10, y=10, width=40, height=40, asset="a")
    white, black = (Document(100, 80, layers=(layer,), assets={"a": picture(fill)}) for fill in (255, 0))
    first = draw(layer, white, 1.0)
    assert draw(layer, white, 1.0) is first
    assert draw(dataclasses.replace(layer), white, 1.0) is first
    for other, document, scale in (
        (layer, black, 1.0),
        (layer, white, 2.0),
        (layer, dataclasses.replace(white, width=30), 1.0),
        (dataclasses.replace(layer, x=11), white, 1.0),
    ):
        image, expected = draw(other, document, scale), rasterize(other, document, scale)
        assert image is not first
        assert image.box == expected.box and np.array_equal(image.pixels, expected.pixels)


def test_an_asset_exchanged_under_its_name_and_put_back_is_drawn_as_it_is() -> None:
    layer = ImageLayer(id="photo", x=10, y=10, width=40, height=40, asset="a")
    white, black = (Document(100, 80, layers=(layer,), assets={"a": picture(fill)}) for fill in (255, 0))
    keep(white, 1.0)
    for variant in (black, white, black):
        assert np.array_equal(redraw(white, variant, 1.0), render(variant, 1.0))


def test_only_the_latest_layers_are_kept() -> None:
    for x in range(module.LAYERS_KEPT + 5):
        draw(dataclasses.replace(BASE.layers[0], x=x), BASE, 1.0)
    assert len(module._layers) == module.LAYERS_KEPT
