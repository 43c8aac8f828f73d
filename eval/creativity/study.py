"""A study: the drawings of several agents, what they were rated or scored, and what they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from designgym.eval.creativity.drawn import Collected, Drawn
from designgym.eval.creativity.outcome import Outcome, scored
from designgym.eval.creativity.people import People
from designgym.eval.statistics import Interval, Spread, bootstrap, spread


@dataclass(frozen=True, eq=False)
class Study:
    """What tables are made of.

    Attributes:
        collected: The drawings with their scores.
        scorers: Names of the scorers, the ink baseline among them.
        ratings: What people rated: creativity and recognisability as far as they were asked; empty without ratings.
        people: The human reference; None without a corpus.
        baseline: The agent that others are compared with; empty: the one with the highest mean.
        titles: Whether sentence embeddings of titles can be had.
        seed: Of all intervals.
    """

    collected: Collected
    scorers: tuple[str, ...]
    ratings: tuple[Outcome, ...] = ()
    people: People | None = None
    baseline: str = ""
    titles: bool = False
    seed: int = 0

    @property
    def drawn(self) -> Sequence[Drawn]:
        """The drawings."""
        return self.collected.drawn

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """Who drew, in order of appearance."""
        return tuple(dict.fromkeys(each.agent for each in self.drawn))

    @cached_property
    def outcome(self) -> Outcome:
        """What the study is about: rated creativity, or else the first scorer's values."""
        for outcome in self.ratings:
            if outcome.key == "creativity":
                return outcome
        if self.ratings:
            return self.ratings[0]
        name = self.scorers[0]
        people = [] if self.people is None else [v for v in self.people.scores.get(name, []) if v is not None]
        return scored(name, self.drawn, people)

    @property
    def by_people(self) -> bool:
        """Whether the outcome is what people said."""
        return bool(self.ratings)

    def places(self, agent: str) -> NDArray[np.int64]:
        """Which of the drawings are the agent's."""
        return np.array([i for i, each in enumerate(self.drawn) if each.agent == agent], np.int64)

    def of(self, agent: str) -> list[Drawn]:
        """The agent's drawings."""
        return [each for each in self.drawn if each.agent == agent]

    def mean(self, agent: str, values: Sequence[float | None]) -> Interval:
        """The mean of the agent's values (one a drawing of the study), its interval over shapes."""
        own = self.places(agent).tolist()
        where = [self.drawn[i].stimulus for i in own]
        clusters = where if len(set(where)) < len(where) else None
        return bootstrap([values[i] for i in own], self.seed, clusters=clusters)

    def spread(self, agent: str, values: Sequence[float | None]) -> Spread:
        """Mean and standard deviation of the agent's values."""
        return spread([values[i] for i in self.places(agent).tolist()])

    @cached_property
    def distances(self) -> list[float | None] | None:
        """Each drawing's distance from the corpus in its standard deviations; None without corpus or features."""
        vectors = self.collected.vectors
        if self.people is None or vectors is None:
            return None
        there = np.linalg.norm(vectors, axis=1) > 0
        found = self.people.distances(vectors[there])
        if found is None:
            return None
        values: list[float | None] = [None] * len(vectors)
        for place, value in zip(np.flatnonzero(there).tolist(), found.tolist(), strict=True):
            values[place] = value
        return values
