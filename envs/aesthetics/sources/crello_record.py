"""A Crello record: one design as plain data in the form of release 5, and older releases brought into that form.

In release 5 positions are px and angles degrees; before it positions were fractions of the canvas, angles radians,
sizes of the canvas categories, and colours three numbers an element. A file's columns alone tell which it has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.crello_columns import Columns
from designgym.envs.aesthetics.sources.geometry import number
from designgym.errors import UserError, require

Form = Literal["v5", "older"]
Record = dict[str, Any]

GEOMETRY = ("left", "top", "width", "height", "angle", "opacity")
TEXT_FIELDS = ("text", "font", "font_size", "text_align", "capitalize", "line_height", "letter_spacing")
PER_CHARACTER = ("font_bold", "font_italic", "text_color", "text_line")
ELEMENT_FIELDS = ("type", *GEOMETRY, "color", "image", *TEXT_FIELDS, *PER_CHARACTER)
"""The fields that are lists with an entry for each element, in release 5."""

_NEEDED = {"type", "left", "top", "width", "height", "canvas_width", "canvas_height", "image", "color"}


def form_of(columns: Columns, name: str) -> Form:
    """Whether a file is of release 5 or older.

    Raises:
        UserError: If it is no Crello file, or of a release that has no texts.
    """
    if missing := sorted(_NEEDED - set(columns)):
        raise UserError(f"'{name}' is no Crello file: it has no column {missing[0]!r}.")
    if "text" not in columns or "font" not in columns or "font_size" not in columns:
        raise UserError(f"'{name}' is an old release of Crello without texts; use release 4 or 5.")
    if columns["type"].labels is None and _is_number(columns["type"].type):
        raise UserError(f"'{name}' has numbers for the element types and does not name them; export it with datasets.")
    is_older = columns["canvas_width"].labels is not None or _is_number(columns["color"].type)
    if not is_older and (missing := sorted(set(PER_CHARACTER) - set(columns))):
        raise UserError(f"'{name}' lacks the column {missing[0]!r} of Crello's release 5.")
    return "older" if is_older else "v5"


def check_record(record: Record) -> int:
    """The number of elements of a record in the form of release 5.

    Raises:
        BrokenRecord: If a list has another number of entries than there are elements.
    """
    length = record.get("length")
    if length is None:
        length = len(record.get("type") or ())
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        raise BrokenRecord(f"length is {length!r}; it must be the number of elements.")
    for name in ELEMENT_FIELDS:
        values = record.get(name)
        if not isinstance(values, list) or len(values) != length:
            count = len(values) if isinstance(values, list) else "no"
            raise BrokenRecord(f"There are {length} elements and {count} entries in {name!r}.")
    return length


def element_of(record: Record, index: int) -> dict[str, Any]:
    """The fields of one element."""
    return {name: record[name][index] for name in ELEMENT_FIELDS}


def to_v5(record: Mapping[str, Any]) -> Record:
    """A record of an older release in the form of release 5.

    Texts have one colour, no bold or slanted characters, and lines where the text breaks.

    Raises:
        BrokenRecord: For values that cannot be converted.
    """
    try:
        width, height = int(record["canvas_width"]), int(record["canvas_height"])
        types = [f"{name[:1].upper()}{name[1:]}" for name in record["type"]]
        texts = [re.sub("\n+", "\n", text or "") for text in record["text"]]
        scaled = {
            name: [number(value, name) * side for value in record[name]]
            for name, side in (("left", width), ("top", height), ("width", width), ("height", height))
        }
        colors = [
            [f"rgba({', '.join(str(round(number(part, 'color'))) for part in color[:3])}, 1)"] if color else []
            for color in record["color"]
        ]
        count = len(types)
        kept = {name: value for name, value in record.items() if name not in ELEMENT_FIELDS}
        return {
            **kept,
            "canvas_width": width,
            "canvas_height": height,
            "length": count,
            "type": types,
            **scaled,
            "angle": [math.degrees(number(value, "angle")) for value in record.get("angle") or [0.0] * count],
            "opacity": list(record.get("opacity") or [1.0] * count),
            "color": colors,
            "image": list(record["image"]),
            "text": texts,
            "font": list(record["font"]),
            "font_size": list(record["font_size"]),
            "text_align": list(record.get("text_align") or ["left"] * count),
            "capitalize": [value in (True, "true") for value in record.get("capitalize") or [False] * count],
            "line_height": list(record.get("line_height") or [1.0] * count),
            "letter_spacing": list(record.get("letter_spacing") or [0.0] * count),
            "font_bold": [[False] * len(text) for text in texts],
            "font_italic": [[False] * len(text) for text in texts],
            "text_color": [
                (color or ["rgba(0, 0, 0, 1)"]) * len(text) for color, text in zip(colors, texts, strict=True)
            ],
            "text_line": [[text[:index].count("\n") for index in range(len(text))] for text in texts],
        }
    except BrokenRecord:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenRecord(f"It cannot be brought into the form of release 5: {error}.") from error


def _is_number(arrow_type: Any) -> bool:
    """Whether a type is a number, or lists of numbers."""
    types = require("pyarrow", extra="train").types
    while types.is_list(arrow_type) or types.is_large_list(arrow_type) or types.is_fixed_size_list(arrow_type):
        arrow_type = arrow_type.value_type
    return bool(types.is_integer(arrow_type) or types.is_floating(arrow_type))
