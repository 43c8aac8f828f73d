"""The wrappers of arrays for vector environments: all copies at once, in every autoreset mode.

They go around an environment's own vector environment, which takes no wrappers of single environments, and around any
other as well.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from designgym.envs.wrappers.pixels import Pixels, pixel_space, shrink
from designgym.envs.wrappers.strokes import Form, strokes

__all__ = ["PixelObservation", "StrokeActions"]

Vector = VectorEnv[Any, Any, npt.NDArray[Any]]
Step = tuple[Any, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]


class PixelObservation(VectorWrapper[Pixels, Any, Any, Any, npt.NDArray[Any]], gym.utils.RecordConstructorArgs):
    """Observe the images alone, scaled down; :class:`designgym.envs.wrappers.PixelObservation` for N copies.

    Observations are uint8 N x size x size x C, those in ``infos["final_obs"]`` size x size x C.

    Example:
        >>> import designgym
        >>> from designgym.envs.wrappers.vector import PixelObservation, StrokeActions
        >>> envs = designgym.make_vec("designgym/CanvasDrawing-v0", 8, max_calls=3)
        >>> envs = PixelObservation(StrokeActions(envs), size=50)
        >>> envs.single_observation_space, envs.action_space.shape
        (Box(0, 255, (50, 50, 1), uint8), (8, 4))
        >>> observations, infos = envs.reset(seed=0)
        >>> observations.shape
        (8, 50, 50, 1)

    Change log:
     * v0.1.0 - Initially added
    """

    def __init__(self, env: Vector, size: int | None = 84):
        """Scale the images.

        Args:
            env: A vector environment with observations of a dict that has an ``image``, uint8 N x H x W x C.
            size: Height and width of the new images, px, 1 to 4096; None keeps the environment's.

        Raises:
            MisuseError: For another kind of observation, or a size that is none.
        """
        gym.utils.RecordConstructorArgs.__init__(self, size=size)
        VectorWrapper.__init__(self, env)
        self.size = size
        self.single_observation_space = pixel_space(env.single_observation_space, size)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Pixels, dict[str, Any]]:
        """Start episodes, with the seeds and options of the vector environment; uint8 N x size x size x C."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self._pixels(observations), infos

    def step(self, actions: Any) -> Step:
        """Carry out one action a copy; observations are uint8 N x size x size x C."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            finals = np.empty(self.num_envs, object)
            for index in np.flatnonzero(infos["_final_obs"]).tolist():
                finals[index] = shrink(infos["final_obs"][index]["image"], self.size)
            infos = {**infos, "final_obs": finals}
        return self._pixels(observations), rewards, terminated, truncated, infos

    def _pixels(self, observations: dict[str, Any]) -> Pixels:
        images: Pixels = observations["image"]
        return images if self.size is None else np.stack([shrink(image, self.size) for image in images])


class StrokeActions(VectorWrapper[Any, npt.NDArray[Any], Any, Any, npt.NDArray[Any]], gym.utils.RecordConstructorArgs):
    """Draw by an array of N x k numbers; :class:`designgym.envs.wrappers.StrokeActions` for N copies.

    The action space is ``Box(0, 1, (N, k), float32)``, or ``MultiDiscrete`` of the shape N x k. For an example see
    :class:`PixelObservation`.

    Change log:
     * v0.1.0 - Initially added
    """

    def __init__(self, env: Vector, form: Form = "box", tool: str = "draw_lines", finish: bool = False, bins: int = 32):
        """Choose what the numbers mean.

        Args:
            env: A vector environment of canvas drawing whose actions are tool calls.
            form: ``"box"`` or ``"multidiscrete"``.
            tool: A drawing tool whose operations are made of numbers alone.
            finish: Whether a further number can end the episode.
            bins: Bins a number, 2 to 10,000; for ``"multidiscrete"`` alone.

        Raises:
            MisuseError: For another kind of environment, or an argument that is not as said here.
        """
        gym.utils.RecordConstructorArgs.__init__(self, form=form, tool=tool, finish=finish, bins=bins)
        VectorWrapper.__init__(self, env)
        self.strokes = strokes(env.single_action_space, form, tool, finish, bins)
        self.single_action_space = self.strokes.space()
        self.action_space = batch_space(self.single_action_space, env.num_envs)

    def step(self, actions: npt.NDArray[Any]) -> Step:
        """Draw one stroke in each copy.

        Args:
            actions: N rows of k numbers.
        """
        return self.env.step([self.strokes.call(action) for action in actions])
