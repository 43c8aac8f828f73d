"""Which pair asks what: tasks, indicators and labels in equal or chosen shares, in a seeded order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from designgym.train.aesthetics_data.settings import DataSettings, Task


@dataclass(frozen=True)
class Cell:
    """What a pair asks, and what the right answer is to be.

    Attributes:
        task: The task.
        indicator: The indicator.
        harmed: Whether the design has an issue in this respect.
        rank: How many pairs of the same task, indicator and label come before it.
    """

    task: Task
    indicator: str
    harmed: bool
    rank: int


class Schedule:
    """The cell of every pair.

    Tasks take turns; of each task's first j pairs ``floor(j * positive_share)`` are positive; and indicators take turns
    within the positives and the negatives of each task. A seeded permutation of all numbers then mixes them. So counts
    of tasks, of labels within a task and of indicators within those differ by 1 at most.
    """

    def __init__(self, settings: DataSettings) -> None:
        self.settings = settings
        self._order = np.random.default_rng((settings.seed, 0x5CED)).permutation(settings.n)

    def cell(self, number: int) -> Cell:
        """The cell of pair ``number``, 0 to n - 1."""
        settings = self.settings
        turn, which = divmod(int(self._order[number]), len(settings.tasks))
        before = self._positives(turn)
        harmed = self._positives(turn + 1) == before
        place = turn - before if harmed else before
        # Each task begins with another indicator, so that short runs do not ask of the first few alone.
        rank, at = divmod(place, len(settings.indicators))
        indicator = settings.indicators[(at + which * 5) % len(settings.indicators)]
        return Cell(settings.tasks[which], indicator, harmed, rank)

    def needed(self) -> dict[tuple[str, bool], int]:
        """For each indicator and label, how many designs the task that needs most of them needs."""
        most: dict[tuple[str, bool], int] = {}
        for number in range(self.settings.n):
            cell = self.cell(number)
            key = (cell.indicator, cell.harmed)
            most[key] = max(most.get(key, 0), cell.rank + 1)
        return most

    def _positives(self, turns: int) -> int:
        return int(turns * self.settings.positive_share + 1e-9)
