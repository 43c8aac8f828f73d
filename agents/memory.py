"""What an agent remembers of the episodes under way, as its prompts need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar
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


Kept = TypeVar("Kept")


class ByTask(Generic[Kept]):
    """Something for each episode under way, found by its task's id: no two environments may play one at a time.

    May be used by several threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # An environment's next episode takes the place of its last one, so this does not grow with a run.
        self._episodes: WeakKeyDictionary[gym.Env[Any, Any], tuple[str, Kept]] = WeakKeyDictionary()

    def put(self, env: gym.Env[Any, Any], info: Info, kept: Kept) -> None:
        """Keep something for the episode that an environment begins, given the info of its reset."""
        with self._lock:
            for other in [key for key, (task, _) in self._episodes.items() if task == info["task"]]:
                del self._episodes[other]
            self._episodes[env] = info["task"], kept

    def find(self, info: Info) -> Kept | None:
        """What was kept for the episode that an info is of; None if nothing was, or its environment is gone."""
        wanted = info.get("task")
        with self._lock:
            return next((kept for task, kept in self._episodes.values() if task == wanted), None)


@dataclass
class _Episode:
    options: Mapping[str, Any]
    history: tuple[Turn, ...] = ()
    rounds: int = 0
    sent: Action | str | None = None
    waiting: bool = True
    """Whether the next observation tells of something new: the reset, or what became of ``sent``."""


class Memory:
    """Remembers one episode for each environment, and finds it as :class:`ByTask` does.

    An agent calls `begin` from its own ``begin``, `recall` when it is asked and `sent` with its one call. Of an episode
    that was never begun nothing is remembered: it is asked about as if it had just been reset.
    """

    def __init__(self) -> None:
        self._episodes: ByTask[_Episode] = ByTask()

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Take note of an environment that was reset."""
        self._episodes.put(env, info, _Episode(env.unwrapped.prompt_options()))  # type: ignore[attr-defined]

    def recall(self, observation: Observation, info: Info) -> Recollection:
        """The episode that an observation belongs to, this observation included; may be asked more than once."""
        episode = self._episodes.find(info)
        if episode is None:
            return NOTHING
        if episode.waiting:
            new = turn(episode.sent, observation, info, max(0, episode.rounds - 1))
            episode.history = appended(episode.history, new, images=KEPT_IMAGES)
            episode.waiting = False
        return Recollection(episode.history, episode.options)

    def sent(self, action: Action | str, info: Info) -> None:
        """Take note of the agent's call (or of a text without one), given the info that it was asked with."""
        episode = self._episodes.find(info)
        if episode is not None:
            episode.sent, episode.waiting = action, True
            episode.rounds += 1
