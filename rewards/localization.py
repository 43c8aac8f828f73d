"""Rewards for localization: the flawed element's box, or None for a design without flaw.

The answer is the argument ``bbox`` of the last ``answer`` call that was carried out; without one all rewards are 0. So
are they for a box without area, with reversed corners or with a number that is not finite: such a box overlaps nothing
(see ``designgym.boxes``), and the tool does not accept it in the first place.

Several elements may harm a design in the same respect. The strict protocol takes the best-matching one of
``truth["boxes"]``; the released evaluator of AesEval-Bench knows only the first. Where the truth has no ``boxes``,
there is the one in ``bbox``.

Known hacks: "always None" earns the share of clean designs, so that share is fixed and stated by the sampler; a box
around the whole page earns the truth's share of the page under ``iou`` and half a point more under ``hurdle``. The
tests hold both below what looking at the page earns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from designgym.boxes import iou
from designgym.episode import Episode
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.score import Backend

EXACT = Backend("exact", "1")
RELEASE = Backend("exact-release", "1")

Protocol = Literal["strict", "release"]
FractionBox = Sequence[float]


@dataclass(frozen=True)
class Boxes:
    """What an episode answered, and what would be right.

    Attributes:
        given: Whether there is an answer at all.
        answer: The answer: None, a box with an area, or whatever else was given.
        truths: The boxes that are right, the first first; empty where None is.
    """

    given: bool
    answer: Any
    truths: tuple[FractionBox, ...]

    @property
    def right_none(self) -> bool:
        """Whether None was answered and is right."""
        return self.given and self.answer is None and not self.truths

    @property
    def both(self) -> bool:
        """Whether the answer is a box with an area where a box is right."""
        return self.given and bool(self.truths) and is_box(self.answer)


@dataclass(frozen=True)
class Hurdle(EpisodeReward):
    """1 for a right None; 0.5 + 0.5 IoU where truth and answer are both boxes; else 0.

    The step at 0.5 pays for telling that there is a flaw, so that a policy which must choose between None and a poor
    box is not driven to None. Source: this project; the paper's own form is :class:`LocalizationIoU`.

    Attributes:
        protocol: ``"strict"`` compares with the best-matching of the right boxes, ``"release"`` with the first.
    """

    protocol: Protocol = "strict"

    name = "hurdle"

    def __post_init__(self) -> None:
        check_protocol(self.protocol)

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """One a protocol."""
        return EXACT if self.protocol == "strict" else RELEASE

    def check(self, episode: Episode) -> None:
        """Refuse what asks for no box."""
        boxes_of(episode, self.protocol)

    def value(self, episode: Episode) -> float:
        """See the class."""
        boxes = boxes_of(episode, self.protocol)
        return 0.5 + 0.5 * best_iou(boxes) if boxes.both else float(boxes.right_none)


@dataclass(frozen=True)
class LocalizationIoU(EpisodeReward):
    """1 for a right None, IoU where both are boxes, else 0 (AesEval-Bench, section 3: the paper's protocol).

    Attributes:
        protocol: As for :class:`Hurdle`.
    """

    protocol: Protocol = "strict"

    name = "iou"

    def __post_init__(self) -> None:
        check_protocol(self.protocol)

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """One a protocol."""
        return EXACT if self.protocol == "strict" else RELEASE

    def check(self, episode: Episode) -> None:
        """Refuse what asks for no box."""
        boxes_of(episode, self.protocol)

    def value(self, episode: Episode) -> float:
        """See the class."""
        boxes = boxes_of(episode, self.protocol)
        return best_iou(boxes) if boxes.both else float(boxes.right_none)


def boxes_of(episode: Episode, protocol: Protocol = "strict") -> Boxes:
    """Answer and truth of an episode.

    Raises:
        UnsuitableReward: If the environment asks for no box.
    """
    if "bbox" not in episode.truth:
        raise UnsuitableReward(
            f"{episode.env_id} asks for no box, so it cannot be scored by 'hurdle', 'iou' or 'shaped'."
        )
    first = episode.truth["bbox"]
    truths = tuple(episode.truth.get("boxes") or (() if first is None else (first,)))
    if protocol == "release":
        truths = truths[:1]
    for call in reversed(episode.done_calls):
        if call.name == "answer" and "bbox" in call.arguments:
            return Boxes(True, call.arguments["bbox"], truths)
    return Boxes(False, None, truths)


def best_iou(boxes: Boxes) -> float:
    """IoU with the best-matching of the right boxes."""
    return max(iou(boxes.answer, truth) for truth in boxes.truths)


def is_box(answer: Any) -> bool:
    """Whether this is a box with an area; of a list that is not four numbers nothing is guessed."""
    if not isinstance(answer, list | tuple) or len(answer) != 4:
        return False
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in answer):
        return False
    return iou(answer, answer) > 0


def check_protocol(protocol: str) -> None:
    """Refuse an unknown protocol with a ``ValueError``."""
    if protocol not in ("strict", "release"):
        raise ValueError(f"protocol is {protocol!r}; it is 'strict' or 'release'.")
