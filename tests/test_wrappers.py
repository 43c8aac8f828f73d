"""The wrappers: plain pixels, strokes of numbers, text actions; alone, stacked and around vectors."""

import copy
import doctest
import importlib
import json
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import MultiDiscrete
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import iterate
from gymnasium.wrappers import FilterObservation
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import designgym
from designgym.envs.wrappers import JsonActions, PixelObservation, StrokeActions, vector
from designgym.envs.wrappers.pixels import shrink
from designgym.registration import ENTRY_POINTS

CANVAS = "designgym/CanvasDrawing-v0"
LOCALIZATION = "designgym/AestheticLocalization-v0"


def canvas(**kwargs):
    return gym.make(CANVAS, **{"max_calls": 3, "kinds": ["is"], "reward": "closure", **kwargs})


def last_call(env):
    return env.unwrapped.episode().calls[-1]


def drawn(env, action):
    """The operation, or the whole call, that an action became."""
    env.reset(seed=0)
    env.step(action)
    return last_call(env)


STACKS = {
    "pixels": lambda env: PixelObservation(env),
    "box": lambda env: PixelObservation(StrokeActions(env), size=50),
    "bins": lambda env: StrokeActions(PixelObservation(env, 32), form="multidiscrete", finish=True),
    "circles": lambda env: PixelObservation(StrokeActions(env, tool="draw_circles", finish=True), size=None),
    "json": lambda env: JsonActions(env),
    "json pixels": lambda env: PixelObservation(JsonActions(env), size=40),
}
stacks = pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS)
pixel_stacks = pytest.mark.parametrize("stack", [STACKS["box"], STACKS["bins"]], ids=["box", "bins"])


def playing(env, seed, steps=8):
    """What some episodes of sampled actions give."""
    env.action_space.seed(seed)
    found = [env.reset(seed=seed)[0]]
    over = False
    for _ in range(steps):
        observation, reward, over, _, info = (
            (*env.reset(), 0, False, {}) if over else env.step(env.action_space.sample())
        )
        found += [observation, reward, info.get("error")]
    return found


def same(one, two):
    return pickle.dumps(one) == pickle.dumps(two)


# ---------------------------------------------------------------- what holds for all of them


@pytest.mark.parametrize("name", ["pixels", "strokes", "json_actions", "vector"])
def test_the_examples_in_the_docstrings_are_true(name):
    module = importlib.import_module(f"designgym.envs.wrappers.{name}")
    result = doctest.testmod(module)
    assert result.attempted > 4 and not result.failed


@stacks
def test_gymnasiums_checker_finds_nothing_to_warn_of(stack):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")  # it is meant to be
        check_env(stack(canvas(render_mode="rgb_array")))


@stacks
def test_the_specification_builds_the_same_stack_again(stack):
    env = stack(canvas())
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.spec.to_json() == env.spec.to_json()
    assert (again.action_space, again.observation_space) == (env.action_space, env.observation_space)
    assert same(playing(again, 3), playing(env, 3))


@stacks
def test_copies_and_snapshots_are_exact(stack):
    env = stack(canvas())
    env.reset(seed=5)
    env.action_space.seed(5)
    env.step(env.action_space.sample())
    state = env.unwrapped.get_state()
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    action = env.action_space.sample()
    expected = env.step(action)
    assert all(same(other.step(action), expected) for other in copies)
    env.unwrapped.set_state(state)
    assert same(env.step(action), expected)


@stacks
def test_vectors_of_wrapped_environments_play_what_they_play_alone(stack):
    envs = gym.make_vec(
        CANVAS, 2, vectorization_mode="sync", wrappers=[stack], max_calls=3, kinds=["is"], reward="closure"
    )
    singles = [stack(canvas()) for _ in range(2)]
    envs.reset(seed=1)
    for k, env in enumerate(singles):
        env.reset(seed=1 + k)
    envs.action_space.seed(0)
    over = False
    while not over:
        actions = envs.action_space.sample()
        observations, rewards, terminated, _, _ = envs.step(actions)
        each = iterate(envs.action_space, actions)
        alone = [env.step(action) for env, action in zip(singles, each, strict=True)]
        assert [result[1] for result in alone] == rewards.tolist()
        assert [result[2] for result in alone] == terminated.tolist()
        for k, (seen, *_) in enumerate(alone):
            row, seen = (observations, seen) if isinstance(seen, np.ndarray) else (observations["image"], seen["image"])
            assert np.array_equal(row[k], seen)
        over = terminated.any()


