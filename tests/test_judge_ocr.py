from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from designgym import errors
from designgym.errors import MissingExtra
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.render import render
from designgym.pool.embedded import embedded
from designgym.rewards.judges import reading
from designgym.rewards.judges.base import Given, Judge, Page
from designgym.rewards.judges.ocr import OcrJudge
from designgym.rewards.judges.questions import Kind, Question
from designgym.rewards.judges.reading import Row, columns, joined, matches, nearest_span

needs_reader = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr") is None, reason="rapidocr comes with the extra 'ocr'"
)

CAMEL, MUSHROOM = "noto/camel", "noto/mushroom"


def row(text: str, x: float, y: float, height: float = 10) -> Row:
    """A row of words, each letter 6 px wide."""
    words, boxes = [], []
    for word in text.split():
        words.append(word)
        boxes.append((x, y, x + 6 * len(word), y + height))
        x += 6 * (len(word) + 1)
    return Row(tuple(words), tuple(boxes))


def test_pieces_side_by_side_are_one_row_and_far_ones_are_not() -> None:
    rows = joined([row("world", 40, 1), row("hello", 0, 0), row("aside", 300, 0)])
    assert [each.words for each in rows] == [("hello", "world"), ("aside",)]


def test_rows_below_each_other_are_a_column() -> None:
    one, two, far, beside = row("one", 0, 0), row("two", 4, 14), row("far", 0, 90), row("beside", 200, 2)
    assert columns([one, beside, two, far]) == [[one, two], [beside], [far]]


def test_words_are_found_over_rows_without_spaces_and_with_look_alikes() -> None:
    rows = [row("Garden", 0, 0), row("Party2O26", 0, 13)]
    (match,) = matches(rows, "Garden Party 2026")
    assert match.rows == (((0, 0, 36, 10),), ((0, 13, 54, 23),))
    assert match.letters == ("Garden", "Party2O26")
    assert not list(matches(rows, "Garden Fair"))
    assert not list(matches(rows, "  "))


def test_a_long_text_may_be_misread_but_lacks_no_word() -> None:
    wanted = "Hot Hello from Northgate! We found shade and shared it."
    assert not list(matches([row("Hello from Northgate! We found shade and shared it.", 0, 0)], wanted))
    assert list(matches([row("Hct Hello from Northgate! We fouud shade and shared it.", 0, 0)], wanted))


def test_a_word_among_many_others_is_no_text_of_its_own() -> None:
    assert not list(matches([row("there was a fox in the tall green grass", 0, 0)], "fox"))
    assert list(matches([row("the fox", 0, 0)], "fox"))


@pytest.mark.parametrize(
    ("text", "pattern", "most", "span"),
    [
        ("xxabcdyy", "abcd", 0, (2, 6)),
        ("xxabxdyy", "abcd", 1, (2, 6)),
        ("xxabdyy", "abcd", 1, (2, 5)),
        ("xxabzcdyy", "abcd", 1, (2, 7)),
        ("xxabxdyy", "abcd", 0, None),
        ("zzzz", "abcd", 1, None),
    ],
)
def test_patterns_are_found_up_to_some_wrong_letters(
    text: str, pattern: str, most: int, span: tuple[int, int] | None
) -> None:
    assert nearest_span(text, pattern, most) == span


def test_without_the_reader_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name.partition(".")[0])

    monkeypatch.setattr(errors.importlib, "import_module", absent)
    reading.engine.cache_clear()
    with pytest.raises(MissingExtra, match=r"'rapidocr'.*designgym\[ocr\]"):
        OcrJudge().answer(Page(np.zeros((50, 50, 3), np.uint8)), [Question("?", "text-present", "t", {"text": "a"})])


def document(*extra: Any) -> Document:
    title = TextLayer(
        id="t", text="Desert Journey", x=20, y=30, width=600, height=80, size_px=60, color="#ffffff", align="center"
    )
    line = TextLayer(id="l", text="Ride at sunrise", x=330, y=330, width=300, height=40, size_px=26, color="#ffdc00")
    camel = ImageLayer(id="c", asset="a", x=30, y=180, width=180, height=180)
    assets = {"a": embedded().png(CAMEL, 300)}
    return Document(640, 400, background="#4682b4", layers=(title, line, camel, *extra), assets=assets)


