"""Stimuli: the starting shape of a task, a pure function of its id.

The test split is the bank of thirty (``bank.py``); train and validation go on with shapes of the same two types that
are made from their ids (``generated.py``).

    stimulus("is05").open_ends          # ((164.0, 184.0), (108.0, 184.0))
    stimulus_ids("train")[:3]           # ['train-is-000000', 'train-ot-000000', 'train-is-000001']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property, lru_cache
from typing import Any, get_args, overload

import numpy as np
import numpy.typing as npt

from designgym.envs.canvas.condition import Kind
from designgym.envs.canvas.raster import PAPER
from designgym.envs.canvas.skia_raster import SkiaRaster
from designgym.envs.canvas.stimuli.bank import FRAGMENTS, OBJECTS
from designgym.envs.canvas.stimuli.generated import generate
from designgym.envs.canvas.stimuli.open_ends import open_ends
from designgym.envs.canvas.svg.path import Subpath, read_path
from designgym.envs.canvas.tools import SIDE_PX
from designgym.tasks import SPLITS, Split

KINDS: tuple[Kind, ...] = get_args(Kind)

PER_KIND: dict[Split, int] = {"train": 50_000, "validation": 5_000}
"""Number of generated stimuli of each kind, by split."""

_ID = re.compile(r"(?P<split>[a-z]+)-(?P<kind>[a-z]+)-(?P<number>[0-9]{6})", re.ASCII)


@dataclass(frozen=True)
class Stimulus:
    """A starting shape.

    Attributes:
        id: The task id.
        kind: ``"is"``, an incomplete shape of one to three strokes that enclose nothing, or ``"ot"``, the outlines of
            an object, to be transformed.
        name: What an object is, such as ``"glasses"``; empty for fragments.
        paths: Its strokes as SVG path data, canvas px.
    """

    id: str
    kind: Kind
    name: str
    paths: tuple[str, ...]

    @cached_property
    def subpaths(self) -> tuple[Subpath, ...]:
        """The strokes, flattened, canvas px."""
        read = [read_path(path) for path in self.paths]
        for data in read:
            if data.problem:
                raise ValueError(f"Stimulus {self.id!r} has path data that cannot be read: {data.problem}.")
        return tuple(subpath for data in read for subpath in data.subpaths)

    @cached_property
    def open_ends(self) -> tuple[tuple[float, float], ...]:
        """Where strokes stop and nothing goes on, canvas px; see :mod:`designgym.envs.canvas.stimuli.open_ends`."""
        return open_ends(self.subpaths)

    @cached_property
    def pixels(self) -> npt.NDArray[np.uint8]:
        """uint8 (400, 400), 0 ink and 255 paper, read-only.

        Skia draws it whichever renderer draws the agent's strokes: the shape is the task, and results compare only if
        all work on the same one. The environment's renderer decides how a drawing looks, not what was asked. Single
        pixels of paper between ink on four sides, such as sharp corners leave, are ink too.
        """
        page = np.full((SIDE_PX, SIDE_PX), PAPER, np.uint8)
        SkiaRaster(page).draw_paths(self.subpaths, erase=False)
        page[1:-1, 1:-1] &= page[:-2, 1:-1] | page[2:, 1:-1] | page[1:-1, :-2] | page[1:-1, 2:]
        page.flags.writeable = False
        return page

    def __reduce__(self) -> tuple[Callable[..., Stimulus], tuple[Any, ...]]:
        # Its data alone: what is derived from them is as large as a page, and would come back writable.
        return Stimulus, astuple(self)

    def __copy__(self) -> Stimulus:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Stimulus:
        return self  # it never changes, so snapshots of an environment share it


@dataclass(frozen=True)
class StimulusIds(Sequence[str]):
    """The ids of generated stimuli as a sequence that holds none of them; the kinds take turns.

    >>> StimulusIds("train", ("is", "ot"))[2:4]
    ['train-is-000001', 'train-ot-000001']
    """

    split: Split
    kinds: tuple[Kind, ...]

    def __len__(self) -> int:
        return PER_KIND[self.split] * len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        number, turn = divmod(range(len(self))[index], len(self.kinds))
        return f"{self.split}-{self.kinds[turn]}-{number:06d}"

    def __contains__(self, task: object) -> bool:
        return self._position(task) is not None

    def index(self, value: str, start: int = 0, stop: int | None = None) -> int:
        """The position of an id; ``ValueError`` if it is none of these."""
        position = self._position(value)
        if position is None or position not in range(len(self))[start:stop]:
            raise ValueError(f"{value!r} is none of {self[0]} to {self[-1]}.")
        return position

    def _position(self, task: object) -> int | None:
        parsed = _parse(task)
        if parsed is None or parsed[0] != self.split or parsed[1] not in self.kinds:
            return None
        _, kind, number = parsed
        return number * len(self.kinds) + self.kinds.index(kind)


def stimulus_ids(split: str, kinds: Sequence[str] = KINDS) -> Sequence[str]:
    """The task ids of a split.

    Args:
        split: ``"test"`` (is01 to is20, ot01 to ot10), ``"train"`` or ``"validation"`` (:data:`PER_KIND` of each kind,
            the kinds in turn, so that any run of ids holds both).
        kinds: ``"is"``, ``"ot"`` or both, in any order.

    Raises:
        ValueError: For an unknown split or kind.
    """
    if split not in SPLITS:
        raise ValueError(f"split is {split!r}; it must be one of {', '.join(map(repr, SPLITS))}.")
    if isinstance(kinds, str) or not kinds or not set(kinds) <= set(KINDS):
        raise ValueError(f"kinds is {kinds!r}; it must be a list of 'is' and 'ot', or of one of them.")
    chosen: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind in kinds)
    if split == "test":
        return tuple(task for kind in chosen for task in _BANK if task.startswith(kind))
    return StimulusIds(split, chosen)


@lru_cache(maxsize=128)  # the whole bank, or the shapes of a large batch; 20 MB once all of them were drawn
def stimulus(task_id: str) -> Stimulus:
    """The starting shape of a task: the same, to the pixel, for the same id.

    Raises:
        ValueError: If there is no such task; it says which ids there are.
    """
    if task_id in _BANK:
        return _BANK[task_id]
    parsed = _parse(task_id)
    if parsed is None:
        ranges = ", ".join(f"'{split}-is-000000' to '{split}-ot-{size - 1:06d}'" for split, size in PER_KIND.items())
        raise ValueError(
            f"Task {task_id!r} does not exist; ids are 'is01' to 'is{len(FRAGMENTS)}', 'ot01' to 'ot{len(OBJECTS)}', "
            f"{ranges}."
        )
    split, kind, number = parsed
    name, paths = generate(split, kind, number)
    return Stimulus(task_id, kind, name, paths)


_BANK: dict[str, Stimulus] = {
    **{task: Stimulus(task, "is", "", paths) for task, paths in FRAGMENTS.items()},
    **{task: Stimulus(task, "ot", name, paths) for task, (name, paths) in OBJECTS.items()},
}


def _parse(task: object) -> tuple[Split, Kind, int] | None:
    """Split, kind and number of a generated stimulus's id, if it is one."""
    match = _ID.fullmatch(task) if isinstance(task, str) else None
    if match is None:
        return None
    number = int(match["number"])
    for split, size in PER_KIND.items():
        for kind in KINDS:
            if (split, kind) == (match["split"], match["kind"]) and number < size:
                return split, kind, number
    return None
