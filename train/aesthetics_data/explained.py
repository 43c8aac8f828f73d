"""Asking a model for a reasoning path, and judging what it wrote (AesEval-Bench, section 4).

The model is given the right answer, the boxes of the regions of interest and their pictures, and is to explain the one
by the others. Its text counts only if it repeats the boxes as they were given, invents no other and ends in the right
answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from designgym.answers import read_answer
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.questions import LETTERS, split_question
from designgym.envs.aesthetics.sample import Element, FractionBox
from designgym.prompt import Message, message, plain
from designgym.train.aesthetics_data.layers import element_alone, marked
from designgym.train.aesthetics_data.measured import reasons
from designgym.train.aesthetics_data.pairs import Question
from designgym.train.aesthetics_data.paths import looked_at, respect
from designgym.train.aesthetics_data.pen import Pen, quotation, written

SHORTEST, LONGEST = 60, 4000
"""Characters of a path."""

_SYSTEM = """\
You write short explanations that teach a model to judge the quality of graphic designs. You are given a design, a \
question about one aesthetic indicator, the right answer, and the bounding boxes [x1, y1, x2, y2] of the regions of \
interest, {frame}. Explain in three to six plain sentences how one sees the answer from these regions: what is there, \
how it relates to its surroundings, and what that does to the indicator. Repeat each box exactly as it is given, in \
square brackets, where you speak of its region, and give no other box. Write as someone who finds the answer by \
looking at the design: do not mention that answer, boxes or marks were given. End with a line of its own: "Answer: " \
and the answer."""

_FOCUS = {
    "judgment": "Explain what is right or wrong in the regions of interest.",
    "selection": "Go through the offered regions in order, and say of each why it is fine or at fault.",
    "localization": "Explain what is wrong in the region, and how it relates to the whole page and its other elements.",
}

_FOUR = re.compile(r"\[\s*(-?\d*\.?\d+)\s*,\s*(-?\d*\.?\d+)\s*,\s*(-?\d*\.?\d+)\s*,\s*(-?\d*\.?\d+)\s*\]")
_TOLD = re.compile(
    r"\b(?:ground[- ]truth|(?:given|provided|supplied|right|correct|expected|known) answer|(?:I was|as) told"
    r"|as (?:given|provided|instructed)|marked (?:region|box|in)|magenta|you (?:gave|provided))\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"</?(?:think|tool_call|tool_response)>|<\|")


@dataclass(frozen=True)
class Request:
    """What a model is asked about a question, and what its text must hold.

    Attributes:
        messages: The conversation.
        boxes: Boxes that the text must repeat, as they are written.
    """

    messages: list[Message]
    boxes: tuple[tuple[float, ...], ...]


def request(question: Question, pen: Pen) -> Request:
    """Ask for the path of a question.

    Args:
        question: Item, page and frame.
        pen: Chooses which elements of a good design are to be looked at.
    """
    item, page, frame = question.item, question.page, question.frame
    regions = _regions(question, pen)
    boxes = {name: box for name, _, box in regions}
    told = [
        f"Indicator: {respect(item.indicator)}. {INDICATORS[item.indicator].explanation}",
        f"Question: {split_question(item.question)[1]}",
        "Regions of interest:",
        *(_line(question, name, element, box) for name, element, box in regions),
        f"Right answer: {answer_text(question)}",
        _FOCUS[item.task],
    ]
    pictures: list[str | object] = ["The design:", page, "The same with the regions marked:", marked(page, boxes)]
    for name, element, _ in regions:
        alone = element_alone(item.sample, element, max(page.shape[:2]))
        pictures += [f"The element of region {name} by itself:", alone]
    asked = message("user", *pictures, "\n".join(told))  # type: ignore[arg-type]
    system = message("system", _SYSTEM.format(frame=frame.sentence))
    return Request([system, asked], tuple(tuple(written(box, frame)) for _, _, box in regions))


def again(asked: Request, text: str, reason: str) -> Request:
    """The request after a text that was turned down."""
    more = [message("assistant", text[:LONGEST]), message("user", f"That cannot be used: {reason}. Write it anew.")]
    return Request([*asked.messages[:2], *more], asked.boxes)


def accepted(text: str, question: Question, asked: Request) -> tuple[str, str]:
    """The path in a model's text, and why it is none: one of the two is empty.

    The reasons begin with a word by which they are counted: ``form``, ``answer``, ``boxes``, ``told``, ``length``.
    """
    frame, task = question.frame, question.item.task
    lines = text.strip().splitlines()
    if _MARKUP.search(text):
        return "", "form: it holds markup"
    if len(lines) < 2:
        return "", "form: the answer must stand on a line of its own at the end"
    path, last = " ".join(" ".join(lines[:-1]).split()), lines[-1]
    if not last.lower().lstrip("*_ ").startswith("answer"):
        return "", 'form: the last line must begin with "Answer: "'
    if read_answer(last, task, frame) != read_answer(f"Answer: {answer_text(question)}", task, frame):
        return "", f"answer: the last line must give the answer {answer_text(question)}"
    if not SHORTEST <= len(path) <= LONGEST:
        return "", f"length: the explanation must have {SHORTEST} to {LONGEST} characters"
    if said := _TOLD.search(path):
        return "", f'told: leave out "{said[0]}"'
    found = {tuple(float(number) for number in match.groups()) for match in _FOUR.finditer(path)}
    if missing := [box for box in asked.boxes if box not in found]:
        return "", f"boxes: {list(missing[0])} is not repeated"
    known = {tuple(written(element.box, frame)) for element in question.item.sample.elements} | set(asked.boxes)
    if invented := found - known:
        return "", f"boxes: {list(min(invented))} was not given"
    return plain(path), ""


def answer_text(question: Question) -> str:
    """The right answer in words."""
    item = question.item
    if item.task == "judgment":
        return item.verdict
    if item.task == "selection":
        return item.choice
    return "None" if item.bbox is None else str(written(item.bbox, question.frame))


def _regions(question: Question, pen: Pen) -> list[tuple[str, Element, FractionBox]]:
    """Name, element and box of what is to be explained, by the task."""
    item = question.item
    sample = item.sample
    if item.task == "selection":
        by_box = {element.box: element for element in sample.elements}
        # As the question writes them, which is rounded.
        shown = split_question(item.question)[2]
        offered = zip(LETTERS, item.options, shown, strict=True)
        return [(letter, by_box[box], written_box) for letter, box, written_box in offered if box and written_box]
    if not item.boxes:
        elements: Sequence[Element] = looked_at(item, question.facts(), pen)
    elif item.task == "localization":
        elements = [sample.element(item.harmed[0])]
    else:
        elements = [sample.element(name) for name in item.harmed]
    return [(str(number), element, element.box) for number, element in enumerate(elements, start=1)]


def _line(question: Question, name: str, element: Element, box: FractionBox) -> str:
    """A region in words, with what was measured of it if it is at fault."""
    item = question.item
    text = f" {quotation(element.text)}" if element.text else ""
    line = f"{name}: {element.role or element.kind}{text} at {written(box, question.frame)}"
    if element.id not in item.harmed:
        return f"{line}; fine in this respect"
    measured = [
        why
        for flaw in item.sample.flaws
        if flaw.element == element.id
        for why in reasons(item.indicator, flaw.measures)
    ]
    return f"{line}; at fault in this respect" + (f" ({'; '.join(measured)})" if measured else "")
