"""A task of the workbench as the environment plays it: a brief with its pictures and questions, and where tasks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from designgym.envs.design.importing import laid_hash
from designgym.envs.design.sandbox import File
from designgym.tasks import Split


@dataclass(frozen=True, eq=False)
class Task:
    """One task.

    Attributes:
        id: Such as ``"test-000042"``.
        type: What is to be designed, such as ``"poster"``.
        query: The client's words.
        files: The given pictures, with captions.
        brief: What the query was made of, as JSON data; for rewards alone.
        questions: What judges are asked, as JSON data; for rewards alone.
        asked: The questions in words, each item's and its twin's.
    """

    id: str
    type: str
    query: str
    files: tuple[File, ...]
    brief: Mapping[str, Any] = field(default_factory=dict, repr=False)
    questions: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    asked: tuple[str, ...] = field(default=(), repr=False)

    def given(self) -> dict[str, dict[str, str]]:
        """What judges may know of the given pictures, by file: ``caption``, and ``sha256`` of what is laid on pages."""
        return {file.name: {"caption": file.caption, "sha256": laid_hash(file)} for file in self.files}

    @property
    def instruction(self) -> str:
        """What is asked of an agent: the query, and the files that it can import."""
        listed = "\n".join(f"- {file.name}: {file.caption}" for file in self.files)
        return f"{self.query}\n\nFiles that can be imported:\n{listed or '- none'}"


@runtime_checkable
class TaskSource(Protocol):
    """Where tasks come from."""

    @property
    def name(self) -> str:
        """What tells it from other sources; changes with what its tasks hold."""
        ...

    def ids(self, split: Split) -> Sequence[str]:
        """The ids of a split, perhaps as a lazy sequence; empty for a split that it does not have."""
        ...

    def type_of(self, id: str) -> str:
        """What a task asks for, such as ``"poster"``; cheap, to choose tasks by."""
        ...

    def task(self, id: str) -> Task:
        """The task of an id of any split: the same one for the same id."""
        ...
