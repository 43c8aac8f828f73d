"""Filters in documents: their JSON form, their rules, and how layers with filters are drawn."""

import dataclasses
import io
import json
import math
import pickle

import numpy as np
import pytest
from filter_pictures import cut_out, photo
from PIL import Image

from designgym.graphics import filtered
from designgym.graphics.document import Document, DocumentError, ImageLayer, ShapeLayer, layer_to_json
from designgym.graphics.filters.applied import MAX_FILTERS, AppliedFilter
from designgym.graphics.filters.registry import FILTERS, apply_filter
from designgym.graphics.raster import reach
from designgym.graphics.render import Renderer, render

BLUR = AppliedFilter.of("blur", {"blurAmount": 12})
GREY = AppliedFilter.of("black_white")
SEPIA = AppliedFilter.of("photo", {"filterType": "Sepia", "density": 60.5})


def png(rgba: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(rgba).save(file, "PNG")
    return file.getvalue()


ASSETS = {"photo": png(photo()), "disc": png(cut_out())}


def page(*filters, asset="photo", **place) -> Document:
    place = {"x": 20, "y": 10, "width": 120, "height": 90, **place}
    layer = ImageLayer(id="picture", asset=asset, filters=filters, **place)
    return Document(160, 120, "#ffffff", (layer,), ASSETS).validate()


def test_filters_round_trip_through_json_text_and_pickle():
    document = page(BLUR, GREY, SEPIA)
    assert Document.from_json(json.loads(json.dumps(document.to_json()))) == document
    assert pickle.loads(pickle.dumps(document)) == document
    written = layer_to_json(document.layers[0])["filters"]
    assert written[0] == {"name": "blur", "parameters": {"blurAmount": 12}}


def test_a_layer_without_filters_is_written_as_before_there_were_any():
    assert "filters" not in layer_to_json(page().layers[0])


def test_the_order_in_which_values_are_given_makes_no_difference():
    one = AppliedFilter.of("hsl", {"hue": 1, "saturation": 2, "light": 3})
    assert one == AppliedFilter.of("hsl", {"light": 3, "saturation": 2, "hue": 1})
    assert hash(one) == hash(AppliedFilter.of("hsl", {"saturation": 2, "light": 3, "hue": 1}))


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ([BLUR], "filters are a list; they must be a tuple"),
        ((BLUR,) * (MAX_FILTERS + 1), f"{MAX_FILTERS + 1} filters; at most {MAX_FILTERS}"),
        (({"name": "blur"},), "is not a filter; there are"),
        ((AppliedFilter.of("sharpen"),), "'sharpen' is not a filter; there are"),
        ((AppliedFilter(["blur"]),), "is not a filter"),
        ((AppliedFilter.of("blur"),), r"'blur' has the parameters \['blurAmount'\], all of them"),
        ((AppliedFilter.of("blur", {"blurAmount": 1, "more": 2}),), "and no others"),
        ((AppliedFilter("blur", "blurAmount"),), "all of them"),
        ((AppliedFilter("blur", (("blurAmount", 1, 2),)),), "all of them"),
        ((AppliedFilter.of("blur", {"blurAmount": 101}),), "blur.blurAmount is 101; it must be a number from 0 to 100"),
        ((AppliedFilter.of("blur", {"blurAmount": float("nan")}),), "must be a number from 0 to 100"),
        ((AppliedFilter.of("blur", {"blurAmount": True}),), "must be a number"),
        ((AppliedFilter.of("blur", {"blurAmount": "9"}),), "must be a number"),
        ((AppliedFilter.of("photo", {"filterType": "Pink", "density": 5}),), "'Pink'; it must be one of"),
    ],
)
def test_a_broken_rule_is_named_with_the_layer(filters, message):
    layer = dataclasses.replace(page().layers[0], filters=filters)
    with pytest.raises(DocumentError, match=f"layer 'picture': .*{message}"):
        Document(160, 120, layers=(layer,), assets=ASSETS).validate()


@pytest.mark.parametrize(
    "filters",
    [
        5,
        "blur",
        {"name": "blur"},
        [5],
        [{}],
        [{"name": "blur", "parameters": [1]}],
        [{"name": "blur", "x": 1}],
        [{"name": 4, "parameters": {}}],
        None,
    ],
)
def test_json_of_another_shape_is_refused(filters):
    data = page().to_json()
    data["layers"][0]["filters"] = filters
    with pytest.raises(DocumentError, match="picture"):
        Document.from_json(data)


