"""Trials in several processes, of this machine or of a Ray cluster; one process alone writes what came out.

Each worker makes the agent and the environment for itself and plays trials in portions. A trial depends on the run's
seed and its own name and on nothing else, so what is recorded does not depend on the number of workers; its order does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from designgym.agents.base import Batched
from designgym.agents.table import build
from designgym.errors import UserError, require
from designgym.eval.record import IMAGES, TRACES, PathLike, Record
from designgym.eval.results import Result, trial_name
from designgym.eval.runner import Play, Progress, finished, make, opened, play
from designgym.trace import EpisodeTrace, TraceWriter

PORTION = 16
"""Most trials that a worker plays between two reports; a kill loses at most so many of each worker."""

Portion = list[tuple[Result, list[str]]]
"""Results with the lines of their traces."""
Spread = Callable[["Job", Sequence[list[Play]], str | None], Iterator[Portion]]
"""Plays portions somewhere, with the folder for observed images, and yields what came out, in any order."""


class WorkerDied(UserError):
    """A worker was killed from outside, most often for want of memory; what was finished is kept."""


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know, as data that can be sent.

    Attributes:
        agent: Name in the table of agents, or an import path.
        options: Of the agent.
        env_id: Registered id.
        env_kwargs: Arguments of the environment.
        seed: The run's seed.
        max_rounds: Most turns in a trial.
        images: Keep the observed images.
    """

    agent: str
    options: Mapping[str, Any]
    env_id: str
    env_kwargs: Mapping[str, Any]
    seed: int = 0
    max_rounds: int | None = None
    images: bool = False


def run_parallel(
    job: Job,
    tasks: Sequence[str],
    spread: Spread,
    *,
    replicates: int = 1,
    out: PathLike,
    resume: bool = False,
    name: str = "",
    progress: Progress | None = None,
) -> list[Result]:
    """Play every task as ``designgym.eval.runner.run`` does, spread over workers.

    Args:
        job: What is played, by whom.
        tasks: Task ids, each once.
        spread: :func:`processes` or :func:`ray_cluster`.
        replicates: Trials of each task.
        out: The run's folder.
        resume: Go on with what it holds.
        name: The agent's name, for the manifest.
        progress: Called after every trial.

    Returns:
        The results in the order of ``tasks``, first those of each task's first trial.

    Raises:
        UserError: As ``run``; ``WorkerDied`` if a worker did.
    """
    plays = [(task, replicate) for replicate in range(replicates) for task in tasks]
    with contextlib.ExitStack() as stack:
        env = make(job.env_id, job.env_kwargs)
        stack.callback(env.close)
        kwargs, options = dict(job.env_kwargs), {"name": job.agent, "options": dict(job.options)}
        record = opened(out, env, kwargs, job.seed, name, options, images=job.images, resume=resume)
        stack.callback(record.close)
        results = finished(plays, record)
        left = [each for each in plays if trial_name(*each) not in results]
        stream = spread(job, _portions(left), str(Path(out).resolve() / IMAGES) if job.images else None)
        with contextlib.closing(stream):  # type: ignore[type-var]
            for portion in stream:
                _keep(portion, record, results, len(plays), progress)
    return [results[trial_name(*each)] for each in plays]


def _keep(portion: Portion, record: Record, results: dict[str, Result], total: int, progress: Progress | None) -> None:
    for result, lines in portion:
        record.add(result, lines)
        results[result.name] = result
        if progress is not None:
            progress(len(results), total, result)


def _portions(plays: Sequence[Play]) -> list[list[Play]]:
    """Small ones for few trials, so that every worker has some."""
    size = max(1, min(PORTION, len(plays) // 32))
    return [list(plays[start : start + size]) for start in range(0, len(plays), size)]


def processes(workers: int) -> Spread:
    """Spread over processes of this machine, started anew so that they inherit no threads.

    Args:
        workers: How many, at least 1.
    """

    def spread(job: Job, portions: Sequence[list[Play]], images: str | None) -> Iterator[Portion]:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(max(1, min(workers, len(portions))), mp_context=context, initializer=_bound)
        waiting = iter(portions)
        running: set[Future[Portion]] = set()
        try:
            while True:
                # Few portions ahead: what is queued cannot be taken back when the run is stopped.
                for portion in waiting:
                    running.add(pool.submit(work, job, portion, images))
                    if len(running) >= 2 * workers:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BrokenProcessPool as error:
            raise WorkerDied(
                "A worker was killed, most often for want of memory. What was finished is kept: go on with --resume "
                "and fewer --workers."
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list((pool._processes or {}).values()):
                process.terminate()

    return spread


def ray_cluster(address: str = "local") -> Spread:
    """Spread over a Ray cluster, of which every node needs this package and whatever files the run names.

    Args:
        address: Such as ``"auto"`` or ``"ray://head:10001"``; ``"local"`` starts one on this machine.
    """
    ray: Any = require("ray", extra="ray")

    def spread(job: Job, portions: Sequence[list[Play]], images: str | None) -> Iterator[Portion]:
        own = not ray.is_initialized()
        if own:
            ray.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
        try:
            remote = ray.remote(max_retries=2)(work)
            most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            waiting, running = iter(portions), []
            while True:
                for portion in waiting:
                    running.append(remote.remote(job, portion, images))
                    if len(running) >= most:
                        break
                if not running:
                    return
                done, running = ray.wait(running, num_returns=1)
                for reference in done:
                    yield ray.get(reference)
        finally:
            if own:
                ray.shutdown()

    return spread


@dataclass
class _Traces:
    """Keeps the lines of the trials under way in memory."""

    images: str | None
    lines: dict[str, list[str]] = field(default_factory=dict)

    def begin(self, env: Any, seed: int, name: str, observation: Any, info: Any) -> EpisodeTrace:
        own: list[str] = []
        self.lines[name] = own
        writer = TraceWriter(TRACES, images=self.images, lines=own.append)
        return writer.begin(env, seed=seed, observation=observation, info=info, episode=name, group=info["task"])


_MADE: dict[str, tuple[Any, Any]] = {}
"""The environment and the agent of the latest job in this process."""


def work(job: Job, plays: Sequence[Play], images: str | None = None) -> Portion:
    """Play a portion of a run's trials; agent and environment stay for the next portion of the same job."""
    if (key := repr(job)) not in _MADE:
        _MADE.clear()
        env = make(job.env_id, job.env_kwargs)
        _MADE[key] = (env, build(job.agent, env, job.seed, **job.options))
    env, agent = _MADE[key]
    traces = _Traces(images)
    done: Portion = []

    def keep(result: Result) -> None:
        done.append((result, traces.lines.pop(result.name, [])))

    play(agent, env, plays, job.seed, keep, traces, max_rounds=job.max_rounds)
    return done


def spreads(agent: Any) -> bool:
    """Whether copies of an agent may play in several processes: not if it answers in batches or waits for a server."""
    return not isinstance(agent, Batched) and not getattr(agent, "concurrent", False)


def _bound() -> None:
    """Bind a worker to the process that writes: Ctrl-C, which goes to both, is for that one, and so is the last word.

    A worker waits for work in a way that does not notice when nobody is left to give any.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
