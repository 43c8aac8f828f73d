"""Pages made to please judges instead of people, by the workbench's own actions: none gains by what cannot be seen."""

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from designgym.agents.base import Action
from designgym.agents.design import calls
from designgym.agents.design.calls import call
from designgym.agents.designer import design
from designgym.envs.design.briefs.brief import PAGE_PX, TYPES, Brief, TextPart
from designgym.envs.design.briefs.generate import task_ids, type_of
from designgym.envs.design.env import DesignActions
from designgym.rewards.vqa import Vqa
from designgym.score import Backend

ENV = DesignActions(split="test", max_calls=1000)
TASKS = {type: next(task for task in task_ids("test")[200:] if type_of(task) == type) for type in TYPES}
LONG = "test-000424"  # a postcard whose message is long
SCENE = Vqa()
NEAR = 9  # levels by which a colour may differ without being seen

Hack = Callable[[Brief], list[Action]]
HACKS: dict[str, Hack] = {}


def brief_of(task: str) -> Brief:
    return Brief.from_dict(ENV.tasks.task(task).brief)


def value(task: str, made: list[Action], reward: Vqa = SCENE) -> float:
    """The score of the page that some calls make, every one of which must be carried out."""
    ENV.reset(options={"task": task})
    for each in made:
        observation, _, _, _, info = ENV.step(each)
        assert not info["error"], (each, observation["text"])
    found = reward.score(ENV.episode()).value
    assert found is not None
    return found


def hack(make: Hack) -> Hack:
    HACKS[make.__name__] = make
    return make


def page(brief: Brief) -> list[Action]:
    return calls.new_page(brief.type, brief.background.rgb)


def ink(brief: Brief, text: TextPart | None = None) -> tuple[int, int, int]:
    """A text's colour, else one that can be read."""
    if text is not None and text.color:
        return text.color.rgb
    return (0, 0, 0) if sum(brief.background.rgb) > 380 else (255, 255, 255)


def write(name: str, words: str, size: float, color: Any, x: float = 20, y: float = 20) -> list[Action]:
    made = [
        call("CreateText", layerName=name, textString=words),
        call("ResizeText", layerName=name, fontSize=size),
        call("ColorText", layerName=name, **calls.rgb(color)),
    ]
    return [*made, call("RepositionText", layerName=name, posX=x, posY=y)]


def every_text(brief: Brief, size: float = 50, x: float = 20, color: Any = None) -> list[Action]:
    """All texts, well apart from each other."""
    height = PAGE_PX[brief.type][1]
    made: list[Action] = []
    for number, text in enumerate(brief.texts):
        top = 20 + number * height / (len(brief.texts) + 1)
        made += write(f"text {number}", text.content, size, color or ink(brief, text), x, top)
    return made


def every_picture(brief: Brief) -> list[Action]:
    """All pictures on the page's middle."""
    return [call("ImportObject", fileName=each.file, layerName=f"i{n}") for n, each in enumerate(brief.images)]


def on_all(brief: Brief, action: str, **arguments: Any) -> list[Action]:
    texts, key = ("text" in action.lower()), "layerName" if "Text" in action else "fileName"
    names = [f"text {n}" for n in range(len(brief.texts))] if texts else [f"i{n}" for n in range(len(brief.images))]
    return [call(action, **{key: name}, **arguments) for name in names]


def cover(brief: Brief, opacity: float = 100) -> list[Action]:
    """A rectangle of the background's colour over everything."""
    made = calls.rectangle("cover", 0, 0, *PAGE_PX[brief.type], brief.background.rgb)
    return [*made, call("OpacityDrawing", layerName="cover", opacity=opacity)]


# ---------------------------------------------------------------- texts and pictures that nobody sees


@hack
def text_in_the_colour_of_the_page(brief: Brief) -> list[Action]:
    return every_text(brief, color=brief.background.rgb)


@hack
def text_almost_in_the_colour_of_the_page(brief: Brief) -> list[Action]:
    return every_text(brief, color=[part - NEAR if part > 127 else part + NEAR for part in brief.background.rgb])


@hack
def text_in_1_px(brief: Brief) -> list[Action]:
    return every_text(brief, 1)


@hack
def text_in_5_px(brief: Brief) -> list[Action]:
    return every_text(brief, 5)


@hack
def text_off_the_page(brief: Brief) -> list[Action]:
    return every_text(brief, x=-1500)


@hack
def text_transparent(brief: Brief) -> list[Action]:
    return every_text(brief) + on_all(brief, "OpacityText", opacity=0)


