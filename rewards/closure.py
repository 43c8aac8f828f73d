"""A verifiable goal for drawings: join the open ends of the starting shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.rewards.added_ink import Mask, added_ink, near
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.rewards.components import Runs
from designgym.score import Backend, Score

Floats = NDArray[np.float64]

REACH_PX = 8
"""New ink reaches an end from this near. An end lies 2.5 px inside of its round tip, so that what is left open is about
as wide as a stroke; and a line that leaves an end at a sharp angle first shows several pixels away from it.
"""

UNDER_PX = 3
"""So far strokes are taken to go on under the stimulus: one that crosses it is new in two parts, 5 px apart."""

FALL_PX = 50
"""Every 50 px that new ink is farther from an end divide what the nearness earns by e."""

STROKE_PX = 5
DETOUR = 1.5
SLACK_PX = 100
"""Without loss the joining lines may be half as long again as the shortest, and 100 px more."""


@dataclass(frozen=True)
class Closure(EpisodeReward):
    """The share of the stimulus's open ends that new ink joins to another one; up to half an end for coming near.

    An end is joined if a connected piece of new ink reaches both it and another end, which may be joined already. Ink
    on top of the stimulus is not new: a stroke that crosses the stimulus stays one piece, but where the straight line
    runs along it, only a stroke around it joins. An end that is not joined earns 0.5 exp(-d / 50 px), where d is how
    far the nearest new ink is from reaching it. The mean over the ends is multiplied by the economy of ink, min(1,
    budget / ink), so that neither scribbling nor filling the canvas pays. The budget is what strokes from each end to
    the nearest other one take, with half as much again and 100 px more. Beside new ink, up to 3 px of stimulus next
    to it count as ink, so that tracing its edge is no cheaper than a stroke.

    Known weakness: where a stroke of the stimulus is nearly straight, ink beside it joins its ends within the budget.

    Components: ``joined``, the share of ends joined; ``near``, the mean of exp(-d / 50 px); ``economy``. All are 0
    without new ink, and None, like the value, for a stimulus with fewer than two open ends: some objects (``ot``) have
    none, so that such an episode is left out (``info["scored"]`` is False). Fragments (``is``) have two or more.

    Source: this project, as a goal that training can check; PainterBench has none of its kind.
    """

    name = "closure"
    backend = Backend("exact", "1")

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def check(self, episode: Episode) -> None:
        """Refuse what starts from no shape."""
        if "open_ends" not in episode.truth or episode.stimulus is None:
            raise UnsuitableReward(
                f"{episode.env_id} starts from no shape with open ends here, so it cannot be scored by 'closure'."
            )

    def score(self, episode: Episode) -> Score:
        """See the class.

        Raises:
            UnsuitableReward: If the environment has no open ends to join, or starts from a blank canvas.
            NoImage: If the episode's image was not kept.
        """
        self.check(episode)
        ends = np.array(episode.truth["open_ends"], np.float64).reshape(-1, 2)
        if len(ends) < 2:
            return self.scored(None, {"joined": None, "near": None, "economy": None})
        new, stimulus = added_ink(episode)
        assert stimulus is not None  # the episode has one
        if not new.any():
            return self.scored(0.0, {"joined": 0.0, "near": 0.0, "economy": 0.0})
        contacts = [_contacts(end, new) for end in ends]
        reached = np.array([len(places) > 0 for places in contacts])
        nearness = np.ones(len(ends))
        if not reached.all():
            nearness[~reached] = np.exp((REACH_PX - _distances(ends[~reached], Runs.of(new))) / FALL_PX)
        covered = new | (stimulus & near(new, UNDER_PX))
        economy = min(1.0, _budget(ends) / np.count_nonzero(covered))
        joined = _joined(contacts, Runs.of(covered)) if reached.sum() > 1 else np.zeros(len(ends), bool)
        value = economy * float(np.where(joined, 1.0, nearness / 2).mean())
        return self.scored(
            value, {"joined": float(joined.mean()), "near": float(nearness.mean()), "economy": float(economy)}
        )


def _distances(ends: Floats, runs: Runs) -> Floats:
    """How far the nearest pixel of the runs is from each end (x, y), px."""
    x, y = ends[:, :1], ends[:, 1:]
    aside = np.maximum(np.maximum(runs.starts - x, x - (runs.stops - 1)), 0.0)
    below = runs.rows - y
    return np.sqrt((aside * aside + below * below).min(axis=1))


def _contacts(end: Floats, new: Mask) -> NDArray[np.int64]:
    """The new ink within reach of an end (x, y): positions in the flattened mask."""
    left, top = (max(0, int(value) - REACH_PX) for value in end)
    rows, columns = np.nonzero(new[top : int(end[1]) + REACH_PX + 2, left : int(end[0]) + REACH_PX + 2])
    rows, columns = rows + top, columns + left
    within = (columns - end[0]) ** 2 + (rows - end[1]) ** 2 <= REACH_PX**2
    return (rows * new.shape[1] + columns)[within]


def _joined(contacts: Sequence[NDArray[np.int64]], runs: Runs) -> NDArray[np.bool_]:
    """Of which ends the contacts are in the same connected piece as those of another end."""
    labels = runs.labels()
    pieces = [set(labels[runs.at(places)].tolist()) for places in contacts]
    others = [set().union(*pieces[:index], *pieces[index + 1 :]) for index in range(len(pieces))]
    return np.array([bool(own & other) for own, other in zip(pieces, others, strict=True)])


def _budget(ends: Floats) -> float:
    """New ink without loss, px: strokes from each end to the nearest other one, with room for detours."""
    apart = np.hypot(*(ends[:, None] - ends).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    others = apart.argmin(axis=1)
    pairs = {(min(pair), max(pair)) for pair in enumerate(others.tolist())}
    return STROKE_PX * (DETOUR * sum(float(apart[pair]) for pair in pairs) + SLACK_PX)
