"""Reasoning paths that tie an indicator to regions of the page (AesEval-Bench, section 4 and its Table 8).

What is looked at depends on the task, as in the paper: for a judgment the perturbed regions; for a selection every
region that is offered, perturbed or not; for a localization the perturbed region and its relation to the whole page.
Where nothing is at fault, the path says what was looked at, perturbed elements that did no harm first, and why it is
fine.
"""

from __future__ import annotations

from collections.abc import Sequence

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import Item
from designgym.envs.aesthetics.questions import LETTERS, split_question
from designgym.envs.aesthetics.sample import Element
from designgym.train.aesthetics_data import phrases
from designgym.train.aesthetics_data.facts import Facts, area, place
from designgym.train.aesthetics_data.faults import fault
from designgym.train.aesthetics_data.merits import merit
from designgym.train.aesthetics_data.pen import Pen, percent, sentence

_LOOKED_AT = (2, 3)  # elements that a path on a good design names
_NAMED = ("the {noun} at {box}", "{box}, the {noun}", "the {noun} {box}", "the {noun} in {box}")
_SUBJECTS = {"font": ("text",), "graphic": ("picture", "group")}


def reasoning_path(item: Item, facts: Facts, pen: Pen) -> str:
    """What leads to the right answer of an item, without the answer's call.

    Args:
        item: Question and truth.
        facts: Its sample with the page as the model sees it.
        pen: Chooses the wording and writes boxes in the model's frame.
    """
    body = {"judgment": _judgment, "selection": _selection, "localization": _localization}[item.task](item, facts, pen)
    opening = []
    if pen.chance(0.8):
        meaning = pen.pick(phrases.MEANINGS[item.indicator])
        opening = [pen.say(phrases.OPENINGS, respect=respect(item.indicator), meaning=meaning)]
    return " ".join(sentence(text) for text in [*opening, *body])


def respect(indicator: str) -> str:
    """An indicator inside of a sentence: ``layout alignment``, ``color harmony``."""
    found = INDICATORS[indicator]
    return f"{found.dimension} {found.title.lower()}"


def looked_at(item: Item, facts: Facts, pen: Pen) -> list[Element]:
    """The elements of a good design that are worth naming, the perturbed ones first."""
    kinds = _SUBJECTS.get(INDICATORS[item.indicator].dimension)
    fitting = [e for e in facts.foreground if kinds is None or e.kind in kinds] or list(facts.sample.elements)
    perturbed = {flaw.element for flaw in item.sample.flaws}
    first = [e for e in fitting if e.id in perturbed]
    rest = pen.shuffled([e for e in fitting if e.id not in perturbed])
    return [*first, *rest][: _LOOKED_AT[1] if pen.chance(0.5) else _LOOKED_AT[0]]


def _judgment(item: Item, facts: Facts, pen: Pen) -> list[str]:
    if not item.boxes:
        return [*_praise(item, facts, pen), pen.say(phrases.JUDGED_FINE, respect=respect(item.indicator))]
    blame = _blame(item, facts, pen, [item.sample.element(name) for name in item.harmed])
    return [*blame, *_comparison(item, facts, pen), pen.say(phrases.JUDGED_FLAWED, respect=respect(item.indicator))]


def _selection(item: Item, facts: Facts, pen: Pen) -> list[str]:
    by_box = {element.box: element for element in item.sample.elements}
    # The question has rounded boxes; repeating just those keeps path and question in one another's terms.
    shown = split_question(item.question)[2]
    texts = []
    for letter, option, box in zip(LETTERS, item.options, shown, strict=True):
        if option is None or box is None:
            texts.append(pen.say(phrases.NONE_OPTION, letter=letter))
            continue
        element = by_box[option]
        named = f"{letter}, {pen.say(_NAMED, noun=pen.noun(element), box=pen.box(box))},"
        if letter == item.choice:
            texts += [f"{named} {fault(item.indicator, facts, element, pen)}", _consequence(item, pen)]
        else:
            texts.append(f"{named} {merit(item.indicator, facts, element, pen)}")
    ending = phrases.CHOSEN if item.boxes else phrases.CHOSEN_NONE
    return [*texts, pen.say(ending, letter=item.choice, respect=respect(item.indicator))]


def _localization(item: Item, facts: Facts, pen: Pen) -> list[str]:
    if item.bbox is None:
        return [*_praise(item, facts, pen), pen.say(phrases.LOCATED_NONE, respect=respect(item.indicator))]
    element = item.sample.element(item.harmed[0])
    blame = _blame(item, facts, pen, [element])
    return [
        *blame,
        *_relation(item, facts, pen, element, " ".join(blame)),
        pen.say(phrases.LOCATED, box=pen.box(item.bbox)),
    ]


def _blame(item: Item, facts: Facts, pen: Pen, elements: Sequence[Element]) -> list[str]:
    texts = [f"{pen.region(element)} {fault(item.indicator, facts, element, pen)}" for element in elements]
    return [*texts, _consequence(item, pen)]


def _consequence(item: Item, pen: Pen) -> str:
    return pen.pick(phrases.CONSEQUENCES[item.indicator])


def _praise(item: Item, facts: Facts, pen: Pen) -> list[str]:
    return [
        f"{pen.region(element)} {merit(item.indicator, facts, element, pen)}" for element in looked_at(item, facts, pen)
    ]


def _comparison(item: Item, facts: Facts, pen: Pen) -> list[str]:
    """Now and then an element to which nothing was done, against which the flaw shows."""
    fine = [element for element in looked_at(item, facts, pen) if element.id not in _changed(item)]
    if not fine or pen.chance(0.5):
        return []
    return [pen.say(phrases.COMPARISONS, region=pen.region(fine[0]), merit=merit(item.indicator, facts, fine[0], pen))]


def _relation(item: Item, facts: Facts, pen: Pen, element: Element, said: str) -> list[str]:
    """Where a flawed element stands in the whole: its place and share, its neighbour or a fine element, the others.

    A neighbour that was named before is not named again.
    """
    texts = [pen.say(phrases.WHOLE, place=place(element.box), share=percent(area(element.box)))]
    near = facts.nearest(element)
    if near is not None and pen.box(near[0].box) not in said and pen.chance(0.6):
        kind = phrases.TOUCHING if near[1] < 0.002 else phrases.BESIDE
        texts.append(pen.say(kind, region=pen.region(near[0]), gap=percent(near[1])))
    else:
        texts += _comparison(item, facts, pen)
    others = len(facts.foreground) - len(item.boxes)
    if others > 1 and pen.chance(0.5):
        texts.append(pen.say(phrases.REST, count=str(others)))
    return texts


def _changed(item: Item) -> set[str]:
    return {flaw.element for flaw in item.sample.flaws} | set(item.sample.harmed.get(item.indicator, ()))
