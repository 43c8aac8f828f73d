from __future__ import annotations

import dataclasses
import re
import string

import numpy as np
import pytest
from aesthetics_samples import LINE, TITLE, faint_line, sample

from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import Item, make_item
from designgym.envs.aesthetics.labels import CRITERIA
from designgym.envs.aesthetics.sample import Element, Flaw, Sample
from designgym.train.aesthetics_data import faults, measured, merits, phrases
from designgym.train.aesthetics_data.diversity import diversity
from designgym.train.aesthetics_data.facts import Facts, overlap, place
from designgym.train.aesthetics_data.measured import MEASURED, reason
from designgym.train.aesthetics_data.paths import looked_at, reasoning_path
from designgym.train.aesthetics_data.pen import Pen, quotation, sentence, written

THOUSAND = NumberFrame("thousand")
FOUR = re.compile(r"\[[^\]]*\]")


def pen(seed: int = 0, frame: NumberFrame = THOUSAND) -> Pen:
    return Pen(np.random.default_rng(seed), frame)


def item(task: str, design: Sample, indicator: str = "color-contrast") -> Item:
    made = make_item(task, design, indicator)  # type: ignore[arg-type]
    assert made is not None
    return made


def path(made: Item, seed: int = 0, frame: NumberFrame = THOUSAND) -> str:
    return reasoning_path(made, Facts(made.sample, made.sample.page(200)), pen(seed, frame))


def harmful(indicator: str) -> Flaw:
    """The line of text, harming an indicator by every quantity of the rule at once."""
    worst = {c.measure: c.flawed for c in CRITERIA if c.indicator == indicator}
    return Flaw("made", "line", "x", 1, 2, 0.0, worst, (indicator,))


# ---------------------------------------------------------------- by task


@pytest.mark.parametrize("seed", range(20))
def test_a_judgment_points_at_the_perturbed_region_and_gives_the_measured_value(seed: int) -> None:
    text = path(item("judgment", sample(faint_line())), seed)
    assert "[100, 300, 500, 350]" in text
    assert "1.4:1" in text


@pytest.mark.parametrize("seed", range(20))
def test_a_judgment_of_two_flaws_points_at_both(seed: int) -> None:
    other = dataclasses.replace(faint_line(), element="title")
    text = path(item("judgment", sample(faint_line(), other)), seed)
    assert "[100, 300, 500, 350]" in text and "[100, 100, 900, 250]" in text


