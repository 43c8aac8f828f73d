"""What models answer in words: yes or no, a letter, a box or None, as the arguments of the tool ``answer``.

``designgym.parse`` reads tool calls; this reads the text of models that were asked for none. The rules of the strict
protocol. Nothing is guessed, nothing raises for a text, and the time is linear in it:

1. *Reasoning is no answer*, as in ``designgym.parse``: think blocks are left out; one that never ends leaves nothing.
2. *What is read.* ``yes`` and ``no`` as words (*no* before a noun, as in "no contrast", answers nothing); the letters
   ``A`` to ``D`` that stand alone (the article *A* does not); boxes as in ``designgym.answer_boxes``, and the words
   None and null. JSON objects, in or outside of code fences, are read by their keys: ``verdict``, ``choice``,
   ``bbox_2d``, ``bbox``, ``answer`` and a few more, also inside of ``arguments``; objects without such a key are
   ignored.
3. *What counts.* What the text states to be its answer: JSON objects, what follows "Answer:", "The answer is" and the
   like, and what fills a line. Only where nothing is stated, all that is mentioned.
4. *One answer.* If what counts differs, there is none: to take one would be a guess, and to take the best would reward
   trying many. The same answer twice is one.
5. *Boxes* are converted from the declared frame and order, never by the look of the numbers. Four finite numbers are an
   answer even if they are reversed, empty or beyond the page: the environment refuses those.

``protocol="release"`` reads as the evaluator released with AesEval-Bench does, over the whole text: the first of the
letters a to d in any word ("The answer is B" is A), the first four numbers wherever they stand ("bbox_2d" gives a 2),
and None where there are no four. Of its reading of yes and no nothing odd is known: it is the strict one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, get_args

from designgym.answer_boxes import BOX_KEYS, NONE, box_of, boxes_in, has_sides
from designgym.answer_text import Found, Unclear, answers_in, only, split_objects
from designgym.answers_release import released_box, released_choice
from designgym.boxes import Box, NumberFrame, Order
from designgym.parse import split_reasoning
from designgym.scalars import FRACTIONS
from designgym.strict_json import JsonError, loads

AnswerTask = Literal["judgment", "selection", "localization"]
Protocol = Literal["strict", "release"]

ARGUMENT: dict[AnswerTask, str] = {"judgment": "verdict", "selection": "choice", "localization": "bbox"}
"""Task -> the one argument of its tool ``answer``."""

_KEYS: dict[AnswerTask, tuple[str, ...]] = {
    "judgment": ("verdict", "answer", "judgment", "judgement", "result"),
    "selection": ("choice", "answer", "option", "index", "letter"),
    "localization": BOX_KEYS,
}
_WRAPPERS = ("function", "arguments", "parameters", "answer", "result")

# "no" before a word is a determiner, unless the word begins a clause.
_VERDICT = re.compile(
    r"(?<![\w-])(?:yes|no(?![ \t]{1,4}(?!(?:because|since|as|it|there|the|this|that|these|i|but|and|or|however)\b)\w))"
    r"(?![\w-])",
    re.IGNORECASE,
)
_BEFORE_LETTER = (
    r"\b(?:option|region|choice|candidate|element|box|index|letter|answer(?:\s{1,4}is)?)\s{0,4}[:=(\[\"']{0,2}\s{0,2}"
)
_CHOICE = re.compile(
    rf"(?:(?i:{_BEFORE_LETTER})(?P<named>[B-Db-d]|A|a(?![ \t]{{1,4}}[a-z]))"
    r"|(?<![\w'\u2019&-])(?P<bare>[B-D]|A(?![ \t]{1,4}(?!(?:and|or|is|has|because|since)\b)[a-z]))"
    r"|(?<=[(\[])(?P<bracketed>[a-d])(?=[)\]])"
    r"|(?:^|(?<=\n))[ \t\"']{0,8}(?P<alone>[a-d])(?=[ \t\"'.)!]{0,8}(?:\n|\Z)))"
    r"(?![\w'\u2019])"
)
_DECORATION = str.maketrans("", "", "*`")


def read_answer(
    text: str,
    task: AnswerTask,
    frame: NumberFrame = FRACTIONS,
    order: Order = "xyxy",
    protocol: Protocol = "strict",
) -> dict[str, Any] | None:
    """The arguments of the tool ``answer`` that a text stands for, by the rules of this module.

    Args:
        text: What the model wrote, without special tokens of its template.
        task: What was asked.
        frame: How the model was told to write boxes.
        order: Likewise: corners, or left, top, width and height.
        protocol: ``"strict"``, or ``"release"`` for the released evaluator's reading.

    Returns:
        ``{"verdict": "yes" | "no"}``, ``{"choice": "A" to "D"}``, or ``{"bbox": [x1, y1, x2, y2] | None}`` with
        fractions of the page; None if the text holds no answer, or several (the error ``format``).

    Raises:
        ValueError: For an unknown task, order or protocol; never for a text.
    """
    for value, known in ((task, AnswerTask), (order, Order), (protocol, Protocol)):
        if value not in get_args(known):
            raise ValueError(f"{value!r} is unknown; use one of {list(get_args(known))}.")
    if protocol == "release" and task == "selection":
        return released_choice(text)
    if protocol == "release" and task == "localization":
        return released_box(text, frame, order)
    _, answer_text, ended = split_reasoning(text)
    if not ended:
        return None
    try:
        value = _value(answer_text, task, frame, order)
    except Unclear:
        return None
    if task == "localization":
        return {"bbox": None if value == NONE else list(value)}
    return {ARGUMENT[task]: value}


def write_answer(
    arguments: Mapping[str, Any], task: AnswerTask, frame: NumberFrame = FRACTIONS, order: Order = "xyxy"
) -> str:
    """The text for arguments of ``answer`` that :func:`read_answer` reads back: a training target.

    Boxes are ``[a, b, c, d]``: fractions to three digits, other frames in whole numbers (halves up); None is ``None``.
    """
    value = arguments[ARGUMENT[task]]
    if task != "localization":
        return str(value)
    if value is None:
        return "None"
    box = Box.of(value).convert(frame.frame, size=frame.size, resized=frame.size)
    scale = 1 if frame.whole else 1000
    x1, y1, x2, y2 = (math.floor(side * scale + 0.5) for side in box.xyxy)
    sides = (x1, y1, x2, y2) if order == "xyxy" else (x1, y1, x2 - x1, y2 - y1)
    return f"[{', '.join(str(side) if frame.whole else f'{side / scale:g}' for side in sides)}]"


Words = Callable[[str], list[Found]]


def _verdicts(text: str) -> list[Found]:
    return [Found(*word.span(), word.group().lower()) for word in _VERDICT.finditer(text)]


def _letters(text: str) -> list[Found]:
    return [
        Found(*letter.span(letter.lastgroup or 0), letter[letter.lastgroup or 0].upper())
        for letter in _CHOICE.finditer(text)
    ]


def _value(text: str, task: AnswerTask, frame: NumberFrame, order: Order) -> Any:
    """The one answer of a text without reasoning; a box as a tuple, None as ``NONE``.

    Raises:
        Unclear: If there is none, or several.
    """
    words = _words(task, frame, order)

    def entry(value: Any) -> Hashable:
        if task == "localization":
            return box_of(value, frame, order)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, str):
            raise Unclear("a value that is no word")
        return only(answers_in(value, words(value)))

    objects, rest = split_objects(text)
    values = [value for data in objects for value in _entries(data, task, entry)]
    rest = rest.translate(_DECORATION)
    return only(values + answers_in(rest, words(rest), mentioned=not values))


def _words(task: AnswerTask, frame: NumberFrame, order: Order) -> Words:
    if task == "localization":
        return lambda text: boxes_in(text, frame, order)
    return _verdicts if task == "judgment" else _letters


def _entries(data: Mapping[str, Any], task: AnswerTask, entry: Callable[[Any], Hashable]) -> list[Hashable]:
    """The answers that an object holds under its keys, and under those of the objects that wrap them."""
    data = {str(key).lower(): value for key, value in data.items()}
    if task == "localization" and has_sides(data):
        return [entry(data)]
    answers = []
    for key, value in data.items():
        inner = _entries(_opened(value), task, entry) if key in _WRAPPERS else []
        answers += inner or ([entry(value)] if key in _KEYS[task] else [])
    return answers


def _opened(value: Any) -> Mapping[str, Any]:
    """The object that a value is or, as some models write arguments, holds as JSON text; else an empty one."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = loads(value)
        except JsonError as error:
            raise Unclear("arguments that cannot be read") from error
    return value if isinstance(value, Mapping) else {}