@pixel_stacks
def test_processes_may_share_memory_when_all_is_arrays(stack):
    found = []
    for mode, options in (("sync", {}), ("async", {"shared_memory": True})):
        envs = gym.make_vec(
            CANVAS, 2, vectorization_mode=mode, vector_kwargs=options, wrappers=[stack], max_calls=2, kinds=["is"],
            reward="closure",
        )  # fmt: skip
        envs.action_space.seed(4)
        run = [envs.reset(seed=2)[0].copy()]
        for _ in range(5):
            observations, rewards, terminated, _, _ = envs.step(envs.action_space.sample())
            run += [observations.copy(), rewards, terminated]
        envs.close()
        found.append(run)
    assert all(np.array_equal(one, two) for one, two in zip(*found, strict=True))


# ---------------------------------------------------------------- pixels


@pytest.mark.parametrize("env_id", ENTRY_POINTS)
@pytest.mark.parametrize("size", [84, None, 1, 500])
def test_every_environment_can_be_seen_as_pixels_alone(env_id, size):
    env = gym.make(env_id)
    seen = PixelObservation(env, size)
    picture, info = seen.reset(seed=3)
    full = env.reset(seed=3)[0]["image"]
    assert picture in seen.observation_space and picture.dtype == np.uint8 and picture.flags.c_contiguous
    assert picture.shape == (full.shape if size is None else (size, size, full.shape[2]))
    assert info["task"]
    if size is None:
        assert np.array_equal(picture, full)


def test_each_new_pixel_is_the_mean_of_its_square():
    image = np.random.default_rng(0).integers(0, 256, (400, 400, 3)).astype(np.uint8)
    means = image.reshape(50, 8, 50, 8, 3).mean(axis=(1, 3))
    assert np.abs(shrink(image, 50) - means).max() <= 0.51
    assert np.array_equal(shrink(image[:, :, :1], 50), shrink(image, 50)[:, :, :1])


@pytest.mark.parametrize("size", [84, 90, 300])
def test_sizes_that_do_not_divide_the_image_give_means_of_the_pixels_whose_centres_they_cover(size):
    image = np.random.default_rng(1).integers(0, 256, (400, 400, 1)).astype(np.uint8)
    part = np.minimum(((np.arange(400) + 0.5) * size / 400).astype(int), size - 1)
    expected = np.array(
        [[image[np.ix_(part == row, part == column)].mean() for column in range(8)] for row in range(size)]
    )
    assert np.abs(shrink(image, size)[:, :8, 0] - expected).max() <= 1.01  # Pillow rounds after each axis


def test_an_image_that_is_not_square_is_squeezed():
    image = np.zeros((20, 40, 1), np.uint8)
    image[:, 20:] = 200
    assert shrink(image, 2)[:, :, 0].tolist() == [[0, 200], [0, 200]]
    assert shrink(image, 3).shape == (3, 3, 1)


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "84", 5000])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(ValueError, match="it must be a whole number of px from 1 to 4096, or None"):
        PixelObservation(canvas(), size)


def test_pixels_need_an_image():
    for env in (gym.make("CartPole-v1"), FilterObservation(canvas(), ["task"]), PixelObservation(canvas())):
        with pytest.raises(ValueError, match="needs observations with an 'image'"):
            PixelObservation(env)


def test_what_was_observed_does_not_change_later():
    for size in (None, 50, 84):
        env = PixelObservation(StrokeActions(canvas()), size)
        first, _ = env.reset(seed=0)
        held = first.copy()
        env.step(np.array([0, 0, 1, 1], np.float32))
        assert np.array_equal(first, held)


# ---------------------------------------------------------------- strokes


def test_zero_and_one_are_the_edges_of_the_canvas():
    env = StrokeActions(canvas())
    call = drawn(env, np.array([0.0, 0.25, 1.0, 0.5], np.float32))
    assert (call.name, call.error) == ("draw_lines", "")
    # 0.25 * 399 = 99.75 and 0.5 * 399 = 199.5, rounded half up
    assert call.arguments["lines"] == [{"x1": 0, "y1": 100, "x2": 399, "y2": 200}]
    assert not call.arguments["erase"]


