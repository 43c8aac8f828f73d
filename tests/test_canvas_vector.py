"""The canvas's own vector environment against Gymnasium's SyncVectorEnv of the same copies, and what it adds."""

import copy
import itertools
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import designgym
from designgym.envs.canvas.vector import CanvasVectorEnv

ENV_ID = "designgym/CanvasDrawing-v0"
MODES = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)
every_mode = pytest.mark.parametrize("mode", MODES, ids=[mode.name for mode in MODES])

BAD = [None, 7, {}, {"name": "draw"}, {"name": "draw_lines"}, {"name": "draw_lines", "arguments": "[1"}]
UNDO = {"name": "undo_last_action", "arguments": {}}
FINISH = {"name": "drawing_finished", "arguments": {"label": "été \U0001f40c"}}
HALF = {"name": "draw_dots", "arguments": {"dots": [{"x": 1, "y": 2}, {"x": "?", "y": 2}]}}
NONE_LEFT = {"name": "draw_dots", "arguments": {"dots": [{"x": 1}]}}

CONDITIONS = {
    "default": {},
    "skia": {"renderer": "skia", "split": "test"},
    "svg": {"interface": "svg"},
    "svg, skia, blank": {"interface": "svg", "renderer": "skia", "stimulus": None, "subject": "a snail"},
    "dots, RGB": {"vocabulary": "dots", "channels": 3},
    "axes outside, dense": {"axes": "outside", "reward_mode": "dense"},
    "axes over, RGB, listed": {"axes": "over", "channels": 3, "subject": "listed"},
    "closure, dense": {"reward": "closure", "reward_mode": "dense", "kinds": ["is"], "renderer": "skia"},
}


def same(one, other, where="result"):
    """Whether two results are equal in every type, key, its order, dtype, shape, value and byte."""
    assert type(one) is type(other), (where, one, other)
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        if one.dtype == object:
            for k, (a, b) in enumerate(zip(one.flat, other.flat, strict=True)):
                same(a, b, f"{where}[{k}]")
        else:
            assert one.tobytes() == other.tobytes(), (where, one, other)
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), where
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            same(a, b, f"{where}[{k}]")
    else:
        assert one == other, where


def pair(count, mode, **kwargs):
    """Ours and Gymnasium's."""
    ours = gym.make_vec(ENV_ID, count, autoreset_mode=mode, **kwargs)
    theirs = SyncVectorEnv([lambda: gym.make(ENV_ID, **kwargs)] * count, autoreset_mode=mode)
    assert isinstance(ours, CanvasVectorEnv)
    return ours, theirs


def random_actions(rng, space, count):
    """One call a copy: drawing, undoing, finishing now and then, and all that can go wrong."""
    rare = [*BAD, HALF, NONE_LEFT, FINISH, UNDO, UNDO, UNDO]
    return [space.sample() if rng.random() < 0.7 else rare[rng.integers(len(rare))] for _ in range(count)]


def play(ours, theirs, steps, seed):
    """Step both alike, resetting what is over where that is the user's part."""
    rng, space = np.random.default_rng(seed), copy.deepcopy(ours.single_action_space)
    space.seed(seed)
    same(ours.reset(seed=seed), theirs.reset(seed=seed))
    for _ in range(steps):
        actions = random_actions(rng, space, ours.num_envs)
        result, expected = ours.step(actions), theirs.step(actions)
        same(result, expected)
        over = result[2]
        if ours.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            options = {"reset_mask": over}
            same(ours.reset(options=dict(options)), theirs.reset(options=dict(options)))
        yield result


@every_mode
@pytest.mark.parametrize("renderer", ["pillow", "skia"])
def test_every_step_is_that_of_a_sync_vector_env(mode, renderer):
    ours, theirs = pair(3, mode, max_calls=9, renderer=renderer, split="test")
    ended = sum(int(result[2].sum()) for result in play(ours, theirs, 150, 3))
    assert ended > 30