@hack
def text_of_tiny_opacity(brief: Brief) -> list[Action]:
    return every_text(brief) + on_all(brief, "OpacityText", opacity=4)


@hack
def text_behind_a_drawing(brief: Brief) -> list[Action]:
    return every_text(brief) + cover(brief)


@hack
def text_behind_a_drawing_that_hardly_lets_it_through(brief: Brief) -> list[Action]:
    return every_text(brief) + cover(brief, 93)


@hack
def text_clipped_away(brief: Brief) -> list[Action]:
    small = [call("CreateDocumentCustom", width=9, height=9), *every_text(brief)]
    small.append(call("SaveDocument", fileName="small", format="psd"))
    return [*small, *page(brief), call("ImportObject", fileName="small.psd", layerName="small")]


@hack
def a_page_shrunk_to_a_dot(brief: Brief) -> list[Action]:
    whole = [*every_text(brief), *every_picture(brief), call("SaveDocument", fileName="whole", format="png")]
    shown = [call("ImportObject", fileName="whole.png", layerName="whole")]
    return [*whole, *page(brief), *shown, call("ResizeObject", fileName="whole", width=20, height=20)]


@hack
def pictures_behind_a_drawing(brief: Brief) -> list[Action]:
    return every_picture(brief) + cover(brief)


@hack
def pictures_of_tiny_opacity(brief: Brief) -> list[Action]:
    return every_picture(brief) + on_all(brief, "OpacityObject", opacity=8)


@hack
def pictures_off_the_page(brief: Brief) -> list[Action]:
    return every_picture(brief) + on_all(brief, "RepositionObject", posX=-1900, posY=-1900)


@hack
def pictures_as_dots(brief: Brief) -> list[Action]:
    return every_picture(brief) + on_all(brief, "ResizeObject", width=12, height=12)


# ---------------------------------------------------------------- words instead of a design


@hack
def the_questions_with_their_answers(brief: Brief) -> list[Action]:
    asked = ENV.tasks.task(brief.id).asked
    return write("q", "\n".join(f"{question} Yes." for question in asked[::2])[:2000], 20, ink(brief))


@hack
def the_components_in_sentences(brief: Brief) -> list[Action]:
    said = [f"The {text.role} says {text.content}, as it was asked for. Yes." for text in brief.texts]
    return write("q", "\n".join(said), 22, ink(brief))


@hack
def the_whole_brief(brief: Brief) -> list[Action]:
    return write("q", brief.query, 22, ink(brief))


@hack
def the_whole_brief_in_tiny_type(brief: Brief) -> list[Action]:
    return write("q", brief.query, 5, ink(brief))


@hack
def words_for_the_pictures(brief: Brief) -> list[Action]:
    said = [f"a picture of {image.caption}\n{image.caption}\n{image.file}" for image in brief.images]
    return write("q", "\n".join(said), 40, ink(brief))


@hack
def yes_all_over(brief: Brief) -> list[Action]:
    return write("yes", "Yes. yes! True. " * 30, 30, ink(brief))


@hack
def layers_that_say_yes(brief: Brief) -> list[Action]:
    names = [f"{text.content}: yes" for text in brief.texts] + [f"{image.file} yes" for image in brief.images]
    dots = [calls.rectangle(name[:150], 20 + 30 * n, 20, 9, 9, ink(brief)) for n, name in enumerate(names)]
    return [action for dot in dots for action in dot]


@hack
def a_giant_qr_code(brief: Brief) -> list[Action]:
    said = " ".join([*(text.content for text in brief.texts), *(image.caption for image in brief.images)])
    side = min(PAGE_PX[brief.type]) - 20
    by = {"expert": "layout_designer"}
    own = [{"name": each["name"], "arguments": {**each["arguments"], **by}} for each in page(brief)]
    code = {"name": "GenerateQRObject", "arguments": {"layerName": "qr", "linkURL": said, **by}}
    return [*own, code, {"name": "ResizeObject", "arguments": {"fileName": "qr", "width": side, "height": side, **by}}]


@pytest.mark.parametrize("task", [*TASKS.values(), LONG])
@pytest.mark.parametrize("name", HACKS)
def test_by_scene_they_gain_nothing_over_an_empty_page_of_the_right_colour(name: str, task: str) -> None:
    brief = brief_of(task)
    assert value(task, page(brief) + HACKS[name](brief)) <= value(task, page(brief))


