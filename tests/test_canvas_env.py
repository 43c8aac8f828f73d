"""Canvas drawing: what calls do, what is said and counted, how trials end, and the conditions."""

import gymnasium as gym
import numpy as np
import pytest

import designgym  # noqa: F401 - registers the environments
from designgym.env import MisuseError
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.envs.canvas.stimuli.subjects import subject_of
from designgym.rewards.base import UnsuitableReward

ID = "designgym/CanvasDrawing-v0"
LINE = {"x1": 20, "y1": 20, "x2": 380, "y2": 380}


def make(task="is07", **kwargs):
    env = gym.make(ID, split="test", **kwargs)
    observation, info = env.reset(options={"task": task})
    return env, observation, info


def call(env, name, **arguments):
    return env.step({"name": name, "arguments": arguments})


def ink(observation):
    return int((observation["image"] == 0).sum())


# ---------------------------------------------------------------- drawing, erasing, undoing


def test_a_trial_starts_with_the_shape_alone():
    _, observation, info = make()
    assert observation["image"].shape == (400, 400, 1)
    assert np.array_equal(observation["image"][:, :, 0], stimulus("is07").pixels)
    assert "starting shape" in observation["task"]
    assert observation["text"] == "Calls left: 300."
    assert info["renderer"].startswith("pillow ") and info["task"] == "is07"


def test_a_line_is_drawn_over_the_shape_and_erased_under_it():
    env, start, _ = make()
    drawn, reward, terminated, _, info = call(env, "draw_lines", lines=[LINE])
    assert drawn["image"][200, 200] == 0 and ink(drawn) > ink(start)
    assert drawn["text"] == "OK\nCalls left: 299." and (reward, terminated, info["error"]) == (0.0, False, "")
    assert info["operations"] == 1.0 and info["malformed"] == 0.0
    erased = call(env, "draw_lines", lines=[LINE], erase=True)[0]
    assert np.array_equal(erased["image"], start["image"])


@pytest.mark.parametrize("renderer", ["pillow", "skia"])
def test_no_erasing_touches_the_shape(renderer):
    env, start, _ = make("ot01", renderer=renderer)
    everything = [{"x1": 0, "y1": y, "x2": 399, "y2": y} for y in range(0, 404, 4)]
    black = call(env, "draw_lines", lines=everything)[0]
    assert ink(black) == 400 * 400
    white = call(env, "draw_lines", lines=everything, erase=True)[0]
    assert np.array_equal(white["image"], start["image"])


def test_undo_takes_back_whole_calls_to_the_start_and_then_says_so():
    env, start, _ = make()
    seen = [start["image"]]
    for k in range(5):
        lines = [{"x1": 10, "y1": 60 * k + 20, "x2": 390, "y2": 60 * k + j} for j in (20, 40)]
        seen.append(call(env, "draw_lines", lines=lines, erase=k == 3)[0]["image"])
    for image in reversed(seen[:-1]):
        observation, *_, info = call(env, "undo_last_action")
        assert np.array_equal(observation["image"], image) and info["error"] == ""
    observation, *_, info = call(env, "undo_last_action")
    assert info["error"] == "dependency" and "nothing to undo" in observation["text"]
    assert np.array_equal(observation["image"], start["image"])


def test_undo_skips_calls_that_drew_nothing():
    env, start, _ = make()
    call(env, "draw_lines", lines=[LINE])
    call(env, "draw_lines", lines=[{"x1": 0}])
    call(env, "draw_lines")
    assert np.array_equal(call(env, "undo_last_action")[0]["image"], start["image"])


# ---------------------------------------------------------------- what is said and counted


def test_malformed_operations_are_skipped_and_counted():
    env, _, _ = make()
    observation, *_, info = call(env, "draw_lines", lines=[LINE, {"x1": 3}, LINE | {"y2": "ninety"}])
    assert observation["text"].split("\n")[0] == "OK (skipped 2 malformed)"
    assert info["error"] == "" and (info["operations"], info["malformed"]) == (1.0, 2.0)
    assert info["malformed_reason"].startswith("lines[1].y1 is missing")
    assert info["malformed_rate"] == 2 / 3 and info["failed_call_rate"] == 0.0


