"""Agents that wait for others: trials in threads, which wait for nobody, fail alone and end cleanly."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from designgym.agents.base import Reply
from designgym.endpoint import EndpointDownError
from designgym.eval.at_once import Gate, Halted, at_once
from designgym.eval.replay import replay
from designgym.eval.results import read_results
from designgym.eval.runner import run

ENV = "designgym/AestheticLocalization-v0"
CANVAS = "designgym/CanvasDrawing-v0"
SMALL: dict[str, Any] = {"split": "test", "designs": "blocks", "image_size": 64}
TASKS = [f"test-00000{i}" for i in range(8)]
LINE = {"name": "draw_lines", "arguments": {"lines": [{"x1": 10, "y1": 10, "x2": 90, "y2": 90}]}}


def box(side: float) -> dict[str, Any]:
    return {"name": "answer", "arguments": {"bbox": [0.0, 0.0, side, side]}}


class Waits:
    """Answers by the darkness of the page, once every trial of the first wave has asked."""

    concurrent = True

    def __init__(self, parties: int, concurrency: int | None = None) -> None:
        self.barrier = threading.Barrier(parties, timeout=10)
        if concurrency is not None:
            self.concurrency = concurrency

    def __call__(self, observation: Any, info: Any) -> Any:
        self.barrier.wait()
        return box(float(observation["image"].mean()) / 300)


def alone(observation: Any, info: Any) -> Any:
    return box(float(observation["image"].mean()) / 300)


@pytest.mark.parametrize(("concurrency", "batch_size"), [(None, 4), (4, 1)])
def test_as_many_trials_as_are_asked_for_wait_together_and_play_as_single_ones(
    concurrency: int | None, batch_size: int, tmp_path: Path
) -> None:
    agent = Waits(4, concurrency)  # with fewer threads the barrier would break
    results = run(agent, ENV, SMALL, TASKS, out=tmp_path / "run", batch_size=batch_size)
    assert results == run(alone, ENV, SMALL, TASKS)
    assert all(not again.differences for again in replay(tmp_path / "run" / "traces.jsonl"))


def test_a_slow_trial_keeps_nobody_waiting() -> None:
    finished: list[str] = []
    others_done = threading.Event()

    class Slow:
        concurrent = True

        def __call__(self, observation: Any, info: Any) -> Any:
            if info["task"] == TASKS[0]:
                assert others_done.wait(10)
            return box(0.5)

    def progress(done: int, of: int, result: Any) -> None:
        finished.append(result.task)
        if done == len(TASKS) - 1:
            others_done.set()

    results = run(Slow(), ENV, SMALL, TASKS, batch_size=2, progress=progress)
    assert finished[-1] == TASKS[0] and [r.task for r in results] == TASKS
    assert not any(r.failure for r in results)


def test_trials_of_one_task_are_never_under_way_together() -> None:
    under_way: set[str] = set()

    class Careful:
        concurrent = True

        def __call__(self, observation: Any, info: Any) -> Any:
            assert info["task"] not in under_way
            under_way.add(info["task"])
            time.sleep(0.005)
            under_way.discard(info["task"])
            return box(0.5)

    results = run(Careful(), ENV, SMALL, TASKS[:2], replicates=4, batch_size=8)
    assert len(results) == 8 and not any(r.failure for r in results)


def test_a_failing_trial_is_recorded_and_the_others_go_on() -> None:
    class Fails:
        concurrent = True

        def __call__(self, observation: Any, info: Any) -> Any:
            if info["task"] == TASKS[2]:
                raise RuntimeError("cannot")
            return box(0.5)

    results = run(Fails(), ENV, SMALL, TASKS, batch_size=4)
    assert [r.failure for r in results if r.failure] == ["RuntimeError: cannot"] and results[2].end == "failure"


@pytest.mark.parametrize("concurrent", [False, True])
def test_an_endpoint_that_is_down_ends_the_run_and_what_was_finished_is_kept(concurrent: bool, tmp_path: Path) -> None:
    class Down:
        def __init__(self) -> None:
            self.concurrent = concurrent
            self.asked = 0

        def __call__(self, observation: Any, info: Any) -> Any:
            self.asked += 1
            if self.asked > 3:
                raise EndpointDownError("Nobody answers.")
            return box(0.5)

    with pytest.raises(EndpointDownError):
        run(Down(), ENV, SMALL, TASKS, out=tmp_path, batch_size=1)
    assert list(read_results(tmp_path / "results.jsonl")) == TASKS[:3]
    results = run(alone, ENV, SMALL, TASKS, out=tmp_path, resume=True)
    assert len(results) == len(TASKS)


def test_a_turns_own_end_comes_after_its_calls_and_is_scored() -> None:
    def leaves(observation: Any, info: Any) -> Reply:
        return Reply("enough", (LINE,), end="tokens", usage={"prompt_tokens": 7, "requests": 2})

    (result,) = run(leaves, CANVAS, {"split": "test"}, ["is01"])
    assert (result.end, result.calls, result.rounds, result.scored) == ("tokens", 1, 1, True)
    assert result.usage == {"prompt_tokens": 7.0, "requests": 2.0}


def test_a_refusal_leaves_a_question_unanswered() -> None:
    (result,) = run(lambda o, i: Reply("I will not.", end="refused"), ENV, SMALL, TASKS[:1])
    assert (result.end, result.calls, result.answer, result.reward) == ("refused", 0, None, 0.0)


def test_what_turns_took_is_summed_over_a_trial_and_survives_the_file(tmp_path: Path) -> None:
    def tells(observation: Any, info: Any) -> Reply:
        return Reply("x", (LINE,), usage={"completion_tokens": 3, "seconds": 0.25})

    (result,) = run(tells, CANVAS, {"split": "test"}, ["is01"], max_rounds=4, out=tmp_path)
    assert result.usage == {"completion_tokens": 12.0, "seconds": 1.0}
    assert read_results(tmp_path / "results.jsonl")["is01"] == result


def test_an_agent_that_wants_to_see_sees_every_call_in_the_middle_of_a_turn() -> None:
    seen: list[tuple[Any, str, str]] = []

    class Sees:
        def saw(self, action: Any, observation: Any, info: Any) -> None:
            seen.append((action, info["error"], info["trial"]))

        def __call__(self, observation: Any, info: Any) -> Reply:
            return Reply("two and a half", (LINE, {"name": "nope", "arguments": {}}, "draw!"))

    run(Sees(), CANVAS, {"split": "test"}, ["is01"], max_rounds=1)
    assert seen == [
        (LINE, "", "is01"),
        ({"name": "nope", "arguments": {}}, "invalid_action", "is01"),
        ("draw!", "format", "is01"),
    ]


def test_nothing_passes_a_closed_gate() -> None:
    gate, kept = Gate(), []

    def work(resource: int, item: int) -> None:
        if item == 1:
            raise ValueError("one")
        time.sleep(0.2)
        with gate:
            kept.append(item)

    with pytest.raises(ValueError, match="one"):
        at_once(work, [0, 1, 2, 3], [0, 1], gate, alike=lambda item: item)
    assert kept == []
    with pytest.raises(Halted), gate:
        pass


SCRIPT = """
import sys, threading, time
from designgym.eval.runner import run
class Hangs:
    concurrent = True
    def __call__(self, observation, info):
        if info["task"] > "test-000001":
            print("hangs", flush=True)
            time.sleep(600)
        return {"name": "answer", "arguments": {"bbox": None}}
tasks = [f"test-00000{i}" for i in range(4)]
kwargs = {"split": "test", "designs": "blocks", "image_size": 64}
try:
    run(Hangs(), "designgym/AestheticLocalization-v0", kwargs, tasks, out=sys.argv[1], batch_size=4)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_run_whose_model_hangs_and_loses_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore Ctrl-C
    )
    assert process.stdout is not None
    assert [process.stdout.readline().strip() for _ in range(2)] == ["hangs"] * 2
    results = tmp_path / "run" / "results.jsonl"
    until = time.monotonic() + 20
    while len(results.read_text().splitlines() if results.exists() else []) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert "interrupted" in out and err == "" and process.returncode == 0
    assert set(read_results(results)) == {"test-000000", "test-000001"}