def test_a_bin_is_the_middle_of_its_part():
    env = StrokeActions(canvas(), form="multidiscrete", bins=4)
    assert env.action_space == MultiDiscrete([4, 4, 4, 4])
    # (0 + 0.5) / 4 * 399 = 49.875, (3 + 0.5) / 4 * 399 = 349.125
    assert drawn(env, np.array([0, 3, 3, 0])).arguments["lines"] == [{"x1": 50, "y1": 349, "x2": 349, "y2": 50}]


def test_a_stroke_is_five_pixels_wide_and_where_it_was_said():
    env = StrokeActions(canvas(stimulus=None, reward="figural"))
    env.reset(seed=0)
    image = env.step(np.array([0.25, 0.5, 0.75, 0.5], np.float32))[0]["image"][:, :, 0]
    rows, columns = np.nonzero(image == 0)
    assert (rows.min(), rows.max()) == (198, 202)  # around y = 200
    assert abs(columns.min() - 100) <= 3 and abs(columns.max() - 299) <= 3


@pytest.mark.parametrize("form", ["box", "multidiscrete"])
def test_numbers_beyond_the_space_are_clipped(form):
    env = StrokeActions(canvas(), form=form, bins=8)
    wild = drawn(env, np.array([-3.0, np.inf, 1e30, -np.inf]))
    ends = env.action_space.nvec - 1 if form == "multidiscrete" else np.ones(4)
    assert wild.error == ""
    assert wild.arguments == drawn(env, ends * np.array([0, 1, 1, 0])).arguments


def test_nan_is_a_malformed_operation():
    for form in ("box", "multidiscrete"):
        env = StrokeActions(canvas(), form=form)
        before, _ = env.reset(seed=0)
        observation, _, _, _, info = env.step(np.array([0.1, np.nan, 0.2, 0.3]))
        assert (info["error"], info["malformed"], info["calls_left"]) == ("invalid_parameters", 1.0, 2.0)
        assert np.array_equal(observation["image"], before["image"])


@pytest.mark.parametrize(
    "action",
    [
        None, "draw", [], [0.1, 0.2], np.zeros((2, 4)), np.zeros(5), {"name": "drawing_finished"}, [[1], 2, 3, 4],
        10**400, 1j,
    ],
)  # fmt: skip
def test_what_is_no_stroke_costs_the_step_and_says_why(action):
    env = StrokeActions(canvas())
    before, _ = env.reset(seed=0)
    observation, _, terminated, _, info = env.step(action)
    assert (info["error"], info["calls_left"], terminated) == ("format", 2.0, False)
    assert "A stroke is" in observation["text"]
    assert np.array_equal(observation["image"], before["image"])


@pytest.mark.parametrize(("form", "go_on", "stop"), [("box", 0.5, 0.51), ("multidiscrete", 0, 1)])
def test_a_last_number_can_finish_the_drawing(form, go_on, stop):
    env = StrokeActions(canvas(), form=form, finish=True)
    env.reset(seed=0)
    assert env.action_space.shape == (5,)
    assert env.step(np.array([0, 0, 1, 1, go_on]))[2] is False
    *_, terminated, _, info = env.step(np.array([0, 0, 1, 1, stop]))
    assert terminated and info["end"] == "finished" and info["title"]
    assert last_call(env).name == "drawing_finished"


def test_without_it_the_budget_ends_the_episode():
    env = StrokeActions(canvas(max_calls=2))
    env.reset(seed=0)
    ends = [env.step(env.action_space.sample())[4].get("end") for _ in range(2)]
    assert ends == [None, "budget"]


@pytest.mark.parametrize(
    ("tool", "numbers"),
    [
        ("draw_dots", 2), ("draw_lines", 4), ("draw_regular_polygons", 5), ("draw_rectangles", 4),
        ("draw_rounded_rectangles", 5), ("draw_circles", 3), ("draw_ellipses", 4), ("draw_arcs", 6),
        ("draw_pieslices", 6), ("draw_chords", 6),
    ],
)  # fmt: skip
def test_every_tool_of_plain_numbers_can_be_drawn_with(tool, numbers):
    for form in ("box", "multidiscrete"):
        env = StrokeActions(canvas(), form=form, tool=tool)
        assert env.action_space.shape == (numbers,)
        env.action_space.seed(0)
        for _ in range(20):
            call = drawn(env, env.action_space.sample())
            assert (call.name, call.error) == (tool, "")


