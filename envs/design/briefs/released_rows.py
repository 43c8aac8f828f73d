"""The rows of GraphicBench's released files: from JSON to briefs and questions, one at a time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from designgym.broken import BrokenRecord, Skipped
from designgym.envs.design.briefs.brief import Brief, BriefImage, DesignType, TextPart, VisualPart
from designgym.envs.design.briefs.naming import described, without_article
from designgym.envs.design.briefs.pairing import file_name
from designgym.envs.design.briefs.reading import read_color, read_image_size, read_position, read_size
from designgym.rewards.judges.meanings import words_of
from designgym.values import show

T = TypeVar("T")

_TYPES: dict[str, DesignType] = {
    "bookcover": "book cover", "businesscard": "business card", "postcard": "postcard", "poster": "poster",
}  # fmt: skip

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg")


def rows_of(file: Path, skipped: Skipped) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file with their places: one a line, or all of them in one JSON list; others are skipped."""
    content = file.read_bytes()
    parts = [(str(file), content)]
    if content.lstrip()[:1] != b"[":
        parts = [(f"{file}:{number}", line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    for place, raw in parts:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
            skipped.record(place, f"this is no JSON: {error}.")
            continue
        listed = isinstance(value, list) and place == str(file)
        named = (
            [(f"{place}, item {number}", each) for number, each in enumerate(value, 1)] if listed else [(place, value)]
        )
        for at, row in named:
            if isinstance(row, dict):
                yield at, row
            else:
                skipped.record(at, f"this is {show(row)} and no JSON object.")


def row_id(row: Mapping[str, Any], split: str) -> str:
    """Our id of a record or row of questions, such as ``"test-poster-17"``."""
    written = row.get("type", row.get("design"))
    type = _TYPES.get(re.sub(r"[^a-z]", "", written.casefold())) if isinstance(written, str) else None
    if type is None:
        raise BrokenRecord(f"its type is {show(written)}; it must be one of {', '.join(_TYPES)}.")
    number = row.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str) or not str(number).strip():
        raise BrokenRecord(f"its id is {show(number)}; it must be a number or a text.")
    return f"{split}-{type.replace(' ', '')}-{str(number).strip()}"


def row_questions(value: Any) -> tuple[str, ...]:
    """The questions of a row: a list, or a list (perhaps within an object) written as JSON in a string."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise BrokenRecord(f"its questions are no JSON: {error}.") from error
    if isinstance(value, dict):
        value = value.get("questions", list(value.values()))
    listed = value if isinstance(value, list) else []
    asked = [each.get("question") if isinstance(each, dict) else each for each in listed]
    texts = tuple(each.strip() for each in asked if isinstance(each, str) and each.strip())
    if not texts or len(texts) < len(asked):
        raise BrokenRecord("its questions are no list of texts.")
    return texts


def row_brief(id: str, row: Mapping[str, Any], left_open: Counter[str]) -> Brief:
    """The brief of a record.

    Args:
        id: Our id.
        row: The record.
        left_open: Counts what names no single colour, size or place; such details are left open.

    Raises:
        BrokenRecord: If query, background, texts or pictures are missing or of another form.
    """
    components = row.get("design_components")
    if isinstance(components, str):
        try:
            components = json.loads(components)
        except (ValueError, RecursionError) as error:
            raise BrokenRecord(f"its design_components are no JSON: {error}.") from error
    query = row.get("user_query")
    if not isinstance(query, str) or not query.strip():
        raise BrokenRecord(f"its user_query is {show(query)}; it must be a text.")
    if not isinstance(components, dict):
        raise BrokenRecord(f"its design_components are {show(components)}; they must be an object.")
    ground = read_color(components.get("background_color"))
    if ground is None:
        raise BrokenRecord(f"its background color {show(components.get('background_color'))} is no single known color.")

    def detail(name: str, written: Any, value: T | None) -> T | None:
        if value is None and isinstance(written, str) and written.strip():
            left_open[name] += 1
        return value

    texts = []
    for role, text in _parts(components, "text"):
        content = text.get("content")
        if not isinstance(content, str) or not content.strip():
            raise BrokenRecord(f"its text {role!r} has the content {show(content)}; it must be a text.")
        size, color, place = (text.get(name) for name in ("size", "color", "position"))
        texts.append(
            TextPart(
                role,
                content.strip(),
                detail("text size", size, read_size(size)),
                detail("text color", color, read_color(color)),
                detail("text position", place, read_position(place)),
            )
        )
    visuals = []
    for name, visual in _parts(components, "visual"):
        size, place = visual.get("size"), visual.get("position")
        visuals.append(
            VisualPart(
                without_article(name.replace("_", " ")),
                detail("image size", size, read_image_size(size)),
                detail("image position", place, read_position(place)),
            )
        )
    kind = _TYPES[id.split("-")[1]]
    return Brief(id, kind, query.strip(), ground, tuple(texts), tuple(visuals), _images(row.get("images"), visuals))


def image_path_name(url: str) -> str:
    """The file name at the end of an address; empty if there is none."""
    return PurePosixPath(unquote(urlsplit(url).path)).name


def _parts(components: Mapping[str, Any], name: str) -> list[tuple[str, Mapping[str, Any]]]:
    parts = components.get(name)
    if not isinstance(parts, dict) or not parts or not all(isinstance(part, dict) for part in parts.values()):
        raise BrokenRecord(f"its component {name!r} is {show(parts)}; it must be an object of objects, one at least.")
    return list(parts.items())


def _images(value: Any, visuals: list[VisualPart]) -> tuple[BriefImage, ...]:
    """An image for each picture that is asked for: the one whose words are most alike, or else the next one."""
    listed = value if isinstance(value, list) else []
    left = [
        (image["content"], image["url"])
        for image in listed
        if isinstance(image, dict) and isinstance(image.get("content"), str) and isinstance(image.get("url"), str)
    ]
    if len(left) < len(visuals):
        raise BrokenRecord(f"it asks for {len(visuals)} pictures and has {len(left)} images with content and url.")
    taken: set[str] = set()
    images = []
    for visual in visuals:
        wanted = set(words_of(visual.name))
        content, url = max(left, key=lambda image: len(wanted & set(words_of(image[0]))))
        left.remove((content, url))
        suffix = PurePosixPath(image_path_name(url)).suffix.lower()
        file = file_name(described(visual.name), taken, suffix if suffix in _SUFFIXES else ".png")
        taken.add(file)
        images.append(BriefImage(file, content.strip(), url=url))
    return tuple(images)
