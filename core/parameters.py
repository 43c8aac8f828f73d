"""The types a tool's parameter can have: each checks and samples values and gives its JSON schema and its words.

``check`` returns the value in canonical form (plain JSON data: ``float``, ``int``, ``bool``, ``str``, ``list``,
``dict``) or raises ``Refused`` with the path of the field. What counts as what:

* Numbers are finite. Plain decimal strings (``"10"``, ``"-2.5"``) are accepted; booleans, NaN, infinities, ``"10px"``,
  ``"1_0"``, ``"1e3"`` and full-width digits are not.
* Where a parameter is optional, ``null``, ``"null"``, ``"none"``, ``"None"``, ``"undefined"``, ``""`` and ``[]`` mean
  *not given* (unless the value is one that the type itself offers). Where it is required, such a string is content.
* A nullable box that is required must be there; ``null`` and those strings mean *no box*.
* No check looks further into a value than the declared limits reach, so that huge input is refused at once.
"""

from __future__ import annotations

import copy
import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from designgym.boxes import NumberFrame
from designgym.values import hint, is_nothing, items_of, number_of, show, unicode_sample

FRACTIONS = NumberFrame("fraction")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SAMPLED_ITEMS = 4  # a sampled list holds at most so many items more than it must
_SAMPLED_CHARACTERS = 32


class Refused(Exception):
    """A value that a type does not accept. ``kind`` is ``"invalid_parameters"`` or, past a limit, ``"limit"``."""

    def __init__(self, path: str, problem: str, kind: Literal["invalid_parameters", "limit"] = "invalid_parameters"):
        super().__init__(f"{path} {problem}" if path else problem)
        self.kind = kind


@dataclass(frozen=True)
class Number:
    """A finite number in a closed range."""

    low: float
    high: float
    integer: bool = False
    """Whole numbers only; ``3.0`` counts as whole."""
    unit: str = ""
    """Such as ``px`` or ``deg``; for people and models."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.high - self.low) and self.low <= self.high):
            raise ValueError(f"Number({self.low}, {self.high}): the range must be finite and not reversed.")
        if self.integer and not (self.low == int(self.low) and self.high == int(self.high)):
            raise ValueError(f"Number({self.low}, {self.high}, integer=True): the ends must be whole numbers.")

    def check(self, value: Any, path: str, skipped: list[str]) -> float | int:
        """See the module."""
        number = number_of(value)
        # The comparison is False for NaN, and Python compares integers of any size with floats exactly.
        if number is None or not self.low <= number <= self.high or (self.integer and number != int(number)):
            raise Refused(path, f"must be a {self.words()}; got {show(value)}.")
        return int(number) if self.integer else float(number)

    def sample(self, rng: np.random.Generator) -> float | int:
        """Uniform over the range."""
        if self.integer:
            return int(rng.integers(int(self.low), int(self.high), endpoint=True))
        return float(rng.uniform(self.low, self.high))

    def example(self) -> float | int:
        """The low end."""
        return int(self.low) if self.integer else float(self.low)

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema."""
        return {"type": "integer" if self.integer else "number", "minimum": self.low, "maximum": self.high}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        kind = "whole number" if self.integer else "number"
        return f"{kind} from {self.low:g} to {self.high:g}{' ' + self.unit if self.unit else ''}"


