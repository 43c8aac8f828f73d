"""Trials in several processes: the same as in one, and whatever ends a run costs only what was under way."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import build
from designgym.cli.main import main
from designgym.errors import UserError
from designgym.eval.parallel import Job, WorkerDied, processes, ray_cluster, run_parallel, spreads
from designgym.eval.replay import replay
from designgym.eval.results import Result, read_results
from designgym.eval.runner import run

CANVAS = "designgym/CanvasDrawing-v0"
KWARGS: dict[str, Any] = {"split": "test", "max_calls": 3}
TASKS = [f"is{number:02}" for number in range(1, 9)]
JOB = Job("random", {}, CANVAS, KWARGS, seed=4)


class Failing:
    """Fails on one task, and on another ends its process as the kernel does when memory is short."""

    def __init__(self, lethal: str = "") -> None:
        self.lethal = lethal

    def __call__(self, observation: Any, info: Any) -> dict[str, Any]:
        if info["task"] == "is03":
            raise RuntimeError("no idea")
        if info["task"] == self.lethal:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"name": "drawing_finished", "arguments": {"label": "Nothing"}}


def failing(env: Any, seed: int = 0, lethal: str = "") -> Failing:
    return Failing(lethal)


def serial(tmp_path: Path, replicates: int = 1) -> list[Result]:
    agent = build("random", gym.make(CANVAS, **KWARGS), 4)
    return run(agent, CANVAS, KWARGS, TASKS, 4, replicates=replicates, out=tmp_path / "serial", images=True)


def lines(folder: Path) -> list[str]:
    return sorted((folder / "traces.jsonl").read_text().splitlines())


def test_two_processes_record_what_one_records(tmp_path: Path) -> None:
    job = Job("random", {}, CANVAS, KWARGS, seed=4, images=True)
    seen: list[int] = []
    found = run_parallel(
        job, TASKS, processes(2), replicates=2, out=tmp_path / "two", progress=lambda done, *_: seen.append(done)
    )
    assert found == serial(tmp_path, replicates=2)
    assert lines(tmp_path / "two") == lines(tmp_path / "serial")
    images = [{file.name for file in (tmp_path / each / "images").iterdir()} for each in ("two", "serial")]
    assert images[0] == images[1] and images[0]
    assert sorted(seen) == list(range(1, 17))
    assert all(again.differences == () for again in replay(tmp_path / "two" / "traces.jsonl"))


def test_a_stopped_run_goes_on_and_nothing_is_played_twice(tmp_path: Path) -> None:
    def stop(done: int, total: int, result: Result) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_parallel(JOB, TASKS, processes(2), out=tmp_path / "two", progress=stop)
    kept = read_results(tmp_path / "two" / "results.jsonl")
    assert 3 <= len(kept) < len(TASKS)
    with pytest.raises(UserError, match="already holds a run"):
        run_parallel(JOB, TASKS, processes(2), out=tmp_path / "two")
    found = run_parallel(JOB, TASKS, processes(2), out=tmp_path / "two", resume=True)
    assert found == serial(tmp_path)
    assert len((tmp_path / "two" / "results.jsonl").read_text().splitlines()) == len(TASKS)


def test_an_agent_that_raises_costs_its_trial_and_a_worker_that_dies_its_portion(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    name = "test_parallel_runs:failing"
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    found = run_parallel(Job(name, {}, CANVAS, KWARGS), TASKS, processes(2), out=tmp_path / "fails")
    assert [result.failure for result in found if result.failure] == ["RuntimeError: no idea"]
    lethal = Job(name, {"lethal": "is08"}, CANVAS, KWARGS)
    with pytest.raises(WorkerDied, match="--resume"):
        run_parallel(lethal, TASKS, processes(1), out=tmp_path / "dies")
    assert 0 < len(read_results(tmp_path / "dies" / "results.jsonl")) < len(TASKS)


def test_the_command_spreads_agents_that_compute_and_leaves_models_in_one_process(tmp_path: Path) -> None:
    out = tmp_path / "evaluation"
    arguments = ["eval", "eval/canvas", "--limit", "4", "--agent", "random", "--workers", "2", "--output", str(out)]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert len(read_results(out / "agents" / "random" / "results.jsonl")) == 4

    class Many:
        def act_batch(self, observations: Any, infos: Any) -> list[Any]:
            return []

    assert spreads(Failing()) and not spreads(Many())


@pytest.mark.slow
def test_a_ray_cluster_records_what_one_process_records(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    found = run_parallel(JOB, TASKS, ray_cluster("local"), out=tmp_path / "ray")
    assert found == serial(tmp_path)
    assert lines(tmp_path / "ray") == lines(tmp_path / "serial")
