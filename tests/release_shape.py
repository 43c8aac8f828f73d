"""A release folder of AesEval-Bench in the real shape, for tests."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

from designgym.envs.aesthetics.indicators import INDICATORS


def picture(size: tuple[int, int] = (40, 30), color: str = "navy") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def part(index: int, kind: str, left: float, top: float, width: float, height: float, **more: Any) -> dict[str, Any]:
    place = {"left": left, "top": top, "width": width, "height": height}
    return {"element_index": index, "type": kind, **place, "angle": 0.0, "opacity": 1.0, **more}


METADATA = {
    "canvas_width": 400,
    "canvas_height": 300,
    "elements": [
        part(0, "ColoredBackground", 0, 0, 400, 300, color=["rgba(0, 0, 128, 1)"]),
        part(1, "ImageElement", -50, 100, 250, 100, image="1.png"),
        part(2, "TextElement", 100, 10, 200, 40, text="Sale", font="Lato", font_size=30.0),
        part(3, "SvgElement", 300, 200, 80, 20, **{"angle": 90.0}),
        part(4, "SvgElement", 900, 0, 50, 50),
    ],
}


def entry(index: int, attribute: str = "left") -> dict[str, Any]:
    original = {"left": 0.0, "top": 100.0, "width": 250.0, "height": 100.0}
    return {"element_index": [index], "attribute": attribute, "original": original}


def design(
    folder: Path,
    labels: dict[str, Any] | None = None,
    metadata: Any = METADATA,
    preview: bytes | None = None,
    changes: Any = None,
) -> Path:
    folder.mkdir(parents=True)
    empty: dict[str, Any] = {name: [] for name in INDICATORS}
    (folder / "GT.json").write_text(json.dumps(empty | (labels or {})))
    (folder / "simplified_meta_info.json").write_text(json.dumps(metadata))
    (folder / "preview.png").write_bytes(picture() if preview is None else preview)
    (folder / "preview_highlight.png").write_bytes(picture(color="red"))
    if changes is not None:
        (folder / "changes.json").write_text(json.dumps(changes))
    return folder
