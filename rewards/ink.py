"""The inked-pixel baseline: more ink is better. What a scorer of drawings has to beat (PainterBench, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from designgym.episode import Episode
from designgym.rewards.added_ink import NULL_PX, added_ink, ink, require_drawing
from designgym.rewards.base import EpisodeReward
from designgym.score import Backend, Score


@dataclass(frozen=True)
class Ink(EpisodeReward):
    """The share of the canvas that is inked: a baseline to compare scorers with, and nothing to train towards.

    The starting shape counts, as it does for scorers that look at the picture. A null drawing (fewer than 300 px of new
    ink) has 0, and a black canvas 1. Part: ``ink/added``, the share that is new.

    Source: PainterBench, section 4.1, where learned scorers follow it with rho = .64 to .86 on drawings of agents.
    """

    name = "ink"
    backend = Backend("exact", "1")

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def check(self, episode: Episode) -> None:
        """Refuse pages that are no drawings."""
        require_drawing(episode, self.name)

    def score(self, episode: Episode) -> Score:
        """See the class.

        Raises:
            UnsuitableReward: If the environment's pages are no drawings.
            NoImage: If the episode's image was not kept.
        """
        self.check(episode)
        new, _ = added_ink(episode)
        amount = int(np.count_nonzero(new))
        assert episode.image is not None  # or added_ink would have refused it
        inked = 0 if amount < NULL_PX else int(np.count_nonzero(ink(episode.image)))
        return self.scored(inked / new.size, {"added": amount / new.size})
