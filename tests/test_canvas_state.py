"""States of a trial are exact in its middle, and a record of its calls draws the same bytes again."""

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest

from designgym.envs.canvas.env import CanvasDrawing

ENV_ID = CanvasDrawing.env_id
UNDO = {"name": "undo_last_action", "arguments": {}}
FINISH = {"name": "drawing_finished", "arguments": {"label": "A snail"}}

every_form = pytest.mark.parametrize(
    "kwargs",
    [
        {"renderer": "pillow"},
        {"renderer": "skia"},
        {"renderer": "pillow", "interface": "svg"},
        {"renderer": "skia", "interface": "svg", "stimulus": None, "channels": 3},
        {"reward": "closure", "reward_mode": "dense", "kinds": ["is"], "axes": "over"},
    ],
    ids=lambda kwargs: "-".join(str(value) for value in kwargs.values()),
)


def made(**kwargs):
    return gym.make(ENV_ID, split="test", **kwargs)


def calls(env, count, seed=0):
    """Sampled calls that draw, undos and failures."""
    env.action_space.seed(seed)
    table, rng = env.unwrapped.tool_table, np.random.default_rng(seed)
    mask = np.array([name not in (UNDO["name"], FINISH["name"]) for name in table.names], np.int8)
    return [(UNDO, None, *[env.action_space.sample(mask)] * 3)[rng.integers(5)] for _ in range(count)]


def outcome(env, actions):
    """Every byte of what these steps give."""
    found = []
    for action in actions:
        observation, *rest = env.step(action)
        image = observation["image"]
        found.append((image.shape, image.tobytes(), observation["task"], observation["text"], *rest))
    return found


def in_the_middle(**kwargs):
    """An environment 30 calls into a trial, and the calls that follow, back to the empty canvas and to the end."""
    env = made(**kwargs)
    env.reset(seed=3)
    actions = calls(env, 60)
    for action in actions[:30]:
        env.step(action)
    assert env.unwrapped.canvas.depth > 5
    return env, [*actions[30:], *[UNDO] * 60, FINISH]


@every_form
def test_states_of_a_trial_under_way_are_exact(kwargs):
    env, rest = in_the_middle(**kwargs)
    state = env.unwrapped.get_state()
    stored = pickle.dumps(state)
    expected = outcome(env, rest)
    assert expected[-1][-1]["end"] == "finished"
    other = made(**kwargs)
    for snapshot in (state, pickle.loads(stored), copy.deepcopy(state), state):
        for target in (env, other):
            target.reset(seed=8)
            target.unwrapped.set_state(snapshot)
            assert outcome(target, rest) == expected


@every_form
def test_copies_and_pickles_go_on_alike_and_apart(kwargs):
    env, rest = in_the_middle(**kwargs)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(copy.deepcopy(env))]
    before = env.unwrapped.observe()["image"]
    outcome(twins[2], rest)  # the others must not notice
    assert np.array_equal(env.unwrapped.observe()["image"], before)
    expected = outcome(env, rest)
    assert outcome(twins[0], rest) == expected
    assert outcome(twins[1], rest) == expected
    assert env.reset()[1]["task"] == twins[0].reset()[1]["task"] == twins[1].reset()[1]["task"]


@every_form
def test_a_state_does_not_change_with_the_environment(kwargs):
    env, rest = in_the_middle(**kwargs)
    state = env.unwrapped.get_state()
    before = pickle.dumps(state)
    outcome(env, rest)
    env.reset()
    assert pickle.dumps(state) == before


def test_a_state_shares_what_never_changes_and_is_small():
    env = made(max_calls=1000)
    env.reset(seed=0)
    dot = {"name": "draw_dots", "arguments": {"dots": {"x": 200, "y": 200}}}
    for _ in range(500):
        env.step(dot)
    state = env.unwrapped.get_state()
    assert state.run.content.canvas.stimulus is env.unwrapped.canvas.stimulus
    assert not np.shares_memory(state.run.content.canvas.array, env.unwrapped.canvas.array)
    assert len(pickle.dumps(state)) < 2_000_000  # 500 kept states of some 25 rows, and two pages


@every_form
def test_recorded_calls_draw_the_same_bytes_again(kwargs):
    env, rest = in_the_middle(**kwargs)
    outcome(env, rest[:30])
    expected = env.unwrapped.episode()
    again = made(**kwargs)
    again.reset(options={"task": expected.task})
    record = json.loads(json.dumps([[call.name, dict(call.arguments), call.error] for call in expected.calls]))
    for name, arguments, error in record:
        if not error:
            again.step({"name": name, "arguments": arguments})
    replayed = again.unwrapped.episode()
    assert replayed.image.tobytes() == expected.image.tobytes()
    assert [(call.name, call.arguments) for call in replayed.calls] == [
        (call.name, call.arguments) for call in expected.done_calls
    ]


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {tests!r})
import test_canvas_state as state
for renderer in ("pillow", "skia"):
    env, rest = state.in_the_middle(renderer=renderer)
    print(hashlib.sha256(repr(state.outcome(env, rest)).encode()).hexdigest())
"""


def test_another_process_draws_the_same_bytes():
    script = SCRIPT.format(tests=os.path.dirname(__file__))
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    here = []
    for renderer in ("pillow", "skia"):
        env, rest = in_the_middle(renderer=renderer)
        here.append(hashlib.sha256(repr(outcome(env, rest)).encode()).hexdigest())
    assert done.stdout.split() == here
