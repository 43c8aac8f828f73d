"""Real drafts that designers annotated, as in AesEval-Bench's Appendix F. None are published; this is a form for them.

A folder with ``drafts.jsonl`` and the pictures that it names. Each line is one draft::

    {"id": "job-fair", "image": "job-fair.png", "frame": "fraction", "order": "xyxy",
     "judged": ["layout-balance", "color-contrast"],
     "elements": [{"id": "title", "kind": "text", "box": [0.1, 0.05, 0.9, 0.2], "text": "Startup job fair"}],
     "flaws": [{"indicators": ["color-contrast"], "element": "title", "comment": "sinks into the dark ground"},
               {"indicators": ["layout-balance"], "box": [0.0, 0.7, 0.3, 0.9]}]}

``id`` and ``image`` (a path inside the folder) are needed, all else is optional. ``frame`` is what boxes count in,
``"fraction"`` of the page or ``"pixel"`` of the image (default), and ``order`` is ``"xyxy"`` (default) or ``"ltwh"``.
``judged`` lists the indicators that were looked at (default: all twelve); those without a flaw are met. ``elements``
are wanted for region selection, which needs unharmed ones beside the harmed. A flaw names an element or gives a box of
its own. ``kind`` is text, picture, shape, group or background. Every draft belongs to the split ``test``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from designgym.broken import BrokenRecord, Skipped
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Element, ElementKind, Flaw, FractionBox, Sample
from designgym.envs.aesthetics.sources.finite import FiniteSource, Question
from designgym.envs.aesthetics.sources.geometry import corner_box, fraction_box
from designgym.envs.aesthetics.sources.indicator_names import indicator_name
from designgym.envs.aesthetics.sources.json_files import picture_size, read_picture
from designgym.errors import UserError
from designgym.jsonl import read_jsonl

FILE = "drafts.jsonl"

_KEYS = {"id", "image", "frame", "order", "judged", "elements", "flaws"}


class DraftSource(FiniteSource):
    """The drafts of a folder.

    Args:
        path: The folder.
        strict: Raise at the first broken draft instead of skipping it.

    Attributes:
        skipped: The drafts that were left out, with reasons.

    Raises:
        UserError: If the file cannot be read, or no draft can be used.
        BrokenRecord: If ``strict``.
    """

    def __init__(self, path: str | Path, *, strict: bool = False) -> None:
        root = Path(path)
        self.skipped = Skipped(strict)
        drafts: dict[str, Any] = {}
        questions: list[Question] = []
        digest = hashlib.sha256()
        for line in read_jsonl(root / FILE):
            place = f"{root / FILE}:{line.number}"
            try:
                sample = read_draft(line.value, root)
                if sample.id in drafts:
                    raise BrokenRecord(f"The id {sample.id!r} stands twice.")
            except BrokenRecord as error:
                self.skipped.record(place, str(error))
                continue
            drafts[sample.id] = line.value
            questions += [(sample.id, indicator) for indicator in sample.judged]
            digest.update(hashlib.sha256(repr(line.value).encode()).digest())
            digest.update(hashlib.sha256(sample.preview or b"").digest())
        if not questions:
            raise UserError(f"No draft in '{root / FILE}' can be used. {self.skipped.summary}".rstrip())
        super().__init__(
            f"drafts:{digest.hexdigest()[:12]}", {"test": questions}, lambda name: read_draft(drafts[name], root)
        )


def read_draft(record: Any, folder: Path) -> Sample:
    """The sample of a line; the picture is read from the folder.

    Raises:
        BrokenRecord: For a line that is not of this form, or a picture that cannot be used.
    """
    if not isinstance(record, Mapping):
        raise BrokenRecord(f"A draft is a {type(record).__name__}; it must be an object.")
    if unknown := sorted(set(record) - _KEYS):
        raise BrokenRecord(f"The key {unknown[0]!r} is unknown; known are {', '.join(sorted(_KEYS))}.")
    name, image = record.get("id"), record.get("image")
    if not isinstance(name, str) or not name or not isinstance(image, str) or not image:
        raise BrokenRecord("A draft needs an 'id' and an 'image', both strings.")
    file = (folder / image).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise BrokenRecord(f"The image {image!r} lies outside of the folder.")
    preview = read_picture(file)
    size = picture_size(preview, image)
    elements = [_element(part, record, size) for part in _objects(record, "elements")]
    names = {element.id for element in elements}
    if len(names) < len(elements):
        raise BrokenRecord("Two elements have the same id.")
    harmed: dict[str, list[str]] = {}
    flaws = []
    for number, flaw in enumerate(_objects(record, "flaws")):
        indicators = _indicators(flaw.get("indicators"), f"flaw {number}")
        element = flaw.get("element")
        if "box" in flaw and element is None:
            element = f"flaw-{number}"
            elements.append(Element(element, "group", "", _box(flaw["box"], record, size, f"flaw {number}")))
            names.add(element)
        if element not in names:
            raise BrokenRecord(f"Flaw {number} names the element {element!r}, which is not in 'elements'.")
        for indicator in indicators:
            harmed.setdefault(indicator, []).append(element)
        flaws.append(Flaw("annotated", element, "", None, flaw.get("comment"), harms=indicators))
    judged = _indicators(record["judged"], "judged") if "judged" in record else tuple(INDICATORS)
    if left_out := sorted(set(harmed) - set(judged)):
        raise BrokenRecord(f"A flaw harms {left_out[0]!r}, which 'judged' does not list.")
    return Sample(
        id=name,
        width=size[0],
        height=size[1],
        elements=tuple(elements),
        flaws=tuple(flaws),
        harmed={indicator: tuple(dict.fromkeys(harmed[indicator])) for indicator in judged if indicator in harmed},
        preview=preview,
        judged=judged,
    )


def _objects(record: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    values = record.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, Mapping) for value in values):
        raise BrokenRecord(f"{key!r} must be a list of objects.")
    return values


def _element(data: Mapping[str, Any], record: Mapping[str, Any], size: tuple[int, int]) -> Element:
    name, kind, text = data.get("id"), data.get("kind", "group"), data.get("text", "")
    if not isinstance(name, str) or not name or not isinstance(text, str):
        raise BrokenRecord("An element needs an 'id', a string; its 'text' is a string, too.")
    if kind not in get_args(ElementKind):
        raise BrokenRecord(f"The kind {kind!r} is unknown; known are {', '.join(get_args(ElementKind))}.")
    return Element(
        name, kind, str(data.get("role", "")), _box(data.get("box"), record, size, f"element {name!r}"), text
    )


def _box(value: Any, record: Mapping[str, Any], size: tuple[int, int], where: str) -> FractionBox:
    frame, order = record.get("frame", "pixel"), record.get("order", "xyxy")
    if frame not in ("pixel", "fraction") or order not in ("xyxy", "ltwh"):
        raise BrokenRecord(f"frame is {frame!r} and order {order!r}; write pixel or fraction, and xyxy or ltwh.")
    if not isinstance(value, list) or len(value) != 4:
        raise BrokenRecord(f"The box of {where} is {str(value)[:60]!r}; it must be four numbers.")
    scale = size if frame == "fraction" else (1, 1)
    try:
        sides = [part * scale[index % 2] for index, part in enumerate(value)]
    except TypeError:
        raise BrokenRecord(f"The box of {where} is {str(value)[:60]!r}; it must be four numbers.") from None
    a, b, c, d = sides
    box = fraction_box(a, b, c, d, size) if order == "ltwh" else corner_box(sides, size)
    if box is None:
        raise BrokenRecord(f"The box of {where} has no area on the page.")
    return box


def _indicators(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not values:
        raise BrokenRecord(f"The indicators of {where} must be a list of names.")
    names = [indicator_name(str(value)) for value in values]
    if None in names:
        wrong = values[names.index(None)]
        raise BrokenRecord(f"{wrong!r} is no indicator; they are {', '.join(INDICATORS)}.")
    return tuple(name for name in INDICATORS if name in names)
