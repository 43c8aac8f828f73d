"""Two processes train together, on single answers and on many turns: one step, and one end if something fails."""

import pickle

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from sampled_answers import moved  # noqa: E402
from turn_training import (  # noqa: E402
    SHAPE,
    advantages,
    farthest,
    local_model,
    saved_model,
    stepped,
    teaching_groups,
)
from two_ranks import launch  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.local import load  # noqa: E402

GROUP = 4


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two-ranks")
    saved_model(folder / "start")
    code, printed = launch("turns_two_ranks.py", str(folder))
    assert code == 1, printed  # it ends with the environment that raises, and does not hang
    assert len(list(folder.glob("*.pickle"))) == 10 and len(list(folder.glob("*.txt"))) == 2, printed
    return folder


def both(folder, history):
    return [pickle.loads((folder / f"{history}-{rank}.pickle").read_bytes()) for rank in (0, 1)]


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_both_processes_take_the_step_of_all_rows_one_by_one(history, ran):
    one, two = both(ran, history)
    played = one["trajectories"] + two["trajectories"]
    tasks = [each.task for each in played]
    assert [len(set(tasks[start : start + GROUP])) for start in (0, 4, 8)] == [1, 1, 1]
    assert len(set(tasks)) == 3  # other tasks in each process, and one in both
    assert {each.turns for each in one["trajectories"]} != {1}
    assert [each.turns for each in one["trajectories"]] != [each.turns for each in two["trajectories"]]
    local = local_model()
    by_hand = stepped(local.model, local.processor, played, GROUP)
    moved = farthest(by_hand, dict(local.model.named_parameters()))
    assert moved > 1e-3
    assert farthest(one["weights"], two["weights"]) == 0
    assert farthest(one["weights"], by_hand) < 1e-5 + 1e-4 * moved


def test_both_processes_are_held_to_the_start_by_all_rows(ran):
    one, two = both(ran, "held")
    start = ran / "start"
    local, reference = moved(start), load(start).model
    played = one["trajectories"] + two["trajectories"]
    by_hand = stepped(local.model, local.processor, played, GROUP, reference=reference, beta=0.5)
    far = farthest(by_hand, stepped(local.model, local.processor, played, GROUP))
    assert far > 1e-3
    assert farthest(one["weights"], two["weights"]) == 0
    assert farthest(one["weights"], by_hand) < 1e-5 + 1e-3 * far
    assert one["log"]["kl"] == two["log"]["kl"] > 0


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_every_loss_is_the_value_by_hand_and_rows_are_as_many_in_both(history, ran):
    one, two = both(ran, history)
    assert [rows for _, _, rows in one["losses"]] == [rows for _, _, rows in two["losses"]]
    for loss, hand, _ in one["losses"] + two["losses"]:
        assert loss == pytest.approx(hand, abs=1e-5)


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_advantages_are_those_of_groups_that_lie_in_both_processes(history, ran):
    one, two = both(ran, history)
    rewards = [each.reward for found in (one, two) for each in found["trajectories"]]
    by_hand, teaches = advantages(rewards, GROUP), teaching_groups(rewards, GROUP)
    assert any(teaches[4:8])
    for start, found in ((0, one), (6, two)):
        rows = [
            by_hand[start + index]
            for index, each in enumerate(found["trajectories"])
            if teaches[start + index]
            for _ in each.rows
        ]
        assert found["advantages"][: len(rows)] == pytest.approx(rows, abs=1e-3)
        assert len(found["advantages"]) >= len(rows)


def test_single_answers_to_other_pages_in_each_process_make_one_step(ran):
    one, two = both(ran, "single")
    groups = [found["tasks"][start : start + GROUP] for found in (one, two) for start in (0, GROUP)]
    assert [len(set(group)) for group in groups] == [1, 1, 1, 1] and len({group[0] for group in groups}) == 4
    assert one["log"]["grad_norm"] == two["log"]["grad_norm"] > 0
    assert farthest(one["weights"], two["weights"]) == 0
    fresh, _ = tiny.build(tiny.TinyConfig(**SHAPE))
    assert farthest(one["weights"], dict(fresh.named_parameters())) > 1e-4


def test_a_group_that_is_filtered_counts_in_no_process(ran):
    one, two = both(ran, "filtered")
    assert one["learnt"] == 0 < two["learnt"]
    assert one["count"] == two["count"] == two["tokens"]
    assert farthest(one["weights"], two["weights"]) == 0
    fresh, _ = tiny.build(tiny.TinyConfig(**SHAPE))
    assert farthest(one["weights"], dict(fresh.named_parameters())) > 1e-4


def test_an_environment_that_raises_in_one_process_ends_both_with_its_task(ran):
    one, two = ((ran / f"error-{rank}.txt").read_text() for rank in (0, 1))
    assert two.startswith("EnvironmentFailed: The environment failed in task 'train-is-")
    assert two.endswith("OSError: the disk is gone")
    assert one == two.replace(
        "EnvironmentFailed: ", "EnvironmentFailed: Another process cannot go on: EnvironmentFailed: "
    )
