"""Variants of a kept document are drawn to the same bytes as from scratch."""

import dataclasses

import numpy as np

from designgym.graphics import redraw as module
from designgym.graphics.document import Document, ShapeLayer, TextLayer
from designgym.graphics.redraw import keep, redraw
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
