"""Splits and task ids: a task's content is a pure function of its id, and no id belongs to two splits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args, overload

Split = Literal["train", "validation", "test"]

SPLITS: tuple[Split, ...] = get_args(Split)

_ID = re.compile(r"(?P<split>[a-z]+)-(?P<number>[0-9]{6})")


@dataclass(frozen=True)
class TaskIds(Sequence[str]):
    """The ids ``<split>-000000`` and on, as a sequence that holds none of them.

    >>> TaskIds("test", 1000)[-1]
    'test-000999'
    """

    split: Split
    size: int = 1_000_000

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [f"{self.split}-{number:06d}" for number in range(self.size)[index]]
        return f"{self.split}-{range(self.size)[index]:06d}"

    def __contains__(self, task: object) -> bool:
        return isinstance(task, str) and self._number(task) is not None

    def index(self, value: str, start: int = 0, stop: int | None = None) -> int:
        """The position of an id; ``ValueError`` if it is none of these."""
        number = self._number(value)
        if number is None or number not in range(self.size)[start:stop]:
            raise ValueError(f"{value!r} is none of {self[0]} to {self[-1]}.")
        return number

    def _number(self, task: str) -> int | None:
        match = _ID.fullmatch(task)
        if match is None or match["split"] != self.split or int(match["number"]) >= self.size:
            return None
        return int(match["number"])
