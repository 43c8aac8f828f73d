"""What a tool's parameter can be: a single value (``designgym.scalars``), a list of one type or a record of fields.

Where a parameter is optional, ``null``, ``"null"``, ``"none"``, ``"None"``, ``"undefined"``, ``""`` and ``[]`` mean
*not given* (unless the value is one that the type itself offers). Where it is required, such a string is content.

No check looks further into a value than the declared limits reach, so that huge input is refused at once.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from designgym.boxes import NumberFrame
from designgym.scalars import FRACTIONS, Boolean, BoundingBox, Choice, Number, Path, Refused, Rounded, Text, spelled
from designgym.values import hint, is_nothing, items_of, show

__all__ = [
    "FRACTIONS",
    "Array",
    "Boolean",
    "BoundingBox",
    "Choice",
    "Number",
    "Parameter",
    "ParameterType",
    "Path",
    "Record",
    "Refused",
    "Rounded",
    "Text",
]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LISTS = (list, tuple, np.ndarray)
_CONTAINERS = (list, dict)
_LOOKED_AT = 16  # fields of a record; one with more of them is refused anyway
_SAMPLED_ITEMS = 4  # a sampled list holds at most so many items more than it must


@dataclass(frozen=True)
class Array:
    """A list of values of one type; more than ``max_items`` is past a limit."""

    items: ParameterType
    min_items: int
    max_items: int
    skip_malformed: bool = False
    """Leave out the items that the type refuses, say which, and keep the rest. ``min_items`` counts all given."""
    one_alone: bool = False
    """An object that is given in place of the list stands for a list of it (for lists of records)."""
    max_nested: int | None = None
    """Most items that the lists inside of the items may hold together; more is past a limit, told at once. A list that
    is too long by itself does not count: it is refused unread, with its item alone."""

    def __post_init__(self) -> None:
        if not 0 <= self.min_items <= self.max_items:
            raise ValueError(f"Array: {self.min_items} to {self.max_items} items is not a range.")

    def check(self, value: Any, path: Path, skipped: list[str]) -> list[Any]:
        """See the module."""
        items = [value] if self.one_alone and isinstance(value, dict) else items_of(value)
        if items is None or len(items) < self.min_items or len(items) > self.max_items == self.min_items:
            raise Refused(path, f"must be a {self.words()}, such as {json.dumps(self.example())}; got {show(value)}.")
        if len(items) > self.max_items:
            raise Refused(path, f"has {len(items)} items; at most {self.max_items} are allowed.", "limit")
        if self.max_nested is not None and (nested := _nested(items, self._longest)) > self.max_nested:
            problem = f"holds lists of {nested} items together; at most {self.max_nested} are allowed."
            raise Refused(path, problem, "limit")
        if not self.skip_malformed:
            return [self.items.check(item, (path, index), skipped) for index, item in enumerate(items)]
        kept = []
        for index, item in enumerate(items):
            try:
                kept.append(self.items.check(item, (path, index), skipped))
            except Refused as refusal:
                skipped.append(str(refusal))
        return kept

    @cached_property
    def _longest(self) -> int:
        """Most items that any list inside of the items may hold."""
        fields = self.items.fields if isinstance(self.items, Record) else ()
        return max((field.type.max_items for field in fields if isinstance(field.type, Array)), default=0)

    def kind_of(self, item: Any) -> ParameterType:
        """The type of one of its items; another one for each in lists whose items say themselves what they are."""
        return self.items

    def sample(self, rng: np.random.Generator) -> list[Any]:
        """A short list of sampled items."""
        top = min(self.max_items, self.min_items + _SAMPLED_ITEMS)
        return [self.items.sample(rng) for _ in range(int(rng.integers(self.min_items, top, endpoint=True)))]

    def example(self) -> list[Any]:
        """One item, or as many as there must be."""
        return [self.items.example() for _ in range(min(self.max_items, max(1, self.min_items)))]

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema."""
        items = self.items.schema(frame)
        return {"type": "array", "items": items, "minItems": self.min_items, "maxItems": self.max_items}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        count = f"{self.max_items}" if self.min_items == self.max_items else f"{self.min_items} to {self.max_items}"
        return f"list of {count}: {self.items.words(frame)}"


