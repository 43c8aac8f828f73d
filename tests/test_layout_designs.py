"""Generated designs keep the rules of good layout, each measured here in its own way."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from designgym.graphics.document import ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.text import measure_text
from designgym.layout.brief import ROLES, GeneratedDesign, LayoutError
from designgym.layout.formats import FORMATS
from designgym.layout.generate import generate_design
from designgym.pool.embedded import embedded
from designgym.tasks import SPLITS

COUNT = {"train": 90, "validation": 35, "test": 35}


@cache
def designs(split):
    return [generate_design(np.random.default_rng([7, seed]), split) for seed in range(COUNT[split])]


ALL = pytest.mark.parametrize("split", SPLITS)


def channel(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(color):
    red, green, blue = (channel(int(color[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, two):
    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


def box(layer):
    return layer.x, layer.y, layer.x + layer.width, layer.y + layer.height


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def under(design, layer_id):
    found = []
    while layer_id := design.grounds.get(layer_id):
        found.append(layer_id)
    return found


@ALL
def test_designs_are_valid_documents_of_known_roles_with_3_to_12_elements(split):
    for design in designs(split):
        design.document.validate()
        assert 3 <= len(design.document.layers) <= 12
        assert set(design.roles) == {layer.id for layer in design.document.layers}
        assert set(design.roles.values()) <= set(ROLES)
        assert list(design.roles.values()).count("title") == 1
        assert (design.document.width, design.document.height) == (design.format.width, design.format.height)


@ALL
def test_no_text_runs_over_its_box_or_is_tiny(split):
    for design in designs(split):
        for layer in design.document.layers:
            if isinstance(layer, TextLayer):
                measure = measure_text(layer)
                assert measure.width <= layer.width + 0.5 and measure.height <= layer.height + 0.5
                assert layer.size_px * 448 / max(design.document.width, design.document.height) >= 10


@ALL
def test_texts_pictures_and_badges_keep_a_margin(split):
    for design in designs(split):
        least = 0.029 * max(design.document.width, design.document.height)
        for layer in design.document.layers:
            if design.roles[layer.id] in ("title", "subtitle", "body", "detail", "picture", "badge"):
                x1, y1, x2, y2 = box(layer)
                assert min(x1, y1, design.document.width - x2, design.document.height - y2) >= least, layer


@ALL
def test_texts_and_pictures_never_overlap_and_lie_within_their_grounds(split):
    for design in designs(split):
        contents = [layer for layer in design.document.layers if isinstance(layer, TextLayer | ImageLayer)]
        for i, one in enumerate(contents):
            assert not any(meet(box(one), box(two)) for two in contents[i + 1 :]), (one, contents)
        for layer_id, ground in design.grounds.items():
            inner, outer = box(design.document.layer(layer_id)), box(design.document.layer(ground))
            assert inner[0] >= outer[0] - 2 and inner[1] >= outer[1] - 2
            assert inner[2] <= outer[2] + 2 and inner[3] <= outer[3] + 2


@ALL
def test_panels_and_badges_collide_with_nothing_but_what_lies_on_them(split):
    for design in designs(split):
        layers = design.document.layers
        solid = [layer for layer in layers if design.roles[layer.id] in ("panel", "badge") and layer.fill is not None]
        for one in solid:
            for two in layers:
                if two is one or design.roles[two.id] in ("background", "shape"):
                    continue
                if one.id in under(design, two.id) or two.id in under(design, one.id) or hollow(two):
                    continue
                assert not meet(box(one), box(two)), (one, two)


def hollow(layer):
    return isinstance(layer, ShapeLayer) and layer.fill is None


@ALL
def test_contrast_of_text_and_of_shapes_reaches_its_floor_on_the_declared_ground(split):
    for design in designs(split):
        for layer in design.document.layers:
            fills = [design.document.layer(ground).fill for ground in under(design, layer.id)]
            ground = next((fill for fill in fills if fill), design.document.background)
            role = design.roles[layer.id]
            if isinstance(layer, TextLayer):
                assert contrast(layer.color, ground) >= (3.0 if role == "title" else 4.5)
            elif role in ("shape", "badge"):
                assert contrast(layer.fill or layer.stroke.color, ground) >= 3.0


@ALL
def test_the_pixels_around_every_text_are_those_of_its_declared_ground(split):
    from designgym.graphics.color import parse_color
    from designgym.graphics.render import render

    for design in designs(split)[:25]:
        page = render(design.document)
        for layer in design.document.layers:
            if not isinstance(layer, TextLayer):
                continue
            fills = [design.document.layer(ground).fill for ground in under(design, layer.id)]
            grounds = {next((fill for fill in fills if fill), design.document.background), design.palette.tone}
            x1, y1, x2, y2 = (int(v) for v in box(layer))
            rows = np.concatenate([page[y1, x1:x2], page[y2 - 1, x1:x2]]).astype(int)
            near = [np.abs(rows - np.array(parse_color(color)[:3])).max(axis=1) <= 3 for color in grounds]
            assert np.any(near, axis=0).mean() > 0.6, (design.skeleton, layer.id)


@ALL
def test_sizes_of_type_are_equal_or_clearly_apart(split):
    for design in designs(split):
        texts = [layer for layer in design.document.layers if isinstance(layer, TextLayer)]
        sizes = sorted({layer.size_px for layer in texts})
        assert all(large / small > 1.12 for small, large in pairwise(sizes))
        title = next(layer for layer in texts if design.roles[layer.id] == "title")
        assert all(title.size_px >= 1.45 * layer.size_px for layer in texts if layer is not title)


@ALL
def test_texts_line_up_with_another_element_or_with_the_page(split):
    for design in designs(split):
        page = (0.0, 0.0, float(design.document.width), float(design.document.height))
        boxes = {layer.id: box(layer) for layer in design.document.layers}
        for layer in design.document.layers:
            if isinstance(layer, TextLayer):
                others = [other for name, other in boxes.items() if name != layer.id] + [page]
                own = boxes[layer.id]
                assert any(abs(own[k] - other[k]) <= 2 for other in others for k in range(4)) or any(
                    abs(own[0] + own[2] - other[0] - other[2]) <= 4 for other in others
                )


@ALL
def test_pictures_are_fine_enough_keep_their_shape_and_fit_the_theme(split):
    pool = embedded()
    for design in designs(split):
        for layer in design.document.layers:
            if not isinstance(layer, ImageLayer):
                continue
            with Image.open(io.BytesIO(design.document.assets[layer.asset])) as picture:
                width, height = picture.size
            assert max(width, height) >= 0.49 * max(layer.width, layer.height)
            # Sides of layer and picture are whole px, so their ratios differ a little.
            assert abs(layer.width / layer.height - width / height) < 0.06 * width / height
            assert pool.get(design.pictures[layer.id]).caption in design.fitting


def test_splits_share_no_skeleton_hue_face_or_theme():
    seen = {
        split: [
            {design.skeleton for design in designs(split)},
            {design.palette.hue_deg // 15 for design in designs(split)},
            {layer.font for design in designs(split) for layer in design.document.layers if hasattr(layer, "font")},
            {design.theme for design in designs(split)},
        ]
        for split in SPLITS
    }
    for one, two in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert all(not a & b for a, b in zip(seen[one], seen[two], strict=True))


def test_the_same_seed_gives_the_same_bytes_in_another_process():
    code = (
        "import hashlib, json, numpy as np\n"
        "from designgym.layout.generate import generate_design\n"
        "parts = [json.dumps(generate_design(np.random.default_rng(s), 'test').document.to_json()) for s in (3, 4)]\n"
        "print(hashlib.sha256(''.join(parts).encode()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("1", "2")
    }
    assert len(outputs) == 1 and len(outputs.pop().strip()) == 64


def test_a_design_does_not_depend_on_those_made_before():
    first = generate_design(np.random.default_rng(11), "train")
    for seed in range(3):
        generate_design(np.random.default_rng(seed), "test")
    again = generate_design(np.random.default_rng(11), "train")
    assert again.document == first.document and again.skeleton == first.skeleton


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_drawn_in_every_split(name):
    for split in SPLITS:
        design = generate_design(np.random.default_rng(1), split, formats=[name])
        assert isinstance(design, GeneratedDesign) and design.format.name == name


def test_an_unknown_format_is_named_with_the_known_ones():
    with pytest.raises(LayoutError, match=r"'flyer'.*'banner'"):
        generate_design(np.random.default_rng(0), "train", formats=["flyer"])
