"""Nothing but looking tells the answer, neither odd numbers nor the regions offered; and labels agree with the eye."""

import dataclasses

import numpy as np
import pytest
from aesthetics_scenes import handmade

from designgym.envs.aesthetics.generated import draw_scene
from designgym.envs.aesthetics.items import make_item
from designgym.envs.aesthetics.labels import verdict
from designgym.envs.aesthetics.measures import measure
from designgym.envs.aesthetics.metadata import design_metadata
from designgym.envs.aesthetics.operations.table import OOD_OPERATIONS, OPERATIONS
from designgym.envs.aesthetics.perturb import perturb
from designgym.envs.aesthetics.sample import Element, ElementKind, Sample, png_bytes
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.tasks import Split

EVERY = {**OPERATIONS, **OOD_OPERATIONS}


LENGTHS = ("x", "y", "width", "height", "size_px")


@pytest.mark.parametrize("name", EVERY)
def test_what_an_operation_changes_is_in_whole_px_as_all_of_a_clean_design(name: str) -> None:
    done = 0
    for scene in handmade():
        for element in EVERY[name].able(scene):
            result = EVERY[name].apply(np.random.default_rng(3), scene, scene.document, element, 0.77)
            if result is None:
                continue
            document, flaw = result
            before = {layer.id: layer for layer in scene.document.layers}.get(flaw.element)
            for length in (getattr(document.layer(flaw.element), side, 0) for side in LENGTHS):
                old = {getattr(before, side, None) for side in LENGTHS}
                assert length == round(length) or length in old, flaw
            done += 1
    assert done


@pytest.mark.parametrize("split", ["train", "test"])
def test_clean_designs_are_in_whole_px(split: Split) -> None:
    rng = np.random.default_rng(1)
    for _ in range(6):
        for layer in draw_scene(rng, split).document.layers:
            assert all(float(getattr(layer, side, 0)).is_integer() for side in LENGTHS), layer


def test_metadata_has_whole_px_only() -> None:
    document = handmade()[0].document
    layer = document.layers[-1]
    odd = document.replace_layer(dataclasses.replace(layer, x=layer.x + 0.4, width=layer.width + 0.3))
    for element in design_metadata(odd)["elements"]:
        assert all(isinstance(element[side], int) for side in ("left", "top", "width", "height"))


def test_designs_that_are_good_in_one_respect_alone_are_harmed_in_others() -> None:
    rng = np.random.default_rng(5)
    found = [perturb(rng, draw_scene(rng, "train"), "graphic-quality", False, OPERATIONS) for _ in range(8)]
    kept = [done for done in found if done is not None]
    assert len(kept) >= 4
    assert all(done.harmed and "graphic-quality" not in done.harmed for done in kept)


@pytest.mark.parametrize(("indicator", "kind"), [("font-hierarchy", "text"), ("graphic-quality", "picture")])
@pytest.mark.parametrize("harmed", [True, False])
def test_regions_of_the_kind_that_can_harm_are_offered_first(indicator: str, kind: ElementKind, harmed: bool) -> None:
    kinds: tuple[ElementKind, ...] = ("text", "picture") * 4
    elements = tuple(Element(str(n), k, "", (n / 10, 0.0, n / 10 + 0.05, 1.0)) for n, k in enumerate(kinds))
    first = str(kinds.index(kind))
    sample = Sample("a", 100, 100, elements, harmed={indicator: (first,)} if harmed else {})
    item = make_item("selection", sample, indicator)
    assert item is not None
    offered = [element.kind for element in elements if element.box in item.options]
    assert offered == [kind] * 3
    assert None in item.options


def test_a_ground_that_no_longer_reaches_the_pages_edge_breaks_the_alignment() -> None:
    scene = handmade()[2]
    background = scene.document.layer("background")
    found = []
    for shift in (0, 2, 30):
        document = scene.document.replace_layer(dataclasses.replace(background, x=float(shift)))
        measures = measure(scene, document, "background")
        found.append((round(measures["misaligned"], 6), verdict("layout-alignment", measures)))
    assert found == [(0.0, "good"), (2 / 800, "good"), (30 / 800, "flawed")]


def test_a_small_element_of_the_wrong_colour_does_not_set_the_mood() -> None:
    scene = handmade()[1]  # technical, which pink speaks against

    text, panel = scene.document.layer("body-1"), scene.document.layer("panel")
    assert isinstance(text, TextLayer) and isinstance(panel, ShapeLayer)
    small = scene.document.replace_layer(dataclasses.replace(text, color="#ff40a0"))
    large = scene.document.replace_layer(dataclasses.replace(panel, fill="#ff40a0"))
    assert measure(scene, small, "body-1")["mood"] < 0.045
    assert measure(scene, large, "panel")["mood"] > 0.11


def test_a_pattern_of_marks_has_no_edge_that_could_leave_the_page() -> None:
    pixels = np.zeros((200, 200, 4), np.uint8)
    pixels[::20, ::20] = pixels[199, 199] = (20, 60, 90, 255)
    dots = ImageLayer(id="dots", asset="dots", width=1000, height=1000)
    scene = Scene(Document(1000, 1000, "#ffffff", (dots,), {"dots": png_bytes(pixels)}), {"dots": "background"})
    shifted = scene.document.replace_layer(dataclasses.replace(dots, x=60.0))
    assert measure(scene, shifted, "dots")["misaligned"] == 0.0
