"""A reinforced stage stops when its reward has collapsed, and says the same when it is started again."""

import json
import shutil
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config  # noqa: E402
from turn_run import quiet, run_config  # noqa: E402

from designgym.config import load_config  # noqa: E402
from designgym.errors import UserError  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.config import GuardSection, TrainConfig  # noqa: E402
from designgym.train.guards import collapse  # noqa: E402
from designgym.train.guards.collapse import Collapsed, Fall, Rewards, StopIfCollapsed  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.turns import rollout  # noqa: E402


def falls(rule, rewards, every=1):
    """The falls that a series shows, with a point every so many steps."""
    found = [rule.add(every * (number + 1), reward) for number, reward in enumerate(rewards)]
    return [fall for fall in found if fall is not None]


def test_a_mean_below_the_share_of_the_best_before_is_a_fall():
    # Means of two: 0.5, 0.9, 0.55, 0.15, 0.1; a fifth of 0.9 is 0.18.
    (first, second) = falls(Rewards(0.2, 2), [0.2, 0.8, 1.0, 0.1, 0.2, 0.0])
    assert first == Fall(5, pytest.approx(0.15), pytest.approx(0.9), 3)
    assert (second.step, second.mean) == (6, pytest.approx(0.1))


def test_a_single_bad_step_and_a_fall_to_the_share_itself_are_none():
    assert falls(Rewards(0.25, 4), [0.8, 0.8, 0.8, 0.8, 0.0, 0.8, 0.8, 0.8]) == []
    assert falls(Rewards(0.5, 1), [0.8, 0.4]) == []
    assert len(falls(Rewards(0.5, 1), [0.8, 0.39])) == 1


def test_from_a_best_that_is_not_positive_nothing_falls_but_from_a_positive_one_it_may_fall_below_zero():
    assert falls(Rewards(0.2, 1), [-0.5, -0.1, -3.0, 0.0, -2.0]) == []
    assert [fall.step for fall in falls(Rewards(0.0, 1), [0.5, 0.1, 0.0, -0.1])] == [4]


def test_a_point_that_stands_for_several_steps_counts_as_many():
    # Points every ten steps, means over twenty: (20) 0.6, (30) 0.7, (40) 0.35, (50) 0.05.
    (fall,) = falls(Rewards(0.2, 20), [0.5, 0.7, 0.7, 0.0, 0.1], every=10)
    assert fall == Fall(50, pytest.approx(0.05), pytest.approx(0.7), 30)
    # A window of 15 steps takes the two points that hold it.
    assert falls(Rewards(0.2, 15), [0.5, 0.7, 0.7, 0.0, 0.1], every=10) == [fall]


def test_steps_in_which_what_is_rewarded_changes_do_not_count():
    series = [0.9, 0.9, 0.1, 0.1, 0.1]
    assert [fall.step for fall in falls(Rewards(0.2, 1), series)] == [3, 4, 5]
    assert falls(Rewards(0.2, 1, after=2), series) == []


def test_before_there_are_so_many_steps_nothing_is_said():
    assert falls(Rewards(0.2, 5), [0.9, 0.9, 0.0, 0.0]) == []


def test_a_stage_that_goes_on_remembers_what_it_had_logged():
    stop = StopIfCollapsed(GuardSection(collapse_share=0.5, collapse_steps=2))
    history = [{"step": step, "reward": 0.8} for step in (1, 2)] + [{"step": 2, "train_runtime": 1.0, "reward": 0.0}]
    stop.on_train_begin(None, SimpleNamespace(log_history=history), None)
    stop.on_log(None, SimpleNamespace(global_step=3), None, {"reward": 0.5})
    stop.on_log(None, SimpleNamespace(global_step=4), None, {"reward": None})  # nothing could be scored
    with pytest.raises(Collapsed) as raised:
        stop.on_log(None, SimpleNamespace(global_step=5), None, {"reward": 0.0})
    # The last point stands for two steps without a reward of the one before.
    assert raised.value.fall == Fall(5, 0.0, pytest.approx(0.8), 2)


@pytest.mark.parametrize(("made", "says"), [
    ((), "No checkpoint had been written"),
    (("checkpoints/checkpoint-20",), "The earliest checkpoint, from within the fall, is '.*checkpoint-20'"),
    (("checkpoints/checkpoint-8", "checkpoints/checkpoint-10", "checkpoints/checkpoint-20"),
     "The last checkpoint from before the fall is '.*checkpoint-10'"),
    (("checkpoints/checkpoint-10", "best"), "did best on held-out tasks are in '.*best'"),
])  # fmt: skip
def test_the_message_names_the_weights_from_before(made, says, tmp_path):
    for name in made:
        (tmp_path / name).mkdir(parents=True)
    said = collapse.record(Fall(30, 0.05, 0.8, 12), GuardSection(), "grpo", tmp_path)
    assert said.startswith("Stage 'grpo' stopped after step 30: the mean reward of 50 steps is 0.050, below 0.2 of")
    with pytest.raises(UserError, match=says):
        collapse.check_not_collapsed(tmp_path, GuardSection(hang_seconds=3))
    collapse.check_not_collapsed(tmp_path, GuardSection(collapse_share=None))
    collapse.check_not_collapsed(tmp_path, GuardSection(collapse_share=0.1))


GUARDS = ["guards.collapse_steps=1", "stages.1.save_every=1"]
HALF = "guards.collapse_share=0.5"


def test_a_run_whose_reward_collapses_stops_keeps_its_checkpoints_and_says_the_same_again(tmp_path, monkeypatch):
    calls = []

    def play(self, text, task):
        calls.append(text)
        return (0.8 + 0.1 * (len(calls) % 2) if len(calls) <= 16 else 0.1), {}

    monkeypatch.setattr(EnvironmentReward, "play", play)
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    file, folder = write_config(tmp_path), tmp_path / "run"
    with pytest.raises(
        UserError, match=r"Stage 'grpo' stopped after step 3: the mean reward of 1 steps is 0\.100"
    ) as one:
        running.run(load_config(file, TrainConfig, [*GUARDS, HALF]), folder, quiet())
    assert (folder / "stages/grpo/checkpoints/checkpoint-2").is_dir() and "checkpoint-2'" in str(one.value)
    assert not (folder / "stages/grpo/done.json").exists()
    played = len(calls)
    with pytest.raises(UserError) as two:
        running.run(load_config(file, TrainConfig, [*GUARDS, HALF]), folder, quiet())
    assert str(two.value) == str(one.value) and len(calls) == played
    running.run(load_config(file, TrainConfig, [*GUARDS, "guards.collapse_share=null"]), folder, quiet())
    assert json.loads((folder / "stages/grpo/done.json").read_text())["steps"] == 3


@pytest.mark.slow
def test_over_many_turns_it_stops_as_well(tmp_path, monkeypatch):
    scored = []

    def play(*arguments, **settings):
        found = rollout.play(*arguments, **settings)
        scored.append(len(found))
        return [each.__class__(**{**each.__dict__, "reward": 0.9 if len(scored) == 1 else 0.0}) for each in found]

    monkeypatch.setattr("designgym.train.turns.trainer.play", play)
    config = run_config(tmp_path, [*GUARDS, HALF])
    config = config.model_copy(update={"stages": config.stages[1:]})
    with pytest.raises(UserError, match="Stage 'grpo' stopped after step 2"):
        running.run(config, tmp_path / "run", quiet())
    shutil.rmtree(tmp_path / "run")
