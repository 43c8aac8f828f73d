"""Sources whose questions can be counted: every pair of a stored design and an indicator that is judged on it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from designgym.envs.aesthetics.sample import Sample
from designgym.errors import UserError
from designgym.tasks import Split

Question = tuple[str, str]
"""Id of a design, and the name of the indicator that is asked about."""

SAMPLES_KEPT = 16


class FiniteSource:
    """A source of stored designs; implements :class:`designgym.envs.aesthetics.sample.Source`.

    Args:
        name: Names the source in results.
        questions: Split -> all its questions, in order; a split that is missing has none.
        load: Reads the design of an id. The designs read last are kept, since all their questions follow one another.
    """

    def __init__(self, name: str, questions: Mapping[Split, Sequence[Question]], load: Callable[[str], Sample]) -> None:
        self.name = name
        self._questions = {split: tuple(asked) for split, asked in questions.items()}
        self.sample = functools.lru_cache(maxsize=SAMPLES_KEPT)(load)

    def questions(self, split: Split) -> tuple[Question, ...]:
        """All questions of a split, in the order of their numbers."""
        return self._questions.get(split, ())

    def only(self, indicators: Sequence[str]) -> FiniteSource:
        """The same designs with questions about these indicators alone.

        Raises:
            UserError: If no question is left.
        """
        kept = {
            split: [question for question in asked if question[1] in indicators]
            for split, asked in self._questions.items()
        }
        if not any(kept.values()):
            raise UserError(f"{self.name} judges no design on {', '.join(indicators) or 'nothing'}; name others.")
        return FiniteSource(self.name, kept, self.sample)

    def size(self, split: Split) -> int:
        """Number of questions in a split."""
        return len(self.questions(split))

    def ask(self, split: Split, number: int) -> tuple[Sample, str]:
        """The design and the indicator of a question.

        Raises:
            UserError: For a number that the split does not have.
        """
        if not 0 <= number < self.size(split):
            raise UserError(f"{self.name} has {self.size(split)} questions in the split {split!r}, and no {number}.")
        design, indicator = self.questions(split)[number]
        return self.sample(design), indicator