def test_the_vocabulary_of_dots_has_dots_alone():
    env = StrokeActions(canvas(vocabulary="dots"), tool="draw_dots")
    assert drawn(env, [1, 0]).arguments["dots"] == [{"x": 399, "y": 0}]
    with pytest.raises(ValueError, match="tool is 'draw_lines'; it must be one of draw_dots"):
        StrokeActions(canvas(vocabulary="dots"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"form": "discrete"}, "form is 'discrete'"),
        ({"tool": "draw_line"}, "Did you mean 'draw_lines'"),
        ({"tool": "draw_polygons"}, "tool is 'draw_polygons'; it must be one of"),
        ({"tool": "drawing_finished"}, "it must be one of"),
        ({"bins": 1}, "bins is 1"),
        ({"bins": 2.0}, "bins is 2.0"),
        ({"finish": "yes"}, "finish is 'yes'"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        StrokeActions(canvas(), **arguments)


def test_strokes_are_for_canvas_drawing_alone():
    for env in (gym.make("CartPole-v1"), gym.make(LOCALIZATION), StrokeActions(canvas()), JsonActions(canvas())):
        with pytest.raises(ValueError, match="StrokeActions needs canvas drawing"):
            StrokeActions(env)
    with pytest.raises(ValueError, match="needs drawing tools, and the environment has draw_svg"):
        StrokeActions(canvas(interface="svg"))


# ---------------------------------------------------------------- text

DOT = '{"name": "draw_dots", "arguments": {"dots": [{"x": 200, "y": 210}]}}'


@pytest.mark.parametrize(
    "text",
    [
        DOT,
        f"<tool_call>\n{DOT}\n</tool_call>",
        f"<think>Where? {{</think>Here.\n```json\n{DOT}\n```",
        f"I draw a dot: {DOT}. Done.",
        '{"dots": [{"x": 200, "y": 210}], "erase": false}',
    ],
)
def test_text_with_one_call_is_that_call(text):
    env = JsonActions(canvas())
    assert text in env.action_space
    call = drawn(env, text)
    assert (call.name, call.error, call.arguments["dots"]) == ("draw_dots", "", [{"x": 200, "y": 210}])


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("", "format", "The reply is empty."),
        ("A fine shape.", "format", "The reply holds no tool call."),
        (DOT + DOT, "format", "The reply holds 2 tool calls; exactly one is wanted."),
        (DOT[:-3], "format", "is cut off"),
        ("<think>" + DOT, "format", "The reasoning never ends"),
        (" " * 1_000_001, "limit", "1000001 characters"),
        (None, "format", "An action is text"),
        ({"name": "undo_last_action", "arguments": {}}, "format", "An action is text"),
        (DOT.replace("dots", "dot"), "invalid_action", "Did you mean 'draw_dots'"),
        ('{"name": "undo_last_action", "arguments": {}}', "dependency", "nothing to undo"),
    ],
)
def test_what_cannot_be_read_costs_the_step_and_says_why(text, error, words):
    env = JsonActions(canvas())
    before, _ = env.reset(seed=0)
    observation, _, _, _, info = env.step(text)
    assert (info["error"], info["calls_left"]) == (error, 2.0)
    assert words in observation["text"] and f"Error ({error})" in observation["text"]
    assert np.array_equal(observation["image"], before["image"])
    assert last_call(env).arguments == {}


@pytest.mark.parametrize("env_id", ENTRY_POINTS)
def test_samples_are_calls_that_are_carried_out(env_id):
    env = JsonActions(gym.make(env_id, max_calls=500))
    env.reset(seed=0)
    env.action_space.seed(7)
    names = set()
    for _ in range(60 if len(env.unwrapped.tool_table) < 20 else 400):
        text = env.action_space.sample()
        assert text in env.action_space
        names.add(json.loads(text.split("\n")[1])["name"])
        _, _, terminated, _, info = env.step(text)
        assert info["error"] in ("", "dependency")
        if terminated:
            env.reset()
    assert names == set(env.unwrapped.tool_table.names)


