"""The released benchmark's folder, annotated drafts, and boxes as data sets write them."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path
from typing import Any

import pytest
from release_shape import METADATA, design, entry, part, picture

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sources.changes import Change, changed_elements
from designgym.envs.aesthetics.sources.drafts import DraftSource
from designgym.envs.aesthetics.sources.geometry import corner_box, fraction_box
from designgym.envs.aesthetics.sources.indicator_names import indicator_name
from designgym.envs.aesthetics.sources.release import ReleaseSource
from designgym.errors import UserError

PAGE = (400, 200)


def test_boxes_become_fractions_of_the_page() -> None:
    assert fraction_box(40, 20, 80, 100, PAGE) == (0.1, 0.1, 0.3, 0.6)
    assert corner_box([40, 20, 120, 120], PAGE) == (0.1, 0.1, 0.3, 0.6)


def test_a_turned_element_has_the_box_of_its_hull() -> None:
    # 80 x 20 about the centre (100, 100), turned by 90 degrees: 20 x 80.
    assert fraction_box(60, 90, 80, 20, PAGE, 90) == pytest.approx((0.225, 0.3, 0.275, 0.7))


def test_reversed_boxes_are_turned_round_and_what_lies_beyond_the_page_is_cut_off() -> None:
    assert fraction_box(120, 120, -80, -100, PAGE) == (0.1, 0.1, 0.3, 0.6)
    assert corner_box([120, 120, 40, 20], PAGE) == (0.1, 0.1, 0.3, 0.6)
    assert fraction_box(-100, -100, 200, 1000, PAGE) == (0.0, 0.0, 0.25, 1.0)


@pytest.mark.parametrize(
    "box", [(10, 10, 0, 50), (10, 10, 50, 0), (400, 0, 50, 50), (-60, 0, 50, 50), (0, 199.9, 50, 9), (10, 10, 0.1, 90)]
)
def test_boxes_without_area_on_the_page_are_none(box: tuple[float, ...]) -> None:
    assert fraction_box(*box, PAGE) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "3", True, [1], 10**400])
def test_a_side_that_is_no_finite_number_breaks_the_box(value: Any) -> None:
    with pytest.raises(BrokenRecord):
        fraction_box(0, 0, 10, value, PAGE)
    with pytest.raises(BrokenRecord):
        corner_box([0, value, 10, 10], PAGE)


def test_a_release_folder_gives_every_design_and_indicator_once(tmp_path: Path) -> None:
    design(tmp_path / "poster_1-perturbs_new", {"layout-balance": [entry(1)]})
    design(tmp_path / "poster_0-perturbs_new")
    source = ReleaseSource(tmp_path)
    assert source.size("test") == 24
    assert source.size("train") == 0
    asked = [source.ask("test", number) for number in range(24)]
    assert [indicator for _, indicator in asked[:12]] == list(INDICATORS)
    assert {sample.id for sample, _ in asked[:12]} == {"poster_0-perturbs_new"}
    assert {sample.id for sample, _ in asked[12:]} == {"poster_1-perturbs_new"}
    with pytest.raises(UserError, match="24 questions"):
        source.ask("test", 24)


def test_labels_elements_picture_and_flaws_are_read(tmp_path: Path) -> None:
    labels = {"layout-balance": [entry(1)], "color-contrast": [entry(2, "text_color"), entry(1, "color")]}
    changes = [{"element_index": 1, "attribute": "left", "original": 0.0, "perturbed": -50.0, "type": "position"}]
    design(tmp_path / "a", labels, changes=changes)
    sample, _ = ReleaseSource(tmp_path).ask("test", 0)
    assert (sample.width, sample.height) == (400, 300)
    assert sample.harmed == {"layout-balance": ("1",), "color-contrast": ("2", "1")}
    assert sample.judged == tuple(INDICATORS)
    assert sample.metadata == METADATA
    assert [(element.id, element.kind) for element in sample.elements] == [
        ("0", "background"),
        ("1", "picture"),
        ("2", "text"),
        ("3", "shape"),
    ]
    assert sample.element("1").box == pytest.approx((0.0, 1 / 3, 0.5, 2 / 3))
    assert sample.element("2").text == "Sale"
    assert sample.element("3").box == pytest.approx((330 / 400, 170 / 300, 350 / 400, 250 / 300))
    assert sample.page(400).shape == (300, 400, 3)
    assert sample.page(400)[0, 0].tolist() == [0, 0, 128]
    moved, recolored, colored = sample.flaws
    assert (moved.operation, moved.element, moved.attribute) == ("position", "1", "left")
    assert (moved.before, moved.after, moved.harms) == (0.0, -50.0, ("layout-balance",))
    assert (recolored.element, recolored.harms) == ("2", ("color-contrast",))
    assert (colored.element, colored.harms) == ("1", ("color-contrast",))


def test_an_element_that_only_the_labels_know_takes_its_recorded_box(tmp_path: Path) -> None:
    design(tmp_path / "a", {"layout-balance": [entry(9)]})
    sample, _ = ReleaseSource(tmp_path).ask("test", 0)
    assert sample.element("9").box == pytest.approx((0, 1 / 3, 250 / 400, 2 / 3))


def test_an_indicator_whose_harmed_element_cannot_be_seen_is_not_judged(tmp_path: Path) -> None:
    design(tmp_path / "a", {"layout-balance": [entry(4)], "color-harmony": [entry(4), entry(1)]})
    source = ReleaseSource(tmp_path)
    sample, _ = source.ask("test", 0)
    assert "layout-balance" not in sample.judged
    assert "layout-balance" not in sample.harmed
    assert sample.harmed["color-harmony"] == ("1",)
    assert source.size("test") == 11
    assert "layout-balance is not judged" in next(iter(source.skipped.notes.values()))


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"preview": picture()[:50]}, "preview.png is no whole picture"),
        ({"preview": b""}, "preview.png is no whole picture"),
        ({"metadata": {"canvas_width": 0, "canvas_height": 9, "elements": []}}, "at least 1 px"),
        ({"metadata": {"canvas_width": 10, "canvas_height": 9}}, "no list of elements"),
        ({"metadata": [1]}, "must be an object"),
        ({"metadata": METADATA | {"elements": [part(0, "SvgElement", 0, 0, math.nan, 5)]}}, "width is nan"),
        ({"metadata": METADATA | {"elements": [part(0, "SvgElement", 0, 0, 5, 5)] * 2}}, "have the index 0"),
        ({"labels": {"layout-balance": {"element_index": [1]}}}, "must be a list of objects"),
        ({"labels": {"layout-balance": [{"element_index": [77], "attribute": "left"}]}}, "names element 77"),
    ],
)
def test_a_broken_design_is_skipped_counted_and_named_and_strict_stops_at_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: dict[str, Any], reason: str
) -> None:
    design(tmp_path / "bad", **how)
    design(tmp_path / "good")
    with caplog.at_level(logging.WARNING, "designgym.broken"):
        source = ReleaseSource(tmp_path)
    assert source.size("test") == 12
    assert len(source.skipped) == len(caplog.records) == 1
    assert reason in caplog.text
    assert str(tmp_path / "bad") in caplog.text
    with pytest.raises(BrokenRecord, match="bad"):
        ReleaseSource(tmp_path, strict=True)


def test_unreadable_changes_leave_the_flaws_that_the_labels_tell(tmp_path: Path) -> None:
    folder = design(tmp_path / "a", {"layout-balance": [entry(1)]})
    (folder / "changes.json").write_text("{half")
    source = ReleaseSource(tmp_path)
    assert [(flaw.element, flaw.operation) for flaw in source.ask("test", 0)[0].flaws] == [("1", "left")]
    assert "changes.json" in next(iter(source.skipped.notes.values()))


def test_a_folder_without_a_usable_design_is_refused(tmp_path: Path) -> None:
    design(tmp_path / "bad", preview=b"no")
    with pytest.raises(UserError, match=r"No design .* 1 broken record was skipped"):
        ReleaseSource(tmp_path)


def test_the_name_of_a_source_follows_its_content(tmp_path: Path) -> None:
    for name, labels in (("one", {}), ("two", {"layout-balance": [entry(1)]}), ("three", {})):
        design(tmp_path / name / "a", labels)
    names = [ReleaseSource(tmp_path / name).name for name in ("one", "two", "three")]
    assert names[0] == names[2] != names[1]


def test_changes_are_read_in_several_forms() -> None:
    moved = Change("3", "left", "left", 1, 2)
    assert changed_elements([{"element_index": 3, "attribute": "left", "original": 1, "new": 2}]) == [moved]
    assert changed_elements({"3": {"attribute": "left", "before": 1, "after": 2}}) == [moved]
    assert changed_elements({"changes": {"3": [{"property": "left", "old": 1, "new": 2}]}}) == [moved]
    both = changed_elements({"element_index": [1, 2], "attribute": ["left", "top"], "operation": "position"})
    assert both == [Change("1", "position", "left+top", None, None), Change("2", "position", "left+top", None, None)]
    assert changed_elements({"note": "nothing", "count": 3}) == []


def test_names_of_indicators_as_people_write_them() -> None:
    assert all(indicator_name(name) == name for name in INDICATORS)
    assert indicator_name("Layout Balance") == "layout-balance"
    assert indicator_name("colour_appealing") == "color-appeal"
    assert indicator_name("font-legbility") == "font-legibility"
    assert indicator_name("beauty") is None


DRAFT = {
    "id": "fair",
    "image": "fair.png",
    "judged": ["layout-balance", "color-contrast", "layout-alignment"],
    "elements": [{"id": "title", "kind": "text", "box": [4, 3, 36, 9], "text": "Job fair"}],
    "flaws": [
        {"indicators": ["color-contrast"], "element": "title", "comment": "sinks into the ground"},
        {"indicators": ["layout-balance"], "box": [40, 30, 20, 15]},
    ],
}


def drafts(folder: Path, *records: Any) -> Path:
    (folder / "fair.png").write_bytes(picture())
    (folder / "drafts.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def test_annotated_drafts_are_read(tmp_path: Path) -> None:
    source = DraftSource(drafts(tmp_path, DRAFT))
    assert [source.ask("test", number)[1] for number in range(3)] == [
        "layout-balance",
        "layout-alignment",
        "color-contrast",
    ]
    sample, _ = source.ask("test", 0)
    assert (sample.id, sample.width, sample.height) == ("fair", 40, 30)
    assert sample.harmed == {"color-contrast": ("title",), "layout-balance": ("flaw-1",)}
    assert sample.element("title").box == pytest.approx((0.1, 0.1, 0.9, 0.3))
    assert sample.element("flaw-1").box == (0.5, 0.5, 1.0, 1.0)
    assert sample.flaws[0].after == "sinks into the ground"
    assert sample.page(40).shape == (30, 40, 3)


def test_the_frame_and_order_of_boxes_are_declared(tmp_path: Path) -> None:
    flaw = {"indicators": ["layout-balance"], "box": [0.25, 0.5, 0.5, 0.25]}
    base = {"id": "a", "image": "fair.png", "flaws": [flaw], "frame": "fraction"}
    source = DraftSource(drafts(tmp_path, base, base | {"id": "b", "order": "ltwh"}))
    assert source.sample("a").element("flaw-0").box == (0.25, 0.25, 0.5, 0.5)
    assert source.sample("b").element("flaw-0").box == (0.25, 0.5, 0.75, 0.75)
    assert source.size("test") == 24


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"image": "../fair.png"}, "outside of the folder"),
        ({"image": "none.png"}, "cannot be read"),
        ({"id": ""}, "needs an 'id'"),
        ({"colour": 1}, "'colour' is unknown"),
        ({"judged": ["beauty"]}, "'beauty' is no indicator"),
        ({"judged": ["layout-balance"]}, "'judged' does not list"),
        ({"flaws": [{"indicators": ["layout-balance"], "element": "x"}]}, "names the element 'x'"),
        ({"flaws": [{"indicators": ["layout-balance"], "box": [50, 50, 60, 60]}]}, "no area on the page"),
        ({"flaws": [{"indicators": ["layout-balance"], "box": [1, 2, None, 4]}]}, "must be four numbers"),
        ({"frame": "thousand"}, "frame is 'thousand'"),
        ({"elements": [DRAFT["elements"][0]] * 2}, "same id"),
        ({"elements": [{"id": "a", "kind": "blob", "box": [0, 0, 9, 9]}]}, "kind 'blob'"),
    ],
)
def test_a_broken_draft_is_skipped_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, Any], reason: str
) -> None:
    folder = drafts(tmp_path, DRAFT | {"id": "good"}, DRAFT | change, [1])
    with caplog.at_level(logging.WARNING, "designgym.broken"):
        source = DraftSource(folder)
    assert source.size("test") == 3
    assert reason in caplog.text
    assert "drafts.jsonl:2" in caplog.text
    with pytest.raises(BrokenRecord, match=r"drafts.jsonl:2"):
        DraftSource(folder, strict=True)
