"""A reward for learning to localize: IoU, and a shaping part that still tells two boxes apart where neither overlaps.

Under plain IoU a model whose boxes miss earns 0 whatever it changes, and group-relative training has nothing to go
by. The shaping part is dense, and its weight is to fall to 0 in the course of training
(``designgym.train.methods.anneal``), so that what is learned in the end is IoU.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from designgym.boxes import giou
from designgym.episode import Episode
from designgym.rewards.base import EpisodeReward
from designgym.rewards.localization import Protocol, best_iou, boxes_of, check_protocol
from designgym.score import Backend, Score

MOST = 10
"""Largest weight of nearness."""

Measure = Literal["giou", "centre"]


@dataclass(frozen=True)
class Shaped(EpisodeReward):
    """(IoU + s x nearness) / (1 + s), s being ``shaping``, where both are boxes; 1 for a right None; else 0.

    Nearness lies between 0 and 1, is 1 only for a box that is right, and is paid only where a box is right and a box is
    answered: a wrong None earns nothing of it, and neither does a box on a design without flaw. Rewards keep no state,
    so its weight is an argument. At weight 0 this is ``iou``.

    ``giou`` is (1 + GIoU) / 2 (Rezatofighi et al. 2019). ``centre`` is exp(-d^2 / 2), where d is the distance between
    the centres in units of the right box's sides (after the Gaussian rewards of GUI-G^2), times the ratio of the
    smaller area to the larger, without which a box around the page would do on designs that are harmed in the middle.

    Attributes:
        shaping: Weight of nearness beside IoU's 1; 0 to 10.
        measure: What nearness is: ``"giou"`` or ``"centre"``.
        protocol: ``"strict"`` takes the best-matching of the right boxes, ``"release"`` the first.
    """

    shaping: float = 0.5
    measure: Measure = "giou"
    protocol: Protocol = "strict"

    name = "shaped"

    def __post_init__(self) -> None:
        check_protocol(self.protocol)
        if self.measure not in get_args(Measure):
            raise ValueError(f"measure is {self.measure!r}; it is one of {', '.join(get_args(Measure))}.")
        number = isinstance(self.shaping, int | float) and not isinstance(self.shaping, bool)
        if not number or not 0 <= self.shaping <= MOST:
            raise ValueError(f"shaping is {self.shaping!r}; it must be a number from 0 to {MOST}.")

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """One for each choice of arguments: their scores are not to be mixed."""
        arguments = f"{float(self.shaping)!r},{self.measure},{self.protocol}"
        return Backend("exact-shaped", "1", hashlib.sha256(arguments.encode()).hexdigest())

    def check(self, episode: Episode) -> None:
        """Refuse what asks for no box."""
        boxes_of(episode, self.protocol)

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def score(self, episode: Episode) -> Score:
        """See the class; the parts ``iou`` (the paper's score) and ``near`` are logged."""
        boxes = boxes_of(episode, self.protocol)
        if not boxes.both:
            value = float(boxes.right_none)
            return self.scored(value, {"iou": value, "near": value})
        measure = _generalised if self.measure == "giou" else _centred
        overlap = best_iou(boxes)
        near = max(measure(boxes.answer, truth) for truth in boxes.truths)
        return self.scored((overlap + self.shaping * near) / (1 + self.shaping), {"iou": overlap, "near": near})


def _generalised(answer: Sequence[float], truth: Sequence[float]) -> float:
    return (1 + giou(answer, truth)) / 2


def _centred(answer: Sequence[float], truth: Sequence[float]) -> float:
    (ax1, ay1, ax2, ay2), (tx1, ty1, tx2, ty2) = answer, truth
    width, height = tx2 - tx1, ty2 - ty1
    if not (width > 0 and height > 0):
        return 0.0
    dx, dy = ((ax1 + ax2) - (tx1 + tx2)) / (2 * width), ((ay1 + ay2) - (ty1 + ty2)) / (2 * height)
    areas = sorted(((ax2 - ax1) * (ay2 - ay1), width * height))
    return math.exp(-min(dx * dx + dy * dy, 1e3) / 2) * areas[0] / areas[1]
