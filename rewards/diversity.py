"""A reward for the drawings of a group, against homogenisation: how unlike each is to the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.rewards.added_ink import NULL_PX, Mask, added_ink, require_drawing
from designgym.rewards.base import EpisodeReward
from designgym.score import Backend, Score

Floats = NDArray[np.float64]

SIDE = 16
"""Drawings are compared by the share of ink in 16 x 16 fields of their boxes."""
SMOOTH = (0.25, 0.5, 0.25)
"""Each field is mixed with those beside it, so that a stroke a little aside is nearly the same."""


class NeedsGroup(UserError, ValueError):
    """A reward that compares episodes, asked about one alone."""


@dataclass(frozen=True)
class Diversity(EpisodeReward):
    """How unlike a drawing is to the others of its group: its mean distance from them, 0 to 1.

    The distance of two drawings is 1 - the cosine of what their new ink looks like: the shares of ink in 16 x 16
    fields of its box, smoothed. So the same thing elsewhere, larger, or mirrored is at 0 to 0.15; two unlike
    drawings of `grow` on the same shape are at about 0.4. Null drawings (fewer than 300 px of new ink) get 0 and
    are not among the others; so does a drawing whose others are all null. An episode without a group, or alone in
    one, cannot be compared: its value is None.

    It needs a batch (``score_batch``) of episodes that name their group, and so an environment cannot pay it:
    training adds it with the setting ``group_rewards`` of a reinforced stage, evaluations with
    `designgym.eval.groups`. Beside nothing else it teaches scribbling, which is as diverse as drawing gets; it
    belongs beside a reward of the drawings themselves, with a small weight. No human ratings are behind it.

    Source: this project, for what PainterBench (section 4.3) reports as homogeneity across trials.
    """

    of_groups: ClassVar[bool] = True
    """See `designgym.rewards.base.EpisodeReward`."""

    name = "diversity"
    backend = Backend("diversity", "1")

    def check(self, episode: Episode) -> None:
        """Refuse pages that are no drawings."""
        require_drawing(episode, self.name)

    def value(self, episode: Episode) -> float | None:
        """Raise: there is nothing to compare one episode with.

        Raises:
            UnsuitableReward: If the environment's pages are no drawings.
            NeedsGroup: Otherwise.
        """
        self.check(episode)
        raise NeedsGroup(
            f"The reward 'diversity' compares drawings, and the one of task {episode.task!r} came alone. Give several "
            "episodes the same 'group' and score them together by score_batch."
        )

    def score_batch(self, episodes: Sequence[Episode]) -> list[Score]:
        """See the class.

        Raises:
            UnsuitableReward: If the environment's pages are no drawings.
            NoImage: If an episode's image was not kept.
        """
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for index, episode in enumerate(episodes):
            self.check(episode)
            if episode.group:
                groups[episode.group].append(index)
        values: list[float | None] = [None] * len(episodes)
        for members in groups.values():
            if len(members) > 1:
                found = mean_distances([look(added_ink(episodes[index])[0]) for index in members])
                for index, value in zip(members, found, strict=True):
                    values[index] = value
        return [self.scored(value) for value in values]


def mean_distances(looks: Sequence[Floats | None]) -> list[float]:
    """The mean distance of each from the others; 0 for those without a look, and they are not among the others."""
    drawn = [index for index, each in enumerate(looks) if each is not None]
    values = [0.0] * len(looks)
    if len(drawn) > 1:
        ways = np.array([looks[index] for index in drawn])
        mirrored = ways[:, :, ::-1]
        plain, turned = (ways.reshape(len(drawn), -1) @ other.reshape(len(drawn), -1).T for other in (ways, mirrored))
        apart = np.clip(1 - np.maximum(plain, turned), 0, 1)
        np.fill_diagonal(apart, 0)
        for index, total in zip(drawn, apart.sum(axis=1).tolist(), strict=True):
            values[index] = total / (len(drawn) - 1)
    return values


def look(new: Mask) -> Floats | None:
    """What new ink looks like, wherever it is and however large: 16 x 16, of length 1; None for a null drawing."""
    rows, columns = np.nonzero(new)
    if len(rows) < NULL_PX:
        return None
    places = np.zeros((SIDE, SIDE))
    side = max(np.ptp(rows), np.ptp(columns)) + 1
    down = SIDE * (rows - (rows.min() + rows.max()) / 2 + side / 2) / side
    across = SIDE * (columns - (columns.min() + columns.max()) / 2 + side / 2) / side
    fields = [np.clip(each.astype(int), 0, SIDE - 1) for each in (down, across)]
    np.add.at(places, tuple(fields), 1.0)
    for axis in (0, 1):
        places = np.apply_along_axis(np.convolve, axis, places, SMOOTH, "same")
    found: Floats = places / np.linalg.norm(places)
    return found
