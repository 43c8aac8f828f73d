"""Reading what released records say in free words: colours, sizes and places."""

from __future__ import annotations

import re
from functools import cache

from PIL import ImageColor

from designgym.envs.design.briefs.brief import NamedColor, TextSize
from designgym.envs.design.briefs.colors import GROUNDS, INKS
from designgym.rewards.judges.meanings import POSITIONS, ImageSize, Position

_RGB = re.compile(r"(?<![0-9.])([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})(?![0-9])")
_HEX = re.compile(r"#([0-9a-fA-F]{6})(?![0-9a-fA-F])")
_WORD = re.compile(r"[a-z]+")

_ROWS = {"top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom", "foot": "bottom"}
_COLUMNS = {"left": "left", "right": "right"}
_MIDDLES = ("center", "centre", "centered", "centred", "middle", "central")
_RELATIVE = (
    "above",
    "below",
    "beneath",
    "under",
    "underneath",
    "beside",
    "next",
    "behind",
    "around",
    "between",
    "near",
)

_SIZES: dict[str, TextSize] = {
    "small": "small", "tiny": "small", "little": "small", "medium": "medium", "moderate": "medium", "large": "large",
    "big": "large", "huge": "huge", "giant": "huge", "enormous": "huge",
}  # fmt: skip
_FULL = ("full", "entire", "whole")


def read_color(text: object) -> NamedColor | None:
    """The one colour that a text names, by numbers (``"light blue (RGB: 173, 216, 230)"``, ``"#add8e6"``) or by name.

    Of a longer name the part that is known counts (``"soft navy blue"``). None where no colour is known, or several
    (``"blue and white"``).
    """
    if not isinstance(text, str):
        return None
    name = re.sub(r"[(#:].*", "", text.casefold()).strip(" ,.-") or "unnamed"
    if (numbers := _RGB.findall(text)) and len(set(numbers)) == 1:
        rgb = tuple(int(part) for part in numbers[0])
        return NamedColor(name, (rgb[0], rgb[1], rgb[2])) if max(rgb) <= 255 else None
    if match := _HEX.search(text):
        red, green, blue = bytes.fromhex(match[1])
        return NamedColor(name, (red, green, blue))
    words = _WORD.findall(text.casefold())
    found: list[str] = []
    place = 0
    while place < len(words):  # the longest known name that begins at each word
        for length in (3, 2, 1):
            known = " ".join(words[place : place + length])
            if known in _known() and place + length <= len(words):
                found.append(known)
                place += length
                break
        else:
            place += 1
    return NamedColor(name, _known()[found[0]]) if len(set(found)) == 1 else None


def read_size(text: object) -> TextSize | None:
    """The size that a text names; None if none or several."""
    found = {_SIZES[word] for word in _words(text) if word in _SIZES}
    return found.pop() if len(found) == 1 else None


def read_image_size(text: object) -> ImageSize | None:
    """The size that a text names for a picture; ``"full"`` for one that fills the page."""
    return "full" if set(_words(text)) & set(_FULL) else read_size(text)


def read_position(text: object) -> Position | None:
    """The place on the page that a text names; None if none, several, or one that is relative to something else."""
    words = _words(text)
    if set(words) & set(_RELATIVE):
        return None
    rows = {_ROWS[word] for word in words if word in _ROWS}
    columns = {_COLUMNS[word] for word in words if word in _COLUMNS}
    middle = any(word in _MIDDLES for word in words)
    if len(rows) > 1 or len(columns) > 1:
        return None
    row, column = "".join(rows), "".join(columns)
    if middle:
        row, column = row or "center", column or "center"
    named = "center" if row == column == "center" else " ".join(part for part in (row, column) if part)
    return next((position for position in POSITIONS if position == named), None)


def _words(text: object) -> list[str]:
    return _WORD.findall(text.casefold()) if isinstance(text, str) else []


@cache
def _known() -> dict[str, tuple[int, int, int]]:
    """Names of colours: those of CSS, those written in one there in two words, too, and those of generated briefs."""
    known: dict[str, tuple[int, int, int]] = {}
    for name in ImageColor.colormap:
        red, green, blue = ImageColor.getrgb(name)[:3]
        known[name] = (red, green, blue)
        if match := re.match(
            r"(dark|light|pale|medium|deep|hot|royal|sky|sea|forest|lime|midnight|steel|slate)(\w+)", name
        ):
            known[f"{match[1]} {match[2]}"] = known[name]
    return known | {color.name: color.rgb for color in (*GROUNDS, *INKS)} | {"golden": (255, 215, 0)}
