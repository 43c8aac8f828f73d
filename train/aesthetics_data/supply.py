"""Where the designs of the pairs come from: for each cell of the schedule a design that answers it.

Generated designs are made to order. Of a data folder the designs are counted first, by indicator and label; each design
serves each task once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.blocks.source import localization_question
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import Item, make_item
from designgym.envs.aesthetics.sample import Sample, Source
from designgym.errors import UserError
from designgym.train.aesthetics_data.schedule import Cell, Schedule
from designgym.train.aesthetics_data.settings import DataSettings

TRIED = 400
"""So many designs are tried for one pair before it is given up."""
_STRIDE = 1_000_003  # a prime: the tries of one pair do not meet those of another


class Supply(Protocol):
    """Gives designs to order."""

    name: str
    """Names the designs, with what decides their content."""

    def candidates(self, cell: Cell, number: int) -> Iterator[Sample]:
        """Designs with the cell's label, in the order in which they are to be tried."""
        ...


class MadeToOrder:
    """Designs that are generated, or perturbed on demand.

    The pairs of an indicator and label take one design after another, from one on that the seed draws.

    Args:
        make: Opens a source of designs about one indicator that are all good (True) or all flawed.
        settings: What is asked for.
    """

    def __init__(self, make: Callable[[str, bool], Source], settings: DataSettings) -> None:
        self._make = make
        self._settings = settings
        self._sources: dict[tuple[str, bool], tuple[Source, int]] = {}
        self.name = self._source(settings.indicators[0], settings.positive_share < 1)[0].name

    def check(self) -> None:
        """Refuse more pairs than there are designs for.

        Raises:
            UserError: If there are too few.
        """
        for (indicator, harmed), needed in Schedule(self._settings).needed().items():
            there = self._source(indicator, harmed)[0].size("train")
            if needed * len(self._settings.tasks) > there:
                raise UserError(
                    f"'{self._settings.source}' has {there} training designs for {indicator}, and {self._settings.n} "
                    f"pairs need {needed * len(self._settings.tasks)} that are {'flawed' if harmed else 'good'}; "
                    "lower --n."
                )

    def candidates(self, cell: Cell, number: int) -> Iterator[Sample]:
        """See `Supply`."""
        source, first = self._source(cell.indicator, cell.harmed)
        size = source.size("train")
        place = cell.rank * len(self._settings.tasks) + self._settings.tasks.index(cell.task)
        for step in range(min(TRIED, size)):
            yield source.ask("train", (first + place + step * _STRIDE) % size)[0]

    def _source(self, indicator: str, harmed: bool) -> tuple[Source, int]:
        """The source of an indicator and label, and the number of its first design."""
        key = (indicator, harmed)
        if key not in self._sources:
            source = self._make(indicator, not harmed)
            place = (self._settings.seed, 0xD0, tuple(INDICATORS).index(indicator), harmed)
            first = int(np.random.default_rng(place).integers(max(1, source.size("train"))))
            self._sources[key] = source, first
        return self._sources[key]


Numbers = dict[tuple[str, bool], NDArray[np.int64]]
"""Indicator and whether it is harmed -> numbers of training tasks, in the order in which they are taken."""


class Counted:
    """The training designs of a data folder, by indicator and label.

    Args:
        source: The folder.
        numbers: What `count` found in it.
    """

    def __init__(self, source: Source, numbers: Numbers) -> None:
        self.name = source.name
        self._source = source
        self._numbers = numbers

    def candidates(self, cell: Cell, number: int) -> Iterator[Sample]:
        """See `Supply`."""
        numbers = self._numbers[cell.indicator, cell.harmed]
        for step in range(min(TRIED, len(numbers))):
            yield self._source.ask("train", int(numbers[(cell.rank + step) % len(numbers)]))[0]


def count(
    source: Source, settings: DataSettings, seen: Callable[[int, int], object] = lambda done, size: None
) -> Numbers:
    """Count the training designs of a source, and mix them by the seed.

    Args:
        source: Where they are.
        settings: What is asked for.
        seen: Is told how many of how many were counted.

    Raises:
        UserError: If there are too few for an even share of every indicator and label.
    """
    size = source.size("train")
    if not size:
        raise UserError(f"The designs of '{settings.source}' have no training split; choose another --source.")
    found: dict[tuple[str, bool], list[int]] = {}
    for number in range(size):
        sample, indicator = source.ask("train", number)
        found.setdefault((indicator, bool(sample.harmed.get(indicator))), []).append(number)
        seen(number + 1, size)
    rng = np.random.default_rng((settings.seed, 0xC0))
    numbers = {key: rng.permutation(found[key]) for key in sorted(found)}
    for key, needed in sorted(Schedule(settings).needed().items()):
        there = len(numbers.get(key, ()))
        if there < needed:
            raise UserError(
                f"'{settings.source}' has {there} {'flawed' if key[1] else 'good'} designs for {key[0]}, and an even "
                f"share of {settings.n} pairs needs {needed}; lower --n, change --positive-share, or leave that "
                "indicator out of --indicators."
            )
    return numbers


def item_of(supply: Supply, cell: Cell, number: int) -> Item:
    """The item of a pair: of the first design that the cell's task can be asked about.

    Raises:
        UserError: If there is none.
    """
    for sample in supply.candidates(cell, number):
        item = make_item(cell.task, sample, cell.indicator, text=_own_question(supply, cell))
        if item is not None and (item.verdict == "yes") == cell.harmed:
            return item
    raise UserError(
        f"None of {TRIED} designs of '{supply.name}' has elements enough for a {cell.task} about {cell.indicator}; "
        "leave that task or indicator out."
    )


def _own_question(supply: Supply, cell: Cell) -> str | None:
    """The environment asks for boxes on simple pages in words of their own, and so do pairs about them."""
    return localization_question(cell.indicator) if supply.name == "blocks" and cell.task == "localization" else None
