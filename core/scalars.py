"""The types of single values: numbers, text, choice, boolean and box. Each checks and samples, and describes itself.

``check`` returns the value in canonical form (plain JSON data) or raises ``Refused`` with the path of the field.

* Numbers are finite. Plain decimal strings (``"10"``, ``"-2.5"``) are accepted; booleans, NaN, infinities, ``"10px"``,
  ``"1_0"``, ``"1e3"`` and full-width digits are not.
* A nullable box that is required must be there; ``null``, ``"null"``, ``"none"``, ``"None"``, ``"undefined"`` and
  ``""`` mean *no box*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from designgym.boxes import NumberFrame
from designgym.values import hint, is_nothing, items_of, number_of, show, unicode_sample

FRACTIONS = NumberFrame("fraction")

_SAMPLED_CHARACTERS = 32


Path = str | tuple["Path", str | int]
"""Where a value stands, such as ``((("", "lines"), 3), "x1")``; spelled only when it is told, for it seldom is."""


def spelled(path: Path) -> str:
    """A path in words, such as ``lines[3].x1``."""
    if isinstance(path, str):
        return path
    place, last = spelled(path[0]), path[1]
    if isinstance(last, int):
        return f"{place}[{last}]"
    return f"{place}.{last}" if place else last


RefusalKind = Literal["invalid_parameters", "limit", "format", "invalid_expert", "invalid_action"]


class Refused(Exception):
    """A value that a type does not accept. ``kind`` is ``"invalid_parameters"`` or, past a limit, ``"limit"``.

    The other kinds are for types that stand for more than a value, such as a list of steps or who is to take one.
    """

    def __init__(self, path: Path, problem: str, kind: RefusalKind = "invalid_parameters"):
        place = spelled(path)
        super().__init__(f"{place} {problem}" if place else problem)
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

    def check(self, value: Any, path: Path, skipped: list[str]) -> float | int:
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
class Rounded:
    """A whole number out of any finite one: rounded half up, then clamped, for tools that forgive what lies outside.

    ``low`` to ``high`` is what is asked for (in the schema) and sampled. ``least`` and ``most`` are the limits that
    numbers beyond it are clamped to; where one is None, numbers beyond that end are refused.
    """

    low: int
    high: int
    least: int | None = None
    most: int | None = None
    unit: str = ""
    """Such as ``px`` or ``deg``; for people and models."""

    def __post_init__(self) -> None:
        least, most = (self.low if self.least is None else self.least), (self.high if self.most is None else self.most)
        if not least <= self.low <= self.high <= most:
            raise ValueError(f"Rounded: {least} <= {self.low} <= {self.high} <= {most} does not hold.")

    def check(self, value: Any, path: Path, skipped: list[str]) -> int:
        """See the module."""
        if type(value) is int and self.low <= value <= self.high:
            return value  # nearly every number of a drawing, and there are many
        number = number_of(value)
        if number is None or not (isinstance(number, int) or math.isfinite(number)):
            raise Refused(path, f"must be a {self.words()}; got {show(value)}.")
        whole = number if isinstance(number, int) else math.floor(number)
        whole += number - whole >= 0.5
        if whole < self.low:
            if self.least is None:
                raise Refused(path, f"must be a {self.words()}; got {show(value)}.")
            return max(whole, self.least)
        if whole > self.high:
            if self.most is None:
                raise Refused(path, f"must be a {self.words()}; got {show(value)}.")
            return min(whole, self.most)
        return whole

    def sample(self, rng: np.random.Generator) -> int:
        """Uniform over what is asked for."""
        return int(rng.integers(self.low, self.high, endpoint=True))

    def example(self) -> int:
        """The low end of what is asked for."""
        return self.low

    def schema(self, frame: NumberFrame = FRACTIONS) -> dict[str, Any]:
        """JSON schema; clamped ends are left open, for numbers beyond them are accepted."""
        least = {"minimum": self.low} if self.least is None else {}
        most = {"maximum": self.high} if self.most is None else {}
        return {"type": "integer", **least, **most}

    def words(self, frame: NumberFrame = FRACTIONS) -> str:
        """In words."""
        return f"whole number from {self.low} to {self.high}{' ' + self.unit if self.unit else ''}"


@dataclass(frozen=True)
class Text:
    """A string; longer than ``max_length`` characters is past a limit."""

    max_length: int
    min_length: int = 0

    def check(self, value: Any, path: Path, skipped: list[str]) -> str:
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

    def check(self, value: Any, path: Path, skipped: list[str]) -> str:
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

    def check(self, value: Any, path: Path, skipped: list[str]) -> bool:
        """See the module."""
        if value is True or value is False:
            return value
        if isinstance(value, np.bool_):
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

    def check(self, value: Any, path: Path, skipped: list[str]) -> list[float] | None:
        """See the module."""
        if self.nullable and is_nothing(value):
            return None
        items = items_of(value)
        numbers = [number_of(item) for item in items] if items is not None and len(items) == 4 else []
        if len(numbers) != 4:
            raise Refused(path, f"must be {self.words()}, such as {self.example()}; got {show(value)}.")
        for index, number in enumerate(numbers):
            if number is None or not 0 <= number <= 1:
                raise Refused((path, index), f"must be a number from 0 to 1; got {show(items[index])}.")  # type: ignore[index]
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
