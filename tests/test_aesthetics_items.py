"""Generated designs and their flaws: what is planted is there, is seen, and stays within its split."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from designgym.envs.aesthetics.blocks.design import CELL_PX, FONTS, PAGE_PX
from designgym.envs.aesthetics.blocks.flaws import FAINT_CONTRAST, KINDS
from designgym.envs.aesthetics.blocks.item import Item, Settings, element_box, item
from designgym.envs.aesthetics.blocks.layout import GRID, MARGIN, sample_layout, split_of
from designgym.envs.aesthetics.blocks.palette import HUE_STEP_DEG, sample_palette
from designgym.graphics.color import contrast_ratio, hex_to_oklch
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.visible import visible_fraction

SMALL = Settings(image_size=64, clean_share=0.0)
SPLITS = ("train", "validation", "test")


def flawed(kind: str, number: int, split: str = "train") -> Item:
    return item(f"{split}-{number:06d}", dataclasses.replace(SMALL, flaws=(kind,)))


@pytest.mark.parametrize("kind", KINDS)
def test_exactly_the_flawed_element_differs_from_the_clean_design(kind: str) -> None:
    for number in range(30):
        shown = flawed(kind, number)
        assert shown.flaw is not None and shown.flaw.kind == kind
        before = {layer.id: layer for layer in shown.clean_document.layers}
        changed = [
            layer.id
            for layer in shown.document.layers
            if layer != before[layer.id]
            or (
                isinstance(layer, ImageLayer)
                and shown.document.assets[layer.asset] != shown.clean_document.assets[layer.asset]
            )
        ]
        assert changed == [shown.flaw.element]
        assert shown.truth == shown.boxes[shown.flaw.element]


@pytest.mark.parametrize("kind", KINDS)
def test_a_flaw_changes_the_picture(kind: str) -> None:
    for number in range(20):
        shown = flawed(kind, number)
        clean = dataclasses.replace(shown, document=shown.clean_document)
        assert not np.array_equal(shown.image, _render(clean.document))


def test_a_faint_element_has_the_stated_contrast_and_others_are_readable() -> None:
    for number in range(40):
        shown = flawed("low_contrast", number)
        for layer in shown.document.layers:
            color = layer.color if isinstance(layer, TextLayer) else getattr(layer, "fill", None)
            if color is None:
                continue
            contrast = contrast_ratio(color, shown.document.background)
            if shown.flaw is not None and layer.id == shown.flaw.element:
                assert contrast <= FAINT_CONTRAST
            else:
                assert contrast >= (4.5 if isinstance(layer, TextLayer) else 2.0)


def test_a_clash_lies_across_the_hue_circle() -> None:
    for number in range(40):
        shown = flawed("clash", number)
        assert shown.flaw is not None
        loud = hex_to_oklch(shown.flaw.after)
        others = [
            hex_to_oklch(layer.color if isinstance(layer, TextLayer) else layer.fill)  # type: ignore[arg-type]
            for layer in shown.document.layers
            if isinstance(layer, (TextLayer, ShapeLayer)) and layer.id != shown.flaw.element
        ]
        for _, chroma, hue in others:
            assert loud[1] > chroma
            assert abs((loud[2] - hue + 180) % 360 - 180) > 90


def test_an_enlarged_element_grows_by_half_at_least_and_stays_on_the_page() -> None:
    for number in range(40):
        shown = flawed("size", number)
        assert shown.flaw is not None
        old, new = shown.clean_document.layer(shown.flaw.element), shown.document.layer(shown.flaw.element)
        assert new.width * new.height >= 1.5 * old.width * old.height
        assert new.x >= 0 and new.y >= 0 and new.x + new.width <= PAGE_PX and new.y + new.height <= PAGE_PX


def test_a_misplaced_element_crosses_the_edge_of_the_page_and_its_box_is_clipped() -> None:
    for number in range(40):
        shown = flawed("position", number)
        assert shown.flaw is not None and shown.truth is not None
        layer = shown.document.layer(shown.flaw.element)
        outside = layer.x < 0 or layer.y < 0 or layer.x + layer.width > PAGE_PX or layer.y + layer.height > PAGE_PX
        assert outside
        x1, y1, x2, y2 = shown.truth
        assert 0 <= x1 < x2 <= 1 and 0 <= y1 < y2 <= 1
        assert (x2 - x1) * (y2 - y1) * PAGE_PX**2 < layer.width * layer.height


def test_an_overlapping_element_covers_its_share_of_another() -> None:
    for number in range(40):
        shown = flawed("overlap", number)
        assert shown.flaw is not None
        mover = shown.document.layer(shown.flaw.element)
        shares = []
        for layer in shown.document.layers:
            if layer.id != mover.id:
                wide = min(mover.x + mover.width, layer.x + layer.width) - max(mover.x, layer.x)
                high = min(mover.y + mover.height, layer.y + layer.height) - max(mover.y, layer.y)
                least = min(mover.width * mover.height, layer.width * layer.height)
                shares.append(max(0.0, wide) * max(0.0, high) / least)
        assert max(shares) >= 0.3


@pytest.mark.parametrize("split", SPLITS)
def test_elements_of_clean_designs_keep_apart_and_off_the_margin(split: str) -> None:
    for number in range(40):
        shown = item(f"{split}-{number:06d}", Settings(image_size=32, clean_share=1.0))
        assert shown.truth is None and shown.flaw is None
        boxes = list(shown.boxes.values())
        for index, (x1, y1, x2, y2) in enumerate(boxes):
            assert min(x1, y1) >= MARGIN / GRID - 1e-9 and max(x2, y2) <= 1 - MARGIN / GRID + 1e-9
            for ox1, oy1, ox2, oy2 in boxes[index + 1 :]:
                assert x2 <= ox1 or ox2 <= x1 or y2 <= oy1 or oy2 <= y1


def test_every_element_of_a_clean_design_can_be_seen() -> None:
    for number in range(10):
        document = item(f"train-{number:06d}", Settings(image_size=32, clean_share=1.0)).document
        for layer in document.layers:
            assert visible_fraction(document, layer.id, 0.25) > 0.85  # a pale sun on a pale page may vanish


def test_layouts_palettes_and_fonts_of_the_splits_are_disjoint() -> None:
    seen: dict[str, dict[str, set[object]]] = {}
    for split in SPLITS:
        rng = np.random.default_rng(1)
        skeletons = {sample_layout(rng, split, 5).skeleton for _ in range(200)}
        assert {split_of(skeleton) for skeleton in skeletons} == {split}
        hues = {sample_palette(rng, split).hue_deg // HUE_STEP_DEG for _ in range(300)}
        seen[split] = {"skeletons": set(skeletons), "hues": set(hues), "fonts": set(FONTS[split])}
    for what in ("skeletons", "hues", "fonts"):
        train, validation, test = (seen[split][what] for split in SPLITS)
        assert not train & validation and not train & test and not validation & test


def test_layouts_hardly_repeat() -> None:
    rng = np.random.default_rng(0)
    layouts = [sample_layout(rng, "train", int(rng.integers(3, 7))) for _ in range(1000)]
    assert len(set(layouts)) >= 0.98 * len(layouts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [2, 8])
def test_every_kind_of_flaw_can_be_planted_on_pages_of_any_size(kind: str, most: int) -> None:
    settings = Settings(image_size=32, clean_share=0.0, flaws=(kind,), elements=(1, most))
    for number in range(30):
        assert item(f"validation-{number:06d}", settings).truth is not None


def test_boxes_lie_on_the_grid() -> None:
    for kind in ("clash", "size", "overlap"):
        for number in range(10):
            for box in flawed(kind, number).boxes.values():
                assert np.allclose(np.array(box) * GRID, np.rint(np.array(box) * GRID), atol=1e-6)
    assert PAGE_PX == CELL_PX * GRID


def test_the_share_of_clean_designs_is_the_one_stated() -> None:
    settings = Settings(image_size=32, clean_share=0.35, flaws=("clash",))
    clean = [item(f"train-{number:06d}", settings).truth is None for number in range(600)]
    assert 0.29 < sum(clean) / len(clean) < 0.41


def test_the_box_of_a_rotated_layer_is_its_hull_clipped_to_the_page() -> None:
    layer = ShapeLayer(id="a", x=0, y=40, width=100, height=20, rotation_deg=90)  # becomes 20 wide and 100 high
    document = Document(100, 100, layers=(layer,))
    assert element_box(layer, document) == pytest.approx((0.4, 0.0, 0.6, 1.0))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"flaws": ()}, "flaws"),
        ({"flaws": ("blur",)}, "blur"),
        ({"flaws": "clash"}, "'clash'; it must be a list"),
        ({"flaws": (["clash"],)}, "distinct kinds"),
        ({"flaws": None}, "flaws is None"),
        ({"clean_share": 1.5}, "1.5"),
        ({"clean_share": True}, "clean_share is True"),
        ({"clean_share": "half"}, "clean_share is 'half'"),
        ({"clean_share": float("nan")}, "clean_share is nan"),
        ({"image_size": 16}, "16"),
        ({"elements": (0, 3)}, "elements"),
        ({"elements": (4, 3)}, "elements"),
        ({"elements": (1.5, 3)}, "elements is"),
        ({"elements": (True, 3)}, "elements is"),
        ({"elements": ("1", "3")}, "elements is"),
        ({"elements": 5}, "elements is 5; it must be a list"),
        ({"elements": (1, 1)}, "overlap"),
    ],
)
def test_impossible_settings_are_refused_with_the_value(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Settings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("task", ["train-1", "holdout-000001", "test-010000", "train--00001", "train-१२३४५६", "", None])
def test_unknown_tasks_are_refused_with_the_form_of_valid_ones(task: str) -> None:
    with pytest.raises(ValueError, match="train-000000"):
        item(task, SMALL)


def _render(document: Document) -> np.ndarray:
    from designgym.graphics.render import render

    return render(document, 64 / PAGE_PX)
