"""What an agent remembers of the episodes under way, as its prompts need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import gymnasium as gym

from designgym.agents.base import Action, Info, Observation
from designgym.history import Turn, appended, turn

KEPT_IMAGES = 3
"""Images kept of an episode, those of the latest turns that changed anything: as many as a prompt shows at once."""


@dataclass(frozen=True)
class Recollection:
    """An episode so far: its turns, and what the environment says about its prompt (``prompt_options()``)."""

    history: tuple[Turn, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


NOTHING = Recollection()
"""Of an episode that was not begun."""


@dataclass
class _Episode:
    task: str
    options: Mapping[str, Any]
    history: tuple[Turn, ...] = ()
    rounds: int = 0
    sent: Action | str | None = None
    waiting: bool = True
    """Whether the next observation tells of something new: the reset, or what became of ``sent``."""


class Memory:
    """Remembers one episode for each environment, and finds it by its task's id: no two may play one task at a time.

    An agent calls `begin` from its own ``begin``, `recall` when it is asked and `sent` with its one call. Of an episode
    that was never begun nothing is remembered: it is asked about as if it had just been reset.
    """

    def __init__(self) -> None:
        # An environment's next episode takes the place of its last one, so the memory does not grow with a run.
        self._episodes: WeakKeyDictionary[gym.Env[Any, Any], _Episode] = WeakKeyDictionary()

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Take note of an environment that was reset."""
        for other in [key for key, episode in self._episodes.items() if episode.task == info["task"]]:
            del self._episodes[other]
        options = env.unwrapped.prompt_options()  # type: ignore[attr-defined]
        self._episodes[env] = _Episode(info["task"], options)

    def recall(self, observation: Observation, info: Info) -> Recollection:
        """The episode that an observation belongs to, this observation included; may be asked more than once."""
        episode = self._find(info)
        if episode is None:
            return NOTHING
        if episode.waiting:
            new = turn(episode.sent, observation, info, max(0, episode.rounds - 1))
            episode.history = appended(episode.history, new, images=KEPT_IMAGES)
            episode.waiting = False
        return Recollection(episode.history, episode.options)

    def sent(self, action: Action | str, info: Info) -> None:
        """Take note of the agent's call (or of a text without one), given the info that it was asked with."""
        episode = self._find(info)
        if episode is not None:
            episode.sent, episode.waiting = action, True
            episode.rounds += 1

    def _find(self, info: Info) -> _Episode | None:
        task = info.get("task")
        return next((episode for episode in self._episodes.values() if episode.task == task), None)
