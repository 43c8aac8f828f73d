"""Rewards for localization: the flawed element's box, or None for a design without flaw.

The answer is the argument ``bbox`` of the last ``answer`` call that was carried out; without one both rewards are 0. So
are they for a box without area, with reversed corners or with a number that is not finite: such a box overlaps nothing
(see ``designgym.boxes``), and the tool does not accept it in the first place.

Known hacks: "always None" earns the share of clean designs, so that share is fixed and stated by the sampler; a box
around the whole page earns the truth's share of the page under ``iou`` and half a point more under ``hurdle``. The
tests hold both below what looking at the page earns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from designgym.boxes import iou
from designgym.episode import Episode
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.score import Backend

EXACT = Backend("exact", "1")


@dataclass(frozen=True)
class Hurdle(EpisodeReward):
    """1 for a right None; 0.5 + 0.5 IoU where truth and answer are both boxes; else 0.

    The step at 0.5 pays for telling that there is a flaw, so that a policy which must choose between None and a poor
    box is not driven to None. Source: this project; the paper's own form is :class:`LocalizationIoU`.
    """

    name = "hurdle"
    backend = EXACT

    def check(self, episode: Episode) -> None:
        """Refuse what asks for no box."""
        _answer_and_truth(episode)

    def value(self, episode: Episode) -> float:
        """See the class."""
        given, answer, truth = _answer_and_truth(episode)
        if not given:
            return 0.0
        if truth is None or answer is None:
            return float(truth is None and answer is None)
        return 0.5 + 0.5 * iou(answer, truth) if _is_box(answer) else 0.0


@dataclass(frozen=True)
class LocalizationIoU(EpisodeReward):
    """1 for a right None, IoU where both are boxes, else 0 (AesEval-Bench, section 3: the paper's protocol)."""

    name = "iou"
    backend = EXACT

    def check(self, episode: Episode) -> None:
        """Refuse what asks for no box."""
        _answer_and_truth(episode)

    def value(self, episode: Episode) -> float:
        """See the class."""
        given, answer, truth = _answer_and_truth(episode)
        if not given:
            return 0.0
        if truth is None or answer is None:
            return float(truth is None and answer is None)
        return iou(answer, truth) if _is_box(answer) else 0.0


def _answer_and_truth(episode: Episode) -> tuple[bool, Any, Sequence[float] | None]:
    """Whether there is an answer, the answer, and the truth."""
    if "bbox" not in episode.truth:
        raise UnsuitableReward(f"{episode.env_id} asks for no box, so it cannot be scored by 'hurdle' or 'iou'.")
    truth = episode.truth["bbox"]
    for call in reversed(episode.done_calls):
        if call.name == "answer" and "bbox" in call.arguments:
            return True, call.arguments["bbox"], truth
    return False, None, truth


def _is_box(answer: Any) -> bool:
    """Whether this is a box with an area; of a list that is not four numbers nothing is guessed."""
    if not isinstance(answer, list | tuple) or len(answer) != 4:
        return False
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in answer):
        return False
    return iou(answer, answer) > 0
