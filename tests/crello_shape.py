"""Crello files in the real shape, for tests: what `datasets` writes for releases 4 and 5, made without it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

TYPES = ["SvgElement", "TextElement", "ImageElement", "ColoredBackground", "SvgMaskElement"]
FONTS = ["", "Montserrat", "Great Vibes", "No Such Font", "Playfair Display"]
ALIGNS = ["", "left", "center", "right"]

IMAGE = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
PICTURE = {"_type": "Image"}


def label(names: list[str]) -> dict[str, Any]:
    return {"names": names, "_type": "ClassLabel"}


def value(kind: str) -> dict[str, Any]:
    return {"dtype": kind, "_type": "Value"}


def listed(feature: Any) -> dict[str, Any]:
    return {"feature": feature, "_type": "List"}


def v5_fields(types: list[str] = TYPES) -> dict[str, tuple[Any, Any]]:
    """Name -> Arrow type and feature of release 5; floats are 32 bits wide there."""
    f, i, s = pa.float32(), pa.int64(), pa.string()
    floats = ("left", "top", "width", "height", "angle", "opacity", "font_size", "line_height", "letter_spacing")
    fields: dict[str, tuple[Any, Any]] = {
        "id": (s, value("string")),
        "length": (i, value("int64")),
        "group": (i, label(["SM", "HC"])),
        "format": (i, label(["Instagram", "Poster"])),
        "canvas_width": (i, value("int64")),
        "canvas_height": (i, value("int64")),
        "category": (i, label(["holidays", "business"])),
        "title": (s, value("string")),
        "suitability": (pa.list_(i), listed(label(["mobile"]))),
        "keywords": (pa.list_(s), listed(value("string"))),
        "industries": (pa.list_(i), listed(label(["retail", "travel"]))),
        "preview": (IMAGE, PICTURE),
        "type": (pa.list_(i), listed(label(types))),
        "color": (pa.list_(pa.list_(s)), listed(listed(value("string")))),
        "image": (pa.list_(IMAGE), listed(PICTURE)),
        "text": (pa.list_(s), listed(value("string"))),
        "font": (pa.list_(i), listed(label(FONTS))),
        "font_bold": (pa.list_(pa.list_(pa.bool_())), listed(listed(value("bool")))),
        "font_italic": (pa.list_(pa.list_(pa.bool_())), listed(listed(value("bool")))),
        "text_line": (pa.list_(pa.list_(i)), listed(listed(value("int64")))),
        "text_color": (pa.list_(pa.list_(s)), listed(listed(value("string")))),
        "text_align": (pa.list_(i), listed(label(ALIGNS))),
        "capitalize": (pa.list_(pa.bool_()), listed(value("bool"))),
        "cluster_index": (i, value("int64")),
    }
    return fields | {name: (pa.list_(f), listed(value("float32"))) for name in floats}


def png(color: tuple[int, ...] = (200, 60, 40, 255), size: tuple[int, int] = (24, 16)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGBA", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def element(kind: str, types: list[str] = TYPES, **changes: Any) -> dict[str, Any]:
    """One element; a text's fields per character are filled in for its text."""
    text = changes.get("text", "")
    base = {
        "type": types.index(kind),
        "left": 10.0,
        "top": 20.0,
        "width": 100.0,
        "height": 40.0,
        "angle": 0.0,
        "opacity": 1.0,
        "color": [],
        "image": {"bytes": png(), "path": None},
        "text": "",
        "font": 1 if text else 0,
        "font_size": 20.0 if text else 0.0,
        "font_bold": [False] * len(text),
        "font_italic": [False] * len(text),
        "text_line": [text[:index].count("\n") for index in range(len(text))],
        "text_color": ["rgba(0, 0, 0, 1)"] * len(text),
        "text_align": 1 if text else 0,
        "capitalize": False,
        "line_height": 1.0,
        "letter_spacing": 0.0,
    }
    return base | changes


def background(color: str = "rgba(250, 240, 230, 1)", **changes: Any) -> dict[str, Any]:
    place = {"left": 0.0, "top": 0.0, "width": 400.0, "height": 300.0}
    picture = {"bytes": png((250, 240, 230, 255)), "path": None}
    return element("ColoredBackground", color=[color], image=picture, **place) | changes


def design(*elements: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """One row of release 5 on a canvas of 400 x 300 px."""
    columns = {name: [part[name] for part in elements] for name in element("TextElement")}
    base = {
        "id": "5bd1c850",
        "length": len(elements),
        "group": 0,
        "format": 1,
        "canvas_width": 400,
        "canvas_height": 300,
        "category": 1,
        "title": "Summer sale",
        "suitability": [0],
        "keywords": ["summer", "sale", "beach"],
        "industries": [0, 1],
        "preview": {"bytes": png((255, 255, 255, 255), (40, 30)), "path": None},
        "cluster_index": 3,
    }
    return base | columns | changes


def write(path: Path, rows: list[dict[str, Any]], fields: dict[str, tuple[Any, Any]] | None = None, **how: Any) -> Path:
    """Write rows as `datasets` does: Parquet, or an Arrow stream if the name says so."""
    fields = fields or v5_fields()
    features = {name: feature for name, (_, feature) in fields.items()}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})} if how.pop("described", True) else None
    schema = pa.schema([pa.field(name, kind) for name, (kind, _) in fields.items()], metadata=metadata)
    table = pa.Table.from_pylist(rows, schema)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(table, path, **how)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, schema) as stream:
            stream.write_table(table)
    return path


def v4_fields() -> dict[str, tuple[Any, Any]]:
    """Release 4: fractions, radians, sizes of the canvas as categories, colours as numbers, types in lower case."""
    f, i, s = pa.float32(), pa.int64(), pa.string()
    floats = ("left", "top", "width", "height", "angle", "opacity", "font_size", "line_height", "letter_spacing")
    types = ["svgElement", "textElement", "imageElement", "coloredBackground", "maskElement"]
    fields: dict[str, tuple[Any, Any]] = {
        "id": (s, value("string")),
        "length": (i, value("int64")),
        "canvas_width": (i, label(["300", "400"])),
        "canvas_height": (i, label(["300", "400"])),
        "title": (s, value("string")),
        "keywords": (pa.list_(s), {"feature": value("string"), "length": -1, "_type": "Sequence"}),
        "type": (pa.list_(i), {"feature": label(types), "length": -1, "_type": "Sequence"}),
        "color": (pa.list_(pa.list_(f)), listed(listed(value("float32")))),
        "image": (pa.list_(IMAGE), listed(PICTURE)),
        "text": (pa.list_(s), listed(value("string"))),
        "font": (pa.list_(i), listed(label(FONTS))),
        "text_align": (pa.list_(i), listed(label(ALIGNS))),
        "capitalize": (pa.list_(i), listed(label(["false", "true"]))),
    }
    return fields | {name: (pa.list_(f), listed(value("float32"))) for name in floats}