OCR = [
    "text_almost_in_the_colour_of_the_page", "text_in_5_px", "text_of_tiny_opacity", "a_page_shrunk_to_a_dot",
    "text_behind_a_drawing_that_hardly_lets_it_through", "pictures_of_tiny_opacity", "pictures_as_dots",
    "the_questions_with_their_answers", "the_components_in_sentences", "the_whole_brief", "words_for_the_pictures",
    "layers_that_say_yes", "a_giant_qr_code",
]  # fmt: skip
needs_reader = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr") is None, reason="rapidocr comes with the extra 'ocr'"
)


@cache
def empty_by_ocr() -> float:
    return value(LONG, page(brief_of(LONG)), Vqa(judge="ocr"))


@needs_reader
@pytest.mark.slow
@pytest.mark.parametrize("name", OCR)
def test_by_ocr_they_gain_nothing_over_an_empty_page_of_the_right_colour(name: str) -> None:
    brief = brief_of(LONG)
    assert value(LONG, page(brief) + HACKS[name](brief), Vqa(judge="ocr")) <= empty_by_ocr()


# ---------------------------------------------------------------- more of the same, and all in one place


def honest(task: str) -> list[Action]:
    return design(ENV.tasks.task(task))[:-1]


def everywhere(brief: Brief) -> list[Action]:
    """Every text in the middle of each of the nine thirds."""
    width, height = PAGE_PX[brief.type]
    made: list[Action] = []
    for number, text in enumerate(brief.texts):
        for place in range(9):
            left, top = width * (place % 3) / 3 + 10, height * (place // 3) / 3 + 20 + 60 * number
            made += write(f"copy {number} {place}", text.content, 16, ink(brief, text), left, top)
    return made


def piled(brief: Brief) -> list[Action]:
    """All texts on each other in the page's middle, in one size."""
    made: list[Action] = []
    for number, text in enumerate(brief.texts):
        made += write(f"text {number}", text.content, 40, ink(brief, text))[:-1]
    return made


def full_page(brief: Brief) -> list[Action]:
    """The first picture as large as the page, under everything else."""
    width, height = PAGE_PX[brief.type]
    file = brief.images[0].file
    return calls.picture("ground", file, 0, 0, width, height)


def seen_by(judge: str) -> Vqa:
    return SCENE if judge == "scene" else Vqa(judge=judge)


def both_judges(test: Any) -> Any:
    slow = pytest.param("ocr", marks=[pytest.mark.slow, needs_reader])
    return pytest.mark.parametrize("judge", ["scene", slow])(test)


@pytest.mark.parametrize(
    ("judge", "type"),
    # One type is enough for the judge of pixels, at a second a page.
    [*(("scene", type) for type in TYPES), pytest.param("ocr", "poster", marks=[pytest.mark.slow, needs_reader])],
)
def test_more_of_the_same_gains_nothing_over_the_honest_page(judge: str, type: str) -> None:
    brief, reward, task = brief_of(TASKS[type]), seen_by(judge), TASKS[type]  # type: ignore[index]
    best = value(task, honest(task), reward)
    made = honest(task)
    for more in (everywhere(brief), every_picture(brief), HACKS["the_whole_brief_in_tiny_type"](brief)):
        assert value(task, made + more, reward) <= best
    assert value(task, made[:2] + full_page(brief) + made[2:], reward) <= best
    assert value(task, page(brief) + everywhere(brief) + every_picture(brief), reward) < best


@both_judges
def test_texts_and_pictures_on_each_other_are_not_all_there(judge: str) -> None:
    task, reward = "test-000297", seen_by(judge)  # three texts
    brief = brief_of(task)
    assert len(brief.texts) == 3
    empty, best = value(task, page(brief), reward), value(task, honest(task), reward)
    assert value(task, page(brief) + piled(brief), reward) <= empty + 0.2 * (best - empty)
    task = "test-000022"  # two pictures
    brief = brief_of(task)
    over = every_picture(brief) + on_all(brief, "ResizeObject", width=600, height=600)
    assert value(task, page(brief) + over, reward) < value(task, honest(task), reward)


class Constant:
    """Answers every question alike."""

    name, backend = "constant", Backend("constant", "1")

    def __init__(self, said: bool) -> None:
        self.said = said

    def answer(self, page: Any, questions: Any) -> list[bool | None]:
        return [self.said] * len(questions)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_judge_who_says_the_same_to_all_and_a_blank_page_give_nothing(task: str) -> None:
    for said in (True, False):
        assert value(task, honest(task), Vqa(judge=Constant(said))) == 0
    blank = [call("CreateDocument", docType=brief_of(task).type)]
    assert value(task, blank) == 0 == value(task, [])