def test_a_call_of_malformed_operations_alone_is_an_error_in_the_same_words():
    env, start, _ = make()
    observation, *_, info = call(env, "draw_lines", lines=[{"x1": 3}, None])
    assert observation["text"].split("\n")[0] == "OK (skipped 2 malformed)"
    assert info["error"] == "invalid_parameters" and info["malformed"] == 2.0
    assert np.array_equal(observation["image"], start["image"])
    assert info["malformed_rate"] == 1.0 and info["failed_call_rate"] == 0.0


@pytest.mark.parametrize(
    ("action", "kind", "failed"),
    [
        ({"name": "draw_stars", "arguments": {}}, "invalid_action", 1.0),
        ({"name": "draw_lines", "arguments": [1, 2]}, "invalid_parameters", 1.0),
        ({"name": "draw_lines", "arguments": "{'lines'"}, "invalid_parameters", 1.0),
        ({"name": "draw_lines", "arguments": {"erase": True}}, "invalid_parameters", 1.0),
        ("a lovely line", "format", 1.0),
        ({"name": "draw_lines", "arguments": {"lines": [LINE] * 1001}}, "limit", 0.0),
        ({"name": "undo_last_action", "arguments": {}}, "dependency", 0.0),
        ({"name": "drawing_finished", "arguments": {}}, "invalid_parameters", 1.0),
        ({"name": "drawing_finished", "arguments": {"label": "x" * 2001}}, "limit", 0.0),
    ],
)
def test_calls_that_fail_change_nothing_and_say_why(action, kind, failed):
    env, start, _ = make()
    observation, reward, terminated, _, info = env.step(action)
    assert info["error"] == kind and observation["text"].startswith(f"Error ({kind}): ")
    assert info["failed_call_rate"] == failed and info["calls_left"] == 299.0
    assert np.array_equal(observation["image"], start["image"]) and not terminated and reward == 0.0


def test_an_unknown_tool_is_answered_with_the_nearest():
    env, _, _ = make()
    assert "draw_lines" in call(env, "draw_line", lines=[LINE])[0]["text"]


def test_rates_are_of_the_whole_trial():
    env, _, _ = make()
    call(env, "draw_lines", lines=[LINE] * 3)
    call(env, "draw_stars")
    call(env, "draw_dots", dots=[{"x": 1}])
    *_, info = call(env, "undo_last_action")
    assert info["failed_call_rate"] == 1 / 4 and info["malformed_rate"] == 1 / 4
    assert (info["operations"], info["malformed"], info["malformed_reason"]) == (0.0, 0.0, "")


# ---------------------------------------------------------------- the end


def test_finishing_records_the_title():
    env, _, _ = make()
    _, _, terminated, truncated, info = call(env, "drawing_finished", label="A snail, dreaming")
    assert terminated and not truncated
    assert info["end"] == "finished" and info["title"] == "A snail, dreaming" and info["scored"] is True
    with pytest.raises(gym.error.ResetNeeded):
        call(env, "draw_lines", lines=[LINE])


def test_the_budget_ends_a_trial_and_pays():
    env, _, _ = make(max_calls=3)
    ends = [call(env, "draw_lines", lines=[LINE])[2] for _ in range(2)]
    _, _, terminated, _, info = call(env, "undo_last_action")
    assert ends == [False, False] and terminated and info["end"] == "budget" and info["title"] == ""


def test_rewards_see_the_bare_canvas_the_shape_and_its_ends():
    env, _, _ = make("is03", channels=3, axes="outside")
    call(env, "draw_lines", lines=[LINE])
    episode = env.unwrapped.episode()
    assert episode.image.shape == (400, 400, 1) and set(np.unique(episode.image)) == {0, 255}
    assert np.array_equal(episode.stimulus, stimulus("is03").pixels)
    assert episode.truth["open_ends"] == [list(end) for end in stimulus("is03").open_ends]
    assert episode.calls[0].arguments == {"lines": [LINE], "erase": False}


# ---------------------------------------------------------------- the conditions


def test_a_blank_canvas_is_blank_and_says_nothing_of_a_shape():
    env, observation, _ = make(stimulus=None)
    assert (observation["image"] == 255).all() and "shape" not in observation["task"]
    assert env.unwrapped.episode().stimulus is None
    assert env.unwrapped.prompt_options() == {"stimulus": False, "subject": None, "axes": "none"}


