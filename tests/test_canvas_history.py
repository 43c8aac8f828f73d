"""Histories, which prompts over many turns are made of, and the memory in which an agent keeps them."""

import gc

import numpy as np

from designgym.agents.memory import NOTHING, Memory
from designgym.history import Turn, appended, from_steps, turn
from designgym.trace_step import ImageDigest, Step


def seen(level, text=""):
    return {"image": np.full((2, 2, 1), level, np.uint8), "task": "Draw.", "text": text}


def told(task="a", error=""):
    return {"task": task, "error": error}


def levels(history):
    """The greys of the images that are kept."""
    return [None if step.image is None else int(step.image[0, 0, 0]) for step in history]


# ---------------------------------------------------------------- histories


def test_a_turn_shares_the_image_of_its_observation():
    observation = seen(7, "OK\nCalls left: 3.")
    made = turn({"name": "undo"}, observation, told(error="dependency"), round=4)
    assert made.image is observation["image"]
    assert (made.action, made.text, made.error, made.round) == ({"name": "undo"}, "OK\nCalls left: 3.", "dependency", 4)
    assert not made.carried_out
    assert turn(None, observation, told()).carried_out


def test_appending_keeps_the_images_of_the_latest_turns_that_were_carried_out():
    history = ()
    for level, error in enumerate(["", "", "format", "", "limit", "limit", "", ""]):
        history = appended(history, turn(level, seen(level), told(error=error)), images=3)
    assert levels(history) == [None, None, None, 3, None, None, 6, 7]
    assert [step.action for step in history] == list(range(8))


def test_appending_leaves_the_history_before_as_it_was():
    before = (Turn(None, "", image=seen(0)["image"]),)
    after = appended(before, turn(1, seen(1), told()), images=1)
    assert levels(before) == [0]
    assert levels(after) == [None, 1]
    assert levels(appended(before, turn(1, seen(1), told(error="format")), images=1)) == [0, None]
    assert levels(appended(before, turn(1, seen(1), told()), images=0)) == [None, None]


def test_the_steps_of_a_trace_are_turns():
    common = {"episode": "e", "env": "x", "kwargs": {}, "split": "test", "task": "a", "seed": 1}
    digest = ImageDigest("0", (2, 2, 1))
    steps = [
        Step(step=0, round=0, action=None, image=digest, text="Calls left: 2.", **common),
        Step(step=1, round=0, action="?", image=digest, text="Error", error="format", **common),
        Step(step=2, round=1, action={"name": "undo"}, image=digest, text="OK", **common),
    ]
    turns = from_steps(steps, lambda step: seen(step.step)["image"])
    assert [step.action for step in turns] == [None, "?", {"name": "undo"}]
    assert [step.text for step in turns] == ["Calls left: 2.", "Error", "OK"]
    assert [step.error for step in turns] == ["", "format", ""]
    assert [step.round for step in turns] == [0, 0, 1]
    assert levels(turns) == [0, 1, 2]
    assert levels(from_steps(steps)) == [None, None, None]


# ---------------------------------------------------------------- what an agent remembers


class Env:
    """As much of an environment as the memory looks at."""

    def __init__(self, **options):
        self.unwrapped = self
        self.options = options

    def prompt_options(self):
        return self.options


def actions(memory, observation, info):
    return [step.action for step in memory.recall(observation, info).history]


def test_an_episode_is_recalled_turn_by_turn():
    memory, env = Memory(), Env(subject="a snail")
    memory.begin(env, told())
    assert memory.recall(seen(0), told()).options == {"subject": "a snail"}
    for number in range(1, 6):
        memory.sent(number, told())
        recalled = memory.recall(seen(number, f"text {number}"), told(error="limit" if number == 2 else ""))
    assert [step.action for step in recalled.history] == [None, 1, 2, 3, 4, 5]
    assert [step.round for step in recalled.history] == [0, 0, 1, 2, 3, 4]
    assert [step.error for step in recalled.history] == ["", "", "limit", "", "", ""]
    assert recalled.history[3].text == "text 3"
    assert levels(recalled.history) == [None, None, None, 3, 4, 5]


def test_being_asked_twice_about_one_observation_is_one_turn():
    memory, env = Memory(), Env()
    memory.begin(env, told())
    memory.recall(seen(0), told())
    memory.recall(seen(0), told())
    memory.sent("x", told())
    assert actions(memory, seen(1), told()) == actions(memory, seen(1), told()) == [None, "x"]


def test_episodes_side_by_side_are_kept_apart():
    memory, first, second = Memory(), Env(), Env()
    memory.begin(first, told("a"))
    memory.begin(second, told("b"))
    for task in "ab":
        memory.recall(seen(0), told(task))
        memory.sent(f"call of {task}", told(task))
    assert actions(memory, seen(1), told("a")) == [None, "call of a"]
    assert actions(memory, seen(1), told("b")) == [None, "call of b"]


def test_the_next_episode_of_an_environment_or_of_a_task_starts_anew():
    memory, env, other = Memory(), Env(), Env()
    for beginning in (env, env, other):  # the same task again, in the same and in another environment
        memory.begin(beginning, told("a"))
        assert actions(memory, seen(0), told("a")) == [None]
        memory.sent("x", told("a"))
    memory.begin(other, told("b"))
    assert memory.recall(seen(0), told("a")) is NOTHING


def test_nothing_is_known_of_episodes_that_were_not_begun_or_whose_environment_is_gone():
    memory = Memory()
    memory.sent("x", told())
    assert memory.recall(seen(0), told()) is NOTHING
    assert memory.recall(seen(0), {}) is NOTHING
    env = Env()
    memory.begin(env, told())
    memory.recall(seen(0), told())
    del env
    gc.collect()
    assert memory.recall(seen(0), told()) is NOTHING
