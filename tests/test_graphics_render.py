"""Pictures of documents: what they show, and that every way to the same document gives the same bytes."""

import dataclasses
import hashlib
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from designgym.graphics.document import Document, ImageLayer, ShapeLayer, Stroke, TextLayer
from designgym.graphics.fonts import FAMILIES, FontError
from designgym.graphics.raster import page_size
from designgym.graphics.render import Renderer, changed_boxes, render


def picture(width: int, height: int, seed: int, alpha: bool = False) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4 if alpha else 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


ASSETS = {"a": picture(30, 20, 1), "b": picture(9, 14, 2, alpha=True)}
PAGE = {"width": 96, "height": 64}

numbers = st.integers(-60, 120) | st.floats(-60, 120)
lengths = st.floats(0.1, 150)
colors = st.sampled_from(["#000000", "#ffffff", "#c0392b", "#2980b980", "#f1c40f10", "#27ae6000"])
strokes = st.none() | st.builds(Stroke, color=colors, width_px=st.floats(0, 20))
common = {
    "x": numbers,
    "y": numbers,
    "width": lengths,
    "height": lengths,
    "rotation_deg": st.just(0.0) | st.floats(-360, 360),
    "opacity": st.just(1.0) | st.floats(0, 1),
}
texts = st.builds(
    TextLayer,
    id=st.just(""),
    text=st.text("abc W\n\tfj", max_size=12),
    font=st.sampled_from(sorted(FAMILIES)),
    size_px=st.floats(1, 60),
    weight=st.integers(100, 900),
    italic=st.booleans(),
    color=colors,
    align=st.sampled_from(["left", "center", "right", "justify"]),
    line_height=st.floats(0.5, 3),
    letter_spacing_px=st.floats(-20, 20),
    stroke=strokes,
    **common,
)
images = st.builds(
    ImageLayer, id=st.just(""), asset=st.sampled_from("ab"), fit=st.sampled_from(["fill", "contain", "cover"]), **common
)
points = st.lists(st.tuples(st.floats(-1, 2), st.floats(-1, 2)), min_size=3, max_size=6).map(tuple)
shapes = st.builds(
    ShapeLayer,
    id=st.just(""),
    shape=st.sampled_from(["rectangle", "rounded", "ellipse", "polygon"]),
    fill=st.none() | colors,
    stroke=strokes,
    radius_px=st.floats(0, 50),
    points=points,
    **common,
) | st.builds(ShapeLayer, id=st.just(""), shape=st.just("line"), stroke=strokes, **common)
layers = texts | images | shapes


@st.composite
def edited(draw: st.DrawFn, document: Document) -> Document:
    """A document after one edit: a layer exchanged, added, removed or moved in depth, another background or asset."""
    stack = list(document.layers)
    kind = draw(st.sampled_from(["exchange", "add", "remove", "order", "background", "asset"]))
    if kind == "add" or not stack:
        stack.insert(draw(st.integers(0, len(stack))), draw(layers))
    elif kind == "exchange":
        stack[draw(st.integers(0, len(stack) - 1))] = draw(layers)
    elif kind == "remove":
        stack.pop(draw(st.integers(0, len(stack) - 1)))
    elif kind == "order":
        stack = draw(st.permutations(stack))
    elif kind == "background":
        document = dataclasses.replace(document, background=draw(colors))
    else:
        document = dataclasses.replace(
            document, assets={**document.assets, "a": picture(12, 12, draw(st.integers(3, 5)))}
        )
    named = tuple(dataclasses.replace(layer, id=str(number)) for number, layer in enumerate(stack))
    return dataclasses.replace(document, layers=named)


@st.composite
def histories(draw: st.DrawFn) -> list[Document]:
    start = tuple(dataclasses.replace(layer, id=str(i)) for i, layer in enumerate(draw(st.lists(layers, max_size=4))))
    documents = [Document(**PAGE, layers=start, assets=ASSETS).validate()]
    for _ in range(draw(st.integers(1, 5))):
        documents.append(draw(edited(documents[-1])).validate())
    return documents


