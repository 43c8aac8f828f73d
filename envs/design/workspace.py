"""The workbench: each expert's open document and the files that all share, as plain data, and steps taken there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from designgym.envs.design.experts import FIRST_EXPERT, Expert
from designgym.envs.design.failure import Dependency, lacking
from designgym.envs.design.grouping import expanded
from designgym.envs.design.sandbox import File, find_file
from designgym.graphics.document import Document
from designgym.tools import ErrorKind
from designgym.values import show


@dataclass(frozen=True)
class Step:
    """An action that was tried, for workflow metrics; JSON data but for its class.

    Attributes:
        expert: Who was to do it; as it was named, or who was at work.
        action: The action's name; empty if there was none to be read.
        parameters: By name, in canonical form; empty if they were refused.
        description: In the plan's own words.
        error: Kind of error; empty if it was done.
        dependency: Whose the missing thing was, for the kind ``dependency``.
        message: What was said.
    """

    expert: str
    action: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    error: ErrorKind = ""
    dependency: Dependency = ""
    message: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON data, without what was said."""
        return {
            "expert": self.expert,
            "action": self.action,
            "parameters": dict(self.parameters),
            "description": self.description,
            "error": self.error,
            "dependency": self.dependency,
        }


@dataclass
class Workspace:
    """All of an episode that actions can change.

    Documents and files are never changed themselves, so a copy shares them.

    Attributes:
        files: Name to file: the given pictures, and what experts saved.
        open: Expert to open document; experts without one are missing.
        expert: Who acted last.
        latest: The document last changed or saved; a new, empty one counts only where there was none before.
        pages: Bytes of flat files to the documents that were saved as them.
        saves: How often documents were saved.
        delivered: What ``finish`` named; None before.
    """

    files: dict[str, File]
    open: dict[Expert, Document] = field(default_factory=dict)
    expert: Expert = FIRST_EXPERT
    latest: Document | None = None
    pages: dict[bytes, Document] = field(default_factory=dict)
    saves: int = 0
    delivered: Document | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Workspace:
        return Workspace(
            dict(self.files),
            dict(self.open),
            self.expert,
            self.latest,
            dict(self.pages),
            self.saves,
            self.delivered,
        )

    @property
    def document(self) -> Document | None:
        """The open document of who acted last."""
        return self.open.get(self.expert)

    @property
    def design(self) -> Document | None:
        """What is submitted: what was delivered, else the document last changed or saved."""
        return self.delivered or self.latest

    @property
    def visible_design(self) -> Document | None:
        """The submitted design with its flat pages taken apart into layers, for judges of what can be seen."""
        return None if self.design is None else expanded(self.design, self.pages)

    def opened(self, expert: Expert) -> Document:
        """An expert's open document; ``Failed`` if there is none."""
        document = self.open.get(expert)
        if document is None:
            raise lacking(
                f"The {expert} has no open document; open one with CreateDocument or CreateDocumentCustom. "
                "Documents of other experts are reached by their saved files alone, with ImportObject."
            )
        return document

    def deliver(self, file_name: str | None) -> str:
        """Submit the open document of who acted last, or a saved file; ``Failed`` if there is none."""
        if file_name is None:
            self.delivered = self.opened(self.expert)
            return f"Delivered the open document of the {self.expert}."
        file = find_file(self.files, file_name)
        if file.document is None:
            raise lacking(f"{show(file_name)} is a given picture and no design; save a document first.", "global")
        self.delivered = file.document
        return f"Delivered {show(file_name)}."
