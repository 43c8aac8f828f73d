"""Rewards of groups in training: added to what the environment paid, by group, over one process or more."""

import copy
import dataclasses
from types import SimpleNamespace

import pytest

from designgym.errors import UserError

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from turn_run import run_config  # noqa: E402
from turn_training import KWARGS, SILENT, advantages, line, local_model, scripted  # noqa: E402

from designgym.eval.runner import make  # noqa: E402
from designgym.prompt import render_call  # noqa: E402
from designgym.rewards.added_ink import added_ink  # noqa: E402
from designgym.rewards.diversity import Diversity, look, mean_distances  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.methods.group_rewards import REWARD_STEP, GroupRewards  # noqa: E402
from designgym.train.stages import GrpoStage  # noqa: E402

SPEC = [{"name": "diversity", "weight": 0.5}]


@pytest.fixture(scope="module")
def fresh():
    return local_model()


def apart(episodes):
    """By hand: the mean distance from the others, of one group."""
    return mean_distances([look(added_ink(each)[0]) for each in episodes])


class Kept(GroupRewards):
    """Keeps what it was given."""

    def add(self, rewards, episodes):
        self.given = (rewards, episodes)
        return super().add(rewards, episodes)


def test_in_episodes_of_many_turns_each_gets_what_its_group_says(fresh, tmp_path):
    groups = Kept(SPEC, 4)
    local = dataclasses.replace(fresh, model=copy.deepcopy(fresh.model))
    trainer = scripted(tmp_path, "windowed", local=local, groups=groups, per_device_train_batch_size=4, max_steps=2)
    trainer.train()
    paid, episodes = groups.given
    expected = [value for start in (0, 4) for value in apart(episodes[start : start + 4])]
    played = trainer.trajectories
    assert len(played) == 8 and any(expected)
    assert [each.parts["diversity"] for each in played] == pytest.approx(expected)
    assert [each.reward for each in played] == pytest.approx(
        [one + 0.5 * more for one, more in zip(paid, expected, strict=True)], abs=REWARD_STEP
    )
    assert all(each.episode is None for each in played)
    logged = trainer.state.log_history[1]
    assert logged["reward/diversity"] == pytest.approx(sum(expected) / 8)
    assert logged["reward"] == pytest.approx(sum(each.reward for each in played) / 8)
    known = [0.0, *advantages([each.reward for each in played], 4)]
    for learnt in trainer.batches[-1]["advantages"].tolist():
        assert min(abs(learnt - each) for each in known) < 1e-3


def test_without_such_rewards_no_episode_is_kept(fresh, tmp_path):
    local = dataclasses.replace(fresh, model=copy.deepcopy(fresh.model))
    trainer = scripted(tmp_path, "windowed", local=local, say=lambda rng: SILENT)
    trainer.train()
    assert all(each.episode is None and "diversity" not in each.parts for each in trainer.trajectories)


def test_in_episodes_of_one_answer_too(fresh):
    env = make("designgym/CanvasDrawing-v0", {**KWARGS, "max_calls": 1, "reward": "figural"})
    pages = Pages(env, "designgym/CanvasDrawing-v0", fresh, wording="brief")
    reward = EnvironmentReward(env, pages, Kept(SPEC, 2))
    tokenizer = fresh.processor.tokenizer
    import random

    texts = [line(random.Random(seed)) for seed in range(3)] + [render_call("undo_last_action", {})]
    ids = [[*tokenizer(text)["input_ids"], tokenizer.eos_token_id] for text in texts]
    curves = {}
    tasks = [task for task in env.unwrapped.task_ids()[:2] for _ in range(2)]
    found = reward(completion_ids=ids, task=tasks, log_metric=curves.__setitem__)
    paid, episodes = reward.groups.given
    more = [*apart(episodes[:2]), *apart(episodes[2:])]
    assert more[0] > 0 and more[2:] == [0.0, 0.0]  # the last drew nothing, so that the third is alone
    assert found == pytest.approx([one + 0.5 * each for one, each in zip(paid, more, strict=True)], abs=REWARD_STEP)
    assert curves["reward/diversity"] == pytest.approx(sum(more) / 4)


def test_an_episode_that_was_not_scored_is_not_compared_with(fresh):
    env = make("designgym/CanvasDrawing-v0", KWARGS)
    episodes = []
    for y in (100, 200, 300):
        env.reset(options={"task": env.unwrapped.task_ids()[0]})
        env.step({"name": "draw_lines", "arguments": {"lines": [{"x1": 5, "y1": 5, "x2": 390, "y2": y}]}})
        episodes.append(env.unwrapped.episode())
    totals, parts = GroupRewards(SPEC, 3).add([0.25, None, 0.5], episodes)
    (more, same) = apart([episodes[0], episodes[2]])
    assert totals == pytest.approx([0.25 + 0.5 * more, None, 0.5 + 0.5 * same], abs=REWARD_STEP)
    assert parts == [{"diversity": more}, {}, {"diversity": same}]


def test_a_group_may_lie_in_two_processes(monkeypatch):
    import accelerate.utils

    env = make("designgym/CanvasDrawing-v0", KWARGS)
    episodes = []
    for y in (100, 200, 300, 380):
        env.reset(options={"task": env.unwrapped.task_ids()[0]})
        env.step({"name": "draw_lines", "arguments": {"lines": [{"x1": 5, "y1": 5, "x2": 390, "y2": y}]}})
        episodes.append(env.unwrapped.episode())
    monkeypatch.setattr(accelerate.utils, "gather_object", lambda own: [*[(e, True) for e in episodes[:2]], *own])
    monkeypatch.setattr(accelerate, "PartialState", lambda: SimpleNamespace(process_index=1))
    _, parts = GroupRewards(SPEC, 4).add([0.0, 0.0], episodes[2:])
    assert [each["diversity"] for each in parts] == apart(episodes)[2:]


def test_a_stage_takes_them_and_mistakes_are_found_before_any_work(tmp_path):
    change = "stages.1.group_rewards"
    config = run_config(tmp_path, [f"{change}=[{{name: diversity, weight: 0.2}}]"])
    stage = config.stages[1]
    assert isinstance(stage, GrpoStage)
    ((weight, reward),) = GroupRewards(stage.group_rewards, stage.num_generations).sum.parts
    assert (weight, reward) == (0.2, Diversity())
    check(config)
    for written, says in (
        ("[figural]", "'figural' among 'group_rewards' needs no group"),
        ("[diversty]", "Did you mean 'diversity'"),
        ("[{name: diversity, weight: x}]", "weight of 'diversity' is 'x'"),
    ):
        with pytest.raises(UserError, match=says):
            check(run_config(tmp_path, [f"{change}={written}"]))


def test_an_environment_without_drawings_is_refused():
    with pytest.raises(UserError, match="asks for no drawing"):
        GroupRewards(SPEC, 2).check(make("designgym/AestheticLocalization-v0", {"designs": "blocks"}))