@pytest.mark.parametrize("flawed", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_a_selection_speaks_of_every_option_in_order_as_the_question_writes_it(seed: int, flawed: bool) -> None:
    made = item("selection", sample(*([faint_line()] if flawed else [])))
    text = path(made, seed)
    places = []
    for line in made.question.splitlines()[-4:]:
        letter, _, box = line.partition(": ")
        found = re.search(rf"\b{letter}\b(?! region)", text)
        assert found, (letter, text)
        places.append(found.start())
        if box != "None":
            shown = str([round(1000 * float(number)) for number in re.findall(r"[\d.]+", box)])
            assert shown in text
    assert places == sorted(places)
    assert re.search(rf"\b{made.choice}\b", sentences(text)[-1])


@pytest.mark.parametrize("seed", range(20))
def test_a_localization_ends_in_the_box_and_says_where_it_lies_in_the_whole(seed: int) -> None:
    text = path(item("localization", sample(faint_line())), seed)
    assert "[100, 300, 500, 350]" in sentences(text)[-1]
    assert "2.0 % " in text and "left" in text  # 0.4 x 0.05 of the page


@pytest.mark.parametrize("task", ["judgment", "localization"])
@pytest.mark.parametrize("seed", range(10))
def test_on_a_good_design_harmless_perturbations_are_looked_at_first(task: str, seed: int) -> None:
    harmless = dataclasses.replace(faint_line(), element="title", harms=())
    text = path(item(task, sample(harmless)), seed)
    boxes = FOUR.findall(text)
    assert boxes[0] == "[100, 100, 900, 250]" and len(boxes) >= 2


def test_of_fonts_only_texts_and_of_graphics_only_pictures_are_looked_at() -> None:
    made = item("judgment", sample(), "font-hierarchy")
    facts = Facts(made.sample, made.sample.page(200))
    assert {e.id for e in looked_at(made, facts, pen())} == {"title", "line"}
    about = item("judgment", sample(), "graphic-quality")
    assert {e.id for e in looked_at(about, facts, pen())} == {"picture"}


@pytest.mark.parametrize("indicator", INDICATORS)
@pytest.mark.parametrize("task", ["judgment", "selection", "localization"])
def test_paths_give_no_box_that_the_design_does_not_have(task: str, indicator: str) -> None:
    for flaws in ((), (harmful(indicator),)):
        made = item(task, sample(*flaws), indicator)
        known = {str(written(element.box, THOUSAND)) for element in made.sample.elements}
        for seed in range(6):
            text = path(made, seed)
            assert set(FOUR.findall(text)) <= known
            assert not re.search(r"[{}<>]|\bnan\b|,,|,\.| ,|\.\.| {2}", text), text


def test_the_same_seed_writes_the_same_and_others_vary() -> None:
    made = item("localization", sample(faint_line()))
    texts = [path(made, seed) for seed in range(30)]
    assert texts == [path(made, seed) for seed in range(30)]
    assert len(set(texts)) >= 28


@pytest.mark.parametrize(
    ("frame", "box"),
    [
        (NumberFrame("thousand"), "[100, 300, 500, 350]"),
        (NumberFrame("fraction"), "[0.1, 0.3, 0.5, 0.35]"),
        (NumberFrame("resized_pixel", (448, 224)), "[45, 67, 224, 78]"),
    ],
)
def test_boxes_are_written_in_the_frame_of_the_model(frame: NumberFrame, box: str) -> None:
    assert box in path(item("localization", sample(faint_line())), frame=frame)


def test_a_thin_box_keeps_its_extent_in_fractions() -> None:
    assert written((0.2, 0.50004, 0.8, 0.50006), NumberFrame()) == [0.2, 0.5, 0.8, 0.501]
    assert written((0.2, 0.99991, 0.8, 1.0), NumberFrame()) == [0.2, 0.999, 0.8, 1.0]


# ---------------------------------------------------------------- words


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: f"{c.indicator}-{c.measure}")
def test_every_quantity_of_the_label_rule_has_words(criterion) -> None:  # type: ignore[no-untyped-def]
    assert criterion.measure in MEASURED
    said = {reason(criterion.indicator, {criterion.measure: criterion.flawed}, pen(seed)) for seed in range(40)}
    assert None not in said and len(said) >= 3
    assert reason(criterion.indicator, {criterion.measure: criterion.good}, pen()) is None


def test_only_what_the_rule_blames_is_said() -> None:
    measures = {"contrast": 1.2, "standout": 0.9, "borne_contrast": 21.0}
    for seed in range(30):
        assert "1.2:1" in str(reason("color-contrast", measures, pen(seed)))


def test_a_design_without_quantities_is_explained_from_its_page() -> None:
    bare = Flaw("unknown", "line", "color", None, None, harms=("color-contrast",))
    for seed in range(10):
        assert "1.4:1" in path(item("judgment", sample(bare)), seed)  # of #dddddd on white, by the WCAG formula


def test_nothing_in_a_text_passes_for_markup_and_long_ones_are_cut() -> None:
    assert quotation("<tool_call>{}</tool_call> now") == "“\\u003ctool_call>{}\\u003c/tool_call> now”"
    assert quotation("one two three four five six") == "“one two three four five…”"
    assert quotation("x" * 60) == "“" + "x" * 40 + "…”"
    assert quotation("") == ""


def test_a_text_with_braces_is_quoted_as_it_is() -> None:
    design = sample(faint_line())
    changed = tuple(dataclasses.replace(e, text="{0} {box} %s") if e.id == "line" else e for e in design.elements)
    made = item("localization", dataclasses.replace(design, elements=changed))
    assert any("“{0} {box} %s”" in path(made, seed) for seed in range(10))


def test_marks_are_mended_where_a_box_in_commas_meets_others() -> None:
    assert sentence("it touches the title, [1, 2, 3, 4],") == "It touches the title, [1, 2, 3, 4]."
    assert sentence("the title, [1, 2, 3, 4],, is fine") == "The title, [1, 2, 3, 4], is fine."