@settings(max_examples=60, deadline=None)
@given(histories(), st.sampled_from([1.0, 0.5, 0.37, 2.0]))
def test_updating_gives_the_same_bytes_as_rendering_anew(documents, scale):
    renderer = Renderer(documents[0], scale)
    for document in documents[1:]:
        renderer.update(document)
        np.testing.assert_array_equal(renderer.image(), render(document, scale))


def poster() -> Document:
    """One layer of every kind, with rotation, transparency, strokes and every family of fonts."""
    names = sorted(FAMILIES)
    stack = [
        ShapeLayer(id="panel", width=300, height=120, fill="#264653"),
        ImageLayer(id="photo", x=20, y=60, width=150, height=90, asset="a", fit="cover", rotation_deg=7),
        ImageLayer(id="cut", x=180, y=80, width=90, height=70, asset="b", opacity=0.7),
        ShapeLayer(id="badge", shape="ellipse", x=200, y=10, width=80, height=60, stroke=Stroke("#e76f51", 5)),
        *(
            TextLayer(id=name, x=3 + i, y=12 * i, width=280, height=20, text=f"{name} fi 12", font=name, size_px=11)
            for i, name in enumerate(names)
        ),
    ]
    return Document(300, 12 * len(names) + 20, "#f4efe6", tuple(stack), ASSETS).validate()


_HASHES = """
import hashlib, pickle, sys
from designgym.graphics.render import render
for document, scale in pickle.load(sys.stdin.buffer):
    print(hashlib.sha256(render(document, scale).tobytes()).hexdigest())
"""


def test_another_process_gives_the_same_bytes_in_another_order():
    jobs = [(poster(), 1.0), (poster(), 0.31), (Document(40, 30, layers=poster().layers[3:9], assets=ASSETS), 2.0)]
    here = [hashlib.sha256(render(document, scale).tobytes()).hexdigest() for document, scale in jobs]
    there = subprocess.run(
        [sys.executable, "-c", _HASHES], input=pickle.dumps(jobs[::-1]), capture_output=True, check=True, timeout=120
    )
    assert there.stdout.decode().split()[::-1] == here


def test_a_pickled_renderer_comes_back_with_the_same_picture_and_goes_on():
    renderer = Renderer(poster(), 0.5)
    copy = pickle.loads(pickle.dumps(renderer))
    np.testing.assert_array_equal(copy.image(), renderer.image())
    document = dataclasses.replace(poster(), background="#123456")
    copy.update(document)
    np.testing.assert_array_equal(copy.image(), render(document, 0.5))


def test_the_picture_is_a_fresh_array():
    renderer = Renderer(Document(4, 3))
    image = renderer.image()
    image[:] = 0
    assert renderer.image().min() == 255
    assert (image.dtype, image.shape, image.flags.c_contiguous) == (np.uint8, (3, 4, 3), True)


def test_an_update_that_fails_leaves_the_picture_as_it_was():
    renderer = Renderer(poster(), 0.5)
    before = renderer.image()
    text = TextLayer(id="t", width=50, height=10, text="x", font="No Such Font")
    with pytest.raises(FontError, match="No Such Font"):
        renderer.update(dataclasses.replace(poster(), layers=(text,)))
    assert renderer.document == poster()
    renderer.update(poster())
    np.testing.assert_array_equal(renderer.image(), before)


def test_colours_come_out_as_written_and_layers_lie_back_to_front():
    back = ShapeLayer(id="back", x=2, y=2, width=6, height=6, fill="#102030")
    front = ShapeLayer(id="front", x=4, y=4, width=6, height=6, fill="#ff8000")
    image = render(Document(12, 12, "#00ff7f", (back, front)))
    assert image[0, 0].tolist() == [0, 255, 127]
    assert image[3, 3].tolist() == [0x10, 0x20, 0x30]
    assert image[5, 5].tolist() == [255, 128, 0]
    assert image[9, 9].tolist() == [255, 128, 0]
    assert image[10, 10].tolist() == [0, 255, 127]