@dataclass(frozen=True)
class Text:
    """A string; longer than ``max_length`` characters is past a limit."""

    max_length: int
    min_length: int = 0

    def check(self, value: Any, path: str, skipped: list[str]) -> str:
        """See the module."""
        if not isinstance(value, str):
            raise Refused(path, f"must be {self.words()}; got {show(value)}.")
        if len(value) > self.max_length:
            raise Refused(path, f"has {len(value)} characters; at most {self.max_length} are allowed.", "limit")
        if len(value) < self.min_length:
            raise Refused(path, f"must be {self.words()}; got {show(value)}.")
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise Refused(path, "holds half of a surrogate pair, which is no character.")
        return str(value)

    def sample(self, rng: np.random.Generator) -> str:
        """Any Unicode; short, for a page of random characters helps nobody."""
        top = max(self.min_length, min(self.max_length, _SAMPLED_CHARACTERS))
        return unicode_sample(rng, int(rng.integers(self.min_length, top, endpoint=True)))

    def example(self) -> str:
        """As short as allowed."""
        return "a" * self.min_length

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema."""
        least = {"minLength": self.min_length} if self.min_length else {}
        return {"type": "string", **least, "maxLength": self.max_length}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        if self.min_length:
            return f"text of {self.min_length} to {self.max_length} characters"
        return f"text of at most {self.max_length} characters"


@dataclass(frozen=True)
class Choice:
    """One of some strings, spelled exactly."""

    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.options or len(set(self.options)) != len(self.options):
            raise ValueError(f"Choice({self.options}): give at least one option, each once.")

    def check(self, value: Any, path: str, skipped: list[str]) -> str:
        """See the module."""
        if not isinstance(value, str) or value not in self.options:
            raise Refused(path, f"must be {self.words()}; got {show(value)}.{hint(value, self.options)}")
        return str(value)

    def sample(self, rng: np.random.Generator) -> str:
        """Uniform over the options."""
        return self.options[int(rng.integers(len(self.options)))]

    def example(self) -> str:
        """The first option."""
        return self.options[0]

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema."""
        return {"type": "string", "enum": list(self.options)}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        return "one of " + ", ".join(f'"{option}"' for option in self.options)


