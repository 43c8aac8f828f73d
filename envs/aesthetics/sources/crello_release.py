"""The columns of Crello's release 5, for files that are written anew."""

from __future__ import annotations

from typing import Any

from designgym.envs.aesthetics.sources.crello_columns import Column, Columns
from designgym.errors import require

# Name -> depth of its lists and what they hold. Categories begin without names: those of the records are added.
_RELEASE_5: dict[str, tuple[int, str]] = {
    "id": (0, "string"),
    "length": (0, "int64"),
    "group": (0, "category"),
    "format": (0, "category"),
    "canvas_width": (0, "int64"),
    "canvas_height": (0, "int64"),
    "category": (0, "category"),
    "title": (0, "string"),
    "suitability": (1, "category"),
    "keywords": (1, "string"),
    "industries": (1, "category"),
    "preview": (0, "image"),
    "type": (1, "category"),
    "left": (1, "float64"),
    "top": (1, "float64"),
    "width": (1, "float64"),
    "height": (1, "float64"),
    "angle": (1, "float64"),
    "opacity": (1, "float64"),
    "color": (2, "string"),
    "image": (1, "image"),
    "text": (1, "string"),
    "font": (1, "category"),
    "font_size": (1, "float64"),
    "font_bold": (2, "bool"),
    "font_italic": (2, "bool"),
    "text_line": (2, "int64"),
    "text_color": (2, "string"),
    "text_align": (1, "category"),
    "capitalize": (1, "bool"),
    "line_height": (1, "float64"),
    "letter_spacing": (1, "float64"),
    "cluster_index": (0, "int64"),
}


def release_5_columns() -> Columns:
    """Name -> column, in the order of the release; numbers are 64 bits wide, so that none is rounded."""
    arrow = require("pyarrow", extra="train")
    image = arrow.struct([arrow.field("bytes", arrow.binary()), arrow.field("path", arrow.string())])
    types = {"string": arrow.string(), "int64": arrow.int64(), "float64": arrow.float64(), "bool": arrow.bool_()}
    columns: Columns = {}
    for name, (depth, kind) in _RELEASE_5.items():
        arrow_type: Any = {"category": arrow.int64(), "image": image}.get(kind) or types[kind]
        feature: Any = {
            "category": {"names": [], "_type": "ClassLabel"},
            "image": {"_type": "Image"},
        }.get(kind, {"dtype": kind, "_type": "Value"})
        for _ in range(depth):
            arrow_type, feature = arrow.list_(arrow_type), {"feature": feature, "_type": "List"}
        columns[name] = Column(arrow_type, () if kind == "category" else None, feature)
    return columns
