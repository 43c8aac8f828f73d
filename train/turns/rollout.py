"""Playing episodes with a model: all of a batch in lock-step, one generation for each turn.

An episode that is over asks for nothing more, so that turns cost as many generations as the longest episode has.
Environments step together in threads. What a model writes never raises; an environment that does is a bug, and ends the
run with its task named.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.dialogue import Dialogue, Options, Prompt, TokenRow
from designgym.episode import Episode
from designgym.train.methods.group_rewards import REWARD_STEP

Generate = Callable[[Sequence[Prompt]], list[list[int]]]
"""The tokens that the model writes to each prompt, with or without an end token."""

UNFINISHED = ("silent", "turns", "length")
"""Ends that are not the environment's: the episode is scored as it stands."""


class EnvironmentFailed(RuntimeError):
    """An environment raised while an episode was played; its cause says how."""


class NoRoom(RuntimeError):
    """The first prompt of an episode leaves the model no room to answer."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A played episode, as training needs it.

    Attributes:
        task: The task's id.
        rows: What is learnt from: one a turn, or one in all.
        replies: The text of each turn.
        reward: What the episode earned, rounded to `REWARD_STEP`; None if it could not be scored.
        parts: The reward's components by name; none if it was not scored.
        steps: Calls that the environment was given, unreadable ones included.
        errors: How many of them had which error (``info["error"]``).
        turns: Replies of the model.
        end: ``info["end"]``, or why it was left unfinished: ``"silent"`` (a turn without a call), ``"turns"`` (the most
            that are played), ``"length"`` (no room for another prompt).
        environment_seconds: Its share of the time that the environments took: over a batch, these add up to it.
        model_seconds: The same for generation.
        episode: What was left in the end, where it was asked for.
        observation: The last one, which shows the page as it was left.
    """

    task: str
    rows: tuple[TokenRow, ...]
    replies: tuple[str, ...]
    reward: float | None
    parts: Mapping[str, float]
    steps: int
    errors: Mapping[str, int]
    turns: int
    end: str
    environment_seconds: float = 0.0
    model_seconds: float = 0.0
    episode: Episode | None = None
    observation: Any = None


class Slots:
    """Environments that are made once and play one episode after the other, and threads in which they do.

    Args:
        make_env: Makes one.
        count: How many.
    """

    def __init__(self, make_env: Callable[[], gym.Env[Any, Any]], count: int) -> None:
        self.envs = [make_env() for _ in range(count)]
        self.pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="environment")

    def close(self) -> None:
        """End the threads and close the environments."""
        self.pool.shutdown()
        for env in self.envs:
            env.close()


def play(
    envs: Sequence[gym.Env[Any, Any]],
    ask: Callable[[Options], Dialogue],
    tasks: Sequence[str],
    generate: Generate,
    *,
    max_turns: int | None,
    pool: Executor,
    seed: int = 0,
    fits: Callable[[Prompt], bool] | None = None,
    keep: bool = False,
) -> list[Trajectory]:
    """Play one episode in each environment.

    Args:
        envs: One for each task; they are reset.
        ask: Begins a dialogue, given the ``prompt_options`` of its environment.
        tasks: Task ids; the copies of a group have the same one, and then the same seed.
        generate: Called once a turn, with the prompts of the episodes under way.
        max_turns: Turns after which an episode is left unfinished; None leaves it to the environment's budget.
        pool: Where environments are reset and stepped.
        seed: With the task's id it seeds the environment.
        fits: Whether the model has room for a prompt and an answer; by default always.
        keep: Keep the episodes as they were left, for rewards that compare them.

    Returns:
        The trajectories, in the order of the tasks.

    Raises:
        EnvironmentFailed: If an environment raised; all others have finished the step that they were in.
        NoRoom: If there is no room for the first prompt of an episode.
    """
    episodes = [_Episode(env, task, ask, max_turns) for env, task in zip(envs, tasks, strict=True)]
    _together(pool, episodes, lambda episode: episode.reset(episode_seed(seed, episode.task)))
    for episode in episodes:
        episode.begin()
    while True:
        asked = []
        for episode in (episode for episode in episodes if not episode.end):
            prompt = episode.dialogue.prompt()
            if fits is None or fits(prompt):
                asked.append((episode, prompt))
            elif episode.turns:
                episode.end = "length"
            else:
                raise NoRoom(
                    f"The first prompt of task '{episode.task}' has {len(prompt.ids)} tokens, which leaves the model "
                    "no room to answer; shorten the prompt or show smaller images."
                )
        if not asked:
            break
        started = time.perf_counter()
        written = generate([prompt for _, prompt in asked])
        share = (time.perf_counter() - started) / len(asked)
        acting = []
        for (episode, _), ids in zip(asked, written, strict=True):
            episode.model_seconds += share
            if episode.hear(ids):
                acting.append(episode)
        _together(pool, acting, _Episode.act)
        for episode in acting:
            episode.see()
    unfinished = [episode for episode in episodes if episode.end in UNFINISHED]
    _together(pool, unfinished, _Episode.score)
    return [episode.trajectory(keep) for episode in episodes]