@dataclass(frozen=True)
class Parameter:
    """A named value of a tool or record, with the sentence that explains it."""

    name: str
    type: ParameterType
    doc: str = ""
    required: bool = True
    default: Any = None
    """What an optional parameter that is not given stands for."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"Parameter name {self.name!r} must be a word of letters, digits and underscores.")
        if self.default is not None:
            if self.required:
                raise ValueError(f"Parameter {self.name!r} has a default; then it must be required=False.")
            self.type.check(self.default, self.name, [])


@dataclass(frozen=True)
class Record:
    """An object with named fields; an unknown key is refused and the nearest known one named."""

    fields: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"Two fields of the same name among {list(self.names)}.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields' names in order."""
        return tuple(field.name for field in self.fields)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.names)

    @cached_property
    def _plan(self) -> tuple[tuple[str, ParameterType, bool, Any], ...]:
        """What :meth:`check` goes through at every call, ready to unpack."""
        return tuple((field.name, field.type, field.required, field.default) for field in self.fields)

    def check(self, value: Any, path: Path, skipped: list[str]) -> dict[str, Any]:
        """See the module. The result holds every field, those not given with their default."""
        if not isinstance(value, dict):
            problem = f"must be an object with the keys {list(self.names)}; got {show(value)}."
            raise Refused(spelled(path) or "The arguments", problem)
        if not value.keys() <= self._known:
            key = next(key for key in value if key not in self._known)
            where = f"{spelled(path)} has the" if spelled(path) else "The arguments have the"
            raise Refused("", f"{where} unknown key {show(key)}.{hint(key, self.names) or ' There should be none.'}")
        result: dict[str, Any] = {}
        for name, kind, required, default in self._plan:
            given = value.get(name)
            if not required and _not_given(kind, given):
                # A list or object must not be shared.
                result[name] = copy.deepcopy(default) if isinstance(default, _CONTAINERS) else default
            elif given is None and name not in value:
                article = "a " if kind.words().startswith(("whole number", "number", "list of")) else ""
                raise Refused((path, name), f"is missing; it must be {article}{kind.words()}.")
            else:
                result[name] = kind.check(given, (path, name), skipped)
        return result

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """All required fields, and each optional one by a fair coin."""
        result: dict[str, Any] = {}
        for field in self.fields:
            if field.required:
                result[field.name] = field.type.sample(rng)
            elif rng.integers(2):
                value = field.type.sample(rng)
                if not _not_given(field.type, value):
                    result[field.name] = value
        return result

    def example(self) -> dict[str, Any]:
        """The required fields."""
        return {field.name: field.type.example() for field in self.fields if field.required}

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema."""
        properties: dict[str, Any] = {}
        for field in self.fields:
            note = " ".join(part for part in (field.doc, _meaning(field.type, frame)) if part)
            properties[field.name] = {
                **field.type.schema(frame),
                **({"description": note} if note else {}),
                **({"default": field.default} if field.default is not None else {}),
            }
        required = [field.name for field in self.fields if field.required]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words; neighbours of the same type are told together: ``{x, y: number from 0 to 1}``."""
        groups: list[tuple[str, list[str]]] = []
        for field in self.fields:
            words = field.type.words(frame)
            if not groups or groups[-1][0] != words:
                groups.append((words, []))
            groups[-1][1].append(field.name if field.required else f"{field.name}?")
        return "{" + "; ".join(f"{', '.join(names)}: {words}" for words, names in groups) + "}"


ParameterType = Number | Rounded | Text | Choice | Boolean | BoundingBox | Array | Record


def _nested(items: Sequence[Any], longest: int) -> int:
    """How many items the lists inside of records hold, without those of more than ``longest`` items."""
    count = 0
    for item in items:
        if isinstance(item, dict):
            for value in islice(item.values(), _LOOKED_AT):
                if isinstance(value, _LISTS):
                    length = (value.shape or (0,))[0] if isinstance(value, np.ndarray) else len(value)
                    count += length if length <= longest else 0
    return count


def _meaning(kind: ParameterType, frame: NumberFrame) -> str:
    """What a JSON schema cannot say by itself."""
    if isinstance(kind, Array):
        return _meaning(kind.items, frame)
    if isinstance(kind, BoundingBox):
        return f"{kind.words(frame)}."
    if isinstance(kind, Number | Rounded) and kind.unit:
        return f"In {kind.unit}."
    return ""


def _not_given(kind: ParameterType, value: Any) -> bool:
    """Whether an optional parameter's value is one of the spellings of *not given*."""
    if value is True or value is False:
        return False  # by far the most common, and the other questions take longer
    if isinstance(kind, Choice) and isinstance(value, str) and value in kind.options:
        return False
    if isinstance(value, list) and not value:
        return not (isinstance(kind, Array) and kind.min_items == 0)
    return is_nothing(value)
