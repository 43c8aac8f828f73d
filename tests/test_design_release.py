from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from designgym.broken import BrokenRecord
from designgym.envs.design.briefs.brief import NamedColor
from designgym.envs.design.briefs.reading import read_color, read_image_size, read_position, read_size
from designgym.envs.design.briefs.release import read_release
from designgym.envs.design.released import ReleasedTasks
from designgym.envs.design.task import TaskSource
from designgym.errors import UserError
from designgym.pool.embedded import embedded

PLAN = "[{'expert': 'Layout Designer', 'action': CreateDocument(docType=poster)}, ...]"


def record(number: int | str, type: str = "poster", **changed: Any) -> dict[str, Any]:
    return {
        "id": number,
        "type": type,
        "user_query": f"Please make design {number}.",
        "design_components": {
            "background_color": "light blue (RGB: 173, 216, 230)",
            "text": {
                "title": {"content": "Night of Owls", "size": "huge", "color": "navy", "position": "top center"},
                "tagline": {
                    "content": "Bring a torch",
                    "size": "small",
                    "color": "white or cream",
                    "position": "below it",
                },
            },
            "visual": {"an owl": {"size": "large", "position": "center"}},
        },
        "images": [{"content": "owl on a branch", "url": "https://pictures.example/files/owl%20brown.png?size=1"}],
    } | changed


def row(number: int | str, questions: Any, design: str = "poster") -> dict[str, Any]:
    return {"id": number, "design": design, "user_query": f"Please make design {number}.", "questions": questions}


def write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "test" / "poster.jsonl", [record(1), record(2), record(3, user_query=""), record(1)])
    write(tmp_path / "test" / "card.jsonl", [record("7", "businesscard"), record(8, "letterhead")])
    write(tmp_path / "train" / "poster.jsonl", [record(1, reference_plan=PLAN), record(2, reference_plan="[1, 2]")])
    with (tmp_path / "test" / "poster.jsonl").open("a") as stream:
        stream.write('{"id": 9, "type": "pos')
    asked = json.dumps(["Is there an owl?", "Is it night?"])
    write(
        tmp_path / "questions" / "all.jsonl",
        [
            row(1, asked),
            row(2, asked[:-3]),
            row("7", asked, "businesscard"),
            row("7", asked, "businesscard"),
            row(4, asked),
        ],
    )
    return tmp_path


def test_what_can_be_used_is_read_and_the_rest_is_counted_and_named(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        release = read_release(folder)
    assert release.ids("test") == ("test-businesscard-7", "test-poster-1", "test-poster-2")
    assert release.ids("train") == ("train-poster-1", "train-poster-2")
    assert set(release.questions) == {"test-poster-1", "test-businesscard-7"}
    assert release.questions["test-poster-1"] == ("Is there an owl?", "Is it night?")
    assert release.repeated == 2  # a record and a row of questions
    reasons = {place.removeprefix(f"{folder}/"): reason for place, reason in release.skipped.records.items()}
    assert set(reasons) == {
        "test/poster.jsonl:3", "test/poster.jsonl:5", "test/card.jsonl:2", "questions/all.jsonl:2",
        "questions/all.jsonl:5",
    }  # fmt: skip
    assert "its user_query is ''" in reasons["test/poster.jsonl:3"]
    assert "no JSON" in reasons["test/poster.jsonl:5"]
    assert "'letterhead'" in reasons["test/card.jsonl:2"]
    assert "its questions are no JSON" in reasons["questions/all.jsonl:2"]
    assert "no brief" in reasons["questions/all.jsonl:5"]
    assert all(place in caplog.text for place in release.skipped.records)
    assert release.summary.startswith("5 briefs were read, 2 of them with questions. 5 broken records were skipped")
    assert "Test briefs without questions that can be read: 1." in release.summary


def test_components_are_read_and_what_names_nothing_is_left_open(folder: Path) -> None:
    release = read_release(folder)
    brief = release.briefs["test-poster-1"]
    assert (brief.type, brief.query) == ("poster", "Please make design 1.")
    assert brief.background == NamedColor("light blue", (173, 216, 230))
    title, tagline = brief.texts
    assert (title.role, title.content, title.size, title.position) == ("title", "Night of Owls", "huge", "top center")
    assert title.color == NamedColor("navy", (0, 0, 128))
    assert (tagline.size, tagline.color, tagline.position) == ("small", None, None)
    assert brief.visuals[0].size == "large"
    assert brief.images[0].file == "owl.png" and brief.images[0].caption == "owl on a branch"
    assert release.left_open == {"text color": 5, "text position": 5}  # of each of the five briefs


def test_reference_plans_are_kept_as_they_are_and_counted_if_no_parser_reads_them(folder: Path) -> None:
    release = read_release(folder)
    assert release.plans == {"train-poster-1": PLAN, "train-poster-2": "[1, 2]"}
    assert release.unread_plans == 1


def test_strict_stops_at_the_first_record_that_cannot_be_used(folder: Path) -> None:
    with pytest.raises(BrokenRecord, match=r"all\.jsonl:2|card\.jsonl:2"):
        read_release(folder, strict=True)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"design_components": "{"}, "design_components are no JSON"),
        ({"design_components": 3}, "must be an object"),
        ({"images": []}, "1 pictures and has 0 images"),
        ({"images": [{"content": "owl"}]}, "1 pictures and has 0 images"),
        ({"id": True}, "its id is true"),
        ({"type": None}, "its type is null"),
    ],
)
def test_a_record_of_another_form_is_left_out_with_the_reason(
    tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    write(tmp_path / "poster.jsonl", [record(1), record(2, **changed), "text"])
    release = read_release(tmp_path)
    assert list(release.briefs) == ["test-poster-1"]
    broken, text = release.skipped.records.values()
    assert reason in broken and "no JSON object" in text


@pytest.mark.parametrize("part", ["background_color", "text", "visual"])
def test_a_record_without_a_component_is_left_out(tmp_path: Path, part: str) -> None:
    components = dict(record(1)["design_components"])
    del components[part]
    write(tmp_path / "poster.jsonl", [record(1, design_components=components)])
    with pytest.raises(UserError, match="No brief in"):
        read_release(tmp_path)


def test_components_may_be_json_within_json_and_records_a_list(tmp_path: Path) -> None:
    packed = record(5, design_components=json.dumps(record(5)["design_components"]))
    (tmp_path / "posters.json").write_text(json.dumps([packed, record(6)]))
    assert list(read_release(tmp_path).briefs) == ["test-poster-5", "test-poster-6"]


def test_another_record_of_the_same_id_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "poster.jsonl", [record(1), record(1, user_query="Something else.")])
    release = read_release(tmp_path)
    assert release.briefs["test-poster-1"].query == "Please make design 1."
    assert "other content" in next(iter(release.skipped.records.values()))


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no \.jsonl or \.json files"):
        read_release(tmp_path)


