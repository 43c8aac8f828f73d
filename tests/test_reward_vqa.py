"""The reward of questions and twins: what pages and judges get, and that nobody gains by tricks."""

import dataclasses
import json
import pickle

import pytest
from judged_pages import TITLE, boat, episode, items, pair, right_page, title

from designgym.episode import Episode
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.rewards import resolve
from designgym.rewards.added_ink import NoImage
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.judges.questions import Item, Question
from designgym.rewards.vqa import Vqa
from designgym.score import Backend


class Constant:
    """Answers every question alike."""

    name = "constant"
    backend = Backend("constant", "3")

    def __init__(self, said):
        self.said = said

    def answer(self, page, questions):
        return [self.said] * len(questions)


def value(document, asked=None) -> float:
    return resolve("vqa").score(episode(document, asked)).value


def test_a_page_with_everything_right_scores_1():
    score = resolve("vqa").score(episode(right_page()))
    assert score.value == 1
    assert score.components == {
        "vqa": 1.0, "vqa/items": 1.0, "vqa/blank": 0.0, "vqa/positive_only": 1.0, "vqa/answered": 1.0,
    }  # fmt: skip
    assert score.backend.name == "scene"


@pytest.mark.parametrize("document", [None, Document(1000, 640), Document(1000, 640, "#ff00ff")])
def test_no_page_and_a_blank_page_score_0(document):
    assert value(document) == 0


def test_what_a_blank_page_passes_is_taken_off_and_a_right_page_still_scores_1():
    ground = pair("background-color", {"rgb": [255, 255, 255]}, {"rgb": [200, 30, 30]})
    asked = [ground, *items()[1:]]
    white = dataclasses.replace(right_page(title=title(color="#000000")), background="#ffffff")
    blank = resolve("vqa").score(episode(Document(1000, 640), asked))
    assert blank.value == 0
    assert blank.components["vqa/items"] == blank.components["vqa/blank"] == pytest.approx(1 / 12)
    # Wrong on the white page are the title's colour and the tagline, which is too faint on white to be read.
    passed = resolve("vqa").score(episode(white, asked)).components["vqa/items"]
    assert value(white, asked) == pytest.approx((passed - 1 / 12) / (11 / 12))
    assert value(right_page(), asked) == pytest.approx((11 / 12 - 1 / 12) / (11 / 12))


def test_worse_than_blank_is_clipped():
    asked = [pair("background-color", {"rgb": [255, 255, 255]}, {"rgb": [200, 30, 30]}), *items()[1:3]]
    assert value(Document(1000, 640, "#000000"), asked) == 0


@pytest.mark.parametrize("said", [True, False])
def test_a_judge_that_always_says_the_same_gives_nothing(said):
    score = Vqa(judge=Constant(said)).score(episode(right_page()))
    assert score.value == 0 and score.components["vqa/items"] == 0
    # The paper's rate is what such a judge can bring to 1.
    assert score.components["vqa/positive_only"] == float(said)


def test_a_judge_that_cannot_tell_gives_no_score():
    score = Vqa(judge=Constant(None)).score(episode(right_page()))
    assert score.value is None and score.components["vqa/answered"] == 0


def test_items_without_an_answer_are_left_out():
    free = Item(Question("Is it nice?", "free", "it"), Question("Is it dull?", "free", "it", expected=False))
    score = resolve("vqa").score(episode(right_page(), [*items(), free]))
    assert score.value == 1 and score.components["vqa/answered"] == pytest.approx(12 / 13)


def words(text: str, size_px: float = 36, **fields) -> TextLayer:
    return TextLayer(id="w", x=20, y=20, width=960, height=600, text=text, size_px=size_px, **fields)


EVERY_WORD = " ".join(f"{item.question.text} {json.dumps(item.question.arguments)}" for item in items())

TRICKS = {
    "yes all over": words("Yes. " * 60),
    "the answers": words("\n".join(f"{item.question.text} yes; {item.twin.text} no" for item in items())),
    "every word of the questions": words(EVERY_WORD, 24),
    "the picture in words": words("A boat. boat.png. This page shows a picture of a boat in the center."),
    "layers called yes": ShapeLayer(id="yes", name=f"{TITLE}, a boat, yes", x=0, y=0, width=1000, height=640,
                                    fill="#ffffff"),
    "a picture over all": ImageLayer(id="q", x=-100, y=-100, width=1200, height=960, asset="tree.png"),
}  # fmt: skip


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_tricks_alone_gain_nothing(trick):
    document = Document(1000, 640, "#ffffff", (trick,), right_page().assets)
    assert value(document) == 0


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_tricks_on_top_gain_nothing(trick):
    lacking = right_page(title=None)
    assert value(dataclasses.replace(lacking, layers=(*lacking.layers, trick))) <= value(lacking)


@pytest.mark.parametrize(
    "hidden",
    [
        {"color": "#14215a"}, {"size_px": 1}, {"x": 2000}, {"opacity": 0.0}, {"opacity": 0.02}, {"color": "#ffffff00"},
    ],
    ids=str,
)  # fmt: skip
def test_hidden_text_gains_nothing(hidden):
    assert value(right_page(title=title(**hidden))) == value(right_page(title=None))


def test_text_behind_others_gains_nothing():
    page = right_page()
    behind = dataclasses.replace(
        page, layers=(page.layers[0], ShapeLayer(id="s", width=1000, height=640, fill="#14215a"), *page.layers[1:])
    )
    assert value(behind) == value(right_page(title=None))


def test_everything_everywhere_gains_nothing_from_places():
    copies = [title(id=f"copy {y}", y=y) for y in (150, 430, 600)]
    page = right_page()
    crowded = dataclasses.replace(page, layers=(*page.layers, *copies))
    assert value(crowded) < value(page)
    boats = [boat(id=f"boat {x}", x=x) for x in (0, 700)]
    assert value(dataclasses.replace(page, layers=(*page.layers, *boats))) < value(page)


def test_an_environment_without_such_questions_is_refused():
    with pytest.raises(UnsuitableReward, match="no questions with twins"):
        resolve("vqa").score(Episode("designgym/Other-v0", "test", "t"))


def test_a_lost_image_is_said():
    with pytest.raises(NoImage, match="Play its trace again"):
        Vqa(judge=Constant(True)).score(dataclasses.replace(episode(right_page()), image=None))


def test_the_judge_of_documents_needs_no_image():
    whole = episode(right_page())
    assert resolve("vqa").score(dataclasses.replace(whole, image=None)) == resolve("vqa").score(whole)
    assert not resolve("vqa").reads_image and not resolve([{"name": "vqa"}]).reads_image
    assert Vqa(judge=Constant(True)).reads_image and resolve([{"name": "vqa"}, {"name": "ink"}]).reads_image


def test_judges_are_named_in_configurations_and_in_the_backend():
    assert resolve({"name": "vqa", "judge": {"name": "scene"}}).backend == Vqa().backend
    assert Vqa(judge=Constant(True)).backend.id == "constant@3/vqa-1"
    assert pickle.loads(pickle.dumps(Vqa())).score(episode(right_page())).value == 1
    with pytest.raises(ValueError, match="There is no judge 'oracle'"):
        resolve({"name": "vqa", "judge": "oracle"})


def test_an_episode_read_from_its_data_scores_alike():
    first = episode(right_page())
    again = Episode.from_json(json.loads(json.dumps(first.to_json())), image=first.image)
    assert resolve("vqa").score(again).components == resolve("vqa").score(first).components
