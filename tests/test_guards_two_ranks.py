"""Guards of a run in two processes: a collapse stops both, and one that stands still is seen in the stacks of both."""

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from two_ranks import launch  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guards-two-ranks")
    code, printed = launch("guards_two_ranks.py", str(folder), seconds=300)
    assert code == 1, printed  # torchrun's own, for a process that ended with another
    assert "exitcode  : 75" in printed
    return folder


def test_a_collapse_stops_both_processes_at_the_same_step_and_again(ran):
    said = [(ran / f"collapsed-{number}-{rank}").read_text() for number in (1, 2) for rank in (0, 1)]
    assert said[0].startswith("8 Stage 'grpo' stopped after step 2: the mean reward of 1 steps is 0.100, below 0.5 of ")
    assert "the best before (0.650, up to step 1)" in said[0] and "checkpoint-1'" in said[0]
    assert said[2] == said[3] == said[0]  # without another answer sampled
    assert said[1].startswith("8 ")  # the other process has no console; the first one tells what is kept


def test_checkpoints_are_marked_when_both_processes_have_written_theirs(ran):
    (checkpoint,) = (ran / "run/stages/grpo/checkpoints").glob("checkpoint-*")
    files = json.loads((checkpoint / "whole.json").read_text())
    assert {"rng_state_0.pth", "rng_state_1.pth", "model.safetensors", "trainer_state.json"} <= set(files)


def test_of_two_processes_one_stands_in_its_environment_and_the_other_waits_for_it(ran):
    found = {path.name[:6]: path.read_text() for path in (ran / "run/stacks").glob("rank-*.txt")}
    assert sorted(found) == ["rank-0", "rank-1"]
    for rank in (0, 1):
        assert f"Process {rank} of 2" in found[f"rank-{rank}"]
        assert "(stage 'grpo', after step 1)" in found[f"rank-{rank}"]
    main = [text.partition("Thread MainThread:")[2].partition("\nThread ")[0] for _, text in sorted(found.items())]
    assert "stand_still_in_the_second_process" in main[1]
    assert "gather" in main[0] and "stand_still" not in main[0]
