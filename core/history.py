"""What an agent has lived through in an episode, as plain data: all that a prompt over many turns needs.

Agents append to it as they play, training makes it from a trace's steps, and an environment's prompt builder turns it,
with the current observation, into messages. The first turn is the reset, which has no action.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym.trace_step import Step

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Turn:
    """One step of an episode, or its reset.

    Attributes:
        action: What the agent sent, as it sent it; None at the reset.
        text: What the environment said then.
        error: ``info["error"]``; empty if the call was carried out. A refused call changed nothing.
        image: What was to be seen after it, uint8 H x W x C, not a copy; None if it was not kept.
        round: The model's turn that the call belongs to, from 0.
    """

    action: Any
    text: str
    error: str = ""
    image: Image | None = None
    round: int = 0

    @property
    def carried_out(self) -> bool:
        """Whether the episode is in a new state since: after the reset and after every call without error."""
        return not self.error


def turn(action: Any, observation: Mapping[str, Any], info: Mapping[str, Any], round: int = 0) -> Turn:
    """The turn in which an action (None: the reset) led to an observation; the image is shared, not copied."""
    return Turn(action, observation["text"], info["error"], observation["image"], round)


def appended(history: Sequence[Turn], new: Turn, *, images: int) -> tuple[Turn, ...]:
    """The history with one more turn, holding on to few images.

    Args:
        history: The turns so far; left as they are.
        new: The turn to append.
        images: How many images stay: those of the latest so many turns that were carried out. An image after a refused
            call shows what the one before it shows, and goes.
    """
    kept: list[Turn] = []
    for old in (new, *reversed(history)):
        stays = old.carried_out and images > 0
        images -= stays
        kept.append(old if stays or old.image is None else dataclasses.replace(old, image=None))
    return tuple(reversed(kept))


def from_steps(steps: Iterable[Step], image: Callable[[Step], Image | None] | None = None) -> tuple[Turn, ...]:
    """The turns of a trace's episode, or of its beginning.

    Args:
        steps: Steps of one episode in order, the reset first.
        image: Gives the image of a step, such as one of those that the trace kept; by default there are none.
    """
    return tuple(
        Turn(step.action, step.text, step.error, None if image is None else image(step), step.round) for step in steps
    )
