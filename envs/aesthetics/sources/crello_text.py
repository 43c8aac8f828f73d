"""The text of a Crello element: its lines, and one style out of styles per character.

Crello gives weight, slant, colour and line of every character; a text layer has one of each. The layer takes what most
of the characters have that leave ink, and says so where they differ.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.geometry import number
from designgym.graphics.color import Rgba

_RGBA = re.compile(r"rgba?\(\s*([^,]+),\s*([^,]+),\s*([^,)]+)(?:,\s*([^)]+))?\)")


@dataclass(frozen=True)
class Style:
    """One style for all characters of a text.

    Attributes:
        text: What is drawn, in lines.
        bold: Whether it is bold.
        italic: Whether it is slanted.
        color: ``#rrggbb`` or ``#rrggbbaa``.
        notes: What is drawn otherwise than the record says.
    """

    text: str
    bold: bool
    italic: bool
    color: str
    notes: tuple[str, ...]


def text_style(element: Mapping[str, Any]) -> Style:
    """The lines and the style of a text element.

    Lists per character may be shorter or longer than the text: characters without an entry do not vote on the style
    and stay on the line of the last entry, and entries without a character are left out.

    Raises:
        BrokenRecord: If a field is of the wrong type.
    """
    raw = element["text"] or ""
    if not isinstance(raw, str):
        raise BrokenRecord(f"A text is a {type(raw).__name__}; it must be a string.")
    text = html.unescape(raw)
    notes = []
    runs = {name: _run(element, name) for name in ("font_bold", "font_italic", "text_color", "text_line")}
    if odd := sorted(name for name, values in runs.items() if values and len(values) != len(text)):
        notes.append(f"{', '.join(odd)} count other characters than the text's {len(text)}")
    bold, mixed_bold = _most(text, runs["font_bold"], False)
    italic, mixed_italic = _most(text, runs["font_italic"], False)
    color, mixed_color = _most(text, [read_color(value) for value in runs["text_color"]], "#000000")
    mixed = [
        name
        for name, is_mixed in (("weight", mixed_bold), ("slant", mixed_italic), ("colour", mixed_color))
        if is_mixed
    ]
    if mixed:
        notes.append(f"the {' and '.join(mixed)} of most characters stands for all of them")
    lines = split_lines(text, runs["text_line"])
    if element.get("capitalize") in (True, "true"):
        lines = [line.upper() for line in lines]
    return Style("\n".join(lines), bool(bold), bool(italic), str(color), tuple(notes))


def split_lines(text: str, numbers: Sequence[Any]) -> list[str]:
    r"""The lines of a text from the line number of each character; line feeds at their ends are dropped.

    Without numbers the text's own line feeds decide. A new line begins wherever the number changes.

    >>> split_lines("one two\nthree", [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    ['one', 'two', 'three']
    """
    if not numbers:
        return text.split("\n")
    lines: list[str] = []
    for index, character in enumerate(text):
        if index == 0 or (index < len(numbers) and numbers[index] != numbers[index - 1]):
            lines.append("")
        lines[-1] += character
    # The space at which a line was broken would shift centred lines.
    return [line.strip("\n").rstrip(" ") for line in lines]


def read_color(value: Any) -> str:
    """``#rrggbb[aa]`` of ``rgba(r, g, b, a)``, ``rgb(r, g, b)`` or a hexadecimal colour.

    Parts beyond their range are clipped.

    Raises:
        BrokenRecord: For anything else.
    """
    text = str(value).strip()
    if re.fullmatch(r"#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?", text):
        return text.lower()
    match = _RGBA.fullmatch(text.lower())
    try:
        parts = [number(float(part), "a colour") for part in match.groups("1")] if match else []
    except ValueError:
        parts = []
    if len(parts) != 4:
        raise BrokenRecord(f"{text[:60]!r} is not a colour; it must look like 'rgba(0, 0, 0, 1)'.")
    red, green, blue = (min(255, max(0, round(part))) for part in parts[:3])
    return Rgba(red, green, blue, min(255, max(0, round(parts[3] * 255)))).hex


def write_color(color: str) -> str:
    """``rgba(r, g, b, a)`` of ``#rrggbb[aa]``, as Crello writes it."""
    red, green, blue, *alpha = bytes.fromhex(color[1:])
    return (
        f"rgba({red}, {green}, {blue}, {round(alpha[0] / 255, 4):g})" if alpha else f"rgba({red}, {green}, {blue}, 1)"
    )


def _run(element: Mapping[str, Any], name: str) -> list[Any]:
    values = element.get(name)
    if values is None:
        return []
    if not isinstance(values, list):
        raise BrokenRecord(f"{name} is a {type(values).__name__}; it must be a list with an entry for each character.")
    return values


def _most(text: str, values: Sequence[Any], default: Any) -> tuple[Any, bool]:
    """What most of the characters with ink have (the earliest among equals), and whether they differ."""
    inked = [value for character, value in zip(text, values, strict=False) if not character.isspace()]
    if not inked:
        return (values[0] if values else default), False
    counts = Counter(inked)
    return counts.most_common(1)[0][0], len(counts) > 1
