"""Tasks are chosen by what is known of them, in evaluation and in training alike."""

import gymnasium as gym
import pytest

import designgym  # noqa: F401
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.errors import UserError
from designgym.eval.choose_tasks import check_where, matching
from designgym.eval.config import EvalConfig
from designgym.eval.evaluate import check, evaluate


@pytest.fixture(scope="module")
def env():
    return gym.make("designgym/CanvasDrawing-v0", kinds=["is"], split="validation")


def test_the_tasks_that_fit_are_taken_in_order_and_no_other(env):
    ids = env.unwrapped.task_ids()[:60]
    chosen = matching(env, ids, {"open_ends": 2})
    assert chosen == [task for task in ids if len(stimulus(task).open_ends) == 2]
    assert 0 < len(chosen) < 60


def test_all_facts_must_hold(env):
    ids = env.unwrapped.task_ids()[:60]
    assert matching(env, ids, {"open_ends": 2, "kind": "is"}) == matching(env, ids, {"open_ends": 2})
    with pytest.raises(UserError, match="None of the 60 tasks"):
        matching(env, ids, {"open_ends": 2, "kind": "ot"})


def test_without_a_condition_all_tasks_are_taken(env):
    assert matching(env, env.unwrapped.task_ids()[:3], {}) == list(env.unwrapped.task_ids()[:3])


def test_an_unknown_fact_is_named_with_the_nearest_one(env):
    with pytest.raises(UserError, match=r"no fact 'open_end'.*'open_ends'"):
        check_where(env, {"open_end": 2})


def test_an_evaluation_plays_the_chosen_tasks_alone(tmp_path):
    config = EvalConfig.model_validate(
        {
            "env": {"id": "designgym/CanvasDrawing-v0", "kwargs": {"kinds": ["is"], "max_calls": 2}},
            "agents": ["blank"],
            "split": "validation",
            "limit": 12,
            "where": {"open_ends": 4},
        }
    )
    evaluate(config, tmp_path / "run")
    played = {
        line.split('"task":"')[1].split('"')[0]
        for line in (next((tmp_path / "run").rglob("results.jsonl"))).read_text().splitlines()
        if '"task":"' in line
    }
    ids = gym.make("designgym/CanvasDrawing-v0", kinds=["is"], split="validation").unwrapped.task_ids()[:12]
    assert played == {task for task in ids if len(stimulus(task).open_ends) == 4}


def test_an_evaluation_with_an_unknown_fact_is_refused_before_any_work(tmp_path):
    config = EvalConfig.model_validate({"env": {"id": "designgym/CanvasDrawing-v0"}, "where": {"ends": 2}})
    with pytest.raises(UserError, match="no fact 'ends'"):
        check(config, tmp_path / "run", resume=False)
