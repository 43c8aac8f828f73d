"""Kinds of parameters that only actions have: names of layers, files and fonts, and numbers with a usual range.

What they refuse is refused as any value out of range is; what they sample is what a designer might write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from designgym.envs.design.file_names import problem_of
from designgym.graphics.fonts import ALIASES, FAMILIES, FontError, find_family
from designgym.graphics.text import drawn_text
from designgym.parameters import Path, Refused
from designgym.scalars import Number, Text
from designgym.values import show

_LAYERS = ("title", "subtitle", "body", "logo", "photo", "frame", "band", "badge")
_FILES = ("draft", "page", "final", "photo", "logo")
_WORDS = ("spring", "open", "day", "light", "river", "music", "new", "garden", "night", "coffee")
_STYLE = re.compile(r"(?P<family>.*?)[ -]*(?P<bold>bold)?[ -]*(?P<italic>italic|oblique)?", re.IGNORECASE)


@dataclass(frozen=True)
class LayerName(Text):
    """The name of a layer or object: anything that is not blank."""

    def check(self, value: object, path: Path, skipped: list[str]) -> str:
        """See the class."""
        text = super().check(value, path, skipped)
        if not text.strip():
            raise Refused(path, "is blank; it must have a letter, digit or sign.")
        return text

    def sample(self, rng: np.random.Generator) -> str:
        """One of a few, so that sampled calls meet each other's layers."""
        return _LAYERS[int(rng.integers(len(_LAYERS)))]


@dataclass(frozen=True)
class FileName(Text):
    """A plain name of a file in the episode."""

    def check(self, value: object, path: Path, skipped: list[str]) -> str:
        """See the class."""
        text = super().check(value, path, skipped)
        if problem := problem_of(text):
            raise Refused(
                path, f"{problem}: {show(text)}; it must be a plain name, such as 'hero.png', without a path."
            )
        return text

    def sample(self, rng: np.random.Generator) -> str:
        """One of a few."""
        return _FILES[int(rng.integers(len(_FILES)))] + (".png" if rng.integers(2) else "")


@dataclass(frozen=True)
class Words(Text):
    """A text that shows something: anything but spaces and signs without ink."""

    def check(self, value: object, path: Path, skipped: list[str]) -> str:
        """See the class."""
        text = super().check(value, path, skipped)
        if not drawn_text(text).replace("\u200b", "").strip():
            raise Refused(path, "is blank; it must have a letter, digit or sign that is drawn.")
        return text

    def sample(self, rng: np.random.Generator) -> str:
        """One to six words."""
        return " ".join(_WORDS[int(n)] for n in rng.integers(0, len(_WORDS), int(rng.integers(1, 7)))).capitalize()


@dataclass(frozen=True)
class FontName(Text):
    """The name of a font, as :func:`read_font` reads it."""

    def check(self, value: object, path: Path, skipped: list[str]) -> str:
        """See the class."""
        text = super().check(value, path, skipped)
        if read_font(text) is None:
            known = ", ".join([*FAMILIES, *list(ALIASES)[:5]])
            raise Refused(
                path, f"is {show(text)}, which is not there. There are {known}; with Bold and Italic or without."
            )
        return text

    def sample(self, rng: np.random.Generator) -> str:
        """Any family, bold or not."""
        families = list(FAMILIES)
        return families[int(rng.integers(len(families)))] + (" Bold" if rng.integers(2) else "")


@dataclass(frozen=True)
class Usual(Number):
    """A number that may be anything in its range and mostly is within a part of it, from which it is sampled."""

    least: float = 0.0
    most: float = 1.0

    def sample(self, rng: np.random.Generator) -> float | int:
        """Uniform over the usual part."""
        return Number(self.least, self.most, self.integer).sample(rng)


def read_font(name: str) -> tuple[str, bool, bool] | None:
    """Family (as it is called, perhaps by an alias), boldness and slant of a font's name; None if it is not there."""
    match = _STYLE.fullmatch(name.strip())
    plain = (name.strip(), False, False)
    styled = (match["family"], bool(match["bold"]), bool(match["italic"])) if match else plain
    for family, bold, italic in (plain, styled):
        try:
            found = find_family(family)
        except FontError:
            continue
        alias = next((known for known in ALIASES if known.casefold() == family.casefold()), "")
        return alias or found.name, bold, italic
    return None
