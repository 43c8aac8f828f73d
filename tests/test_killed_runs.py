"""Runs that are ended from outside, by Ctrl-C or by a kill that cannot be caught: what was done stays, once each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import build
from designgym.eval.parallel import Job, processes, run_parallel
from designgym.eval.results import read_results
from designgym.eval.runner import make, run
from designgym.trace import read_episodes

CANVAS = "designgym/CanvasDrawing-v0"
KWARGS: dict[str, Any] = {"max_calls": 3, "reward": "ink", "split": "train"}
COUNT = 400
COMMAND = ["eval", CANVAS, "--agent", "random", "--split", "train", "--limit", str(COUNT), "--workers", "2",
           "--set", "env.kwargs={max_calls: 3, reward: ink}"]  # fmt: skip

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")


def alive(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, own = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):  # no process, or one that has ended meanwhile
            continue
        if own == str(group) and state != "Z":
            found.append(int(entry.name))
    return found


def until(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def in_the_middle(out: Path) -> subprocess.Popen[str]:
    """The command in a process group of its own, some of whose trials are done and others not."""
    process = subprocess.Popen(
        [sys.executable, "-m", "designgym.cli.main", *COMMAND, "--output", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore Ctrl-C
    )
    results = out / "agents" / "random" / "results.jsonl"
    assert until(lambda: results.exists() and b"\n" in results.read_bytes())
    return process


def goes_on(out: Path) -> None:
    """What was done is kept, the rest is played, and all of it is what an undisturbed run finds."""
    folder = out / "agents" / "random"
    kept = read_results(folder / "results.jsonl")
    assert 0 < len(kept) < COUNT
    env = make(CANVAS, KWARGS)
    tasks = list(env.unwrapped.task_ids("train")[:COUNT])  # type: ignore[attr-defined]
    played: list[str] = []
    found = run_parallel(Job("random", {}, CANVAS, KWARGS), tasks, processes(2), out=folder, resume=True, name="random",
                         progress=lambda done, total, result: played.append(result.name))  # fmt: skip
    assert set(played) == set(tasks) - kept.keys() and len(played) == len(tasks) - len(kept)
    assert len((folder / "results.jsonl").read_text().splitlines()) == COUNT
    assert found == run(build("random", env), CANVAS, KWARGS, tasks)
    steps = {episode[0].episode: len(episode) for episode in read_episodes(folder / "traces.jsonl")}
    assert steps == {result.name: result.calls + 1 for result in found}


@pytest.mark.filterwarnings("ignore::designgym.jsonl.CutOffWarning")
def test_a_killed_run_leaves_no_worker_behind_and_goes_on_with_nothing_lost_or_twice(tmp_path: Path) -> None:
    process = in_the_middle(tmp_path / "out")
    process.kill()
    process.communicate(timeout=60)
    assert until(lambda: not alive(process.pid)), "workers outlive the process that they work for"
    goes_on(tmp_path / "out")


def test_ctrl_c_ends_a_run_and_its_workers_and_leaves_a_folder_that_goes_on(tmp_path: Path) -> None:
    process = in_the_middle(tmp_path / "out")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err
    assert until(lambda: not alive(process.pid), 5)
    goes_on(tmp_path / "out")