@pytest.mark.parametrize("kwargs", CONDITIONS.values(), ids=CONDITIONS)
def test_every_condition_is_that_of_a_sync_vector_env(kwargs):
    for number, mode in enumerate(MODES):
        ours, theirs = pair(2, mode, max_calls=5, **kwargs)
        for _ in play(ours, theirs, 12, number):
            pass


def test_spaces_and_metadata_are_those_of_a_sync_vector_env():
    for mode in MODES:
        ours, theirs = pair(2, mode, channels=3, axes="outside", render_mode="rgb_array")
        for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert (ours.num_envs, ours.render_mode, ours.metadata) == (2, theirs.render_mode, theirs.metadata)
        assert ours.reset(seed=1)[0] in ours.observation_space
        theirs.reset(seed=1)
        same(ours.render(), theirs.render())
        ours.action_space.seed(0)
        assert ours.step(ours.action_space.sample())[0] in ours.observation_space


def test_seeds_are_given_out_as_by_a_sync_vector_env():
    ours, theirs = pair(3, AutoresetMode.NEXT_STEP)
    for seed in (5, [9, 2, 2], [4, None, 6]):
        tasks, expected = ours.reset(seed=seed)[1]["task"], theirs.reset(seed=seed)[1]["task"]
        assert tasks[0] == expected[0] and tasks[2] == expected[2]
        assert ours.np_random_seed[0] == theirs.np_random_seed[0]
    same(ours.reset()[1]["task"][::2], theirs.reset()[1]["task"][::2])  # the generators go on, None starts none
    unseeded = [tuple(gym.make_vec(ENV_ID, 2).reset()[1]["task"]) for _ in range(3)]
    assert len(set(unseeded)) == 3
    with pytest.raises(ValueError, match="2 seeds for 3 copies"):
        ours.reset(seed=[1, 2])
    with pytest.raises(gym.error.Error, match="Seed"):
        ours.reset(seed=-5)


def test_results_stay_as_they_were_returned():
    for kwargs in ({}, {"stimulus": None}, {"channels": 3}, {"axes": "over"}):
        envs = CanvasVectorEnv(2, autoreset_mode=AutoresetMode.SAME_STEP, max_calls=4, **kwargs)
        envs.action_space.seed(2)
        kept = [envs.reset(seed=2)]
        for _ in range(10):
            kept.append(envs.step(envs.action_space.sample()))
        held = copy.deepcopy(kept)
        for _ in range(5):
            envs.step(envs.action_space.sample())
        envs.reset()
        same(kept, held)


def test_writing_into_results_changes_nothing():
    ours, theirs = pair(2, AutoresetMode.NEXT_STEP, max_calls=6)
    for observation, rewards, terminated, truncated, infos in play(ours, theirs, 20, 8):
        observation["image"][...] = 77
        arrays = [rewards, terminated, truncated, *infos.values()]
        assert not any(np.shares_memory(one, other) for one, other in itertools.combinations(arrays, 2))
        for array in arrays:
            array[...] = True


# ---------------------------------------------------------------- choosing tasks


def test_tasks_can_be_chosen_for_all_copies_and_for_each():
    envs = gym.make_vec(ENV_ID, 3, split="test")
    drawn = envs.reset(seed=1)[1]["task"].tolist()
    assert envs.reset(options={"task": "ot03"})[1]["task"].tolist() == ["ot03"] * 3
    observation, infos = envs.reset(seed=1, options={"task": ["is07", None, "ot01"]})
    assert infos["task"].tolist() == ["is07", drawn[1], "ot01"]
    single = gym.make(ENV_ID, split="test").reset(options={"task": "is07"})[0]
    assert np.array_equal(observation["image"][0], single["image"])
    tasks = envs.reset(options={"task": ("is01", "is02", "is03"), "reset_mask": np.array([False, True, False])})[1]
    assert tasks["task"].tolist() == [None, "is02", None] and tasks["_task"].tolist() == [False, True, False]


