"""Plays an agent on tasks, several at once if it can answer them so, and keeps what happened as it happens."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import gymnasium as gym

import designgym
from designgym.agents.base import Agent, Batched, Beginning, Reply, Seeing
from designgym.endpoint import EndpointDownError, WrongEndpointError
from designgym.env import DesignEnv
from designgym.errors import UserError
from designgym.eval.at_once import Gate, at_once
from designgym.eval.record import PathLike, Record
from designgym.eval.results import Result, trial_name
from designgym.trace import EpisodeTrace

Env: TypeAlias = "gym.Env[Any, Any]"
Play: TypeAlias = tuple[str, int]
"""Task and replicate."""
Progress = Callable[[int, int, Result], None]
"""Called after every trial with the number done, the number of all, and the result."""


class Begins(Protocol):
    """What begins the traces of trials, such as a :class:`~designgym.eval.record.Record`."""

    def begin(self, env: Env, seed: int, name: str, observation: Any, info: Any) -> EpisodeTrace:
        """The trace of a trial that was reset."""
        ...


def run(
    agent: Agent,
    env_id: str,
    env_kwargs: Mapping[str, Any] | None = None,
    tasks: Iterable[str] = (),
    seed: int = 0,
    *,
    replicates: int = 1,
    out: PathLike | None = None,
    resume: bool = False,
    name: str = "",
    options: Mapping[str, Any] | None = None,
    batch_size: int = 1,
    max_rounds: int | None = None,
    images: bool = False,
    progress: Progress | None = None,
) -> list[Result]:
    """Play every task once, or as often as ``replicates`` says.

    An exception of the agent is recorded in the result of its task and the run goes on, except where it says that its
    endpoint is down or will answer nothing; one of the environment is a bug and ends the run. Whatever ends it, Ctrl-C
    too, the trials so far lie in ``out``, to be resumed.

    Args:
        agent: See ``designgym.agents.base``. If it has ``act_batch``, up to ``batch_size`` trials are played in
            lock-step; if it is ``concurrent``, as many in threads, which do not wait for each other; otherwise one
            after the other.
        env_id: Registered id.
        env_kwargs: Arguments of the environment.
        tasks: Task ids, each once.
        seed: With the trial's name it seeds the environment, so that a trial does not depend on its place in the run.
        replicates: Trials of each task. They differ by what the agent draws: a model samples anew, and to others
            ``info["trial"]`` tells the trial's name. Two of one task are never under way at once, since agents remember
            a trial by its task.
        out: A folder for ``results.jsonl``, ``traces.jsonl`` and ``manifest.json``; None keeps nothing.
        resume: Continue a run in ``out``: finished tasks are not played again, failed ones are.
        name: The agent's name, for the manifest.
        options: What the agent was made with, for the manifest: a run is not resumed with another agent.
        batch_size: Most trials under way at once.
        max_rounds: Most turns of the agent in a trial; None leaves it to the environment's budget.
        images: Keep the observed images beside the traces.
        progress: Called after every trial.

    Returns:
        The results, in the order of ``tasks``, first those of each task's first trial.

    Raises:
        UserError: For an unknown environment or argument, a task that does not exist or is given twice, an ``out`` that
            holds another run.
    """
    tasks = list(tasks)
    if repeated := [task for task, count in Counter(tasks).items() if count > 1]:
        raise UserError(f"Task {repeated[0]!r} is given more than once; ask for replicates instead.")
    plays = [(task, replicate) for replicate in range(replicates) for task in tasks]
    kwargs = dict(env_kwargs or {})
    with contextlib.ExitStack() as stack:
        env = make(env_id, kwargs)
        stack.callback(env.close)
        record: Record | None = None
        if out is not None:
            record = opened(out, env, kwargs, seed, name, options, images=images, resume=resume)
            stack.callback(record.close)
        results = finished(plays, record)

        def keep(result: Result) -> None:
            results[result.name] = result
            if record is not None:
                record.add(result)
            if progress is not None:
                progress(len(results), len(plays), result)

        waiting = [play for play in plays if trial_name(*play) not in results]
        play(agent, env, waiting, seed, keep, record, batch_size=batch_size, max_rounds=max_rounds)
    return [results[trial_name(*each)] for each in plays]


def opened(
    out: PathLike,
    env: Env,
    kwargs: Mapping[str, Any],
    seed: int,
    name: str,
    options: Mapping[str, Any] | None,
    *,
    images: bool,
    resume: bool,
) -> Record:
    """The record of a run of an agent in a folder."""
    design: Any = env.unwrapped
    backend = dataclasses.asdict(design.reward.backend)
    made_with = {"agent": name, **({"options": dict(options)} if options else {})}
    return Record(out, env.spec.id, kwargs, seed, made_with, backend, images=images, resume=resume)  # type: ignore[union-attr]


def finished(plays: Iterable[Play], record: Record | None) -> dict[str, Result]:
    """The trials that a record holds already, by name, in the order of ``plays``; those that failed are left out."""
    done = {} if record is None else {name: r for name, r in record.finished.items() if not r.failure}
    return {name: done[name] for each in plays if (name := trial_name(*each)) in done}


def play(
    agent: Agent,
    env: Env,
    plays: Sequence[Play],
    seed: int,
    keep: Callable[[Result], object],
    record: Begins | None = None,
    *,
    batch_size: int = 1,
    max_rounds: int | None = None,
) -> None:
    """Play trials in an environment and its likes, and hand on each result when it ends.

    Args:
        agent: Who plays.
        env: Made by :func:`make`; more are made for agents that answer in batches.
        plays: Task and replicate of each trial.
        seed: The run's.
        keep: Called with every result.
        record: Begins the traces; None keeps none.
        batch_size: Most trials under way at once.
        max_rounds: Most turns of the agent in a trial.
    """
    spec: Any = env.spec
    concurrent = bool(getattr(agent, "concurrent", False))
    most = int(getattr(agent, "concurrency", batch_size)) if concurrent else batch_size
    envs = [env]
    try:
        while len(envs) < min(most if concurrent or isinstance(agent, Batched) else 1, len(plays)):
            envs.append(make(spec.id, spec.kwargs))
        table = _Table(agent, seed, keep, record, max_rounds)
        (table.at_once if concurrent else table.in_step)(plays, envs)
    finally:
        _close(envs[1:])


@dataclass(frozen=True)
class _Table:
    """Where trials are played: the arguments of :func:`play` that all of them share."""

    agent: Agent
    seed: int
    keep: Callable[[Result], object]
    record: Begins | None
    max_rounds: int | None

    def in_step(self, plays: Sequence[Play], envs: Sequence[Env]) -> None:
        """All trials under way are asked about together."""
        waiting = list(reversed(plays))
        free, active = list(reversed(envs)), list[_Trial]()

        def finish(trial: _Trial) -> None:
            self.keep(trial.result())
            free.append(trial.env)

        while waiting or active:
            while free and waiting and all(trial.task != waiting[-1][0] for trial in active):
                trial = _Trial(free.pop(), *waiting.pop())
                trial.reset(self.agent, self.seed, self.record)
                if trial.failure:
                    finish(trial)
                else:
                    active.append(trial)
            replies = _ask(self.agent, active) if active else []
            for trial, reply in zip(list(active), replies, strict=True):
                trial.play(reply, self.max_rounds)
                if trial.end:
                    active.remove(trial)
                    finish(trial)

    def at_once(self, plays: Sequence[Play], envs: Sequence[Env]) -> None:
        """Each trial goes on by itself, in a thread of its own."""
        gate = Gate()

        def single(env: Env, play: Play) -> None:
            trial = _Trial(env, *play, gate=gate)
            trial.reset(self.agent, self.seed, self.record)
            while not trial.end:
                reply = _ask_one(self.agent, trial)
                with gate:
                    pass  # what was asked for before a stop is not played after it
                trial.play(reply, self.max_rounds)
            with gate:
                self.keep(trial.result())

        at_once(single, plays, envs, gate, alike=lambda play: play[0])


def make(env_id: str, kwargs: Mapping[str, Any]) -> Env:
    """Make an environment of this package's kind; a mistake in its id or arguments is the user's.

    Raises:
        UserError: If there is no such environment, it is of another kind, or an argument is none of its own.
    """
    assert designgym.__version__  # importing the package registers its ids
    for name in kwargs:
        if name in _MAKERS_OWN:
            raise UserError(f"{env_id!r} has no argument {name!r}; that one belongs to gym.make.")
    if kwargs.get("render_mode") == "human":
        raise UserError("render_mode 'human' opens a window, which a run has no use for; leave it out.")
    try:
        # The checker is for those who write environments; it costs more than a light step does.
        env = gym.make(env_id, disable_env_checker=True, **kwargs)
    except gym.error.UnregisteredEnv as error:
        raise UserError(f"There is no environment {env_id!r}: {error}") from error
    except gym.error.Error as error:
        raise UserError(f"The environment {env_id!r} cannot be made: {error}") from error
    except TypeError as error:
        if isinstance(error.__cause__, UserError):  # our own sentence, to which gym.make has added all arguments
            raise error.__cause__ from None
        raise
    if not isinstance(env.unwrapped, DesignEnv):
        raise UserError(f"{env_id!r} is no environment of tool calls and tasks, as agents, rewards and traces need it.")
    return env


_MAKERS_OWN = {name for name, p in inspect.signature(gym.make).parameters.items() if p.kind is not p.VAR_KEYWORD}


def task_seed(seed: int, name: str) -> int:
    """The seed of a trial: a function of the run's seed and the trial's name alone, 0 to 2^32 - 1."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:4])


