"""The common part of rewards that are one number: clipping, the score's form and the batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.score import Backend, Score


class UnsuitableReward(UserError, ValueError):
    """A reward on an environment that does not ask for what the reward scores."""


class EpisodeReward(ABC):
    """A reward of one number between 0 and 1; a subclass gives ``name``, ``backend`` and ``value``.

    One that also logs what its value is made of overrides ``score`` and ends it with ``scored``.
    """

    name: str
    backend: Backend

    of_groups: ClassVar[bool] = False
    """Whether it compares the episodes of a group and needs ``score_batch``; environments refuse such a reward."""

    @property
    def reads_image(self) -> bool:
        """Whether it looks at the episode's image; where it does not, environments need not draw one."""
        return True

    def check(self, episode: Episode) -> None:  # noqa: B027 (most rewards have nothing to refuse)
        """Refuse an environment that asks for something else, at the start of its first episode.

        Raises:
            UnsuitableReward: With what is missing.
        """

    @abstractmethod
    def value(self, episode: Episode) -> float | None:
        """The episode's value, clipped to [0, 1] by ``score``; None if it cannot be computed."""

    def score(self, episode: Episode) -> Score:
        """See :class:`designgym.score.Reward`."""
        return self.scored(self.value(episode))

    def scored(self, value: float | None, parts: Mapping[str, float | None] | None = None) -> Score:
        """A score of a value, clipped to [0, 1], and of parts, which are logged as ``<name>/<part>``."""
        if value is not None:
            value = min(1.0, max(0.0, float(value)))
        named = {f"{self.name}/{part}": number for part, number in (parts or {}).items()}
        return Score(value, {self.name: value, **named}, self.backend)

    def score_batch(self, episodes: Sequence[Episode]) -> list[Score]:
        """One by one; a reward that gains from batches overrides it."""
        return [self.score(episode) for episode in episodes]