def ask(kind: Kind, negated: bool = False, **arguments: Any) -> Question:
    return Question("?", kind, "x", arguments, True, negated)


def answers(shown: Document, *questions: Question, **given: Given) -> Sequence[bool | None]:
    return OcrJudge().answer(Page(render(shown, 1.5), None, given), questions)


PICTURE = {"caption": "camel", "picture": CAMEL, "file": "camel.png"}
OTHER = {"caption": "mushroom", "picture": MUSHROOM, "file": ""}


@needs_reader
def test_questions_about_a_page_are_answered_from_its_pixels() -> None:
    asked = [
        (ask("text-present", text="desert journey"), True),
        (ask("text-present", text="Mountain Journey"), False),
        (ask("text-color", text="Desert Journey", rgb=[255, 255, 255]), True),
        (ask("text-color", text="Desert Journey", rgb=[255, 220, 0]), False),
        (ask("text-color", text="Ride at sunrise", rgb=[255, 220, 0]), True),
        (ask("text-position", text="Desert Journey", position="top center", slack=0.04), True),
        (ask("text-position", text="Desert Journey", position="bottom", slack=-0.04), False),
        (ask("text-order", larger="Desert Journey", smaller="Ride at sunrise"), True),
        (ask("text-order", larger="Ride at sunrise", smaller="Desert Journey"), False),
        (ask("text-legible", text="Desert Journey"), True),
        (ask("text-legible", True, text="Desert Journey"), False),
        (ask("background-color", rgb=[70, 130, 180]), True),
        (ask("background-color", rgb=[255, 120, 0]), False),
        (ask("image-present", **PICTURE), True),
        (ask("image-present", **OTHER), False),
        (ask("image-position", **PICTURE, position="bottom left", slack=0.04), True),
        (ask("image-position", **PICTURE, position="top right", slack=-0.04), False),
        (ask("image-size", **PICTURE, size="medium"), True),
        (ask("image-size", **PICTURE, size="huge"), False),
        (ask("uncut", **PICTURE), True),
        (ask("uncut", text="Ride at sunrise"), True),
        (ask("uncut", True, text="Ride at sunrise"), False),
        (ask("free"), None),
        (ask("image-present", caption="x", picture="", file="unknown.png"), None),
    ]
    found = answers(document(), *(question for question, _ in asked))
    wrong = [
        (asked[n][0].kind, dict(asked[n][0].arguments), found[n]) for n in range(len(asked)) if found[n] != asked[n][1]
    ]
    assert not wrong


@needs_reader
def test_on_a_blank_page_nothing_holds_but_its_colour() -> None:
    blank = Document(640, 400, background="#4682b4")
    asked = (
        ask("text-present", text="Desert Journey"),
        ask("uncut", text="Desert Journey"),
        ask("image-present", **PICTURE),
        ask("background-color", rgb=[70, 130, 180]),
        ask("background-color", rgb=[255, 255, 255]),
    )
    assert answers(blank, *asked) == [False, False, False, True, False]


@needs_reader
def test_a_text_that_names_the_picture_is_no_picture_and_a_covered_one_is_cut() -> None:
    words = TextLayer(id="w", text="camel", x=330, y=200, width=250, height=60, size_px=50, color="#000000")
    shown = document(words)
    without = Document(640, 400, background=shown.background, layers=(words,))
    assert answers(without, ask("image-present", **PICTURE)) == [False]
    cover = ShapeLayer(id="s", x=30, y=180, width=60, height=180, fill="#4682b4")
    assert answers(document(cover), ask("uncut", **PICTURE)) == [False]


@needs_reader
def test_pixels_handed_out_are_looked_for_before_those_of_a_pool() -> None:
    given = Given("camel", data=embedded().png(MUSHROOM, 200))
    asked = ask("image-present", **PICTURE)
    page = Page(render(document(), 1.5), None, {"camel.png": given})
    assert OcrJudge().answer(page, [asked]) == [False]


def test_the_judge_is_a_judge_and_can_be_pickled() -> None:
    judge = pickle.loads(pickle.dumps(OcrJudge()))
    assert isinstance(judge, Judge) and judge.name == "ocr" and judge.backend.name == "rapidocr+pixels"
