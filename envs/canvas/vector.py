"""Several canvases stepped together, drawn into one array and joined with their shapes at once."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from designgym.env import MisuseError, Observation
from designgym.envs.canvas.env import CanvasDrawing
from designgym.envs.canvas.raster import PAPER, Canvas8
from designgym.envs.canvas.rgb import rgb
from designgym.envs.canvas.tools import SIDE_PX
from designgym.vector_arguments import calls_of, options_of, seeds_of
from designgym.vector_infos import batch_infos

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]


class CanvasVectorEnv(VectorEnv[Observation, Sequence[Any], npt.NDArray[Any]]):
    """What a ``SyncVectorEnv`` of the same environments gives, byte for byte, in less time.

    ``gym.make_vec("designgym/CanvasDrawing-v0", 8)`` and ``designgym.make_vec`` make one. It takes the arguments of the
    environment, but no wrappers of single environments, no ``vector_kwargs`` and no arguments of ``gym.make``, such as
    ``max_episode_steps``: ``gym.make_vec(..., vectorization_mode="sync")`` is for those.

    Observations are new arrays at every step: ``image`` uint8 N x H x W x C, ``task`` and ``text`` tuples of N strings.

    Args:
        num_envs: How many copies, 1 or more.
        autoreset_mode: What happens when an episode ends, as in Gymnasium. ``NEXT_STEP`` (default): the next step is
            the reset, and that copy's action is ignored. ``SAME_STEP``: a new one begins at once, and the last
            observation and info of the old are in ``final_obs`` and ``final_info``. ``DISABLED``: nothing, until
            ``reset(options={"reset_mask": ...})``.
        **kwargs: Arguments of :class:`designgym.envs.canvas.env.CanvasDrawing`.

    Attributes:
        envs: The copies. They may be asked for anything, reset alone and set back by ``set_state``; what they show then
            is in the next observation.

    Raises:
        MisuseError: For a number or a mode that makes no sense, or a wrong argument of the environment.
    """

    def __init__(
        self, num_envs: int = 1, *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **kwargs: Any
    ) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise MisuseError(f"num_envs is {num_envs!r}; it must be a whole number, 1 or more.")
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(f"AutoresetMode.{mode.name}" for mode in AutoresetMode)
            raise MisuseError(f"autoreset_mode is {autoreset_mode!r}; it must be one of {known}.") from None
        self.num_envs = num_envs
        self.envs = [_make(kwargs) for _ in range(num_envs)]
        first = self.envs[0]
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._over = np.zeros(num_envs, np.bool_)
        self._bind()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start episodes.

        Args:
            seed: Restarts the generators that choose tasks: a number for the first copy, the next number for the second
                and so on; or a list of one (or None) a copy.
            options: ``{"task": id}`` plays that task in all copies, ``{"task": [id, ...]}`` one a copy, where None lets
                the task be drawn. ``{"reset_mask": array}`` resets only the copies where it is True (bool, shape N).

        Raises:
            MisuseError: For a wrong option or number of seeds; then nothing was reset.
        """
        seeds = seeds_of(seed, self.num_envs)
        mask, single = options_of(options, self.num_envs)
        wanted = np.flatnonzero(mask).tolist()
        for k in wanted:
            self.envs[k].chosen_task(single[k])
        infos: list[dict[str, Any] | None] = [None] * self.num_envs
        for k in wanted:
            infos[k] = self.envs[k].start_episode(seed=seeds[k], options=single[k])
            self._over[k] = False
        return self._observe(), batch_infos(self, infos)

    def step(self, actions: Sequence[Any]) -> tuple[Observation, Floats, Booleans, Booleans, dict[str, Any]]:
        """Carry out one call in each copy; a bad one costs that copy's step and nothing else.

        Args:
            actions: A sequence of N calls, in the order of the copies.

        Returns:
            Observation, rewards (float64), terminations and truncations (bool), and infos as Gymnasium batches them.

        Raises:
            MisuseError: If there are not N calls; then nothing was done.
            gymnasium.error.ResetNeeded: Before the first reset, or under ``DISABLED`` after the end of an episode.
        """
        calls = calls_of(actions, self.num_envs)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            over = np.flatnonzero(self._over).tolist()
            raise gym.error.ResetNeeded(
                f'The episodes of the copies {over} are over; reset those with options={{"reset_mask": ...}}.'
            )
        rewards, terminated = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        infos: list[dict[str, Any] | None] = [None] * self.num_envs
        finals: dict[int, dict[str, Any]] = {}
        for k, env in enumerate(self.envs):
            if self._over[k]:  # under NEXT_STEP
                infos[k] = env.start_episode()
                continue
            rewards[k], terminated[k], infos[k] = env.advance(calls[k])
            if terminated[k] and self.autoreset_mode is AutoresetMode.SAME_STEP:
                finals[k] = {"final_obs": env.observe(), "final_info": infos[k]}
                infos[k] = env.start_episode()
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._over = terminated.copy()
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._observe(), rewards, terminated, truncated, batch_infos(self, infos, finals)

    def render(self) -> tuple[Any, ...]:
        """The pictures of all copies, uint8 H x W x 3; None (with a warning) without a render mode."""
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the copies."""
        for env in self.envs:
            env.close()

    # ------------------------------------------------------- the copies' own, as in SyncVectorEnv

    @property  # type: ignore[misc]  # not to be set, as in SyncVectorEnv
    def np_random(self) -> Any:
        """The copies' generators, as a tuple."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> Any:
        """The seeds of the copies' generators, as a tuple."""
        return self.get_attr("np_random_seed")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each copy, or get an attribute of each."""
        found = [getattr(env, name) for env in self.envs]
        return tuple(one(*args, **kwargs) if callable(one) else one for one in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each copy."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each copy, to one of a list or tuple of N values or all to the same value."""
        if not isinstance(values, (list, tuple)):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise MisuseError(f"There are {len(values)} values for {self.num_envs} copies; give one, or one a copy.")
        for env, value in zip(self.envs, values, strict=True):
            setattr(env, name, value)

    # ------------------------------------------------------------------ inside

    def _bind(self) -> None:
        """Let every copy draw into its slice of one new array."""
        self._canvases = np.full((self.num_envs, SIDE_PX, SIDE_PX), PAPER, np.uint8)
        self._stimuli = self._canvases.copy()
        self._shown: list[Canvas8 | None] = [None] * self.num_envs
        for env, page in zip(self.envs, self._canvases, strict=True):
            env.bind(page)

    def _observe(self) -> Observation:
        for k, env in enumerate(self.envs):
            shown = env.canvas.stimulus
            if shown is not self._shown[k]:  # another episode, wherever it was started
                self._stimuli[k] = PAPER if shown is None else shown
                self._shown[k] = shown
        pages = np.minimum(self._canvases, self._stimuli)
        first = self.envs[0]
        if first.condition.axes != "none":
            image = np.stack([first.dress(page) for page in pages])
        else:
            image = pages[..., None] if first.condition.channels == 1 else rgb(pages)
        task, text = zip(*(env.words() for env in self.envs), strict=True)
        return {"image": image, "task": task, "text": text}

    def __getstate__(self) -> dict[str, Any]:
        # Copied one by one, the copies' pages would no longer be slices of one array.
        return {name: value for name, value in self.__dict__.items() if name not in ("_canvases", "_stimuli", "_shown")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()


def _make(kwargs: Mapping[str, Any]) -> CanvasDrawing:
    env = CanvasDrawing(**kwargs)
    env.spec = copy.deepcopy(gym.spec(env.env_id))
    env.spec.kwargs = dict(kwargs)
    return env