def test_wrong_options_reset_nothing():
    envs = gym.make_vec(ENV_ID, 2, split="test")
    envs.reset(seed=0)
    before = [pickle.dumps(env.get_state()) for env in envs.envs]
    mask = np.array([True, False])
    for options, message in [
        ({"task": ["is01", "is99"]}, "No task 'is99'"),
        ({"task": ["is01"]}, "1 tasks for 2 copies"),
        ({"task": "train-is-000001"}, "Its ids look like 'is01'"),
        ({"tasks": []}, "no option 'tasks'"),
        ("is01", "write them as"),
        ({"reset_mask": [True, False]}, "must be a numpy array, bool of the shape .2,.; got a list"),
        ({"reset_mask": mask.astype(int)}, "got int64"),
        ({"reset_mask": np.ones(3, bool)}, r"got bool of the shape \(3,\)"),
        ({"reset_mask": ~mask & mask}, "nothing to reset"),
    ]:
        with pytest.raises(ValueError, match=message):
            envs.reset(options=options)
        assert [pickle.dumps(env.get_state()) for env in envs.envs] == before
    given = {"reset_mask": mask, "task": "is04"}
    envs.reset(options=given)
    assert set(given) == {"reset_mask", "task"}  # the user's own dict


# ---------------------------------------------------------------- misuse


