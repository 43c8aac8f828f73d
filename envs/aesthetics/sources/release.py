"""The folder that AesEval-Bench's authors release: a folder a design, with its picture, metadata and labels.

A design's folder, such as ``poster_2-perturbs_new``, has ``preview.png`` (the page as it is judged),
``simplified_meta_info.json`` (page and elements), ``GT.json`` (indicator -> entries ``{"element_index": [3],
"attribute": "left", "original": {"left": ..., "top": ..., "width": ..., "height": ...}}``; an empty list: no issue) and
``changes.json`` (what was perturbed). Every design belongs to the split ``test``.

The true box is the element's box in the metadata, after the perturbation. An element that the metadata lack takes its
recorded original box. An indicator about whose elements nothing can be seen is not judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from designgym.broken import BrokenRecord, Skipped
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Element, Flaw, Sample
from designgym.envs.aesthetics.sources.changes import Change, changed_elements, indices
from designgym.envs.aesthetics.sources.finite import FiniteSource, Question
from designgym.envs.aesthetics.sources.indicator_names import indicator_name
from designgym.envs.aesthetics.sources.json_files import read_json, read_picture
from designgym.envs.aesthetics.sources.metadata_elements import element_box, metadata_elements, metadata_page
from designgym.errors import UserError

LABELS = "GT.json"
METADATA = "simplified_meta_info.json"
PREVIEW = "preview.png"
CHANGES = "changes.json"


class ReleaseSource(FiniteSource):
    """The designs of a release folder.

    Args:
        path: The folder that holds the designs' folders, at any depth.
        strict: Raise at the first broken design instead of skipping it.

    Attributes:
        skipped: The designs that were left out, with reasons.

    Raises:
        UserError: If there are no designs, or none that can be used.
        BrokenRecord: If ``strict``.
    """

    def __init__(self, path: str | Path, *, strict: bool = False) -> None:
        root = Path(path)
        self.skipped = Skipped(strict)
        folders: dict[str, Path] = {}
        questions: list[Question] = []
        digest = hashlib.sha256()
        for folder in release_folders(root):
            name = folder.name if folder == root else folder.relative_to(root).as_posix()
            try:
                sample, notes = read_release_sample(folder, name)
            except BrokenRecord as error:
                self.skipped.record(str(folder), str(error))
                continue
            for note in notes:
                self.skipped.part(str(folder), note)
            folders[name] = folder
            questions += [(name, indicator) for indicator in sample.judged]
            for part in (name.encode(), sample.preview or b"", (folder / LABELS).read_bytes()):
                digest.update(hashlib.sha256(part).digest())
        if not questions:
            raise UserError(f"No design in '{root}' can be used. {self.skipped.summary}".rstrip())
        super().__init__(
            f"release:{digest.hexdigest()[:12]}",
            {"test": questions},
            lambda name: read_release_sample(folders[name], name)[0],
        )


def release_folders(root: Path) -> list[Path]:
    """The folders below (or the folder itself) that hold labels, in order."""
    return sorted(file.parent for file in root.rglob(LABELS))


def read_release_sample(folder: Path, name: str) -> tuple[Sample, tuple[str, ...]]:
    """The sample of a design's folder, and sentences on what of it was left out.

    Raises:
        BrokenRecord: If a file is missing or damaged, or labels name what is not there.
    """
    metadata = read_json(folder / METADATA)
    width, height = metadata_page(metadata)
    elements = metadata_elements(metadata)
    said: list[str] = []
    labels: dict[str, list[Mapping[str, Any]]] = {}
    for written, entries in read_json(folder / LABELS).items():
        indicator = indicator_name(written)
        if indicator is None:
            said.append(f"{LABELS} names the indicator {written!r}, which is none of the twelve.")
            continue
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            raise BrokenRecord(f"{LABELS}: {written!r} must be a list of objects.")
        labels.setdefault(indicator, []).extend(entries)
    elements = _with_missing(elements, metadata, labels)
    shown = {element.id for element in elements}
    harmed: dict[str, tuple[str, ...]] = {}
    judged = []
    for indicator in (name for name in INDICATORS if name in labels):
        named = tuple(dict.fromkeys(index for entry in labels[indicator] for index in indices(entry)))
        seen = tuple(index for index in named if index in shown)
        if labels[indicator] and not seen:
            said.append(f"{indicator} is not judged: none of its elements {', '.join(named) or '(none)'} can be seen.")
            continue
        judged.append(indicator)
        if seen:
            harmed[indicator] = seen
    return (
        Sample(
            id=name,
            width=width,
            height=height,
            elements=elements,
            flaws=_flaws(folder, labels, said),
            harmed=harmed,
            preview=read_picture(folder / PREVIEW),
            metadata=metadata,
            judged=tuple(judged),
        ),
        tuple(said),
    )


def _with_missing(
    elements: tuple[Element, ...], metadata: Mapping[str, Any], labels: Mapping[str, list[Mapping[str, Any]]]
) -> tuple[Element, ...]:
    """The elements and those that only the labels know, with their recorded boxes."""
    known = {str(data.get("element_index", place)) for place, data in enumerate(metadata["elements"])}
    added: dict[str, Element] = {}
    for entry in (entry for entries in labels.values() for entry in entries):
        for index in indices(entry):
            if index in known or index in added:
                continue
            original = entry.get("original")
            box = element_box(original, metadata_page(metadata)) if isinstance(original, Mapping) else None
            if box is None:
                raise BrokenRecord(f"{LABELS} names element {index}, which neither the metadata nor a box describe.")
            added[index] = Element(index, "shape", "", box)
    return (*elements, *added.values())


def _flaws(folder: Path, labels: Mapping[str, list[Mapping[str, Any]]], said: list[str]) -> tuple[Flaw, ...]:
    """What was done: the changes that can be read, and what only the labels tell."""
    changes: list[Change] = []
    if (folder / CHANGES).exists():
        try:
            changes = changed_elements(read_json(folder / CHANGES, object))
        except BrokenRecord as error:
            said.append(str(error))
    for entry in (entry for entries in labels.values() for entry in entries):
        told = changed_elements([entry])
        changes += [one for one in told if not any(_same(one, other) for other in changes)]
    return tuple(
        Flaw(
            operation=change.operation,
            element=change.element,
            attribute=change.attribute,
            before=change.before,
            after=change.after,
            harms=tuple(
                name
                for name in INDICATORS
                if any(_same(change, told) for entry in labels.get(name, ()) for told in changed_elements([entry]))
            ),
        )
        for change in changes
    )


def _same(one: Change, other: Change) -> bool:
    """Whether two changes are of one element and, as far as both tell, of one attribute."""
    same_attribute = not one.attribute or not other.attribute or one.attribute == other.attribute
    return one.element == other.element and same_attribute
