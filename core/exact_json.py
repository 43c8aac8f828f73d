"""Any action or info as strict JSON and back: numpy values become plain ones, and what JSON lacks is marked.

A model may answer with ``NaN`` or an infinity and a program with an arbitrary object. A trace has to hold that too, so
such a value becomes an object with one reserved key: ``$float`` (a number that is not finite), ``$repr`` (only a
description) or ``$object`` (an object that itself looks like one of these).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

MAX_DEPTH = 100
MAX_REPR = 200
MAX_INTEGER_BITS = 10_000

_PLAIN = 2**63
"""Smaller integers are written without a closer look."""
_RESERVED = ("$float", "$repr", "$object")
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def encode(value: Any, depth: int = 0) -> Any:
    """Return JSON data for a value. Tuples and arrays become lists; everything that JSON has stays equal to itself."""
    if depth > MAX_DEPTH:
        return {"$repr": f"a value nested more than {MAX_DEPTH} levels deep"}
    # Nearly all of a trace is of these types; they are told apart by the type itself, which is several times as fast.
    kind = type(value)
    if kind is str or kind is bool or value is None or (kind is int and -_PLAIN < value < _PLAIN):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$float": str(value)}
    if kind is list:
        return [encode(item, depth + 1) for item in value]
    if kind is dict:
        return _encode_object(value, depth)
    return _encode_other(value, depth)


def _encode_object(value: Mapping[Any, Any], depth: int) -> Any:
    data = {}
    for key, item in value.items():
        if not isinstance(key, str):
            return _description(value)
        data[key] = encode(item, depth + 1)
    return {"$object": data} if len(data) == 1 and next(iter(data)) in _RESERVED else data


def _encode_other(value: Any, depth: int) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        return {"$repr": f"an integer of {value.bit_length()} bits"}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, (list, tuple)):
        return [encode(item, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return _encode_object(value, depth)
    return _description(value)


def _description(value: Any) -> dict[str, str]:
    return {"$repr": repr(value)[:MAX_REPR]}


def decode(data: Any, depth: int = 0) -> Any:
    """Return the value that :func:`encode` made ``data`` from, with lists for tuples and arrays.

    Raises:
        ValueError: If it holds a value of which only the description was kept, or is nothing that ``encode`` makes.
    """
    if depth > 2 * MAX_DEPTH + 1:  # a marked object takes two levels
        raise ValueError(f"a value is nested more than {MAX_DEPTH} levels deep")
    if isinstance(data, list):
        return [decode(item, depth + 1) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {"$float"}:
        if not isinstance(data["$float"], str) or data["$float"] not in _FLOATS:
            raise ValueError(f"$float stands for one of {', '.join(_FLOATS)}, not {str(data['$float'])[:MAX_REPR]!r}")
        return _FLOATS[data["$float"]]
    if data.keys() == {"$repr"}:
        raise ValueError(f"only a description of the value was kept: {data['$repr']}")
    if data.keys() == {"$object"}:
        data = data["$object"]
        if not isinstance(data, dict):
            raise ValueError("$object stands for an object")
    return {key: decode(item, depth + 1) for key, item in data.items()}