@dataclass(eq=False)
class _Trial:
    """A trial under way in one environment."""

    env: Env
    task: str
    replicate: int = 0
    observation: Any = None
    info: dict[str, Any] = field(default_factory=dict)
    trace: EpisodeTrace | None = None
    reward: float = 0.0
    calls: int = 0
    rounds: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    text: str = ""
    end: str = ""
    failure: str = ""
    usage: dict[str, float] = field(default_factory=dict)
    watcher: Seeing | None = None
    gate: contextlib.AbstractContextManager[None] = field(default_factory=contextlib.nullcontext)
    """Held while something is written."""

    def reset(self, agent: Agent, seed: int, record: Begins | None) -> None:
        name = trial_name(self.task, self.replicate)
        own_seed = task_seed(seed, name)
        self.observation, self.info = self.env.reset(seed=own_seed, options={"task": self.task})
        if record is not None:
            with self.gate:
                self.trace = record.begin(self.env, own_seed, name, self.observation, self.info)
        self.watcher = agent if isinstance(agent, Seeing) else None
        if isinstance(agent, Beginning):
            try:
                agent.begin(self.env, self.shown)
            except Exception as error:
                self._fail(error)

    def play(self, reply: Any, max_rounds: int | None) -> None:
        """Carry out one turn of the agent."""
        if isinstance(reply, Exception):
            self._fail(reply)
            return
        turn = reply if isinstance(reply, Reply) else Reply(reply if isinstance(reply, str) else "", (reply,))
        self.text = turn.text
        for name, value in turn.usage.items():
            self.usage[name] = self.usage.get(name, 0.0) + float(value)
        end = turn.end or ("silent" if turn.silent and self._design.max_calls > 1 else "")
        if end and not turn.calls:
            self.rounds += 1
            self._leave(end)
            return
        for index, action in enumerate(turn.calls or (turn.text,)):
            self.observation, reward, terminated, truncated, self.info = self.env.step(action)
            self.reward += float(reward)
            self.calls += 1
            if self.info["error"]:
                self.errors[self.info["error"]] += 1
            over = terminated or truncated
            if self.trace is not None:
                told: dict[str, Any] = {"reply": turn.text, "usage": turn.usage} if index == 0 else {}
                step = (action, self.observation, float(reward), terminated, truncated, self.info)
                with self.gate:
                    self.trace.step(*step, round=self.rounds, **told)
            if self.watcher is not None:
                try:
                    self.watcher.saw(action, self.observation, self.shown)
                except Exception as error:
                    self._fail(error)
                    return
            if over:
                self.end = str(self.info.get("end", "truncated" if truncated else "terminated"))
                break
        self.rounds += 1
        if not self.end and end:
            self._leave(end)
        if not self.end and max_rounds is not None and self.rounds >= max_rounds:
            self._leave("rounds")

    def _leave(self, end: str) -> None:
        """End the trial from outside: it is unfinished, and scored as it stands."""
        self.end = end
        score = self._design.reward.score(self._design.episode())
        self.reward = score.value or 0.0
        parts = {f"reward/{name}": value or 0.0 for name, value in score.components.items()}
        self.info = {**self.info, **parts, "scored": score.value is not None}

    @property
    def shown(self) -> dict[str, Any]:
        """What the agent gets as info: the environment's, and the trial's name."""
        return {**self.info, "trial": trial_name(self.task, self.replicate)}

    @property
    def _design(self) -> Any:
        return self.env.unwrapped

    def result(self) -> Result:
        episode = self._design.episode()
        prefix = "reward/"
        return Result(
            task=self.task,
            reward=self.reward,
            rewards={k.removeprefix(prefix): float(v) for k, v in self.info.items() if k.startswith(prefix)},
            scored=bool(self.info.get("scored", True)),
            end=self.end,
            calls=self.calls,
            rounds=self.rounds,
            errors=dict(self.errors),
            answer=dict(episode.done_calls[-1].arguments) if episode.done_calls else None,
            truth=dict(episode.truth),
            text=self.text,
            failure=self.failure,
            replicate=self.replicate,
            usage=dict(self.usage),
        )

    def _fail(self, error: Exception) -> None:
        self.failure, self.end = f"{type(error).__name__}: {error}", "failure"


def _ask(agent: Agent, trials: Sequence[_Trial]) -> list[Any]:
    """A reply, or the exception, for every trial. One that fails in a batch is asked for again alone."""
    if len(trials) > 1 and isinstance(agent, Batched):
        with contextlib.suppress(Exception):  # which of them it was is found below
            replies = list(agent.act_batch([t.observation for t in trials], [t.shown for t in trials]))
            if len(replies) == len(trials):
                return replies
    return [_ask_one(agent, trial) for trial in trials]


def _ask_one(agent: Agent, trial: _Trial) -> Any:
    try:
        return agent(trial.observation, trial.shown)
    except (EndpointDownError, WrongEndpointError):  # all other trials would fail so, too
        raise
    except Exception as error:
        return error


def _close(envs: Sequence[Env]) -> None:
    for env in envs:
        env.close()
