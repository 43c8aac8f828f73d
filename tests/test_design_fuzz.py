"""The workbench under arbitrary input: no exception, no file touched, nothing changed by a call that fails."""

import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from design_bench import L, P, V, picture
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import designgym
from designgym.envs.design.actions import ACTIONS
from designgym.envs.design.env import COUNTED, DesignActions
from designgym.envs.design.generated import GeneratedTasks
from designgym.envs.design.plan import EXECUTE
from designgym.envs.design.sandbox import File
from designgym.envs.design.task import Task
from designgym.envs.design.tools import EXPERT, FINISH, action_table
from designgym.scalars import Choice, Number, Text
from designgym.tasks import Split, TaskIds

KINDS = ("", "format", "invalid_expert", "invalid_action", "invalid_parameters", "dependency", "limit")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10" fill="#0f0"/></svg>'
LAYERS = ("title", "sun", "art", "art/title", "r", "page.png", "sun.png", "Ünïcode 日本", "a b")
FILES = ("sun.png", "sun.png", "drawing.svg", "torn.png", "art", "page.png", "art.psd", "page.pdf", "sun", "Page.PNG")


class Given:
    """The questions of a generated brief, and files of other kinds than its pictures beside them."""

    name = "given"
    inner = GeneratedTasks()

    def ids(self, split: Split) -> Sequence[str]:
        return TaskIds(split, 5)

    def type_of(self, id: str) -> str:
        return self.inner.type_of(id)

    def task(self, id: str) -> Task:
        task = self.inner.task(id)
        others = {"sun.png": picture(), "drawing.svg": SVG, "torn.png": picture()[:80]}
        files = (*task.files, *(File(name, data, caption=name) for name, data in others.items()))
        return Task(task.id, task.type, task.query, files, task.brief, task.questions, task.asked)


def made(**arguments: Any) -> DesignActions:
    env = DesignActions(**{"briefs": Given(), "split": "test", "image_size": 64, "max_calls": 10_000, **arguments})
    env.reset(seed=0)
    return env


ENV, PLANS = made(layers=True), made(mode="plan", max_calls=1)
PLAIN_OPENS = tuple(os.path.realpath(place) for place in (sys.prefix, sys.base_prefix, *designgym.__path__))

