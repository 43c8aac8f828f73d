"""A run in two processes: held-out tasks are shared, a SIGTERM to one stops both, and what fails in one ends both."""

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from turn_run import curves, weights  # noqa: E402
from two_ranks import launch  # noqa: E402


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run-two-ranks")
    code, printed = launch("run_two_ranks.py", str(folder), seconds=580)
    assert code == 0, printed
    return folder


def test_all_held_out_tasks_count_whichever_process_played_them(ran):
    for stage in ("sft", "grpo"):
        lines = (ran / "whole/stages" / stage / "validation.jsonl").read_text().splitlines()
        scores = [json.loads(line) for line in lines]
        assert [(score["step"], score["n"], score["second"]["n"]) for score in scores] == [
            (0, 3, 3), (2, 3, 3), (3, 3, 3)
        ]  # fmt: skip
        assert "best_step" in json.loads((ran / "whole/stages" / stage / "done.json").read_text())


def test_a_sigterm_to_one_process_stops_both_with_a_checkpoint(ran):
    assert all((ran / f"stopped-1-{rank}").is_file() for rank in (0, 1))
    assert (ran / "kept-0").read_text() == "checkpoint-1"


def test_the_run_that_was_stopped_twice_ends_as_the_one_that_was_not(ran):
    # What a stop leaves out of a step, its held-out tasks, is made up for after the step's other figures were written.
    one, two = (
        sorted(curves(ran / run, leave=("num_tokens",)), key=lambda point: (*point[:2], "loss" in point[2]))
        for run in ("parts", "whole")
    )
    assert one == two and len(one) == 2 * (3 + 3)
    for stage in ("sft", "grpo"):
        assert weights(ran / "parts", stage) == weights(ran / "whole", stage)


def test_a_failure_in_one_process_ends_both(ran):
    assert (ran / "error-1").read_text() == "ZeroDivisionError: division by zero"
    said = (ran / "error-0").read_text()
    assert said == "OtherFailed: Another process cannot go on: ZeroDivisionError: division by zero"