def tables() -> list[tuple[str, ...]]:
    """All tuples of templates of the modules of words."""
    found: list[tuple[str, ...]] = []
    for value in vars(phrases).values():
        if isinstance(value, tuple):
            found.append(value)
        if isinstance(value, dict):
            found += [entry for entry in value.values() if isinstance(entry, tuple)]
    found += [words.predicates for words in MEASURED.values()]
    found += [*merits._PLAIN.values(), *faults._PLAIN.values(), measured._TOUCHING]
    return [table for table in found if table and all(isinstance(text, str) for text in table)]


def test_templates_of_a_table_differ_and_can_be_filled() -> None:
    slots = {
        "respect",
        "meaning",
        "region",
        "merit",
        "letter",
        "box",
        "place",
        "share",
        "gap",
        "count",
        "value",
        "limit",
    }
    assert len(tables()) > 60
    for table in tables():
        assert len(set(table)) == len(table)
        for text in table:
            assert {name for _, name, _, _ in string.Formatter().parse(text) if name is not None} <= slots


# ---------------------------------------------------------------- facts


def facts() -> Facts:
    design = sample(faint_line())
    return Facts(design, design.page(200))


def element(name: str) -> Element:
    return sample().element(name)


def test_facts_are_those_of_the_page() -> None:
    found = facts()
    assert found.contrast(element("panel")) == pytest.approx(9.06, abs=0.1)  # #2040a0 on white
    assert found.type_share(element("title")) == 0.12
    assert found.resolution(element("picture")) == pytest.approx(60 / 80)  # the lesser of 80/60 and 60/80
    assert found.nearest(element("line")) == (element("title"), pytest.approx(0.05))
    assert found.margin(element("panel")) == pytest.approx(0.1)
    side, others = found.lined_up(element("line")) or ("", ())
    assert side == "left" and {e.id for e in others} == {"title", "panel"}
    # areas .16, .12, .12, .02 with centres .3, .75, .5, .3
    assert found.weight[0] == pytest.approx((0.16 * 0.3 + 0.12 * 0.75 + 0.12 * 0.5 + 0.02 * 0.3) / 0.42)


def test_what_lies_in_front_covers_and_what_lies_behind_does_not() -> None:
    design = sample()
    moved = tuple(dataclasses.replace(e, box=TITLE) if e.id == "line" else e for e in design.elements)
    found = Facts(dataclasses.replace(design, elements=moved), design.page(200))
    title, line = moved[2], moved[3]
    assert found.covered(line) == (title,) and found.covered(title) == ()
    assert overlap(LINE, TITLE) == 0.0 and overlap(TITLE, (0.0, 0.0, 0.5, 1.0)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("box", "words"),
    [
        ((0.0, 0.0, 1.0, 0.95), "over almost the whole page"),
        ((0.05, 0.05, 0.95, 0.2), "across the top of the page"),
        ((0.05, 0.45, 0.95, 0.55), "across the middle of the page"),
        ((0.0, 0.0, 0.2, 0.2), "at the top left"),
        ((0.4, 0.8, 0.6, 1.0), "at the bottom"),
        ((0.8, 0.4, 1.0, 0.6), "on the right side"),
        ((0.4, 0.4, 0.6, 0.6), "in the middle of the page"),
    ],
)
def test_places_in_words(box: tuple[float, float, float, float], words: str) -> None:
    assert place(box) == words


# ---------------------------------------------------------------- diversity


def test_diversity_worked_by_hand() -> None:
    found = diversity(["The title is 3 px. The title is 4 px.", "The title is 3 px."])
    assert (found.texts, found.sentences, found.distinct_forms) == (2, 3, 1)
    assert found.distinct_sentences == pytest.approx(2 / 3)
    assert found.commonest_form == 1.0
    # the # px: 5 kinds of word among 15; bigrams the-title title-is is-# #-px px-the among 9 + 4
    assert found.distinct[0] == pytest.approx(5 / 15)
    assert found.distinct[1] == pytest.approx(5 / 13)
    assert found.words == 7.5


def test_nothing_is_not_varied() -> None:
    assert diversity([]).distinct == (0.0, 0.0, 0.0)


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)
