"""Frozen benchmarks: written once, to the same bytes however often interrupted, and refused when changed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from crello_shape import png
from release_shape import design as release_design
from release_shape import entry

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import make_item
from designgym.envs.aesthetics.metadata import design_metadata
from designgym.envs.aesthetics.sample import Element, Flaw, Sample
from designgym.envs.aesthetics.sources.frozen import FrozenSource, write_benchmark
from designgym.envs.aesthetics.sources.frozen_folder import verify_benchmark
from designgym.envs.aesthetics.sources.release import ReleaseSource
from designgym.errors import UserError
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, Stroke, TextLayer
from designgym.jsonl import CutOffWarning
from designgym.tasks import Split


def sample(number: int) -> Sample:
    """A page of four elements; of odd numbers the title is harmed in two respects."""
    clean = Document(
        320,
        160,
        "#fafafa",
        (
            ShapeLayer(id="bar", x=0, y=0, width=320, height=20, fill="#204060", stroke=Stroke("#000000", 2.0)),
            TextLayer(id="title", x=20, y=30, width=200, height=40, text=f"Sale {number}", color="#111111"),
            TextLayer(id="date", x=20, y=90, width=120, height=30, text="Friday", size_px=20.0),
            ImageLayer(id="photo", x=200, y=80, width=60, height=40, asset="photo"),
        ),
        {"photo": png()},
    )
    document, flaws, harmed = clean, (), {}
    if number % 2:
        title = clean.layer("title")
        document = clean.replace_layer(dataclasses.replace(title, color="#eeeeee", x=150.0))
        harms = ("color-contrast", "font-legibility")
        before = {"color": "#111111", "points": (1, (2, 3)), "stroke": Stroke(), "x": np.float64(20.0)}
        flaws = (Flaw("low_contrast", "title", "color", before, "#eeeeee", 0.5, {"contrast": 1.2}, harms),)
        harmed = dict.fromkeys(harms, ("title",))
    boxes = {"bar": (0, 0, 1, 0.125), "title": (0.5, 0.2, 0.9, 0.4), "date": (0.1, 0.6, 0.4, 0.7)}
    elements = [Element(name, "text", "", box, name) for name, box in boxes.items()]  # type: ignore[arg-type]
    elements.append(Element("photo", "picture", "", (0.6, 0.5, 0.8, 0.75)))
    return Sample(
        id=f"made/{number}",
        width=320,
        height=160,
        elements=tuple(elements),
        flaws=flaws,
        harmed=harmed,
        document=document,
        clean_document=clean,
        metadata=design_metadata(document),
        judged=tuple(INDICATORS),
    )


class Made:
    """A source of 40 tasks about 20 designs, which can be made to fail."""

    name = "made"

    def __init__(self, calls: int = 10**9) -> None:
        self.calls = calls

    def size(self, split: Split) -> int:
        return 40 if split == "test" else 0

    def ask(self, split: Split, number: int) -> tuple[Sample, str]:
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return sample(number // 2), "layout-balance"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


def test_every_design_is_stored_once_and_asked_about_twelve_times(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    manifest = write_benchmark(Made(), tmp_path / "b", 9, seed=3, progress=lambda done, all_: told.append((done, all_)))
    source = FrozenSource(tmp_path / "b")
    assert source.size("test") == 9 * 12
    assert source.size("train") == 0
    asked = [source.ask("test", number) for number in range(source.size("test"))]
    assert len({found.id for found, _ in asked}) == 9
    assert [indicator for _, indicator in asked] == list(INDICATORS) * 9
    assert told == [(number, 9) for number in range(1, 10)]
    assert source.name == f"frozen:{manifest['hash'][:12]}"
    assert sorted(contents(tmp_path / "b")) == [
        f"assets/{name}" for name in sorted(path.name for path in (tmp_path / "b" / "assets").iterdir())
    ] + ["benchmark.json", "designs.jsonl", "questions.jsonl"]


def test_a_sample_comes_back_as_it_was(tmp_path: Path) -> None:
    write_benchmark(Made(), tmp_path / "b", 20)
    source = FrozenSource(tmp_path / "b")
    for number in (4, 7):
        back, made = source.sample(f"made/{number}"), sample(number)
        for name in ("id", "width", "height", "elements", "harmed", "document", "clean_document", "metadata", "judged"):
            assert getattr(back, name) == getattr(made, name), name
        assert np.array_equal(back.page(160), made.page(160))
        assert back.document is not None and back.clean_document is not None
        assert back.document.assets["photo"] is back.clean_document.assets["photo"]
    (flaw,) = source.sample("made/7").flaws
    (was,) = sample(7).flaws
    assert flaw.before == {
        "color": "#111111",
        "points": (1, (2, 3)),
        "stroke": {"color": "#000000", "width_px": 1.0},
        "x": 20.0,
    }
    assert dataclasses.replace(flaw, before=None) == dataclasses.replace(was, before=None)


def test_flaws_and_harmed_designs_are_counted_for_each_indicator(tmp_path: Path) -> None:
    counts = write_benchmark(Made(), tmp_path / "b", 20)["counts"]
    assert counts["designs"] == 20
    assert counts["questions"] == {"judgment": 240, "selection": 240, "localization": 240}
    assert counts["flaws"] == {
        "all": 10,
        "by_operation": {"low_contrast": 10},
        "designs_by_number": {"0": 10, "1": 10},
    }
    assert counts["indicators"]["color-contrast"] == {"judged": 20, "harmed": 10, "share": 0.5, "flaws": 10}
    assert counts["indicators"]["layout-balance"] == {"judged": 20, "harmed": 0, "share": 0.0, "flaws": 0}


def test_the_right_answers_and_the_regions_offered_are_frozen(tmp_path: Path) -> None:
    write_benchmark(Made(), tmp_path / "b", 20)
    records = [json.loads(line) for line in (tmp_path / "b" / "questions.jsonl").read_text().splitlines()]
    assert len(records) == 240
    (record,) = [r for r in records if (r["design"], r["indicator"]) == ("made/7", "color-contrast")]
    assert (record["verdict"], record["boxes"]) == ("yes", [[0.5, 0.2, 0.9, 0.4]])
    assert record["options"]["ABCD".index(record["choice"])] == [0.5, 0.2, 0.9, 0.4]
    assert record["options"].count(None) == 1
    item = make_item("selection", sample(7), "color-contrast")
    assert item is not None
    assert [option and list(option) for option in item.options] == record["options"]
    verify_benchmark(tmp_path / "b")


@pytest.mark.parametrize("cut", [False, True])
def test_a_killed_process_leaves_a_folder_that_the_same_call_finishes_to_the_same_bytes(
    tmp_path: Path, cut: bool
) -> None:
    whole = write_benchmark(Made(), tmp_path / "whole", 12, seed=1)
    with pytest.raises(KeyboardInterrupt):
        write_benchmark(Made(calls=9), tmp_path / "killed", 12, seed=1)
    with pytest.raises(UserError, match="is not finished"):
        FrozenSource(tmp_path / "killed")
    if cut:  # killed in the middle of a line
        lines = tmp_path / "killed" / "designs.jsonl"
        lines.write_bytes(lines.read_bytes()[:-40])
        with pytest.warns(CutOffWarning):
            again = write_benchmark(Made(), tmp_path / "killed", 12, seed=1)
    else:
        again = write_benchmark(Made(), tmp_path / "killed", 12, seed=1)
    assert again == whole
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert write_benchmark(Made(calls=0), tmp_path / "whole", 12, seed=1) == whole  # finished: nothing is asked


def test_the_seed_chooses_the_designs(tmp_path: Path) -> None:
    hashes = [write_benchmark(Made(), tmp_path / str(seed), 5, seed=seed)["hash"] for seed in (0, 1)]
    again = write_benchmark(Made(), tmp_path / "again", 5, seed=0)["hash"]
    assert hashes[0] == again != hashes[1]


def test_other_settings_or_files_in_the_folder_are_refused(tmp_path: Path) -> None:
    write_benchmark(Made(), tmp_path / "b", 5)
    with pytest.raises(UserError, match="begun with seed = 0, and now it is 7"):
        write_benchmark(Made(), tmp_path / "b", 5, seed=7)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "thesis.txt").touch()
    with pytest.raises(UserError, match="holds something else"):
        write_benchmark(Made(), tmp_path / "c", 5)
    with pytest.raises(UserError, match="21 designs are wanted, and 'made' has 20"):
        write_benchmark(Made(), tmp_path / "d", 21)
    with pytest.raises(UserError, match="at least 1"):
        write_benchmark(Made(), tmp_path / "e", 0)


def test_changed_content_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "b"
    write_benchmark(Made(), folder, 6)
    source = FrozenSource(folder)
    designs, (asset, *_) = folder / "designs.jsonl", (folder / "assets").iterdir()
    kept = designs.read_bytes()
    designs.write_bytes(kept.replace(b"Friday", b"Monday"))
    with pytest.raises(UserError, match="was changed since it was frozen"):
        FrozenSource(folder)
    designs.write_bytes(kept)
    picture = asset.read_bytes()
    asset.write_bytes(picture + b" ")
    with pytest.raises(UserError, match="was changed since it was frozen"):
        source.ask("test", 0)
    with pytest.raises(UserError, match="was changed since it was frozen"):
        verify_benchmark(folder)
    asset.unlink()
    with pytest.raises(UserError, match="is missing"):
        FrozenSource(folder)
    asset.write_bytes(picture)
    (folder / "benchmark.json").write_text("{}")
    with pytest.raises(UserError, match="format None"):
        FrozenSource(folder)
    (folder / "benchmark.json").write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        FrozenSource(folder)


def test_pages_can_be_stored_as_pixels(tmp_path: Path) -> None:
    write_benchmark(Made(), tmp_path / "b", 3, pages_px=160)
    back, _ = FrozenSource(tmp_path / "b").ask("test", 0)
    assert back.preview is not None
    assert back.document is not None
    made = sample(int(back.id.removeprefix("made/")))
    assert np.array_equal(back.page(160), made.page(160))


def test_designs_that_are_not_judged_on_all_twelve_are_passed_over(tmp_path: Path) -> None:
    release_design(tmp_path / "r" / "a", {"layout-balance": [entry(1)]})
    release_design(tmp_path / "r" / "b", {"layout-balance": [entry(4)]})  # nothing of it can be seen
    write_benchmark(ReleaseSource(tmp_path / "r"), tmp_path / "b", 1)
    source = FrozenSource(tmp_path / "b")
    assert {source.ask("test", number)[0].id for number in range(12)} == {"a"}
    assert source.ask("test", 0)[0].harmed == {"layout-balance": ("1",)}
