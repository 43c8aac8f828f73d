"""The ink that an episode added to its canvas, and what lies near ink."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.rewards.base import UnsuitableReward

Mask = NDArray[np.bool_]

DARK = 128
"""Grey levels below this one are ink, the others paper."""


NULL_PX = 300
"""A drawing with less new ink is none (PainterBench, section 4.3)."""


class NoImage(UserError, ValueError):
    """An episode whose image is needed and was not kept."""


def require_drawing(episode: Episode, reward: str) -> None:
    """Refuse pages that are no drawings.

    Raises:
        UnsuitableReward: If the episode's environment asks for something else; ``reward`` is named.
    """
    if "open_ends" not in episode.truth:
        raise UnsuitableReward(f"{episode.env_id} asks for no drawing, so it cannot be scored by {reward!r}.")


def ink(image: NDArray[np.uint8]) -> Mask:
    """The inked pixels, bool H x W; of a coloured pixel the darkest channel counts.

    Args:
        image: uint8 H x W, H x W x 1 or H x W x 3.
    """
    if image.ndim == 2:
        return image < DARK
    dark = image[:, :, 0] < DARK
    for channel in range(1, image.shape[2]):
        dark |= image[:, :, channel] < DARK
    return dark


def added_ink(episode: Episode) -> tuple[Mask, Mask | None]:
    """The ink of the episode's image without the stimulus's, and the stimulus's; bool H x W both.

    Ink on top of the stimulus is not new. The stimulus is None on a canvas that started blank.

    Raises:
        NoImage: If the episode's image was not kept.
        ValueError: If image and stimulus differ in size.
    """
    if episode.image is None:
        raise NoImage(
            f"The episode of task {episode.task!r} has no image, and its reward looks at the image. Play its trace "
            "again in the environment and score the episode that results."
        )
    new = ink(episode.image)
    if episode.stimulus is None:
        return new, None
    stimulus = ink(episode.stimulus)
    if stimulus.shape != new.shape:
        raise ValueError(f"The image is {new.shape} px and its stimulus {stimulus.shape}; they must be of one size.")
    return new & ~stimulus, stimulus


def near(mask: Mask, distance: int) -> Mask:
    """What lies within some pixels of a mask, diagonals included: a square around each of its pixels, bool H x W."""
    for axis in (0, 1):
        reach = 0
        while reach < distance:
            # What already reaches out on both sides may be moved that far and a pixel more without leaving a gap.
            step = min(reach + 1, distance - reach)
            wide = mask.copy()
            to, source = (wide, mask) if axis == 0 else (wide.T, mask.T)
            to[step:] |= source[:-step]
            to[:-step] |= source[step:]
            mask, reach = wide, reach + step
    return mask
