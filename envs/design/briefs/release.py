"""GraphicBench's released files: records as JSON lines, and question files with JSON inside of JSON.

A record is ``{"id", "type", "user_query", "design_components": {"background_color", "text": {role: {"content", "size",
"color", "position"}}, "visual": {name: {"size", "position"}}}, "images": [{"content", "url"}]}``; those of the training
set also have ``reference_plan``, a text that looks like Python and is none. A row of questions is ``{"id", "design",
"user_query", "questions"}``, with ``questions`` a JSON list as a string. Some of these are broken, and the files of two
types hold every row twice. What cannot be used is left out, counted and named in the log.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from designgym.broken import BrokenRecord, Skipped
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.briefs.released_rows import row_brief, row_id, row_questions, rows_of
from designgym.errors import UserError

_MAX_PLAN = 1_000_000  # characters; longer texts are not tried


@dataclass
class Release:
    """What could be read of the released files, and what could not.

    Attributes:
        briefs: Id, such as ``"test-poster-17"``, to brief; the images' files are named and not there.
        questions: Id of a brief -> its questions in words, all of which expect yes; where the row is broken, none.
        plans: Id -> the reference plan as it stands in the file.
        skipped: Records and rows that were left out, with reasons.
        repeated: How many rows only repeat another one.
        left_open: ``"text size"``, ``"image position"`` and so on -> how often it names no single one.
        unread_plans: How many reference plans are no Python literals.
    """

    briefs: dict[str, Brief] = field(default_factory=dict)
    questions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plans: dict[str, str] = field(default_factory=dict)
    skipped: Skipped = field(default_factory=Skipped)
    repeated: int = 0
    left_open: Counter[str] = field(default_factory=Counter)
    unread_plans: int = 0

    def ids(self, split: str) -> tuple[str, ...]:
        """The ids of a split's briefs, in the order of the files."""
        return tuple(id for id in self.briefs if id.startswith(f"{split}-"))

    @property
    def summary(self) -> str:
        """A few sentences on what was read and what was left out."""
        unasked = sum(id not in self.questions for id in self.ids("test"))
        said = [
            f"{len(self.briefs)} briefs were read, {len(self.questions)} of them with questions.",
            self.skipped.summary,
            f"{self.repeated} rows repeat others." if self.repeated else "",
            f"Test briefs without questions that can be read: {unasked}." if unasked else "",
            f"{self.left_open.total()} details name no single size, colour or place." if self.left_open else "",
            f"{self.unread_plans} reference plans are no Python literals." if self.unread_plans else "",
        ]
        return " ".join(sentence for sentence in said if sentence)


def read_release(path: str | Path, *, strict: bool = False) -> Release:
    """Read all JSON-lines files (``.jsonl``, ``.json``) of a folder, at any depth, or a single one.

    Records in a file or folder with ``train`` in its name belong to the training set, all others to the test set.

    Args:
        path: The folder or file.
        strict: Stop at the first record or row that cannot be used.

    Raises:
        UserError: If there are no such files, or no brief can be used.
        BrokenRecord: If ``strict``.
    """
    root = Path(path)
    found = [root] if root.is_file() else sorted(root.rglob("*"))
    files = [file for file in found if file.suffix in (".jsonl", ".json") and file.is_file()]
    if not files:
        raise UserError(f"There are no .jsonl or .json files in '{root}'; give the folder of the released records.")
    release = Release(skipped=Skipped(strict))
    records: dict[str, Mapping[str, Any]] = {}
    asked: dict[str, list[tuple[str, Any]]] = {}
    for file in files:
        inside = file.name if file == root else file.relative_to(root).as_posix()
        split = "train" if "train" in inside else "test"
        for place, row in rows_of(file, release.skipped):
            try:
                id = row_id(row, split)
                if "questions" in row:
                    asked.setdefault(id, []).append((place, row["questions"]))
                elif id in records:
                    if records[id] != row:
                        raise BrokenRecord(f"there is another record {id}, with other content.")
                    release.repeated += 1
                else:
                    release.briefs[id] = row_brief(id, row, release.left_open)
                    records[id] = row
            except BrokenRecord as error:
                release.skipped.record(place, str(error))
    if not release.briefs:
        raise UserError(f"No brief in '{root}' can be used. {release.skipped.summary}".rstrip())
    for id, rows in asked.items():
        _ask(release, id, rows)
    for id, record in records.items():
        plan = record.get("reference_plan")
        if isinstance(plan, str) and plan.strip():
            release.plans[id] = plan
            release.unread_plans += not _is_literal(plan)
    return release


def _ask(release: Release, id: str, rows: list[tuple[str, Any]]) -> None:
    """Take the questions of the first row that can be read; the same row twice is broken or repeated once."""
    different: list[Any] = []
    for place, value in rows:
        if value in different:
            release.repeated += 1
            continue
        different.append(value)
        try:
            questions = row_questions(value)
            if id not in release.briefs:
                raise BrokenRecord(f"it asks about {id}, of which there is no brief.")
        except BrokenRecord as error:
            release.skipped.record(place, str(error))
            continue
        if id in release.questions:
            release.skipped.record(place, f"there are other questions about {id} already.")
        else:
            release.questions[id] = questions


def _is_literal(plan: str) -> bool:
    try:
        ast.literal_eval(plan if len(plan) <= _MAX_PLAN else "(")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True
