"""What a judge is: it looks at a page and answers yes-or-no questions about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import Document
from designgym.rewards.judges.questions import Question
from designgym.score import Backend


@dataclass(frozen=True)
class Given:
    """A picture that was handed out with the brief.

    Attributes:
        caption: What it shows.
        sha256: Of the image file that importing it lays on a page, in hexadecimal; how exact judges know it again.
        data: That file, where it was kept; empty otherwise.
    """

    caption: str
    sha256: str = ""
    data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, eq=False)
class Page:
    """What judges may look at: nothing that the agent wrote of its design, and no names of layers or files.

    Attributes:
        image: The page alone, uint8 H x W x 3; 0 x 0 x 3 for a judge that does not look at it.
        document: The page's document, for exact judges; they, too, go by what of it can be seen. None if there is none.
        pictures: The given pictures by their file's name, as questions name them.
    """

    image: NDArray[np.uint8]
    document: Document | None = None
    pictures: Mapping[str, Given] = field(default_factory=dict)


@runtime_checkable
class Judge(Protocol):
    """Answers questions about pages. Can be pickled, and loads heavy things where it first needs them.

    One that goes by the document alone may say ``reads_image = False``; it is then given pages without an image.
    """

    @property
    def name(self) -> str:
        """Such as ``"scene"``."""
        ...

    @property
    def backend(self) -> Backend:
        """What computes the answers."""
        ...

    def answer(self, page: Page, questions: Sequence[Question]) -> list[bool | None]:
        """One answer a question, in order: yes, no, or None where the judge cannot tell.

        Never raises for what an agent did.
        """
        ...