def test_subjects_are_given_or_listed():
    _, observation, _ = make(subject="a snail")
    assert "a snail" in observation["task"]
    env, observation, _ = make("is11", subject="listed")
    assert subject_of("is11") in observation["task"]
    assert env.unwrapped.prompt_options() == {"stimulus": True, "subject": subject_of("is11"), "axes": "none"}


def test_dots_are_all_there_is():
    env, _, _ = make(vocabulary="dots")
    assert env.unwrapped.tool_table.names == ("draw_dots", "undo_last_action", "drawing_finished")
    assert call(env, "draw_lines", lines=[LINE])[4]["error"] == "invalid_action"
    assert call(env, "draw_dots", dots=[{"x": 5, "y": 5}])[0]["image"][5, 5] == 0


def test_svg_is_drawn_skipped_and_undone():
    env, start, _ = make(interface="svg")
    markup = '<line x1="20" y1="20" x2="380" y2="380"/><text>no</text><circle cx="1" cy="2" r="ten"/>'
    observation, *_, info = call(env, "draw_svg", svg=markup)
    assert observation["image"][200, 200] == 0
    assert (
        observation["text"].split("\n")[0]
        == "OK (skipped 2 malformed): text (not supported), circle (r is 'ten', not a length above 0)"
    )
    assert (info["operations"], info["malformed"], info["error"]) == (1.0, 2.0, "")
    assert np.array_equal(call(env, "draw_svg", svg=markup, erase=True)[0]["image"], start["image"])
    call(env, "undo_last_action")
    assert np.array_equal(call(env, "undo_last_action")[0]["image"], start["image"])


def test_svg_that_cannot_be_read_is_a_failed_call():
    env, start, _ = make(interface="svg")
    for markup in ("<line", "no markup", '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'):
        observation, *_, info = call(env, "draw_svg", svg=markup)
        assert info["error"] == "invalid_parameters" and np.array_equal(observation["image"], start["image"])
    assert info["failed_call_rate"] == 1.0
    assert call(env, "draw_svg", svg="<text/>")[4]["error"] == "invalid_parameters"
    assert env.unwrapped.action_space.contains({"name": "draw_svg", "arguments": {"svg": "<line"}}) is False


def test_images_can_be_rgb_and_have_axes():
    _, plain, _ = make()
    env, rgb, _ = make(channels=3, render_mode="rgb_array")
    assert rgb["image"].shape == (400, 400, 3) and (rgb["image"] == plain["image"]).all()
    assert np.array_equal(env.render(), rgb["image"])
    _, outside, _ = make(axes="outside")
    assert outside["image"].shape == (448, 448, 1)
    _, over, _ = make(axes="over")
    assert over["image"].shape == (400, 400, 1)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"interface": "svgs"}, "Did you mean 'svg'"),
        ({"vocabulary": "dot"}, "Did you mean 'dots'"),
        ({"interface": "svg", "vocabulary": "dots"}, "does not have"),
        ({"stimulus": "none"}, "stimulus is 'none'"),
        ({"stimulus": False}, "stimulus is False"),
        ({"renderer": "cairo"}, "renderer is 'cairo'"),
        ({"channels": 4}, "channels is 4"),
        ({"channels": True}, "channels is True"),
        ({"axes": True}, "axes is True"),
        ({"subject": ""}, "subject is ''"),
        ({"kinds": []}, "kinds is"),
        ({"kinds": "is"}, "kinds is"),
        ({"kinds": ["is", "it"]}, "kinds is 'it'"),
        ({"max_calls": 0}, "max_calls is 0"),
        ({"split": "tests"}, "Did you mean 'test'"),
    ],
)
def test_wrong_arguments_are_named(kwargs, message):
    with pytest.raises(MisuseError, match=message):
        gym.make(ID, **kwargs)


@pytest.mark.parametrize("reward", ["hurdle", ["figural", "iou"], "closure"])
def test_a_reward_that_cannot_score_the_canvas_is_refused_at_the_first_reset(reward):
    env = gym.make(ID, reward=reward, stimulus=None)
    with pytest.raises(UnsuitableReward, match="cannot be scored by"):
        env.reset(seed=0)


def test_kinds_choose_the_tasks():
    objects = gym.make(ID, split="test", kinds=["ot"]).unwrapped.task_ids()
    assert list(objects) == [f"ot{number:02d}" for number in range(1, 11)]
    with pytest.raises(MisuseError, match="is07"):
        gym.make(ID, split="test", kinds=["ot"]).reset(options={"task": "is07"})