def test_text_is_for_environments_of_tool_calls():
    for env in (gym.make("CartPole-v1"), StrokeActions(canvas())):
        with pytest.raises(ValueError, match="JsonActions needs an environment of tool calls"):
            JsonActions(env)


numbers = st.floats(width=32) | st.integers(-(2**80), 2**80) | st.booleans() | st.none() | st.text(max_size=3)


@given(st.lists(numbers, min_size=3, max_size=6) | arrays(np.float32, st.integers(3, 6)) | numbers)
@settings(max_examples=150, deadline=None)
def test_no_action_of_any_kind_makes_a_stroke_raise(action):
    for env in STROKES:
        env.reset(seed=0)
        observation, reward, _, _, info = env.step(action)
        assert observation in env.observation_space and np.isfinite(reward)
        assert info["error"] in ("", "format", "invalid_parameters")


STROKES = [
    StrokeActions(canvas(), form, tool) for form in ("box", "multidiscrete") for tool in ("draw_lines", "draw_arcs")
]


@given(
    st.text(max_size=60)
    | st.builds("".join, st.lists(st.sampled_from([*DOT, DOT, "<tool_call>", "</think>", "\ud800"])))
)
@settings(max_examples=150, deadline=None)
def test_no_text_of_any_kind_makes_a_step_raise(text):
    env = JSON
    before, _ = env.reset(seed=0)
    observation, _, _, _, info = env.step(text)
    assert observation in env.observation_space
    if info["error"]:
        assert np.array_equal(observation["image"], before["image"])


JSON = JsonActions(canvas())


# ---------------------------------------------------------------- around vectors


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("form", ["box", "multidiscrete"])
def test_the_twins_for_vectors_do_what_the_wrappers_do(form, mode):
    kwargs = {"max_calls": 2, "kinds": ["is"], "reward": "closure"}
    wrapped = gym.make_vec(
        CANVAS, 3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode},
        wrappers=[lambda env: PixelObservation(StrokeActions(env, form, finish=True), 40)], **kwargs,
    )  # fmt: skip
    around = designgym.make_vec(CANVAS, 3, autoreset_mode=mode, **kwargs)
    around = vector.PixelObservation(vector.StrokeActions(around, form, finish=True), 40)
    for name in ("action_space", "single_action_space", "observation_space", "single_observation_space"):
        assert getattr(around, name) == getattr(wrapped, name)
    assert np.array_equal(around.reset(seed=3)[0], wrapped.reset(seed=3)[0])
    around.action_space.seed(1)
    finals = 0
    for _ in range(12):
        actions = around.action_space.sample()
        one, two = around.step(actions), wrapped.step(actions)
        assert one[0] in around.observation_space
        assert all(np.array_equal(a, b) for a, b in zip(one[:4], two[:4], strict=True))
        assert ("final_obs" in one[4]) == ("final_obs" in two[4])
        for k in np.flatnonzero(one[4].get("_final_obs", [])):
            assert np.array_equal(one[4]["final_obs"][k], two[4]["final_obs"][k])
            finals += 1
        assert one[4]["error"].tolist() == two[4]["error"].tolist()
    assert (finals > 0) is (mode is AutoresetMode.SAME_STEP)


def test_tasks_can_be_chosen_through_the_twins():
    envs = vector.PixelObservation(designgym.make_vec(CANVAS, 2, split="test"), size=None)
    pictures, infos = envs.reset(options={"task": ["is03", "ot02"]})
    assert infos["task"].tolist() == ["is03", "ot02"]
    single = gym.make(CANVAS, split="test")
    assert np.array_equal(pictures[1], single.reset(options={"task": "ot02"})[0]["image"])


def test_pixels_go_around_vectors_of_processes():
    envs = designgym.make_vec(LOCALIZATION, 2, asynchronous=True, image_size=64)
    seen = vector.PixelObservation(envs, 16)
    assert seen.reset(seed=0)[0].shape == (2, 16, 16, 3)
    seen.close()


def test_the_twins_refuse_what_the_wrappers_refuse():
    with pytest.raises(ValueError, match="StrokeActions needs canvas drawing"):
        vector.StrokeActions(designgym.make_vec(LOCALIZATION, 2))
    with pytest.raises(ValueError, match="size is 0"):
        vector.PixelObservation(designgym.make_vec(CANVAS, 2), 0)
