"""What of a text is its answer: JSON objects, what the text states to be its answer, and else what it mentions.

Shared by the readers of ``designgym.answers``. Everything takes linear time and raises nothing but ``Unclear``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from designgym.strict_json import JsonError, loads, too_deep

MAX_LITERAL_CHARACTERS = 2_000
"""Longest Python literal that is read where JSON was meant."""

_OBJECT_START = re.compile(r"\{\s*[\"']")
_TOKEN = re.compile(r'\\.|["{}]', re.DOTALL)
_MARKER = re.compile(r"\banswer\b(?:\s{1,4}(?:is|would\s{1,4}be|should\s{1,4}be))?|<answer>|\\boxed\{", re.IGNORECASE)
_AFTER_MARKER = re.compile(
    r"[\s:=\-\u2013\u2014\"'(\[{<]{0,12}(?:the\s{1,4})?(?:(?:option|region|choice|candidate|element|box|index|letter)"
    r"\b[\s:\"'(\[]{0,4})?",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[\s\])}\"']{0,8}(?:[,;/&|]|\bor\b|\band\b)?[\s\[({\"']{0,8}", re.IGNORECASE)
_WORDLESS = re.compile(r"\b(?:or|and|option|region|choice|candidate|element|box|index|letter|answer|the|is)\b", re.I)
_MARKS = str.maketrans("", "", " \t\r\n\f\v[](){}<>\"'.,;:!|/&#-=\u201c\u201d\u2018\u2019")


class Unclear(Exception):
    """Why there is no answer in a text."""


@dataclass(frozen=True)
class Found:
    """A value that stands in a text from ``start`` up to ``end``."""

    start: int
    end: int
    value: Hashable


def split_objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """The JSON objects of a text in order, and the text without them.

    What starts like an object and is cut off or no JSON makes the whole text unclear: its end is not known. A short
    Python literal, with its ``None`` and single quotes, is put up with.

    Raises:
        Unclear: For an object that cannot be read.
    """
    objects, rest, position = [], [], 0
    for start, end in _spans(text):
        rest.append(text[position:start])
        objects.append(_object(text[start:end]))
        position = end
    rest.append(text[position:])
    return objects, "\n".join(rest)


def answers_in(text: str, found: Sequence[Found], *, mentioned: bool = True) -> list[Hashable]:
    """The values that count: those that the text states to be its answer if there are any, else all that it mentions.

    Stated is what follows "Answer:", "the answer is", an opening tag of that name or LaTeX's "boxed", what is joined
    to that by a comma or by *or*, and what fills a line alone.

    Args:
        text: The text.
        found: The values in it, by their place.
        mentioned: Whether those that are only mentioned may count.
    """
    stated = _marked(text, found) | _alone(text, found)
    return [one.value for index, one in enumerate(found) if index in stated or (mentioned and not stated)]


def only(values: Sequence[Hashable]) -> Any:
    """The value that all of these are.

    Raises:
        Unclear: If there is none, or several differ.
    """
    distinct = set(values)
    if len(distinct) != 1:
        raise Unclear("no answer" if not distinct else f"{len(distinct)} different answers")
    return distinct.pop()


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the objects start and end."""
    found = _OBJECT_START.search(text)
    while found:
        depth, in_string, end = 0, False, -1
        for token in _TOKEN.finditer(text, found.start()):
            mark = token.group()
            if mark == '"':
                in_string = not in_string
            elif mark == "{" and not in_string:
                depth += 1
            elif mark == "}" and not in_string:
                depth -= 1
                if depth == 0:
                    end = token.end()
                    break
        if end < 0:
            raise Unclear("an object that is cut off")
        yield found.start(), end
        found = _OBJECT_START.search(text, end)


def _object(text: str) -> dict[str, Any]:
    try:
        value = loads(text)
    except JsonError as error:
        if len(text) > MAX_LITERAL_CHARACTERS:
            raise Unclear("an object that is no JSON") from error
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as literal:
            raise Unclear("an object that is no JSON") from literal
    if not isinstance(value, dict) or too_deep(value):
        raise Unclear("an object that is no JSON")
    return value


def _marked(text: str, found: Sequence[Found]) -> set[int]:
    """Indices of the values that follow a marker, and of those that are joined to them."""
    stated: set[int] = set()
    index = 0
    for marker in _MARKER.finditer(text):
        while index < len(found) and found[index].start < marker.end():
            index += 1
        if index == len(found):
            break
        after = _AFTER_MARKER.match(text, marker.end())
        if after and after.end() >= found[index].start:
            at = index
            stated.add(at)
            while at + 1 < len(found) and _JOINED.fullmatch(text, found[at].end, found[at + 1].start):
                at += 1
                if at in stated:
                    break
                stated.add(at)
    return stated


def _alone(text: str, found: Sequence[Found]) -> set[int]:
    """Indices of the values in lines that hold nothing else."""
    stated: set[int] = set()
    index = 0
    while index < len(found):
        first, end = index, _line_end(text, found[index].end)
        position = text.rfind("\n", 0, found[index].start) + 1
        left = []
        while index < len(found) and found[index].start < end:
            left.append(text[position : found[index].start])
            position = found[index].end
            end = max(end, _line_end(text, position))
            index += 1
        left.append(text[position:end])
        if not _WORDLESS.sub("", " ".join(left)).translate(_MARKS):
            stated.update(range(first, index))
    return stated


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