def test_a_step_needs_a_reset():
    envs = gym.make_vec(ENV_ID, 2)
    with pytest.raises(gym.error.ResetNeeded):
        envs.step([None, None])
    with pytest.raises(gym.error.ResetNeeded):
        envs.reset(options={"reset_mask": np.array([True, False])})  # the other has nothing to show
    envs = gym.make_vec(ENV_ID, 3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    envs.step([None, FINISH, None])
    with pytest.raises(gym.error.ResetNeeded, match=r"copies \[1\] are over"):
        envs.step([None, None, None])
    assert [len(env.episode().calls) for env in envs.envs] == [1, 1, 1]
    envs.reset(options={"reset_mask": np.array([False, True, False])})
    envs.step([None, None, None])


def test_what_is_not_one_call_a_copy_is_refused_before_anything_is_done():
    envs = gym.make_vec(ENV_ID, 2)
    envs.reset(seed=0)
    for actions in ([None], [None] * 3, None, 5, "ab", b"ab", UNDO, {"a": 1, "b": 2}, iter([None, None])):
        with pytest.raises(ValueError, match="a sequence of 2 calls"):
            envs.step(actions)
    assert all(env.episode().calls == () for env in envs.envs)
    for actions in ((None, None), [None, None], np.array([None, None])):
        envs.step(actions)
    assert all(len(env.episode().calls) == 3 for env in envs.envs)


def test_wrong_arguments_are_named():
    for kwargs, message in [
        ({"num_envs": 0}, "num_envs is 0"),
        ({"num_envs": True}, "num_envs is True"),
        ({"num_envs": 2.0}, "num_envs is 2.0"),
        ({"autoreset_mode": "Never"}, "one of AutoresetMode.NEXT_STEP"),
        ({"renderer": "cairo"}, "renderer is 'cairo'"),
    ]:
        with pytest.raises(ValueError, match=message):
            CanvasVectorEnv(**kwargs)
    with pytest.raises(TypeError, match="Did you mean 'max_calls'"):
        CanvasVectorEnv(2, maxcalls=3)
    assert CanvasVectorEnv(1, autoreset_mode="SameStep").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


# ---------------------------------------------------------------- how it is made


def test_make_vec_takes_it_unless_processes_or_wrappers_are_asked_for():
    mode = AutoresetMode.SAME_STEP
    assert isinstance(gym.make_vec(ENV_ID, 2), CanvasVectorEnv)
    envs = designgym.make_vec(ENV_ID, 2, autoreset_mode=mode, max_calls=7)
    assert isinstance(envs, CanvasVectorEnv) and envs.metadata["autoreset_mode"] is mode
    assert envs.get_attr("max_calls") == (7, 7)
    assert isinstance(gym.make_vec(ENV_ID, 2, vectorization_mode="sync"), SyncVectorEnv)
    wrapped = designgym.make_vec(ENV_ID, 2, wrappers=[gym.wrappers.RecordEpisodeStatistics])
    assert isinstance(wrapped, SyncVectorEnv)
    assert isinstance(designgym.make_vec("designgym:" + ENV_ID, 2), CanvasVectorEnv)
    with pytest.raises(gym.error.Error, match="wrappers"):
        gym.make_vec(ENV_ID, 2, wrappers=[gym.wrappers.RecordEpisodeStatistics])


def test_the_copies_know_how_they_were_made():
    envs = gym.make_vec(ENV_ID, 2, renderer="skia", max_calls=3)
    spec = envs.envs[1].spec
    assert (spec.id, spec.kwargs) == (ENV_ID, {"renderer": "skia", "max_calls": 3})
    envs.reset(seed=2)
    again = gym.make(spec).unwrapped
    again.set_state(envs.envs[1].get_state())
    assert np.array_equal(again.observe()["image"], envs.envs[1].observe()["image"])


def test_attributes_and_methods_of_the_copies_can_be_reached():
    envs = gym.make_vec(ENV_ID, 2)
    envs.reset(seed=0)
    assert envs.call("task_ids", "test")[1][0] == "is01"
    assert envs.get_attr("split") == ("train", "train")
    envs.set_attr("reward_mode", ["terminal", "dense"])
    envs.set_attr("max_calls", 5)
    assert envs.get_attr("reward_mode") == ("terminal", "dense") and envs.get_attr("max_calls") == (5, 5)
    with pytest.raises(ValueError, match="3 values for 2 copies"):
        envs.set_attr("max_calls", (1, 2, 3))
    with pytest.raises(AttributeError):
        envs.get_attr("no_such_attribute")
    envs.close()
    envs.close()


def test_wrappers_of_vector_environments_work_on_it():
    envs = gym.wrappers.vector.RecordEpisodeStatistics(gym.make_vec(ENV_ID, 2, max_calls=2))
    envs.reset(seed=0)
    envs.step([None, FINISH])
    infos = envs.step([None, None])[4]
    assert infos["episode"]["l"][0] == 2


# ---------------------------------------------------------------- snapshots and copies


@pytest.mark.parametrize("renderer", ["pillow", "skia"])
def test_states_of_single_copies_can_be_set_back(renderer):
    envs, other = (gym.make_vec(ENV_ID, 2, renderer=renderer, split="test") for _ in range(2))
    envs.action_space.seed(4)
    envs.reset(seed=4)
    for _ in range(5):
        envs.step(envs.action_space.sample())
    states = envs.call("get_state")
    actions = [UNDO, UNDO]
    expected = envs.step(actions)
    for _ in range(3):
        envs.step(envs.action_space.sample())
    envs.reset()
    other.reset(seed=9)
    for target in (envs, other):
        for env, state in zip(target.envs, states, strict=True):
            env.set_state(state)
        same(target.step(actions), expected)


def test_copies_and_pickles_of_the_whole_go_on_alike_and_apart():
    envs = gym.make_vec(ENV_ID, 3, max_calls=4)
    envs.action_space.seed(4)
    envs.reset(seed=4)
    for _ in range(5):
        envs.step(envs.action_space.sample())
    twins = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    actions = [envs.action_space.sample() for _ in range(8)]
    expected = [envs.step(action) for action in actions]
    for twin in twins:
        same([twin.step(action) for action in actions], expected)


def test_a_copy_reset_alone_shows_what_it_shows():
    envs = gym.make_vec(ENV_ID, 2, split="test")
    envs.reset(seed=4)
    alone = envs.envs[1].reset(options={"task": "is09"})[0]
    observation = envs.step([None, None])[0]
    assert np.array_equal(observation["image"][1], alone["image"])


def test_a_single_copy_taken_out_draws_into_arrays_of_its_own():
    envs = gym.make_vec(ENV_ID, 2, split="test")
    envs.reset(seed=4)
    taken = [copy.deepcopy(envs.envs[0]), pickle.loads(pickle.dumps(envs.envs[0]))]
    before = envs.step([None, None])[0]["image"]
    for env in taken:
        env.step(HALF)
        env.reset()
        env.step(HALF)
    assert np.array_equal(envs.step([None, None])[0]["image"], before)