@pytest.mark.parametrize("layer", [{"fill": "#00000080"}, {"fill": "#000000", "opacity": 128 / 255}])
def test_half_transparent_black_on_white_is_grey_by_colour_or_by_opacity(layer):
    image = render(Document(4, 4, layers=(ShapeLayer(id="s", width=4, height=4, **layer),)))
    assert abs(int(image[1, 1, 0]) - 127) <= 1


def test_a_transparent_background_lies_on_white():
    assert render(Document(1, 1, "#000000ff"))[0, 0].tolist() == [0, 0, 0]
    assert render(Document(1, 1, "#00000000"))[0, 0].tolist() == [255, 255, 255]


def test_opacity_fades_a_layer_as_a_whole():
    # The stroke hides half of the fill's edge; with opacity its inner half must not let the fill show through.
    shape = ShapeLayer(id="s", x=4, y=4, width=8, height=8, fill="#ff0000", stroke=Stroke("#0000ff", 4), opacity=0.5)
    assert render(Document(16, 16, layers=(shape,)))[5, 8].tolist()[1:] == [127, 255]


def test_a_scaled_page_has_rounded_sides_of_at_least_one_pixel():
    assert page_size(Document(1080, 1350), 128 / 1080) == (128, 160)
    assert page_size(Document(3, 5), 0.5) == (2, 3)
    assert render(Document(10, 1), 0.01).shape == (1, 1, 3)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), 8.5, True])
def test_a_scale_out_of_range_is_refused_with_the_range(scale):
    with pytest.raises(ValueError, match="above 0 up to 8"):
        Renderer(Document(10, 10), scale)


def test_an_edit_dirties_the_old_and_the_new_place_only():
    old = Document(400, 400, layers=(ShapeLayer(id="s", x=10, y=10, width=20, height=20),))
    renderer = Renderer(old)
    before = renderer.layer_images
    renderer.update(old.replace_layer(dataclasses.replace(old.layers[0], x=300, y=310)))
    assert changed_boxes(before, renderer.layer_images) == [(10, 10, 30, 30), (300, 310, 320, 330)]
    assert changed_boxes(before, before) == []


def test_a_layer_added_on_top_or_taken_away_dirties_its_own_place_only():
    under = tuple(ShapeLayer(id=str(i), x=40 * i, y=40 * i, width=30, height=30) for i in range(3))
    top = ShapeLayer(id="top", x=200, y=10, width=20, height=20)
    fewer = Document(400, 400, layers=under)
    renderer = Renderer(fewer)
    before = renderer.layer_images
    renderer.update(dataclasses.replace(fewer, layers=(*under, top)))
    assert changed_boxes(before, renderer.layer_images) == [(200, 10, 220, 30)]
    assert changed_boxes(renderer.layer_images, before) == [(200, 10, 220, 30)]
    assert changed_boxes(renderer.layer_images[1:], renderer.layer_images) == [(0, 0, 30, 30)]


def test_layers_that_did_not_change_keep_their_image():
    renderer = Renderer(poster())
    before = renderer.layer_images
    document = renderer.document.replace_layer(dataclasses.replace(renderer.document.layer("badge"), fill="#ffffff"))
    renderer.update(document)
    kept = [a is b for a, b in zip(before, renderer.layer_images, strict=True)]
    assert kept.count(False) == 1
    assert kept.index(False) == 3


def test_many_large_layers_are_not_all_in_memory_at_once() -> None:
    # 60 layers over a whole page of 1000 x 1000 px are 240 MB of images; the page itself is 4 MB.
    script = """
import resource
from designgym.graphics.document import Document, ShapeLayer
from designgym.graphics.render import render
render(Document(1000, 1000, layers=(ShapeLayer(id="warm", width=1000, height=1000),)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
layers = tuple(ShapeLayer(id=str(n), width=1000, height=1000, fill=f"#0000{n:02x}") for n in range(60))
print(tuple(render(Document(1000, 1000, layers=layers))[500, 500]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert "59" in found[0]
    assert int(found[1]) < 60_000, "KB"
