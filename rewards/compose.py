"""Several rewards as one: their weighted sum, logged part by part."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from designgym.episode import Episode
from designgym.score import Backend, Reward, Score

MAX_WEIGHT = 1e6


@dataclass(frozen=True)
class WeightedSum:
    """The sum of weight x value over the parts; None as soon as one part is None.

    Args:
        parts: Weight and reward of each part, each reward once. Weights are numbers up to a million, negative ones
            make a penalty; they need not sum to 1, and the sum is not clipped.
        name: What the sum is called in ``info``, beside the parts' own names. What a part reports beside its value is
            called ``<part>/<component>``, which it may have written itself.
    """

    parts: tuple[tuple[float, Reward], ...]
    name: str = "total"

    def __post_init__(self) -> None:
        names = [self.name, *(reward.name for _, reward in self.parts)]
        if not self.parts:
            raise ValueError("A sum of rewards needs at least one part.")
        if any(isinstance(reward, WeightedSum) for _, reward in self.parts):
            raise ValueError("A sum of rewards cannot be part of a sum; multiply its weights out.")
        if len(set(names)) != len(names):
            raise ValueError(f"Two rewards of the same name among {names}; each may be in a sum once.")
        for weight, reward in self.parts:
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not abs(weight) <= MAX_WEIGHT:
                raise ValueError(
                    f"The weight of {reward.name!r} is {weight!r}; it must be a number up to {MAX_WEIGHT:g}."
                )

    @property
    def backend(self) -> Backend:
        """The parts' backends and weights, hashed."""
        parts = ",".join(f"{weight!r}*{reward.name}:{_full(reward.backend)}" for weight, reward in self.parts)
        names = "+".join(dict.fromkeys(reward.backend.name for _, reward in self.parts))
        return Backend(f"sum({names})", "1", hashlib.sha256(parts.encode()).hexdigest())

    @property
    def of_groups(self) -> bool:
        """Whether a part compares the episodes of a group; see :class:`designgym.rewards.base.EpisodeReward`."""
        return any(getattr(reward, "of_groups", False) for _, reward in self.parts)

    @property
    def reads_image(self) -> bool:
        """Whether a part looks at the episode's image; see :class:`designgym.rewards.base.EpisodeReward`."""
        return any(getattr(reward, "reads_image", True) for _, reward in self.parts)

    def check(self, episode: Episode) -> None:
        """Let each part refuse the environment, where it knows how."""
        for _, reward in self.parts:
            if check := getattr(reward, "check", None):
                check(episode)

    def score(self, episode: Episode) -> Score:
        """See :class:`designgym.score.Reward`."""
        return self._sum([reward.score(episode) for _, reward in self.parts])

    def score_batch(self, episodes: Sequence[Episode]) -> list[Score]:
        """Each part scores the whole batch at once."""
        columns = [reward.score_batch(episodes) for _, reward in self.parts]
        return [self._sum(list(row)) for row in zip(*columns, strict=True)]

    def _sum(self, scores: list[Score]) -> Score:
        components: dict[str, float | None] = {}
        total: float | None = 0.0
        for (weight, reward), score in zip(self.parts, scores, strict=True):
            components[reward.name] = score.value
            for name, value in score.components.items():
                if name != reward.name:
                    components[f"{reward.name}/{name.removeprefix(f'{reward.name}/')}"] = value
            total = None if total is None or score.value is None else total + weight * score.value
        components[self.name] = total
        return Score(total, components, self.backend)


def _full(backend: Backend) -> str:
    return f"{backend.name}@{backend.version}#{backend.hash}"