@dataclass(frozen=True)
class Boolean:
    """True or false; the strings ``"true"``, ``"True"``, ``"false"``, ``"False"`` are accepted, 0 and 1 are not."""

    def check(self, value: Any, path: str, skipped: list[str]) -> bool:
        """See the module."""
        if isinstance(value, bool | np.bool_):
            return bool(value)
        if isinstance(value, str) and value in ("true", "True", "false", "False"):
            return value in ("true", "True")
        raise Refused(path, f"must be true or false; got {show(value)}.")

    def sample(self, rng: np.random.Generator) -> bool:
        """A fair coin."""
        return bool(rng.integers(2))

    def example(self) -> bool:
        """False."""
        return False

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema."""
        return {"type": "boolean"}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        return "true or false"


@dataclass(frozen=True)
class BoundingBox:
    """``[x1, y1, x2, y2]`` as fractions of the page, 0 to 1, with x1 < x2 and y1 < y2.

    Agents convert the frame that their model speaks to it.
    """

    nullable: bool = False
    """Whether null is an answer of its own: *no box*."""

    def check(self, value: Any, path: str, skipped: list[str]) -> list[float] | None:
        """See the module."""
        if self.nullable and is_nothing(value):
            return None
        items = items_of(value)
        numbers = [number_of(item) for item in items] if items is not None and len(items) == 4 else []
        if len(numbers) != 4:
            raise Refused(path, f"must be {self.words()}, such as {self.example()}; got {show(value)}.")
        for index, number in enumerate(numbers):
            if number is None or not 0 <= number <= 1:
                raise Refused(f"{path}[{index}]", f"must be a number from 0 to 1; got {show(items[index])}.")  # type: ignore[index]
        x1, y1, x2, y2 = (float(number) for number in numbers)  # type: ignore[arg-type]
        if not (x1 < x2 and y1 < y2):
            raise Refused(path, f"must have x1 < x2 and y1 < y2; got {show([x1, y1, x2, y2])}.")
        return [x1, y1, x2, y2]

    def sample(self, rng: np.random.Generator) -> list[float] | None:
        """Two uniform corners; a nullable one is null in a quarter of the cases."""
        if self.nullable and rng.random() < 0.25:
            return None
        x1, x2 = sorted(rng.random(2).tolist())
        y1, y2 = sorted(rng.random(2).tolist())
        return [x1, y1, x2, y2] if x1 < x2 and y1 < y2 else self.example()

    def example(self) -> list[float]:
        """A box in the upper left quarter."""
        return [0.1, 0.2, 0.3, 0.4]

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema, with the numbers in the frame that the model is to use."""
        number: dict[str, Any] = {"type": "integer" if frame.whole else "number", "minimum": 0}
        if frame.limits[0] == frame.limits[1]:
            number["maximum"] = int(frame.limits[0])
        box = {"type": "array", "items": number, "minItems": 4, "maxItems": 4}
        return {"anyOf": [box, {"type": "null"}]} if self.nullable else box

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words, with the numbers in the frame that the model is to use."""
        return f"[x1, y1, x2, y2] ({frame.words}){' or null' if self.nullable else ''}"


@dataclass(frozen=True)
class Array:
    """A list of values of one type; more than ``max_items`` is past a limit."""

    items: ParameterType
    min_items: int
    max_items: int
    skip_malformed: bool = False
    """Leave out the items that the type refuses, say which, and keep the rest. ``min_items`` counts all given."""

    def __post_init__(self) -> None:
        if not 0 <= self.min_items <= self.max_items:
            raise ValueError(f"Array: {self.min_items} to {self.max_items} items is not a range.")

    def check(self, value: Any, path: str, skipped: list[str]) -> list[Any]:
        """See the module."""
        items = items_of(value)
        if items is None or len(items) < self.min_items or len(items) > self.max_items == self.min_items:
            raise Refused(path, f"must be a {self.words()}, such as {self.example()}; got {show(value)}.")
        if len(items) > self.max_items:
            raise Refused(path, f"has {len(items)} items; at most {self.max_items} are allowed.", "limit")
        if not self.skip_malformed:
            return [self.items.check(item, f"{path}[{index}]", skipped) for index, item in enumerate(items)]
        kept = []
        for index, item in enumerate(items):
            try:
                kept.append(self.items.check(item, f"{path}[{index}]", skipped))
            except Refused as refusal:
                skipped.append(str(refusal))
        return kept

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

    def check(self, value: Any, path: str, skipped: list[str]) -> dict[str, Any]:
        """See the module. The result holds every field, those not given with their default."""
        names = self.names
        if not isinstance(value, dict):
            raise Refused(path or "The arguments", f"must be an object with the keys {list(names)}; got {show(value)}.")
        for key in value:
            if key not in names:
                where = f"{path} has the" if path else "The arguments have the"
                raise Refused("", f"{where} unknown key {show(key)}.{hint(key, names) or ' There should be none.'}")
        result: dict[str, Any] = {}
        for field in self.fields:
            inner = f"{path}.{field.name}" if path else field.name
            given = value.get(field.name)
            if field.required:
                if field.name not in value:
                    raise Refused(inner, f"is missing; it must be {field.type.words()}.")
                result[field.name] = field.type.check(given, inner, skipped)
            elif _not_given(field.type, given):
                result[field.name] = copy.deepcopy(field.default)  # a list or object must not be shared
            else:
                result[field.name] = field.type.check(given, inner, skipped)
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
        """In words."""
        fields = (f"{f.name}{'' if f.required else '?'}: {f.type.words(frame)}" for f in self.fields)
        return f"{{{', '.join(fields)}}}"


ParameterType = Number | Text | Choice | Boolean | BoundingBox | Array | Record


def _meaning(kind: ParameterType, frame: NumberFrame) -> str:
    """What a JSON schema cannot say by itself."""
    if isinstance(kind, BoundingBox):
        return f"{kind.words(frame)}."
    if isinstance(kind, Number) and kind.unit:
        return f"In {kind.unit}."
    return ""


def _not_given(kind: ParameterType, value: Any) -> bool:
    """Whether an optional parameter's value is one of the spellings of *not given*."""
    if isinstance(kind, Choice) and isinstance(value, str) and value in kind.options:
        return False
    if isinstance(value, list) and not value:
        return not (isinstance(kind, Array) and kind.min_items == 0)
    return is_nothing(value)