def test_tasks_hand_out_images_that_are_there(folder: Path) -> None:
    png = embedded().png("noto/owl", 64)
    (folder / "images").mkdir()
    (folder / "images" / "owl brown.png").write_bytes(png)
    tasks = ReleasedTasks(folder)
    assert isinstance(tasks, TaskSource)
    assert tasks.type_of("test-businesscard-7") == "business card"
    task = tasks.task("test-poster-1")
    assert [(file.name, file.data) for file in task.files] == [("owl.png", png)]
    assert any(item["question"]["kind"] == "image-present" for item in task.questions)
    assert not tasks.release.skipped.notes


def test_pictures_that_are_not_there_are_replaced_out_of_a_pool_or_not_asked_about(folder: Path) -> None:
    bare = ReleasedTasks(folder)
    assert bare.task("test-poster-1").files == ()
    assert not any(item["question"]["kind"].startswith("image") for item in bare.task("test-poster-1").questions)
    assert len(bare.release.skipped.notes) == 5
    pooled = ReleasedTasks(folder, pool=embedded())
    assert [file.caption for file in pooled.task("test-poster-1").files] == ["owl"]
    assert pooled.name != bare.name
    with pytest.raises(UserError, match="no brief 'test-poster-99'"):
        bare.task("test-poster-99")


def test_colours_are_read_by_numbers_and_by_name() -> None:
    assert read_color("soft navy blue") == NamedColor("soft navy blue", (0, 0, 128))
    assert read_color("#FF8800") == NamedColor("unnamed", (255, 136, 0))
    assert read_color("DarkSlateGray") == NamedColor("darkslategray", (47, 79, 79))
    assert read_color("Sky Blue (135,206,235)") == NamedColor("sky blue", (135, 206, 235))
    for text in ("blue and white", "RGB(300, 0, 0)", "warm", "", None, 7):
        assert read_color(text) is None


def test_places_are_read_whatever_the_order_of_words() -> None:
    assert read_position("Top-left corner") == "top left"
    assert read_position("centered at the bottom") == "bottom center"
    assert read_position("middle right") == "center right"
    assert read_position("in the centre") == "center"
    assert read_position("upper part") == "top"
    assert read_position("left") == "left"
    for text in ("below the title", "top and bottom", "anywhere", None):
        assert read_position(text) is None


def test_sizes_are_read_by_their_words() -> None:
    assert read_size("Extra large") == "large"
    assert read_size("medium-sized") == "medium"
    assert read_size("small or large") is None
    assert read_image_size("full page") == "full"
    assert read_image_size("big") == "large"
    assert read_size("full") is None
