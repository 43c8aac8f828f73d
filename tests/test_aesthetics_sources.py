"""Names and paths to sources, and Crello's designs perturbed on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crello_shape import background, element, write
from crello_shape import design as crello_design
from release_shape import design as release_design
from release_shape import entry, picture

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import png_bytes
from designgym.envs.aesthetics.sources.crello import read_crello
from designgym.envs.aesthetics.sources.crello_scene import mood_of, roles_of
from designgym.envs.aesthetics.sources.crello_source import CrelloSource
from designgym.envs.aesthetics.sources.drafts import DraftSource
from designgym.envs.aesthetics.sources.frozen import FrozenSource, write_benchmark
from designgym.envs.aesthetics.sources.release import ReleaseSource
from designgym.envs.aesthetics.sources.resolve import kind_of_folder, resolve_source
from designgym.envs.aesthetics.sources.voted import VotedSource
from designgym.errors import UserError
from designgym.graphics.document import ImageLayer


def test_kinds_of_folders_are_recognised(tmp_path: Path) -> None:
    release_design(tmp_path / "release" / "a", {"layout-balance": [entry(1)]})
    write_benchmark(ReleaseSource(tmp_path / "release"), tmp_path / "frozen", 1)
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "a.png").write_bytes(picture())
    (tmp_path / "drafts" / "drafts.jsonl").write_text('{"id": "a", "image": "a.png"}')
    write(tmp_path / "crello" / "data" / "test-00000-of-00001.parquet", [crello_design(element("ImageElement"))])
    for name in ("frozen", "release", "drafts", "crello"):
        assert kind_of_folder(tmp_path / name) == name
    assert isinstance(resolve_source(tmp_path / "frozen"), FrozenSource)
    assert isinstance(resolve_source(str(tmp_path / "release")), ReleaseSource)
    assert isinstance(resolve_source(tmp_path / "drafts"), DraftSource)
    assert isinstance(resolve_source(tmp_path / "drafts" / "drafts.jsonl"), DraftSource)
    assert resolve_source(tmp_path / "crello").size("test") == 12
    only = resolve_source(tmp_path / "frozen", indicators=["color-contrast"])
    assert only.size("test") == 1
    assert only.ask("test", 0)[1] == "color-contrast"
    votes = tmp_path / "votes.csv"
    votes.write_text("design,indicator,annotator,vote\na,layout-balance,ann,no\n")
    voted = resolve_source(tmp_path / "release", votes=votes)
    inside = tmp_path / "release" / "votes.csv"
    inside.write_text(votes.read_text())
    assert kind_of_folder(inside) == "release"
    assert resolve_source(inside).name == voted.name
    assert resolve_source(inside).ask("test", 0)[0].harmed == {}
    assert isinstance(voted, VotedSource)
    assert voted.ask("test", 0)[0].harmed == {}


@pytest.mark.parametrize(
    ("name", "how", "reason"),
    [
        ("layout", {}, "Did you mean 'layouts'"),
        ("nowhere", {}, "no such path"),
        (".", {}, "holds no designs"),
        ("layouts", {"clean_share": 2.0}, "clean_share is 2.0"),
        ("layouts", {"indicators": ["beauty"]}, "'beauty'"),
        ("frozen", {"clean_share": 0.5}, "leave it out"),
        ("frozen", {"indicators": ["beauty"]}, "judges no design on beauty"),
    ],
)
def test_what_cannot_be_resolved_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, how: dict[str, Any], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").touch()
    if name == "frozen":
        release_design(tmp_path / "release" / "a")
        write_benchmark(ReleaseSource(tmp_path / "release"), tmp_path / "frozen", 1)
    with pytest.raises(UserError, match=reason):
        resolve_source(name, **how)


def photo(seed: int) -> dict[str, Any]:
    """A picture with grain, finer than it is shown."""
    pixels = np.random.default_rng(seed).integers(40, 220, (200, 300, 3), dtype=np.uint8)
    alpha = np.full((*pixels.shape[:2], 1), 255, np.uint8)
    return {"bytes": png_bytes(np.concatenate([pixels, alpha], axis=-1)), "path": None}


def page(name: str, **changes: Any) -> dict[str, Any]:
    """A design that the label rule finds good: a photo above, three texts below, each in a place of its own."""
    left = {"left": 40.0, "width": 320.0}
    number = int(name.removeprefix("d"))
    return crello_design(
        background(),
        element("ImageElement", top=20.0, left=40.0, width=150.0, height=100.0, image=photo(number)),
        element("TextElement", text=f"Title {number}", top=140.0, height=44.0, font_size=36.0, **left),
        element("TextElement", text="What it is about", top=200.0, height=26.0, font_size=22.0, **left),
        element("TextElement", text="Friday, ten o'clock", top=250.0, height=20.0, font_size=14.0, **left),
        **({"id": name, "title": f"Theme {number}", "keywords": [f"word{number}"], "category": number % 2} | changes),
    )


@pytest.fixture(scope="module")
def crello_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crello")
    broken = page("d3", left=[])
    write(folder / "test-00000-of-00001.parquet", [page("d0"), page("d1"), page("d2"), broken], row_group_size=2)
    return folder


def test_crello_designs_are_perturbed_the_same_in_every_process(crello_folder: Path) -> None:
    one, two = CrelloSource(crello_folder), CrelloSource(crello_folder)
    assert one.size("test") == 4 * 12
    assert one.size("train") == 0
    assert one.name == two.name
    for number in (9, 2, 15, 46):
        (first, indicator), (second, _) = one.ask("test", number), two.ask("test", number)
        assert indicator == tuple(INDICATORS)[number % 12]
        assert (first.id, first.document, first.flaws) == (second.id, second.document, second.flaws)
    assert list(one.skipped.records) == [f"{crello_folder}/test-00000-of-00001.parquet, row 3 (id 'd3')"]
    with pytest.raises(BrokenRecord, match="row 3"):
        CrelloSource(crello_folder, strict=True).ask("test", 46)


def test_labels_follow_the_flaws_that_are_planted(crello_folder: Path) -> None:
    names = ("color-contrast", "layout-alignment", "graphic-quality", "graphic-relevance")
    source = CrelloSource(crello_folder, names, 0.0)
    for number in range(4):
        sample, indicator = source.ask("test", number)
        assert len(sample.harmed[indicator]) == 1
        assert sample.judged == tuple(INDICATORS)
        assert set(sample.harmed) == {name for flaw in sample.flaws for name in flaw.harms}
        assert sample.clean_document != sample.document
        assert sample.metadata["canvas_width"] == 400
    clean = CrelloSource(crello_folder, names, 1.0)
    assert all(not sample.harmed.get(name) for sample, name in (clean.ask("test", number) for number in range(8)))


def test_a_picture_is_replaced_by_one_of_another_design(crello_folder: Path) -> None:
    sample, _ = CrelloSource(crello_folder, ["graphic-relevance"], 0.0).ask("test", 0)
    (flaw,) = [flaw for flaw in sample.flaws if "graphic-relevance" in flaw.harms]
    assert sample.document is not None
    shown = sample.document.layer(flaw.element)
    assert isinstance(shown, ImageLayer)
    assert sample.document.assets[shown.asset] == photo(1)["bytes"]  # of category 1, as the design's own is of 0


def test_designs_that_break_the_label_rule_as_they_are_are_left_out(tmp_path: Path) -> None:
    faint = page("d0")
    faint["text_color"][3] = ["rgba(250, 240, 230, 1)"] * len(faint["text"][3])
    folder = write(tmp_path / "test.parquet", [faint, page("d1")])
    source = CrelloSource(folder, ["layout-alignment"], 1.0)
    assert {source.ask("test", number)[0].id.rpartition("/")[2] for number in range(2)} == {"d1"}
    alone = CrelloSource(write(tmp_path / "alone" / "test.parquet", [faint]), ["layout-alignment"])
    with pytest.raises(UserError, match=r"No design near test 0 .* layout-alignment"):
        alone.ask("test", 0)


def test_roles_follow_from_kinds_and_sizes(crello_folder: Path) -> None:
    (design, *_) = read_crello(crello_folder)
    assert roles_of(design.document) == {
        "element-1": "picture",
        "element-2": "title",
        "element-3": "subtitle",
        "element-4": "body",
    }
    assert mood_of(["Our wedding"]) == "romantic"
    assert mood_of(["gardening tools"]) == ""


@pytest.mark.parametrize("how", [{"clean_share": 1.5}, {"indicators": []}, {"indicators": ["beauty"]}])
def test_settings_that_make_no_sense_are_refused(crello_folder: Path, how: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"clean_share is|indicators is"):
        CrelloSource(crello_folder, **how)
    source = CrelloSource(crello_folder)
    with pytest.raises(UserError, match="48 tasks"):
        source.ask("test", 48)
