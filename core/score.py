"""What a reward is and what it gives; the rewards themselves live in ``designgym.rewards``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from designgym.episode import Episode


@dataclass(frozen=True)
class Backend:
    """What computed a score. Scores of different backends are never mixed.

    Attributes:
        name: Such as ``"exact"`` or the name of a judge's model.
        version: Changes whenever scores may change.
        hash: SHA-256 of the weights or other data that the scores depend on; empty if there is none.
    """

    name: str
    version: str
    hash: str = ""

    @property
    def id(self) -> str:
        """All of it in one string, for traces and manifests."""
        return f"{self.name}@{self.version}" + (f"#{self.hash[:12]}" if self.hash else "")


@dataclass(frozen=True)
class Score:
    """The value of an episode.

    Attributes:
        value: The reward; None if it could not be computed (a judge failed). Never NaN.
        components: Its parts by name, which are the same names for every episode; None for a part that failed.
        backend: What computed it.
    """

    value: float | None
    components: Mapping[str, float | None]
    backend: Backend

    def __post_init__(self) -> None:
        for name, value in (("value", self.value), *self.components.items()):
            if value is not None and not math.isfinite(value):
                raise ValueError(f"The score's {name} is {value}; a score that cannot be computed is None.")


@runtime_checkable
class Reward(Protocol):
    """Scores episodes. Stateless, picklable, and loads heavy things where it first needs them."""

    @property
    def name(self) -> str:
        """What it is called in ``info`` and in logs."""
        ...

    @property
    def backend(self) -> Backend:
        """What computes it."""
        ...

    def score(self, episode: Episode) -> Score:
        """Score one episode. Never raises for what an agent did."""
        ...

    def score_batch(self, episodes: Sequence[Episode]) -> list[Score]:
        """Score several; equal to scoring them one by one, perhaps faster."""
        ...
