"""The exact judge: what it sees of texts, pictures and grounds, and that nothing but what can be seen counts."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_pages import (
    BOAT,
    NAVY,
    RED,
    TAGLINE,
    TITLE,
    TREE,
    WHITE,
    YELLOW,
    about_boat,
    answer,
    ask,
    boat,
    items,
    page_of,
    right_page,
    title,
)

from designgym.graphics.document import Document, Group, ImageLayer, ShapeLayer, Stroke, TextLayer
from designgym.graphics.filters.applied import AppliedFilter
from designgym.rewards.judges.base import Judge, Page
from designgym.rewards.judges.questions import KINDS, Question, flat, verdicts
from designgym.rewards.judges.scene import SceneJudge
from designgym.rewards.judges.table import resolve_judge

PRESENT = ask("text-present", text=TITLE)
SHOWS_BOAT = ask("image-present", **about_boat())


def cover(x: float, y: float, width: float, height: float, fill: str = "#14215a", **fields) -> ShapeLayer:
    return ShapeLayer(id="cover", x=x, y=y, width=width, height=height, fill=fill, **fields)


def test_a_page_with_everything_right_passes_every_item():
    asked = items()
    assert {item.question.kind for item in asked} == set(KINDS) - {"free"}
    assert verdicts(asked, SceneJudge().answer(page_of(right_page()), flat(asked))) == [True] * len(asked)


@pytest.mark.parametrize("document", [None, Document(1000, 640), Document(1, 1), Document(10, 4000)])
def test_a_page_that_shows_nothing_passes_no_item(document):
    asked = items()
    assert verdicts(asked, SceneJudge().answer(page_of(document), flat(asked))) == [False] * len(asked)


def test_answers_about_empty_pages_are_those_of_each_question_and_background():
    asked = [ask("background-color", rgb=list(rgb)) for rgb in ((255, 255, 255), (20, 33, 90))]
    for background, expected in (("#ffffff", [True, False]), ("#14215a", [False, True])):
        document = Document(100, 80, background)
        assert SceneJudge().answer(page_of(document), asked) == expected
        assert SceneJudge().answer(page_of(document), asked[::-1]) == expected[::-1]


# ------------------------------------------------------------------ texts that are not there

HIDDEN = {
    "behind a shape": right_page(cover=cover(0, 0, 1000, 300)),
    "one letter behind a shape": right_page(cover=cover(205, 60, 40, 120)),
    "one letter behind a shape of another colour": right_page(cover=cover(205, 60, 40, 120, "#ff0000")),
    "behind a picture over all": right_page(
        cover=ImageLayer(id="c", x=-200, y=-200, width=1500, height=1200, asset="tree.png")
    ),
    "in the colour of the page": right_page(title=title(color="#14215a")),
    "almost in the colour of the page": right_page(title=title(color="#182760")),
    "in the colour of the shape behind it": right_page(
        title=None, panel=cover(50, 20, 900, 200, "#c03030"), last=title(color="#c03030")
    ),
    "on a copy of itself in another colour": right_page(
        title=None, below=title(id="b", color="#ff0000"), last=title(color="#14215a")
    ),
    "in 1-px type": right_page(title=title(size_px=1)),
    "in tiny type": right_page(title=title(size_px=6)),
    "off the page": right_page(title=title(y=-200)),
    "half off the page": right_page(title=title(y=-45)),
    "its last letters off the page": right_page(title=title(x=320)),
    "running off the page": right_page(title=title(x=900, width=4000, align="left")),
    "transparent": right_page(title=title(opacity=0.0)),
    "almost transparent": right_page(title=title(opacity=0.05)),
    "of transparent colour": right_page(title=title(color="#ffffff00")),
    "letters on each other": right_page(title=title(letter_spacing_px=-60)),
    "lines on each other": right_page(title=title(width=300, line_height=0.5)),
    "an empty string": right_page(title=title(text="")),
    "a letter too few": right_page(title=title(text=TITLE[:-1])),
    "words in another order": right_page(title=title(text="Light Harbour Café")),
    "a word among them": right_page(title=title(text="Harbour and Light Café")),
    "cut off by its group": dataclasses.replace(
        right_page(title=title(group="g")), groups=(Group(id="g", x=0, y=0, width=600, height=640, clip=True),)
    ),
    "faded by its group": dataclasses.replace(
        right_page(title=title(group="g")), groups=(Group(id="g", x=0, y=0, width=1000, height=640, opacity=0.04),)
    ),
    "only the name of a layer": right_page(title=title(id=TITLE, name=TITLE, text="Welcome")),
    "a question with its answer": right_page(title=title(text=f"Does the page say “{TITLE}”? Yes", size_px=40)),
    "the whole brief": right_page(
        title=title(
            text=f"Design a business card with the title “{TITLE}” in white at the top center, in huge letters.",
            size_px=30,
        )
    ),
    "yes": right_page(title=title(text="Yes. yes! True")),
}


@pytest.mark.parametrize("document", HIDDEN.values(), ids=HIDDEN)
def test_a_text_that_cannot_be_read_is_not_there_in_any_respect(document):
    said = {"text": TITLE}
    asked = [
        PRESENT,
        ask("text-color", **said, rgb=list(WHITE)),
        ask("text-color", **said, rgb=list(NAVY)),
        ask("text-position", **said, position="top", slack=0.04),
        ask("text-order", larger=TITLE, smaller=TAGLINE),
        ask("text-legible", **said),
        ask("uncut", **said),
    ]
    assert SceneJudge().answer(page_of(document), asked) == [False] * len(asked)
    twins = [dataclasses.replace(question, negated=True) for question in asked]
    assert SceneJudge().answer(page_of(document), twins) == [True] * len(asked)


VISIBLE = {
    "as it is": right_page(),
    "in capitals": right_page(title=title(text=TITLE.upper(), size_px=60)),
    "without accents": right_page(title=title(text="Harbour Light Cafe")),
    "on two lines": right_page(title=title(text="Harbour\nLight Café", y=10, size_px=70)),
    "turned": right_page(title=title(rotation_deg=-5, y=80)),
    "half transparent": right_page(title=title(opacity=0.6)),
    "on a panel": right_page(title=None, panel=cover(50, 20, 900, 200, "#c03030"), last=title()),
    "under glass": right_page(cover=cover(0, 0, 1000, 300, "#00000060")),
    "outlined": right_page(title=title(color="#14215a", stroke=Stroke("#ffffff", 3))),
    "outlined without a filling": right_page(title=title(color="#00000000", stroke=Stroke("#ffffff", 3))),
    "its layer's frame off the page": right_page(title=title(x=-500, width=2000)),
    "beside another text": right_page(title=title(text=f"{TITLE}\nOpen daily from nine to five", y=10, size_px=60)),
    "beside a text of which a part is off the page": right_page(
        title=title(text=f"Welcome\n{TITLE}", y=-60, size_px=64, line_height=1.4)
    ),
    "with a shadow": right_page(shadow=title(id="s", color="#000000", x=103, y=73), title=None, last=title()),
    "small": right_page(title=title(size_px=16)),
}


@pytest.mark.parametrize("document", VISIBLE.values(), ids=VISIBLE)
def test_a_text_that_can_be_read_is_there(document):
    assert answer(document, PRESENT) is True


@pytest.mark.parametrize("size_px", [12, 16, 36, 120])
@pytest.mark.parametrize("weight", [400, 700])
def test_the_color_of_letters_is_that_of_their_ink_at_any_size(size_px, weight):
    document = right_page(title=title(size_px=size_px, weight=weight, color="#fad228", y=10), boat=None)
    assert answer(document, ask("text-color", text=TITLE, rgb=list(YELLOW)))
    for other in (WHITE, NAVY, RED, (230, 120, 40)):
        assert not answer(document, ask("text-color", text=TITLE, rgb=list(other)))


def test_the_color_of_letters_is_what_is_seen_of_it():
    veiled = right_page(title=title(opacity=0.5))
    mixed = [(own + 255) // 2 for own in NAVY]
    assert answer(veiled, ask("text-color", text=TITLE, rgb=mixed))
    assert not answer(veiled, ask("text-color", text=TITLE, rgb=list(WHITE)))


def test_the_place_of_a_text_is_that_of_its_ink_and_not_of_its_frame():
    document = right_page(title=title(x=0, y=500, width=1000, height=20, align="right", size_px=40))
    assert answer(document, ask("text-position", text=TITLE, position="bottom right", slack=0.0))
    assert not answer(document, ask("text-position", text=TITLE, position="bottom center", slack=0.0))


def test_of_a_text_in_several_paragraphs_each_has_its_own_place_and_share():
    document = right_page(title=title(text=f"{TITLE}\n\n\n\n\n\nCall 555 0199", y=10, size_px=60, height=600))
    assert answer(document, ask("text-position", text=TITLE, position="top", slack=0.0))
    assert answer(document, ask("text-position", text="Call 555-0199", position="bottom", slack=0.0))
    covered = right_page(
        title=title(text=f"{TITLE}\n\n\n\n\n\nCall 555 0199", y=10, size_px=60, height=600),
        cover=cover(0, 420, 1000, 220),
    )
    assert answer(covered, PRESENT) and answer(covered, ask("uncut", text=TITLE))
    assert not answer(covered, ask("text-present", text="Call 555 0199"))


def test_larger_is_who_is_set_in_larger_type_whatever_the_frames_are():
    order = ask("text-order", larger=TITLE, smaller=TAGLINE)
    assert answer(right_page(), order)
    assert not answer(right_page(title=title(size_px=36, height=400)), order)
    assert not answer(right_page(tagline=None), order)


@pytest.mark.parametrize(
    ("color", "size_px", "expected"),
    [("#ffffff", 40, True), ("#3a4780", 40, False), ("#ffffff", 10, False), ("#ffffff", 20, True)],
)
def test_legible_is_what_has_size_and_contrast(color, size_px, expected):
    document = right_page(title=title(color=color, size_px=size_px))
    assert answer(document, ask("text-legible", text=TITLE)) is expected
    assert answer(document, ask("text-legible", negated=True, text=TITLE)) is not expected


def test_missing_glyphs_are_not_read():
    document = right_page(title=title(text="日本 Café"))
    assert not answer(document, ask("text-present", text="日本 Café"))


# ------------------------------------------------------------------ pictures

FILTERS = {
    "black and white": [("black_white", {})],
    "blurred a little": [("blur", {"blurAmount": 6})],
    "darkened": [("brightness_contrast", {"brightness": -40, "contrast": 10})],
}

VISIBLE_BOATS = {
    "as it is": right_page(),
    "small": right_page(boat=boat(width=75, height=60)),
    "turned": right_page(boat=boat(rotation_deg=25)),
    "faded": right_page(boat=boat(opacity=0.6)),
    "a third covered": right_page(cover=cover(375, 220, 250, 65, "#888888")),
    "a part off the page": right_page(boat=boat(x=-60)),
    "under another name": dataclasses.replace(
        right_page(boat=boat(asset="yes")), assets={"yes": BOAT, "boat.png": TREE}
    ),
    **{
        name: right_page(boat=boat(filters=tuple(AppliedFilter.of(*each) for each in filters)))
        for name, filters in FILTERS.items()
    },
}


@pytest.mark.parametrize("document", VISIBLE_BOATS.values(), ids=VISIBLE_BOATS)
def test_a_picture_that_can_be_recognised_is_there(document):
    assert answer(document, SHOWS_BOAT) is True


HIDDEN_BOATS = {
    "left out": right_page(boat=None),
    "named in words": right_page(boat=TextLayer(id="i", x=375, y=220, width=250, height=200, text="a boat boat.png")),
    "another picture": right_page(boat=boat(asset="tree.png")),
    "another picture under its name": dataclasses.replace(right_page(), assets={"boat.png": TREE}),
    "a shape of its name": right_page(boat=ShapeLayer(id="boat.png", name="a boat", x=375, y=220, width=9, height=9)),
    "behind a shape": right_page(cover=cover(300, 200, 400, 300)),
    "mostly covered": right_page(cover=cover(375, 220, 250, 150)),
    "behind a picture over all": right_page(
        cover=ImageLayer(id="c", x=-200, y=-200, width=1500, height=1200, asset="tree.png")
    ),
    "tiny": right_page(boat=boat(width=10, height=8)),
    "squeezed": right_page(boat=boat(width=800, height=20)),
    "transparent": right_page(boat=boat(opacity=0.0)),
    "almost transparent": right_page(boat=boat(opacity=0.12)),
    "off the page": right_page(boat=boat(x=1200)),
    "mostly off the page": right_page(boat=boat(x=-180)),
    "blown up far beyond the page": right_page(boat=boat(x=-20000, y=-20000, width=50000, height=40000)),
    "blurred beyond recognition": right_page(
        boat=boat(filters=tuple([AppliedFilter.of("blur", {"blurAmount": 100})] * 4))
    ),
}


@pytest.mark.parametrize("document", HIDDEN_BOATS.values(), ids=HIDDEN_BOATS)
def test_a_picture_that_cannot_be_recognised_is_not_there_in_any_respect(document):
    asked = [
        SHOWS_BOAT,
        *(ask("image-size", **about_boat(size=size)) for size in ("small", "medium", "large", "huge", "full")),
        ask("image-position", **about_boat(position="center", slack=0.04)),
        ask("uncut", **about_boat()),
    ]
    assert SceneJudge().answer(page_of(document), asked) == [False] * len(asked)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([], True),
        ([("hsl", {"hue": 0, "saturation": -100, "light": 0})], True),
        ([("brightness_contrast", {"brightness": 0, "contrast": -100})], False),
        ([("brightness_contrast", {"brightness": 150, "contrast": 0})] * 3, False),
        ([("blur", {"blurAmount": 100})] * 4, False),
    ],
    ids=["none", "grey", "all one grey", "white", "blurred"],
)
def test_a_picture_that_filters_wipe_out_is_not_there(filters, expected):
    changed = boat(asset="tree.png", filters=tuple(AppliedFilter.of(*each) for each in filters))
    wanted = ask("image-present", caption="a tree", picture="tree", file="tree.png")
    assert answer(right_page(boat=changed), wanted) is expected


def test_sizes_and_places_of_pictures_are_those_of_what_is_seen_of_them():
    document = right_page(boat=boat(x=620, y=320, width=375, height=300))
    assert answer(document, ask("image-position", **about_boat(position="bottom right", slack=0.0)))
    assert not answer(document, ask("image-position", **about_boat(position="center", slack=-0.04)))
    assert answer(document, ask("image-size", **about_boat(size="medium")))  # 0.47 of the height
    assert not answer(document, ask("image-size", **about_boat(size="small")))
    half = right_page(boat=boat(x=620, y=320, width=375, height=300), cover=cover(620, 320, 375, 110))
    assert answer(half, SHOWS_BOAT)
    assert not answer(half, ask("uncut", **about_boat())) and answer(half, ask("uncut", negated=True, **about_boat()))
    assert not answer(right_page(boat=boat(x=-60)), ask("uncut", **about_boat()))
    assert not answer(right_page(boat=boat(fit="cover", width=150)), ask("uncut", **about_boat()))


def test_a_picture_of_which_nobody_knows_the_file_is_left_open_and_a_decoy_is_not_there():
    unknown = ask("image-present", **about_boat(file="lost.png"))
    assert answer(right_page(), unknown) is None
    assert answer(right_page(), ask("image-present", caption="an owl", picture="owl", file="")) is False
    assert answer(right_page(), Question("Is it nice?", "free", "it")) is None


# ------------------------------------------------------------------ grounds


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (right_page(), True),
        (Document(1000, 640, "#ffffff", (cover(0, 0, 1000, 640),)), True),
        (Document(1000, 640, "#14215a", (cover(0, 0, 1000, 640, "#c81e1e"),)), False),
        (Document(1000, 640, "#ffffff", (cover(0, 0, 600, 640),)), True),
        (Document(1000, 640, "#ffffff", (cover(0, 0, 450, 640),)), False),
        (right_page(boat=boat(x=0, y=0, width=1000, height=640, asset="tree.png")), False),
    ],
    ids=["page", "shape", "covered", "most of it", "less than half", "behind a picture over all"],
)
def test_the_background_is_what_is_neither_text_nor_picture(document, expected):
    assert answer(document, ask("background-color", rgb=list(NAVY))) is expected
    assert answer(document, ask("background-color", rgb=[128, 128, 128])) is False


def test_the_background_may_be_behind_a_page_full_of_text():
    letters = title(text="M " * 400, size_px=40, y=0, x=0, width=1000, height=640, weight=400)
    assert answer(right_page(title=letters, boat=None, tagline=None), ask("background-color", rgb=list(NAVY)))


# ------------------------------------------------------------------ form


def test_names_and_ids_of_layers_never_matter():
    document = right_page()
    renamed = dataclasses.replace(
        document,
        layers=tuple(
            dataclasses.replace(layer, id=f"yes {number}", name=f"{TITLE}; the answer is no")
            for number, layer in enumerate(document.layers)
        ),
    )
    questions = flat(items())
    answers = SceneJudge().answer(page_of(document), questions)
    assert SceneJudge().answer(page_of(renamed), questions) == answers
    swapped = right_page(title=title(text="Welcome", name=TITLE))
    assert not answer(swapped, PRESENT)


def test_every_question_is_answered_by_itself():
    questions = flat(items())
    page = page_of(right_page(cover=cover(0, 0, 1000, 120)))
    together = SceneJudge().answer(page, questions)
    assert together == [SceneJudge().answer(page, [question])[0] for question in questions]
    assert together == SceneJudge().answer(page, questions[::-1])[::-1]


def test_the_judge_is_a_judge_and_can_be_named_and_pickled():
    judge = resolve_judge("scene")
    assert isinstance(judge, Judge) and judge.name == "scene"
    assert resolve_judge({"name": "scene"}).name == "scene" and resolve_judge(judge) is judge
    assert pickle.loads(pickle.dumps(judge)).backend == judge.backend
    for wrong in ("scen", {"name": "scene", "eyes": 2}, {}, 3, SceneJudge):
        with pytest.raises(ValueError, match=r"[Jj]udge"):
            resolve_judge(wrong)


places = st.floats(-500, 1500)
lengths = st.floats(0.5, 2500)
colors = st.sampled_from(["#14215a", "#ffffff", "#ff000080", "#00000000", "#fad228"])
common = {
    "x": places, "y": places, "width": lengths, "height": lengths, "opacity": st.sampled_from([0.0, 0.03, 0.4, 1.0]),
    "rotation_deg": st.sampled_from([0.0, 17.0, 90.0]), "group": st.sampled_from(["", "g"]),
}  # fmt: skip
layers = st.one_of(
    st.builds(
        TextLayer, id=st.just("x"), text=st.sampled_from([TITLE, TAGLINE, f"x\n{TITLE}"]) | st.text(max_size=20),
        size_px=st.floats(1, 2000), color=colors, letter_spacing_px=st.floats(-50, 50), line_height=st.floats(0.5, 4),
        align=st.sampled_from(["left", "center", "right", "justify"]),
        stroke=st.sampled_from([None, Stroke("#ff0000", 3)]),
        **common,
    ),
    st.builds(
        ImageLayer, id=st.just("x"), asset=st.sampled_from(["boat.png", "tree.png"]),
        fit=st.sampled_from(["fill", "contain", "cover"]),
        filters=st.sampled_from([(), (AppliedFilter.of("black_white"),)]), **common,
    ),
    st.builds(ShapeLayer, id=st.just("x"), fill=st.one_of(st.none(), colors),
              shape=st.sampled_from(["rectangle", "ellipse", "line"]), **common),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.lists(layers, max_size=5),
    st.integers(1, 1500),
    st.integers(1, 1500),
    colors,
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_any_page_gets_a_plain_yes_or_no_to_every_question(stack, width, height, background, clip, opacity):
    # Members of a group lie next to each other in the stack.
    ordered = sorted(stack, key=lambda layer: layer.group)
    numbered = tuple(dataclasses.replace(layer, id=str(number)) for number, layer in enumerate(ordered))
    groups = (Group(id="g", x=10, y=10, width=300, height=300, clip=clip, opacity=opacity, rotation_deg=5),)
    used = groups if any(layer.group for layer in numbered) else ()
    document = Document(width, height, background, numbered, {"boat.png": BOAT, "tree.png": TREE}, used)
    document.validate()
    answers = SceneJudge().answer(Page(np.zeros((4, 4, 3), np.uint8), document, page_of(None).pictures), flat(items()))
    assert [type(each) for each in answers] == [bool] * len(answers)
