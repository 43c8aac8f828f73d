"""Single values out of a model's arguments: which number or list they stand for, and how they are shown in errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from designgym.nearest import did_you_mean

NOTHING = (None, "null", "none", "None", "undefined", "")
"""The spellings of *no value* that models write."""

_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})")


def show(value: Any) -> str:
    """A value as it should appear in an error: JSON's words, at most some 60 characters, at constant cost."""
    if value is None:
        return "null"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:40]!r}... ({len(value)} characters)"
    if isinstance(value, int):
        return str(value) if value.bit_length() < 128 else f"a number of {value.bit_length()} bits"
    if isinstance(value, float | np.number):
        return str(value)
    if isinstance(value, list | tuple):
        if len(value) <= 6 and all(isinstance(item, int | float | str | None) for item in value):
            text = ", ".join(show(item) for item in value)
            return f"[{text}]" if len(text) <= 80 else f"a list of {len(value)}"
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object with {len(value)} keys"
    return f"a Python {type(value).__name__}"


def hint(word: Any, known: Iterable[str]) -> str:
    """The known name nearest to a wrong one, or all of them; to end an error with (it starts with a space)."""
    # The search for the nearest is quadratic, and nobody misspells a name into more than 64 characters.
    return did_you_mean(word if isinstance(word, str) and len(word) <= 64 else "", known)


def unicode_sample(rng: np.random.Generator, length: int) -> str:
    """``length`` characters out of all of Unicode but surrogates (which no encoding can write)."""
    points = rng.integers(0, 0x110000 - 0x800, length, dtype=np.uint32)
    points[points >= 0xD800] += 0x800
    return points.astype("<u4").tobytes().decode("utf-32-le")


def is_nothing(value: Any) -> bool:
    """Whether a value is one of the spellings of *no value* that models write."""
    return value is None or (isinstance(value, str) and value in NOTHING)


def items_of(value: Any) -> list[Any] | tuple[Any, ...] | None:
    """A list, a tuple or a numpy array with at least one axis as a sequence; anything else is None."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return list(value)
    return None


def number_of(value: Any) -> float | int | None:
    """The number that a value stands for (perhaps not finite), or None."""
    kind = type(value)
    if kind is float or kind is int:
        return value
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return float(value)
    return None
