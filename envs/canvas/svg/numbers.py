"""Numbers and lengths as SVG writes them in attributes; none of them is beyond a million."""

from __future__ import annotations

import re

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""A number, as a regular expression. ASCII digits only; no part of it can match in two ways."""
WHITE_SPACE = " \t\n\r\f"
SPACES = f"[{WHITE_SPACE}]*"
"""White space, or none, as a regular expression."""
SEPARATOR = f"{SPACES},?{SPACES}"
"""White space with at most one comma, or nothing."""

MAX_NUMBER = 1e6

_NUMBER = re.compile(NUMBER)
_IN_LIST = re.compile(f"({NUMBER}){SEPARATOR}")
# CSS: an inch is 96 px.
_UNITS_PX = {
    "": 1.0,
    "px": 1.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "q": 2.4 / 2.54,
    "pt": 96 / 72,
    "pc": 16.0,
}


def bounded(number: float, most: float = MAX_NUMBER) -> float:
    """The number, or the limit that it is beyond."""
    return min(max(number, -most), most)


def read_length(text: str, whole: float) -> float | None:
    """A length in px: a number with an absolute unit, or a percentage of ``whole``; None if it is neither.

    Units that depend on a font, such as em, are none.
    """
    text = text.strip(WHITE_SPACE)
    match = _NUMBER.match(text)
    if match is None:
        return None
    number, unit = bounded(float(match[0])), text[match.end() :].strip()
    if unit == "%":
        return bounded(number / 100 * whole)
    scale = _UNITS_PX.get(unit.lower())
    return None if scale is None else bounded(number * scale)


def read_numbers(text: str, most: int) -> tuple[list[float], str]:
    """At most so many numbers of a list, separated by spaces or commas, and what follows that is none of them."""
    at = len(text) - len(text.lstrip(WHITE_SPACE))
    numbers: list[float] = []
    while len(numbers) < most and (match := _IN_LIST.match(text, at)):
        numbers.append(bounded(float(match[1])))
        at = match.end()
    return numbers, text[at:]
