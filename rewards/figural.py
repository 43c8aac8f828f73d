"""A reward for drawings that grow out of their starting shape: joined to it, reaching beyond it, sparing with ink."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.rewards.added_ink import Mask, added_ink, near
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.rewards.components import Runs
from designgym.score import Backend, Score

NULL_PX = 300
"""A drawing with less new ink is none (PainterBench, section 4.3)."""

TOUCH_PX = 2
"""New ink within this distance touches the stimulus: renderers differ by a pixel."""

FITS = 0.25
"""Ink that does not touch counts as surrounding where its box and the stimulus's have at least this IoU."""

CELL_PX = 4
AROUND_CELLS = 5
"""Ground is measured in cells of 4 px; ink takes what lies within five cells (20 px) of it."""

GROUND = 0.12
"""New ground, as a share of the canvas, at which extension is 1 - 1/e."""

BUDGET = 0.08
"""Share of the canvas that new ink may fill without loss; on 400 x 400 px, strokes of 5 px and 2,560 px of length."""


@dataclass(frozen=True)
class Figural(EpisodeReward):
    """How far a drawing grows out of its starting shape, with a modest use of ink: incorporation x extension x ink.

    Each part lies between 0 and 1, and all are 0 for a null drawing (fewer than 300 px of new ink):

    * ``incorporation``: 1 - (1 - s)^2, where s is the share of the new ink that lies in connected pieces which touch
      the stimulus. A piece that lies around it without touching, such as a face around a mouth, counts half where it
      fits, and ever less the larger or the farther aside it is. The square lets details such as a sun stand apart at
      little cost. On a blank canvas this part is absent.
    * ``extension``: 1 - exp(-g / 0.12), where g is the share of the canvas within 20 px of new ink and not of the
      stimulus. More ink on the same ground adds nothing.
    * ``ink``: 1 while the new ink fills no more than 8 % of the canvas, then falling with its square.

    It is meant to be cheap and hard to cheat, and its numbers were set by eye on a sheet of drawings for the canvas of
    400 x 400 px: no human ratings are behind it. It does not see what a drawing shows or whether the idea is original.
    Known weaknesses: a few long lines across the stimulus score as a drawing does, and shapes that belong to it only by
    their place, such as eyes above a mouth, count as standing apart.

    Source: this project.
    """

    name = "figural"
    backend = Backend("exact", "1")

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def check(self, episode: Episode) -> None:
        """Refuse pages that are no drawings."""
        if "open_ends" not in episode.truth:
            raise UnsuitableReward(f"{episode.env_id} asks for no drawing, so it cannot be scored by 'figural'.")

    def score(self, episode: Episode) -> Score:
        """See the class.

        Raises:
            UnsuitableReward: If the environment's pages are no drawings.
            NoImage: If the episode's image was not kept.
        """
        self.check(episode)
        new, stimulus = added_ink(episode)
        runs = Runs.of(new)
        amount = int(runs.lengths.sum())
        names = ("extension", "ink") if stimulus is None else ("incorporation", "extension", "ink")
        if amount < NULL_PX:
            return self.scored(0.0, dict.fromkeys(names, 0.0))
        parts = [_extension(runs, stimulus), min(1.0, BUDGET * new.size / amount) ** 2]
        if stimulus is not None:
            parts.insert(0, _incorporation(new, runs, stimulus))
        return self.scored(math.prod(parts), dict(zip(names, parts, strict=True)))


def _incorporation(new: Mask, runs: Runs, stimulus: Mask) -> float:
    """See the class; ``runs`` are those of ``new``."""
    labels = runs.labels()
    touching = np.unique(labels[runs.at(np.flatnonzero(new & near(stimulus, TOUCH_PX)))])
    counts = np.minimum(1.0, _agreement(runs.boxes(labels), Runs.of(stimulus)) / FITS) ** 2 / 2
    counts[touching] = 1.0
    share = float(counts[labels] @ runs.lengths) / float(runs.lengths.sum())
    return 1.0 - (1.0 - share) ** 2


def _agreement(boxes: NDArray[np.int64], stimulus: Runs) -> NDArray[np.float64]:
    """The IoU of each box (left, top, right, bottom; n x 4) and the stimulus's."""
    if not len(stimulus.rows):
        return np.zeros(len(boxes))
    own = stimulus.boxes(np.zeros(len(stimulus.rows), np.int64))[0]
    sides = np.minimum(boxes[:, 2:], own[2:]) - np.maximum(boxes[:, :2], own[:2])
    common = np.maximum(sides, 0).prod(axis=1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    return common / (areas + (own[2:] - own[:2]).prod() - common)


def _extension(runs: Runs, stimulus: Mask | None) -> float:
    """See the class; the runs are of the new ink."""
    ground = near(runs.cells(CELL_PX), AROUND_CELLS)
    if stimulus is not None:
        ground &= ~near(Runs.of(stimulus).cells(CELL_PX), AROUND_CELLS)
    return 1.0 - math.exp(-float(ground.mean()) / GROUND)