def test_an_upright_layer_on_whole_pixels_shows_exactly_what_its_filters_make_of_the_fitted_picture():
    fitted = np.dstack([render(page())[10:100, 20:140], photo()[..., 3]])
    shown = render(page(BLUR, SEPIA))[10:100, 20:140]
    assert np.array_equal(shown, apply_filter(apply_filter(fitted, BLUR), SEPIA)[..., :3])


def test_filters_are_applied_one_after_the_other():
    assert not np.array_equal(render(page(GREY, SEPIA)), render(page(SEPIA, GREY)))


def test_nothing_is_drawn_beyond_the_box_or_where_the_picture_shows_the_page():
    outside = np.ones((120, 160), bool)
    outside[10:100, 20:140] = False
    assert (render(page(BLUR))[outside] == 255).all()
    corners = render(page(SEPIA, asset="disc", width=80, height=80))[10:90, 20:100]
    y, x = np.mgrid[0:80, 0:80] - 39.5
    assert (corners[np.hypot(x, y) > 35] == 255).all()
    assert (corners[np.hypot(x, y) < 30] < 255).any(axis=-1).mean() > 0.9


def test_a_blurred_cut_out_fades_out_beyond_its_box_and_an_opaque_picture_does_not():
    full = np.zeros((60, 60, 4), np.uint8)
    full[..., 3] = 255
    full[0, 0, 3] = 0  # a cut-out that fills its box
    assets = {"cut": png(full), "whole": png(np.maximum(full, [0, 0, 0, 255]).astype(np.uint8))}
    shown = {}
    for asset in assets:
        layer = ImageLayer(id="picture", asset=asset, x=50, y=30, width=60, height=60, filters=(BLUR,))
        document = Document(160, 120, "#ffffff", (layer,), assets).validate()
        x1, y1, x2, y2 = reach(layer, document)
        shown[asset] = 255 - render(document)[..., 0].astype(int)
        outside = np.ones((120, 160), bool)
        outside[math.floor(y1) : math.ceil(y2), math.floor(x1) : math.ceil(x2)] = False
        assert not shown[asset][outside].any()
    assert shown["cut"][60, [49, 45, 41]].tolist() == sorted(shown["cut"][60, [49, 45, 41]].tolist(), reverse=True)
    assert 60 < shown["cut"][60, 49] < 180
    assert shown["whole"][60, 48:52].tolist() == [0, 0, 255, 255]


def test_updating_gives_the_same_bytes_as_rendering_anew_and_filters_nothing_twice(monkeypatch):
    filtered.forget_filtered()
    names = []
    real = filtered.apply_filter
    monkeypatch.setattr(filtered, "apply_filter", lambda *a: names.append(a[1].name) or real(*a))
    first = page(BLUR)
    renderer = Renderer(first)
    other = dataclasses.replace(first, layers=(*first.layers, ShapeLayer(id="s", width=50, height=50, fill="#ff0000")))
    turned = other.replace_layer(dataclasses.replace(first.layers[0], rotation_deg=20, x=35, opacity=0.5))
    more = turned.replace_layer(dataclasses.replace(turned.layers[0], filters=(BLUR, GREY)))
    for document in (other, turned, more):
        renderer.update(document)
    assert names == ["blur", "black_white"]
    filtered.forget_filtered()
    assert np.array_equal(renderer.image(), render(more))


def test_what_is_kept_stays_within_its_budget(monkeypatch):
    filtered.forget_filtered()
    monkeypatch.setattr(filtered, "BUDGET_BYTES", 200_000)  # 120 x 90 pixels cost 86,400 bytes
    for amount in range(1, 8):
        render(page(AppliedFilter.of("blur", {"blurAmount": amount})))
    assert len(filtered._kept) == 2


def test_a_huge_layer_is_filtered_coarser_not_at_its_full_size(monkeypatch):
    sizes = []
    real = filtered.apply_filter
    monkeypatch.setattr(filtered, "apply_filter", lambda *a: sizes.append(a[0].shape) or real(*a))
    render(page(BLUR, width=8000, height=6000, x=-1500))
    render(page(BLUR, width=8000, height=0.01))
    assert sizes[0][0] * sizes[0][1] <= filtered.MAX_PIXELS * 1.01
    assert sizes[1][:2] == (1, 8000)


def test_every_declared_name_is_its_own():
    assert all(name == each.name for name, each in FILTERS.items())
