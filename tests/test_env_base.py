"""The base environment on its own, with a small environment of many steps: a page on which squares are inked."""

import copy
import pickle
import time
from dataclasses import dataclass, field

import gymnasium as gym
import numpy as np
import pytest

from designgym.env import DesignEnv, Facts, MisuseError, Outcome, UnknownArgument
from designgym.episode import Call
from designgym.score import Backend, Score
from designgym.tasks import TaskIds
from designgym.tools import Number, Parameter, Text, Tool, ToolTable

TABLE = ToolTable(
    (
        Tool("ink", "Ink a cell.", (Parameter("cell", Number(0, 8, integer=True)),)),
        Tool("undo", "Take back."),
        Tool("say", "Say something.", (Parameter("text", Text(5000)),)),
        Tool("finish", "Submit."),
    )
)


@dataclass(frozen=True)
class InkShare:
    """The share of inked cells; ``fail_at`` makes the judge fail while exactly so many are inked."""

    fail_at: int = -1
    name = "ink"
    backend = Backend("exact", "1")

    def score(self, episode):
        inked = int((episode.image == 0).sum())
        value = None if inked == self.fail_at else inked / 9
        return Score(value, {"ink": value, "cells": float(inked)}, self.backend)

    def score_batch(self, episodes):
        return [self.score(episode) for episode in episodes]


@dataclass
class Page:
    pixels: np.ndarray
    history: list = field(default_factory=list)


class Ink(DesignEnv[Page]):
    env_id = "designgym-test/Ink-v0"

    def __init__(self, *, split="train", reward_mode="terminal", max_calls=6, fail_at=-1, start=0, render_mode=None):
        super().__init__(
            tool_table=TABLE,
            image_shape=(3, 3, 1),
            reward=InkShare(fail_at),
            split=split,
            reward_mode=reward_mode,
            max_calls=max_calls,
            render_mode=render_mode,
            text_length=300,
            identity=(start,),
        )
        self.start = start

    def task_ids(self, split=None):
        return TaskIds(split or self.split, 50)

    def begin(self, task):
        pixels = np.full((3, 3, 1), 255, np.uint8)
        pixels.flat[: self.start] = 0
        return Page(pixels)

    def call(self, content, call):
        if call.name == "ink":
            content.history.append(content.pixels.copy())
            content.pixels.flat[call.arguments["cell"]] = 0
            return Outcome("Inked.")
        if call.name == "undo":
            if not content.history:
                return Outcome("There is nothing to undo.", "dependency")
            content.pixels[...] = content.history.pop()
            return Outcome("Undone.")
        if call.name == "say":
            return Outcome(call.arguments["text"])
        return Outcome("Submitted.", end="submit")

    def picture(self, content):
        return content.pixels.copy()

    def facts(self, content):
        return Facts(("Ink the page.",), {"cells": 9.0})

    def standing_text(self, content):
        return f"Inked cells: {int((content.pixels == 0).sum())}."


def ink(cell):
    return {"name": "ink", "arguments": {"cell": cell}}


UNDO, FINISH = {"name": "undo", "arguments": {}}, {"name": "finish", "arguments": {}}


def started(**kwargs):
    env = Ink(**kwargs)
    env.reset(seed=0)
    return env


def test_text_tells_the_result_the_calls_left_and_what_stands():
    env = Ink()
    assert env.reset(seed=0)[0]["text"] == "Calls left: 6.\nInked cells: 0."
    assert env.step(ink(4))[0]["text"] == "Inked.\nCalls left: 5.\nInked cells: 1."
    assert env.step(ink(99))[0]["text"].startswith(
        "Error (invalid_parameters): cell must be a whole number from 0 to 8; got 99.\nCalls left: 4."
    )
    assert env.step(FINISH)[0]["text"] == "Submitted.\nThe episode is over.\nInked cells: 1."


def test_text_is_cut_to_its_space():
    env = started()
    observation = env.step({"name": "say", "arguments": {"text": "a" * 4000}})[0]
    assert observation["text"] == "a" * 300
    assert observation in env.observation_space


def test_an_error_of_the_environment_itself_is_reported_and_recorded():
    env = started()
    observation, reward, terminated, _, info = env.step(UNDO)
    assert (info["error"], info["calls_left"], reward, terminated) == ("dependency", 5.0, 0.0, False)
    assert observation["text"].startswith("Error (dependency): There is nothing to undo.")
    assert env.episode().calls == (Call("undo", {}, "dependency", 0),)
    assert env.episode().done_calls == ()


def test_terminal_reward_is_paid_at_the_end_alone():
    env = started()
    rewards = [env.step(action)[1] for action in (ink(0), ink(1), UNDO, ink(2), FINISH)]
    assert rewards == [0.0, 0.0, 0.0, 0.0, pytest.approx(2 / 9)]


def test_dense_reward_is_the_change_of_the_score():
    env = started(reward_mode="dense")
    steps = [env.step(action) for action in (ink(0), ink(1), UNDO, None, FINISH)]
    assert [step[1] for step in steps] == pytest.approx([1 / 9, 1 / 9, -1 / 9, 0, 0])
    assert all(step[4]["scored"] is True for step in steps)
    assert [step[4]["reward/ink"] for step in steps] == pytest.approx([1 / 9, 2 / 9, 1 / 9, 1 / 9, 1 / 9])


