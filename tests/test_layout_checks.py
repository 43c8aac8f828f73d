"""The rules that every layout is checked against find what breaks them, and pools of any kind illustrate themes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from designgym.graphics.document import ShapeLayer, TextLayer
from designgym.layout.brief import Brief
from designgym.layout.checks import ground_color, problems
from designgym.layout.compose import compose
from designgym.layout.formats import FORMATS
from designgym.layout.themes import fitting_pictures, themes
from designgym.layout.visibility import stands_out
from designgym.pool.embedded import embedded
from designgym.pool.pool import PoolPicture


@pytest.fixture(scope="module")
def design():
    brief = Brief(
        FORMATS["poster"], "Open Studio", "Painters of the harbour", "Come and see.", ("12 May", "Free entry"),
        ("noto/artist-palette",),
    )  # fmt: skip
    return compose(brief, np.random.default_rng(2), embedded())


def changed(design, layer_id, **values):
    layer = dataclasses.replace(design.document.layer(layer_id), **values)
    return dataclasses.replace(design, document=design.document.replace_layer(layer))


def test_a_composed_design_breaks_no_rule(design):
    assert problems(design) == []


def test_text_in_the_colour_of_its_ground_is_found(design):
    for layer in design.document.layers:
        if isinstance(layer, TextLayer):
            assert "contrast" in problems(changed(design, layer.id, color=ground_color(design, layer.id)))[0]


def test_text_larger_than_its_box_is_found(design):
    title = design.document.layer("title-1")
    assert "overflows" in problems(changed(design, "title-1", size_px=title.size_px * 1.5))[0]


def test_a_text_that_is_moved_over_another_is_found(design):
    title = design.document.layer("title-1")
    broken = problems(changed(design, "subtitle-1", x=title.x, y=title.y))
    assert any("'title-1'" in text and "'subtitle-1'" in text and "collide" in text for text in broken)


def test_a_picture_that_is_pushed_to_the_edge_is_found(design):
    assert any("edge" in text and "'picture-1'" in text for text in problems(changed(design, "picture-1", x=1.0)))


def test_a_text_that_lines_up_with_nothing_is_found(design):
    title = design.document.layer("title-1")
    broken = problems(changed(design, "title-1", x=title.x + 9, y=title.y + 7, width=title.width + 5))
    assert any("'title-1' lines up with nothing" in text for text in broken)


def test_sizes_that_are_hardly_apart_and_tiny_text_are_found(design):
    size = design.document.layer("detail-1").size_px
    assert any("hardly apart" in text for text in problems(changed(design, "detail-1", size_px=size * 0.95)))
    assert any("tiny" in text for text in problems(changed(design, "detail-1", size_px=12.0)))


def test_more_than_12_elements_are_found(design):
    extra = tuple(
        ShapeLayer(id=f"x{i}", x=1, y=1, width=2, height=2, fill=design.palette.ink(design.document.background))
        for i in range(12)
    )
    document = dataclasses.replace(design.document, layers=(*design.document.layers, *extra))
    crowded = dataclasses.replace(design, document=document, roles={**design.roles, **{x.id: "shape" for x in extra}})
    assert "elements" in problems(crowded)[0]


def test_a_picture_stands_out_from_colours_that_it_does_not_have():
    red_heart = "noto/red-heart"
    assert stands_out(embedded(), red_heart, "#ffffff") and stands_out(embedded(), red_heart, "#003344")
    assert not stands_out(embedded(), red_heart, "#d22f2f")


class Drawings:
    """A pool whose captions are in nobody's list, found by keywords alone."""

    name = "drawings"
    pictures = (
        PoolPicture("a/1", "A brass horn on a chair", ("saxophone", "jazz"), "music", 1.0),
        PoolPicture("a/2", "A heap of coal", ("coal",), "tools", 1.0),
    )

    def get(self, id):
        return next(picture for picture in self.pictures if picture.id == id)

    def png(self, id, longest_px):
        return embedded().png("noto/saxophone", longest_px)


def test_pictures_of_other_pools_are_found_by_keywords():
    assert fitting_pictures(Drawings(), "jazz concert") == ("a/1",)
    assert set(fitting_pictures(embedded(), "jazz concert")) >= {"noto/saxophone", "fluent/saxophone"}
    captions = {embedded().get(picture).caption for picture in fitting_pictures(embedded(), "jazz concert")}
    assert captions <= set(themes()["jazz concert"].pictures)
