"""Items and questions: which answers are right, which regions are offered, and in which words all is put."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from aesthetics_pages import ROW, TALL, design

from designgym.boxes import NumberFrame, iou
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import SAME_IOU, make_item
from designgym.envs.aesthetics.questions import option_lines, question, spelled_box, split_question

CONTRAST = "color-contrast"


def box(px, width=800, height=800):
    return tuple(v / s for v, s in zip(px, (width, height, width, height), strict=True))


# ------------------------------------------------------------ right answers


@pytest.mark.parametrize("task", ["judgment", "selection", "localization"])
def test_a_flawed_design_has_an_issue_at_the_box_of_its_harmed_element(task):
    item = make_item(task, design("a", 800, 800, ROW, harmed=(1,)), CONTRAST)
    assert (item.verdict, item.bbox, item.boxes) == ("yes", box(ROW[1]), (box(ROW[1]),))
    assert (item.flaw, item.harmed) == ("low_contrast", ("e1",))


@pytest.mark.parametrize("task", ["judgment", "selection", "localization"])
def test_a_design_that_is_harmed_in_another_respect_is_good_in_this_one(task):
    item = make_item(task, design("a", 800, 800, ROW, harmed=(1,)), "layout-balance")
    assert (item.verdict, item.bbox, item.boxes, item.flaw) == ("no", None, (), "")


def test_of_several_harmed_elements_each_is_right_but_under_release_the_first_alone():
    shown = design("a", 800, 800, ROW, harmed=(2, 0))
    assert make_item("localization", shown, CONTRAST).boxes == (box(ROW[2]), box(ROW[0]))
    released = make_item("localization", shown, CONTRAST, "release")
    assert released.boxes == (box(ROW[2]),) and released.protocol == "release" and released.harmed == ("e2",)


def test_an_element_beside_the_page_is_no_answer():
    outside = (-300, 20, -10, 100)
    assert make_item("localization", design("a", 800, 800, [*ROW, outside], harmed=(5,)), CONTRAST) is None
    both = make_item("localization", design("a", 800, 800, [*ROW, outside], harmed=(5, 1)), CONTRAST)
    assert both.boxes == (box(ROW[1]),) and both.harmed == ("e1",)


def test_arguments_of_the_right_answer():
    shown, good = design("a", 800, 800, ROW, harmed=(1,)), design("b", 800, 800, ROW)
    assert make_item("judgment", shown, CONTRAST).answer() == {"verdict": "yes"}
    assert make_item("judgment", good, CONTRAST).answer() == {"verdict": "no"}
    assert make_item("localization", shown, CONTRAST).answer() == {"bbox": list(box(ROW[1]))}
    assert make_item("localization", good, CONTRAST).answer() == {"bbox": None}
    item = make_item("selection", good, CONTRAST)
    assert item.options["ABCD".index(item.answer()["choice"])] is None


# ------------------------------------------------------------ regions offered


def test_a_flawed_design_offers_its_box_two_untouched_elements_and_none():
    shown = design("a", 800, 800, ROW, harmed=(1,), changed=(3,))
    item = make_item("selection", shown, CONTRAST)
    assert Counter(item.options) == Counter(
        [box(ROW[1]), None, *({box(ROW[n]) for n in (0, 2, 4)} & set(item.options))]
    )
    assert len(item.options) == 4 and item.options["ABCD".index(item.choice)] == box(ROW[1])


def test_a_good_design_offers_three_elements_and_none_which_is_right():
    item = make_item("selection", design("a", 800, 800, ROW, changed=(0,)), CONTRAST)
    offered = [option for option in item.options if option]
    assert len(set(offered)) == 3 and set(offered) <= {box(px) for px in ROW}
    assert len(item.options) == 4 and item.options["ABCD".index(item.choice)] is None


def test_release_offers_three_others_and_never_none_on_a_flawed_design():
    for name in "abcdefgh":
        item = make_item("selection", design(name, 800, 800, ROW, harmed=(1, 2)), CONTRAST, "release")
        assert set(item.options) == {box(ROW[n]) for n in (0, 1, 3, 4)}  # the second flaw is neither truth nor option
        good = make_item("selection", design(name, 800, 800, ROW), CONTRAST, "release")
        assert good.options["ABCD".index(good.choice)] is None


def test_too_few_elements_make_no_selection_but_do_for_the_other_tasks():
    few = design("a", 800, 800, ROW[:2], harmed=(1,))
    assert make_item("selection", few, CONTRAST) is None
    assert make_item("selection", design("b", 800, 800, ROW[:2]), CONTRAST) is None
    assert make_item("selection", design("c", 800, 800, ROW[:3], harmed=(1,)), CONTRAST) is not None
    assert make_item("selection", design("c", 800, 800, ROW[:3], harmed=(1,)), CONTRAST, "release") is None
    assert make_item("selection", design("d", 800, 800, ROW[:3], harmed=(1,), changed=(0,)), CONTRAST) is None
    assert make_item("localization", few, CONTRAST) is not None


def test_regions_that_nearly_coincide_are_not_offered_together():
    doubled = [*ROW, *[(x1 + 4, y1 + 2, x2, y2) for x1, y1, x2, y2 in ROW]]
    for name in "abcdefghijkl":
        for harmed in ((), (1,)):
            options = make_item("selection", design(name, 800, 800, doubled, harmed=harmed), CONTRAST).options
            boxes = [option for option in options if option]
            assert all(iou(a, b) < SAME_IOU for a in boxes for b in boxes if a is not b)


def test_the_order_is_drawn_by_the_samples_id_and_no_letter_is_favoured():
    letters = Counter()
    for n in range(400):
        one = make_item("selection", design(f"s{n}", 800, 800, ROW, harmed=(1,)), CONTRAST)
        again = make_item("selection", design(f"s{n}", 800, 800, ROW, harmed=(1,)), CONTRAST)
        assert one.options == again.options
        letters[one.choice] += 1
    assert all(70 <= letters[letter] <= 130 for letter in "ABCD")  # 100 each, standard deviation 9


# ------------------------------------------------------------ words


def test_a_question_explains_its_indicator_first_and_names_it():
    assert question("judgment", INDICATORS["font-legibility"]).split("\n") == [
        INDICATORS["font-legibility"].explanation,
        "Is there an issue with the design's font legibility?",
    ]


@pytest.mark.parametrize("task", ["judgment", "selection", "localization"])
def test_every_indicator_has_a_question_of_its_own(task):
    texts = {question(task, indicator) for indicator in INDICATORS.values()}
    assert len(texts) == 12


def test_the_parts_of_a_question_can_be_told_apart_again():
    options = ((0.05, 0.1, 0.5, 0.25), None, (0.0, 0.0, 1.0, 1.0), (0.5, 0.5, 0.75, 1.0))
    indicator = INDICATORS[CONTRAST]
    text = question("selection", indicator, options)
    assert text.split("\n")[2:] == [
        "A: [0.0500, 0.1000, 0.5000, 0.2500]", "B: None", "C: [0.0000, 0.0000, 1.0000, 1.0000]",
        "D: [0.5000, 0.5000, 0.7500, 1.0000]",
    ]  # fmt: skip
    explanation, asked, found = split_question(text)
    assert (explanation, found) == (indicator.explanation, options)
    assert asked == "Which of these regions holds an element that harms the design's color contrast?"
    assert split_question("Is it kind?") == ("", "Is it kind?", ())


def test_boxes_are_written_in_the_frame_and_order_asked_for():
    tall = (0.125, 0.5, 0.5, 0.75)
    assert spelled_box(tall, NumberFrame("thousand")) == "[125, 500, 500, 750]"
    assert spelled_box(tall, NumberFrame("resized_pixel", (256, 448))) == "[32, 224, 128, 336]"
    assert spelled_box(tall, NumberFrame("pixel", (640, 1120)), "ltwh") == "[80, 560, 240, 280]"
    assert spelled_box(tall, NumberFrame(), "ltwh") == "[0.125, 0.500, 0.375, 0.250]"
    assert option_lines([None, tall], NumberFrame("thousand")) == ["A: None", "B: [125, 500, 500, 750]"]


def test_no_question_tells_the_answer():
    shown, good = design("same", 640, 1120, TALL, harmed=(1,)), design("same", 640, 1120, TALL)
    for task in ("judgment", "localization"):
        assert make_item(task, shown, CONTRAST).question == make_item(task, good, CONTRAST).question
    lines = make_item("selection", shown, CONTRAST).question.split("\n")[2:]
    assert sorted(line[0] for line in lines) == list("ABCD")
    assert all(re.fullmatch(r"[A-D]: (None|\[(\d\.\d{4}(, )?){4}\])", line) for line in lines)


def test_a_question_of_ones_own_takes_the_place_of_ours():
    item = make_item("localization", design("a", 800, 800, ROW), CONTRAST, text="Which one is faint?")
    assert item.question == "Which one is faint?"


def test_what_was_changed_twice_is_named_by_the_operation_that_does_the_harm():
    shown = design("a", 800, 800, ROW, harmed=(1,), changed=(1,))
    swapped = replace(shown, flaws=shown.flaws[::-1])
    assert swapped.flaws[0].operation == "size"
    assert make_item("localization", swapped, CONTRAST).flaw == "low_contrast"
