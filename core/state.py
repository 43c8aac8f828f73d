"""What passes between the base environment and its subclasses, and the state of an episode under way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from designgym.episode import Call
from designgym.graphics.document import Document
from designgym.tools import ErrorKind

Content = TypeVar("Content")
"""An environment's own state of an episode."""


@dataclass(frozen=True)
class Outcome:
    """What became of a call.

    Attributes:
        text: For the agent.
        error: Kind of error; then the call must have changed nothing.
        end: Why the episode is over, such as ``"submit"``; empty if it goes on.
        verbatim: The text is said as it is, although there is an error.
    """

    text: str
    error: ErrorKind = ""
    end: str = ""
    verbatim: bool = False


@dataclass(frozen=True)
class Facts:
    """What an environment adds to the plain record of an episode; see :class:`designgym.episode.Episode`."""

    questions: tuple[str, ...] = ()
    truth: Mapping[str, Any] = field(default_factory=dict)
    document: Document | None = None
    stimulus: npt.NDArray[np.uint8] | None = None


@dataclass
class Run(Generic[Content]):
    """All state of an episode under way."""

    task: str
    question: str
    content: Content
    calls: list[Call]
    text: str
    end: str = ""
    paid: float = 0.0


@dataclass(frozen=True)
class Snapshot:
    """A state out of ``get_state``, to be given to ``set_state`` of an environment with the same arguments."""

    identity: tuple[Any, ...]
    run: Any
    np_random: Any
    np_random_seed: int | None