def episode_seed(seed: int, task: str) -> int:
    """The seed of an episode's environment, 0 to 2^32 - 1: a function of a seed and the task alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{task}".encode()).digest()[:4])


@dataclass(eq=False)
class _Episode:
    """An episode under way."""

    env: gym.Env[Any, Any]
    task: str
    ask: Callable[[Options], Dialogue]
    max_turns: int | None
    dialogue: Dialogue = field(init=False)
    replies: list[str] = field(default_factory=list)
    steps: int = 0
    turns: int = 0
    earned: float = 0.0
    reward: float | None = None
    parts: dict[str, float] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    end: str = ""
    environment_seconds: float = 0.0
    model_seconds: float = 0.0
    _seen: tuple[Any, Any, Any] = (None, {}, None)
    _action: Any = None

    def reset(self, seed: int) -> None:
        observation, info = self.env.reset(seed=seed, options={"task": self.task})
        self._seen = (observation, info, None)

    def begin(self) -> None:
        self.dialogue = self.ask(self.env.unwrapped.prompt_options)  # type: ignore[attr-defined]
        self.dialogue.saw(*self._seen)

    def hear(self, ids: Sequence[int]) -> bool:
        """Take the model's turn; whether there is something to do about it."""
        reply = self.dialogue.wrote(ids)
        self.turns += 1
        self.replies.append(reply.text)
        # Where one answer is all there is, to give none costs it; else it is how a model says that it is done.
        if self.dialogue.silent and self.env.unwrapped.max_calls > 1:  # type: ignore[attr-defined]
            self.end = "silent"
            return False
        self._action = reply.calls[0] if reply.calls else reply.text
        return True

    def act(self) -> None:
        observation, reward, terminated, truncated, info = self.env.step(self._action)
        self.steps += 1
        self.earned += float(reward)
        if info["error"]:
            self.errors[info["error"]] += 1
        self._seen = (observation, info, self._action)
        if terminated or truncated:
            self.end = str(info.get("end", "truncated" if truncated else "terminated"))
            if info.get("scored", True):
                self.reward = self.earned
                parts = {key: value for key, value in info.items() if key.startswith("reward/")}
                self.parts = {key.removeprefix("reward/"): float(value) for key, value in parts.items()}

    def see(self) -> None:
        """Tell the model what became of its call, if it will be asked again."""
        if not self.end and self.turns == self.max_turns:
            self.end = "turns"
        if not self.end:
            self.dialogue.saw(*self._seen)

    def score(self) -> None:
        """The reward of an episode that was left unfinished; with a dense reward, what was paid adds up to it."""
        design: Any = self.env.unwrapped
        score = design.reward.score(design.episode())
        self.reward = None if score.value is None else float(score.value)
        if score.value is not None:
            self.parts = {name: float(value) for name, value in score.components.items() if value is not None}

    def trajectory(self, keep: bool) -> Trajectory:
        return Trajectory(
            self.task,
            tuple(self.dialogue.rows()),
            tuple(self.replies),
            None if self.reward is None else round(self.reward / REWARD_STEP) * REWARD_STEP,
            self.parts,
            self.steps,
            dict(self.errors),
            self.turns,
            self.end,
            self.environment_seconds,
            self.model_seconds,
            self.env.unwrapped.episode() if keep else None,  # type: ignore[attr-defined]
            self._seen[0],
        )


def _together(pool: Executor, episodes: Sequence[_Episode], do: Callable[[_Episode], None]) -> None:
    """Do something with every episode's environment at once."""
    if not episodes:
        return

    def guarded(episode: _Episode) -> Exception | None:
        try:
            do(episode)
        except Exception as error:
            return error
        return None

    started = time.perf_counter()
    problems = list(pool.map(guarded, episodes))
    share = (time.perf_counter() - started) / len(episodes)
    for episode, problem in zip(episodes, problems, strict=True):
        episode.environment_seconds += share
        if problem is not None:
            raise EnvironmentFailed(
                f"The environment failed in task '{episode.task}': {type(problem).__name__}: {problem}"
            ) from problem
