"""The image alone as the observation, scaled down."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from PIL import Image

from designgym.env import MisuseError

Pixels = npt.NDArray[np.uint8]

MAX_SIZE_PX = 4096


class PixelObservation(
    gym.ObservationWrapper[Pixels, Any, dict[str, Any]],
    gym.utils.RecordConstructorArgs,
):
    """Observe the image alone, scaled down: the ``task`` and ``text`` of the observation are left out.

    Works on every environment of this package, before or after a wrapper of actions. The observation space becomes
    ``Box(0, 255, (size, size, C), uint8)``, channels last, with the C of the environment's image (1 or 3). Each new
    pixel is the mean of the old ones whose centres it covers; an image that is not square is squeezed. What the
    environment would have said is still in ``info["error"]`` and ``info["task"]``.

    A size that divides the image's sides is the fastest (on the canvas of 400 px: 40, 50, 80, 100), about a third of
    the time of others. A vector version is :class:`designgym.envs.wrappers.vector.PixelObservation`.

    Example:
        >>> import gymnasium as gym
        >>> import designgym
        >>> from designgym.envs.wrappers import PixelObservation
        >>> env = PixelObservation(gym.make("designgym/CanvasDrawing-v0"), size=84)
        >>> env.observation_space
        Box(0, 255, (84, 84, 1), uint8)
        >>> observation, info = env.reset(seed=0)
        >>> observation.shape, observation.dtype
        ((84, 84, 1), dtype('uint8'))

    Change log:
     * v0.1.0 - Initially added
    """

    def __init__(self, env: gym.Env[dict[str, Any], Any], size: int | None = 84):
        """Scale the image.

        Args:
            env: An environment with an observation of a dict that has an ``image``, uint8 H x W x C.
            size: Height and width of the new image, px, 1 to 4096; None keeps the environment's.

        Raises:
            MisuseError: For another kind of observation, or a size that is none.
        """
        gym.utils.RecordConstructorArgs.__init__(self, size=size)
        gym.ObservationWrapper.__init__(self, env)
        self.size = size
        self.observation_space = pixel_space(env.observation_space, size)

    def observation(self, observation: dict[str, Any]) -> Pixels:
        """The image of an observation, an array of its own."""
        return shrink(observation["image"], self.size)


def pixel_space(space: gym.Space[Any], size: int | None) -> gym.Space[Any]:
    """The space of scaled images, from that of an environment's observations.

    Raises:
        MisuseError: If there is no image in it, or the size is none.
    """
    image = space.spaces.get("image") if isinstance(space, gym.spaces.Dict) else None
    if not isinstance(image, Box) or image.dtype != np.uint8 or len(image.shape) != 3:
        raise MisuseError(f"PixelObservation needs observations with an 'image', uint8 H x W x C; these are {space}.")
    if size is None:
        return image
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_SIZE_PX:
        raise MisuseError(f"size is {size!r}; it must be a whole number of px from 1 to {MAX_SIZE_PX}, or None.")
    return Box(0, 255, (size, size, image.shape[2]), np.uint8)


def shrink(image: Pixels, size: int | None) -> Pixels:
    """An image, uint8 H x W x C with C = 1 or 3, scaled to size x size x C; None leaves it as it is."""
    height, width, channels = image.shape
    if size is None or (height, width) == (size, size):
        return image
    picture = Image.fromarray(image[:, :, 0] if channels == 1 else image)
    if height % size == width % size == 0:
        picture = picture.reduce((width // size, height // size))
    else:
        picture = picture.resize((size, size), Image.Resampling.BOX)
    return np.array(picture).reshape(size, size, channels)