def test_dense_reward_pays_what_was_there_at_the_start_with_the_first_step():
    env = started(reward_mode="dense", start=3)
    assert [env.step(action)[1] for action in (ink(3), FINISH)] == pytest.approx([4 / 9, 0])


def test_a_judge_that_fails_pays_nothing_and_says_so():
    env = started(fail_at=1)
    env.step(ink(0))
    _, reward, terminated, _, info = env.step(FINISH)
    assert (reward, terminated, info["scored"]) == (0.0, True, False)
    assert info["reward/ink"] == 0.0 and info["reward/cells"] == 1.0


def test_dense_reward_survives_a_judge_that_fails_on_the_way():
    env = started(reward_mode="dense", fail_at=1)
    steps = [env.step(action) for action in (ink(0), ink(1), FINISH)]
    assert [step[1] for step in steps] == pytest.approx([0, 2 / 9, 0])
    assert [step[4]["scored"] for step in steps] == [False, True, True]


def test_the_budget_submits_what_is_there():
    env = started(max_calls=2)
    env.step(ink(0))
    observation, reward, terminated, truncated, info = env.step(ink(1))
    assert (terminated, truncated, info["end"]) == (True, False, "budget")
    assert observation["text"] == "Inked.\nNo calls left: the episode is over.\nInked cells: 2."
    assert reward == pytest.approx(2 / 9)


def test_submitting_with_the_last_call_is_a_submission():
    env = started(max_calls=1)
    assert env.step(FINISH)[4]["end"] == "submit"


def test_grey_pages_are_rendered_in_rgb():
    env = started(render_mode="rgb_array")
    env.step(ink(4))
    frame = env.render()
    assert frame.shape == (3, 3, 3) and (frame[1, 1] == 0).all() and (frame[0, 0] == 255).all()


def test_copies_and_snapshots_share_nothing():
    env = started()
    env.step(ink(0))
    state = env.get_state()
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), Ink()]
    others[2].set_state(state)
    env.step(ink(1))
    for other in others:
        assert other.episode().calls == env.episode().calls[:1]
        assert other.step(UNDO)[0]["text"].endswith("Inked cells: 0.")
        assert other.step(UNDO)[4]["error"] == "dependency"
    assert env.episode().image.sum() == 255 * 7
    env.set_state(state)
    env.step(UNDO)
    env.set_state(state)  # a snapshot is not used up
    assert env.step(FINISH)[1] == pytest.approx(1 / 9)


def test_a_snapshot_before_the_first_reset_is_one_too():
    env = Ink()
    state = env.get_state()
    env.reset(seed=1)
    env.set_state(state)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(FINISH)


def test_the_image_of_an_episode_is_a_copy_that_cannot_be_written():
    env = started()
    image = env.episode().image
    env.step(ink(0))
    assert image.min() == 255
    with pytest.raises(ValueError, match="read-only"):
        image[...] = 0


def test_arguments_that_were_refused_are_not_kept():
    env = started(max_calls=100)
    for _ in range(20):
        env.step({"name": "say", "arguments": {"text": "a" * 1_000_000}})
    assert len(pickle.dumps(env.get_state())) < 5_000


def test_unknown_keywords_are_refused_for_every_subclass():
    with pytest.raises(UnknownArgument, match=r"Ink has no argument 'max_cals'\. Did you mean 'max_calls'\?"):
        Ink(max_cals=3)
    with pytest.raises(MisuseError, match="split is 'dev'"):
        Ink(split="dev")
    with pytest.raises(MisuseError, match="render_mode is 'human'"):
        Ink(render_mode="human")


def test_task_ids_are_a_lazy_sequence():
    ids = TaskIds("test")
    assert len(ids) == 1_000_000
    assert (ids[0], ids[-1], ids[3:5]) == ("test-000000", "test-999999", ["test-000003", "test-000004"])
    assert "test-999999" in ids and "train-000000" not in ids and "test-00000" not in ids and 3 not in ids
    assert "test-٠٠٠٠٠١" not in ids and "test-000001\n" not in ids
    assert ids.index("test-000123") == 123
    small = TaskIds("train", 3)
    assert list(small) == ["train-000000", "train-000001", "train-000002"] and "train-000003" not in small
    with pytest.raises(IndexError):
        small[3]
    with pytest.raises(ValueError, match="none of"):
        small.index("test-000000")


def test_a_step_of_the_base_costs_little():
    env = started(max_calls=10_000)
    best = min(_seconds_a_step(env, 300) for _ in range(5))
    assert best < 200e-6  # about 15 us on an idle core; the bound is for a busy one


def test_steps_do_not_grow_slower_in_a_long_episode():
    env = started(max_calls=10_000)
    early = min(_seconds_a_step(env, 200) for _ in range(5))
    for _ in range(6000):
        env.step(ink(1))
    late = min(_seconds_a_step(env, 200) for _ in range(5))
    assert late < 4 * early


def _seconds_a_step(env, count):
    start = time.process_time()
    for _ in range(count):
        env.step({"name": "say", "arguments": {"text": "a"}})
    return (time.process_time() - start) / count