_watching = False
_touched: list[str] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note whatever reaches beyond the process, but for reading what is installed."""
    if not _watching:
        return
    if event == "open" and isinstance(arguments[0], str | bytes):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        reads = not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if path.startswith(PLAIN_OPENS) and (reads or "__pycache__" in path):
            return
        _touched.append(f"open {path}")
    elif event.startswith(("socket.", "subprocess.", "os.remove", "os.rename", "os.mkdir", "os.link", "os.symlink")):
        _touched.append(event)


sys.addaudithook(_watch)


@contextmanager
def nothing_touched() -> Iterator[None]:
    """Within, no file may be opened but to read what is installed, and nothing else of the system be asked for."""
    global _watching
    _touched.clear()
    _watching = True
    try:
        yield
    finally:
        _watching = False
    assert not _touched


def state_of(env: DesignActions) -> dict[str, Any]:
    """All that actions can change; files are equal if they are the same."""
    bench = env.get_state().run.content.bench  # type: ignore[union-attr]
    return dict(vars(bench))


def checked_step(env: DesignActions, action: Any) -> dict[str, Any]:
    """A step whose every promise is held to; returns info."""
    before = state_of(env)
    image = env.observe()["image"]
    with nothing_touched():
        observation, reward, over, truncated, info = env.step(action)
    assert info["error"] in KINDS and type(reward) is float and math.isfinite(reward) and truncated is False
    assert observation in env.observation_space
    assert all(math.isfinite(value) for value in info.values() if isinstance(value, float))
    json.dumps(info, allow_nan=False).encode()
    text = observation["text"]
    text.encode()
    assert sum(info[f"errors/{kind}"] for kind in COUNTED) == info["steps"] - info["done"]
    if info["error"]:
        assert state_of(env) == before and np.array_equal(observation["image"], image)
        assert text.startswith(f"Error ({info['error']}): ") and len(text.split("\n")[0]) > 30
    if "Layers: " in text:
        json.loads(text.split("Layers: ", 1)[1])
    if over:
        assert info["scored"] is True and 0 <= info["reward/vqa"] <= 1
    return info


# ---------------------------------------------------------------- what is thrown


odd_numbers = st.sampled_from(
    [math.nan, math.inf, -math.inf, 1e300, -1e300, 10**400, -(10**400), 2**63, 1e-320, -0.0, 0.5, 2.5, True, False,
     "1", "-2.5", "1e3", "NaN", "10px", "1_0", "１", "", " 7", "0x10", "+3.", np.float32(7.5), np.int16(-3),
     np.array([1, 2]), np.array(3.0), np.array([])]
)  # fmt: skip
odd_texts = st.sampled_from(
    ["\ud800", "\0", "\n", "\u202e", "../x", "/etc/passwd", "con", "x" * 5000, "\u200b", "null", "None", "{}", "[",
     "e\u0301" * 50, "\t\x07\x1b[31m", "%s%n", "<b>", "a\u2028b", '"\\"', "\ufdfa" * 100, "\u05e9\u05dc\u05d5\u05dd",
     "\U0001f469\u200d\U0001f467"]
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | odd_numbers | odd_texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def mostly(usual: st.SearchStrategy[Any], other: st.SearchStrategy[Any], of: int = 5) -> st.SearchStrategy[Any]:
    """The other one in one of so many cases; written twice in ``one_of``, a strategy would not come up more often."""
    return st.integers(1, of).flatmap(lambda number: other if number == of else usual)


USUAL = {
    "text": ("title", "title", "title", "art/title"),
    "drawing": ("r", "r", "r", "art/r"),
    "object": ("sun", "sun.png", "art", "art.psd"),
}


def values_of(action: str, name: str, kind: Any) -> st.SearchStrategy[Any]:
    """Mostly values in range, from end to end; names that meet each other; and some that are neither."""
    if name == "fileName" and action in ("ImportObject", "SaveDocument"):
        return st.sampled_from(FILES)
    if name in ("layerName", "fileName"):
        return mostly(st.sampled_from(USUAL[ACTIONS[action].category]), st.sampled_from(LAYERS))
    if isinstance(kind, Choice):
        return st.sampled_from(kind.options)
    if isinstance(kind, Number) and kind.integer:
        return st.integers(int(kind.low), int(kind.high)) | st.sampled_from([kind.low, kind.high])
    if isinstance(kind, Number):
        return st.floats(kind.low, kind.high) | st.sampled_from([kind.low, kind.high])
    seeds = st.integers(0, 99).map(lambda seed: kind.sample(np.random.default_rng(seed)))
    if isinstance(kind, Text):
        return seeds | st.text(min_size=1, max_size=40) | odd_texts
    return seeds


def mutated(parts: tuple[dict[str, Any], Any, int]) -> dict[str, Any]:
    """One thing wrong with arguments, or none: a value replaced, lost, misspelt or too many."""
    arguments, junk, choice = dict(parts[0]), parts[1], parts[2]
    name = sorted(arguments)[choice % len(arguments)] if arguments else "x"
    if choice % 4 == 0:
        arguments[name] = junk
    elif choice % 4 == 1:
        arguments.pop(name, None)
    elif choice % 4 == 2:
        arguments[name + "s"] = arguments.pop(name, junk)
    else:
        arguments["more"] = junk
    return arguments


def arguments_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    fields = action_table()[name].parameters
    whole = st.fixed_dictionaries(
        {each.name: values_of(name, each.name, each.type) for each in fields if each.name != EXPERT and each.required}
    )
    return mostly(whole, st.tuples(whole, json_values, st.integers(0, 20)).map(mutated))


experts = st.sampled_from([None, L, V, P, L, V, P, "Photo Editor", "boss", 7])
names = st.sampled_from([*ACTIONS, "ImportObject", "CreateText", "SaveDocument", "StrokeDrawing", "ExportDocument"])


@st.composite
def calls(draw: Any) -> dict[str, Any]:
    """A call of an action that may be right, mostly by an expert who has it."""
    name = draw(names)
    canonical = {"StrokeDrawing": "StorkeDrawing", "ExportDocument": "SaveDocument"}.get(name, name)
    arguments = draw(arguments_of(canonical))
    expert = draw(mostly(st.sampled_from(ACTIONS[canonical].experts), experts))
    if expert is not None:
        arguments = {**arguments, "expert": expert}
    try:
        return {"name": name, "arguments": json.dumps(arguments) if draw(st.booleans()) else arguments}
    except TypeError:  # numpy's numbers and arrays
        return {"name": name, "arguments": arguments}


@st.composite
def steps(draw: Any) -> Any:
    """A step of a plan that may be right."""
    call = draw(calls())
    if isinstance(call["arguments"], str):
        call["arguments"] = json.loads(call["arguments"])
    step = {**as_step(call), "description": draw(st.text(max_size=9))}
    return draw(mostly(st.just(step), st.tuples(st.just(step), json_values, st.integers(0, 20)).map(mutated)))


def call(name: str, expert: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {**arguments, "expert": expert}}


def as_step(call: dict[str, Any]) -> dict[str, Any]:
    arguments = dict(call["arguments"])
    return {"expert": arguments.pop("expert", None), "action": call["name"], "parameters": arguments}


opened = [
    call("CreateDocumentCustom", V, width=90, height=60),
    call("DrawRectangle", V, layerName="r", width=20, height=10, red=255, green=0, blue=0),
    call("CreateText", V, layerName="title", textString="Open day"),
    call("SaveDocument", V, fileName="art", format="psd"),
    call("SaveDocument", V, fileName="page", format="png"),
    call("CreateDocument", P, docType="postcard"),
    call("ImportObject", P, fileName="sun.png", layerName="sun"),
    call("ImportObject", P, fileName="art.psd", layerName="art"),
    call("CreateDocumentCustom", L, width=300, height=900),
    call("ImportObject", L, fileName="page.png", layerName="sun"),
    call("CreateText", L, layerName="title", textString="Open day"),
]
finish = st.sampled_from([{}, {"fileName": "page.png"}, {"fileName": "torn.png"}, {"fileName": None}]).map(
    lambda arguments: {"name": FINISH, "arguments": arguments}
)
junk_calls = st.fixed_dictionaries(
    {"name": st.sampled_from([*ACTIONS, FINISH, EXECUTE, "", "\ud800"]) | st.text(max_size=10)},
    optional={"arguments": json_values | st.text(max_size=30), "id": json_values},
)
anything = mostly(calls(), st.one_of(junk_calls, json_values, finish))
thorough = settings(deadline=None, suppress_health_check=list(HealthCheck))


def play(actions: Sequence[Any], ready: bool = True) -> None:
    """Carry out calls, on open pages if wanted, and hand in what came of them."""
    ENV.reset()
    for action in [*(opened if ready else ()), *actions]:
        checked_step(ENV, action)
        if ENV._run.end:  # type: ignore[union-attr]
            return
    finished = checked_step(ENV, {"name": FINISH, "arguments": {}})
    assert finished["error"] in ("", "dependency")


def play_plan(raw: Any) -> None:
    PLANS.reset()
    info = checked_step(PLANS, {"name": EXECUTE, "arguments": {"steps": raw}})
    assert info["end"] in ("submit", "budget")
    for step in PLANS.episode().truth["plan"]:
        json.dumps(step, allow_nan=False).encode()
    for document in PLANS.workspace.open.values():
        document.validate()


@given(st.lists(anything, min_size=1, max_size=8), st.booleans())
@settings(thorough, max_examples=40)
def test_no_call_breaks_a_promise(actions: list[Any], ready: bool) -> None:
    play(actions, ready)


@given(st.lists(mostly(steps(), json_values), min_size=1, max_size=10) | json_values)
@settings(thorough, max_examples=40)
def test_no_plan_breaks_a_promise(raw: Any) -> None:
    play_plan([*map(as_step, opened), *raw] if isinstance(raw, list) else raw)


# ---------------------------------------------------------------- what is wrong is told


PARAMETERS = [(action.name, each) for action in ACTIONS.values() for each in action.parameters]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=[f"{name}-{each.name}" for name, each in PARAMETERS])
def test_a_wrong_value_is_told_with_its_name_and_what_is_allowed(name: str, parameter: Any) -> None:
    ENV.reset()
    right = action_table()[name].sample(np.random.default_rng(0))
    wrong: list[Any] = [None, [], {}, True, np.array([1, 2])]
    if isinstance(parameter.type, Number):
        wrong += [parameter.type.high + 1, parameter.type.low - 0.001, math.nan, "10px"]
    else:
        wrong += [7, "", "\ud800"]
    for value in wrong:
        call = {"name": name, "arguments": {**right, parameter.name: value}}
        info = checked_step(ENV, call)
        told = ENV.words()[1].split("\n")[0]
        assert info["error"] == "invalid_parameters" and parameter.name in told, told
        if isinstance(parameter.type, Number):
            assert f"{parameter.type.low:g}" in told and f"{parameter.type.high:g}" in told
        elif isinstance(parameter.type, Choice):
            assert all(option in told for option in parameter.type.options)
    checked_step(
        ENV, {"name": name, "arguments": {key: value for key, value in right.items() if key != parameter.name}}
    )
    assert f"{parameter.name} is missing" in ENV.words()[1]


# ---------------------------------------------------------------- long sequences


class Shift(RuleBasedStateMachine):
    """Three experts at work on one brief: going back to any earlier state gives exactly that one."""

    @initialize(task=st.sampled_from(ENV.task_ids()))
    def begin(self, task: str) -> None:
        ENV.reset(options={"task": task})
        for action in opened:
            checked_step(ENV, action)
        self.kept = ENV.get_state(), ENV.observe(), state_of(ENV)

    @rule(action=calls())
    def act(self, action: Any) -> None:
        checked_step(ENV, action)

    @rule(action=st.one_of(junk_calls, json_values))
    def throw(self, action: Any) -> None:
        if not (isinstance(action, dict) and action.get("name") == FINISH):
            checked_step(ENV, action)

    @rule()
    def keep(self) -> None:
        self.kept = ENV.get_state(), ENV.observe(), state_of(ENV)

    @rule()
    def go_back(self) -> None:
        ENV.set_state(self.kept[0])
        seen = ENV.observe()
        assert state_of(ENV) == self.kept[2] and seen["text"] == self.kept[1]["text"]
        assert np.array_equal(seen["image"], self.kept[1]["image"])

    @invariant()
    def documents_keep_their_rules(self) -> None:
        for document in ENV.workspace.open.values():
            document.validate()
        assert {"sun.png", "drawing.svg", "torn.png"} <= ENV.workspace.files.keys()
        assert ENV.workspace.files["sun.png"].data == picture()


Shift.TestCase.settings = settings(thorough, max_examples=10, stateful_step_count=15)
TestShift = Shift.TestCase
