"""JSON text to data without silent repairs: a key that stands twice, or endless nesting, is an error."""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 64
"""Levels of nesting. No declared parameter comes near; deeper data would meet Python's recursion limit later."""

_CONTAINERS = (list, dict)


class JsonError(ValueError):
    """Text that is not the JSON that was wanted; the message says why."""


def loads(text: str) -> Any:
    """Read one JSON value.

    Raw line breaks and tabs inside strings are accepted (models write them, and they have one meaning). NaN and
    Infinity come back as floats, for the parameter types refuse them with the field's path.

    Raises:
        JsonError: For anything that is not one JSON value, duplicate keys, more than ``MAX_DEPTH`` levels or a number
            of thousands of digits.
    """
    try:
        value = json.loads(text, strict=False, object_pairs_hook=_unique)
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        raise JsonError(f"not valid JSON ({error.msg} at character {error.pos})") from error
    except RecursionError as error:
        raise JsonError(f"nested deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:  # Python refuses to read integers of more than 4,300 digits
        raise JsonError("a number has too many digits") from error
    if too_deep(value):
        raise JsonError(f"nested deeper than {MAX_DEPTH} levels")
    return value


def too_deep(value: Any) -> bool:
    """Whether lists and objects are nested deeper than ``MAX_DEPTH`` levels."""
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        # Types are compared exactly, as the reader makes no others and this runs over every value of a large call.
        level = [
            child
            for parent in level
            for child in (parent if type(parent) is list else parent.values())
            if type(child) in _CONTAINERS
        ]
    return bool(level)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonError(f"the key {key[:40]!r} stands twice in one object")
            seen.add(key)
    return data
