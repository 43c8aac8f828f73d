from __future__ import annotations

import itertools
import json

import pytest

from designgym.envs.design.briefs.brief import TYPES, Brief
from designgym.envs.design.briefs.generate import brief, task_ids
from designgym.envs.design.questions import _OPPOSITES, MEAN_ITEMS, _other_sizes, items
from designgym.rewards.judges.meanings import (
    EXTENTS,
    POSITIONS,
    SLACK,
    at_position,
    legible,
    of_size,
    same_color,
    says,
    words_of,
)  # fmt: skip
from designgym.rewards.judges.questions import KINDS, Item, Question, flat, verdicts

Made = list[tuple[Brief, tuple[Item, ...]]]


@pytest.fixture(scope="module")
def made() -> Made:
    briefs = [brief(task) for task in task_ids("test")]
    return [(each, items(each)) for each in briefs]


def test_items_are_as_many_as_the_papers_questions(made: Made) -> None:
    for type in TYPES:
        counts = [len(asked) for each, asked in made if each.type == type]
        assert sum(counts) / len(counts) == pytest.approx(MEAN_ITEMS[type], rel=0.05)
        assert min(counts) >= 6


def test_every_kind_is_asked(made: Made) -> None:
    assert {item.question.kind for _, asked in made for item in asked} == set(KINDS) - {"free"}


def test_the_background_every_text_and_every_picture_are_asked_about(made: Made) -> None:
    for each, asked in made:
        about = {(item.question.kind, item.question.target) for item in asked}
        assert ("background-color", "background") in about
        assert {("text-present", text.role) for text in each.texts} <= about
        assert {("image-present", visual.name) for visual in each.visuals} <= about


def test_questions_expect_yes_and_twins_no(made: Made) -> None:
    for _, asked in made:
        assert all(item.question.expected and not item.question.negated for item in asked)
        assert not any(item.twin.expected for item in asked)
        assert verdicts(asked, [True] * 2 * len(asked)) == [False] * len(asked)
        assert verdicts(asked, [False] * 2 * len(asked)) == [False] * len(asked)
        assert verdicts(asked, [True, False] * len(asked)) == [True] * len(asked)


def test_no_question_is_asked_twice_and_no_twin_is_its_question(made: Made) -> None:
    for _, asked in made:
        texts = [question.text for question in flat(asked)]
        assert len(set(texts)) == len(texts)


def test_words_are_filled_in_and_name_no_file(made: Made) -> None:
    for each, asked in made:
        for question in flat(asked):
            assert question.text.endswith("?") and "{" not in question.text and "  " not in question.text
            assert not any(image.file in question.text for image in each.images)


def test_arguments_are_what_the_kind_needs_and_survive_json(made: Made) -> None:
    picture = {"caption", "picture", "file"}
    needed = {
        "text-present": {"text"}, "text-color": {"text", "rgb"}, "text-position": {"text", "position", "slack"},
        "text-order": {"larger", "smaller"}, "text-legible": {"text"}, "background-color": {"rgb"},
        "image-present": picture, "image-position": picture | {"position", "slack"}, "image-size": picture | {"size"},
    }  # fmt: skip
    for _, asked in made:
        for item in asked:
            assert Item.from_dict(json.loads(json.dumps(item.to_dict()))) == item
        for question in flat(asked):
            if question.kind == "uncut":
                assert set(question.arguments) in ({"text"}, picture)
            else:
                assert set(question.arguments) == needed[question.kind]


def test_twins_ask_for_what_the_page_does_not_show(made: Made) -> None:
    for each, asked in made:
        shown = [text.content for text in each.texts]
        for item in asked:
            wanted, other = item.question.arguments, item.twin.arguments
            if item.question.kind == "text-present":
                assert not any(says(text, other["text"]) or says(other["text"], text) for text in shown)
            elif item.question.kind in ("background-color", "text-color"):
                assert not same_color(wanted["rgb"], other["rgb"])
            elif item.question.kind == "image-present":
                assert other["file"] == "" and wanted["file"] and other["picture"] != wanted["picture"]
                assert not set(words_of(other["caption"])) & {
                    word for visual in each.visuals for word in words_of(visual.name)
                }
            elif item.question.kind in ("uncut", "text-legible"):
                assert item.twin.negated and other == wanted
            elif item.question.kind == "text-order":
                assert (other["larger"], other["smaller"]) == (wanted["smaller"], wanted["larger"])


def test_no_place_and_no_size_is_right_for_a_question_and_its_twin() -> None:
    grid = [step / 60 for step in range(61)]
    assert set(_OPPOSITES) == set(POSITIONS)
    for position, others in _OPPOSITES.items():
        for other, center in itertools.product(others, itertools.product(grid, grid)):
            assert not (at_position(center, position, SLACK) and at_position(center, other, -SLACK))
    for size in EXTENTS:
        assert _other_sizes(size)
        for other, side in itertools.product(_other_sizes(size), grid):
            assert not (of_size((0, 0, side, 0), size) and of_size((0, 0, side, 0), other))


def test_items_are_a_function_of_the_brief() -> None:
    made = brief("validation-000011")
    assert items(made) == items(Brief.from_dict(json.loads(json.dumps(made.to_dict()))))


def test_an_item_takes_both_answers() -> None:
    item = Item(Question("a?", "free", ""), Question("b?", "free", "", expected=False))
    assert item.passed(True, False) is True
    assert item.passed(True, True) is False
    assert item.passed(None, False) is None
    assert item.passed(None, True) is False  # whatever the other answer may be
    with pytest.raises(ValueError, match="expects the same answer"):
        Item(Question("a?", "free", ""), Question("b?", "free", ""))
    with pytest.raises(ValueError, match="2 questions, but there are 1 answers"):
        verdicts([item], [True])
    with pytest.raises(ValueError, match="no kind of question"):
        Question("a?", "text-sound", "")  # type: ignore[arg-type]


def test_places_by_hand() -> None:
    assert at_position((0.5, 0.2), "top center")
    assert at_position((0.5, 0.36), "top center", SLACK) and not at_position((0.5, 0.36), "top center")
    assert at_position((0.9, 0.1), "top") and at_position((0.9, 0.1), "right") and at_position((0.9, 0.1), "top right")
    assert not at_position((0.9, 0.1), "left") and not at_position((0.9, 0.1), "center")


def test_words_are_compared_without_case_accents_and_punctuation() -> None:
    assert says("CAFÉ\nMoreau, open daily", "Café Moreau")
    assert says("Jazz in Marlow - Tickets $12", "jazz in marlow")
    assert not says("Jazz inn Marlow", "Jazz in Marlow")
    assert not says("cafes", "cafe")
    assert not says("anything", "…")


def test_legible_text_is_tall_and_of_contrast() -> None:
    assert legible(0.02, 4.0)
    assert not legible(0.01, 21.0) and not legible(0.1, 2.5)
