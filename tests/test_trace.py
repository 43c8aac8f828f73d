"""Traces: a line a step that plays again to the same bytes, whatever the agent did and wherever the run stopped."""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from designgym import exact_json
from designgym.env import DesignEnv, Facts, Outcome
from designgym.episode import Episode
from designgym.errors import UserError
from designgym.eval.filmstrip import filmstrip
from designgym.eval.replay import replay
from designgym.jsonl import CutOffWarning
from designgym.score import Backend, Score
from designgym.tasks import Split, TaskIds
from designgym.tools import Number, Parameter, Tool, ToolTable
from designgym.trace import TraceWriter, read_episodes, read_traces

ID = "designgym-test/Page-v0"


class Grey:
    """Scores a page by its mean grey."""

    name = "grey"
    backend = Backend("exact", "1", "ab" * 32)

    def score(self, episode: Episode) -> Score:
        assert episode.image is not None
        value = float(episode.image.mean() / 255)
        return Score(value, {"grey": value}, self.backend)


class PageEnv(DesignEnv[np.ndarray]):
    """A page that starts white and is filled with a grey by each call; the number of its task is one black pixel."""

    env_id = ID

    def __init__(self, split: Split = "train", start: int = 255, max_calls: int = 3, render_mode: str | None = None):
        level = Parameter("level", Number(0, 255, integer=True), "Grey level.")
        super().__init__(
            tool_table=ToolTable((Tool("fill", "Fill the page.", (level,)),)),
            image_shape=(4, 6, 3),
            reward=Grey(),  # type: ignore[arg-type]
            split=split,
            reward_mode="terminal",
            max_calls=max_calls,
            render_mode=render_mode,
        )
        self._start = start

    def task_ids(self, split: Split | None = None) -> TaskIds:
        return TaskIds(split or self.split, 24)

    def begin(self, task: str) -> np.ndarray:
        page = np.full((4, 6, 3), self._start, np.uint8)
        page.reshape(24, 3)[int(task[-6:])] = 0
        return page

    def call(self, content: np.ndarray, call: Any) -> Outcome:
        content[:] = call.arguments["level"]
        return Outcome("filled\u2028all")

    def picture(self, content: np.ndarray) -> np.ndarray:
        return content.copy()

    def facts(self, content: np.ndarray) -> Facts:
        return Facts(questions=("Which grey?",))


@pytest.fixture(autouse=True)
def _registered():
    gym.register(ID, entry_point=PageEnv)
    yield
    del gym.registry[ID]


def fill(level: Any) -> dict[str, Any]:
    return {"name": "fill", "arguments": {"level": level}}


def record(
    path: Path, actions: list[Any], *, task: str = "train-000003", writer: TraceWriter | None = None, **kwargs: Any
):
    env = gym.make(ID, **kwargs)
    trace = writer or TraceWriter(path)
    observation, info = env.reset(seed=5, options={"task": task})
    episode = trace.begin(env, observation, info, seed=5)
    for action in actions:
        episode.step(action, *env.step(action), reply=f"I say {action}")
    if writer is None:
        trace.close()
    return trace


ODD_ACTIONS = [
    fill(float("nan")),
    fill({"$float": "inf"}),
    {"name": "fill", "arguments": '{"level": 7}'},
    "an unreadable reply \u2028 \ud800",
    {"name": "fill", "arguments": {"level": np.int64(9), "x": np.arange(3), "y": (1, 2)}},
    None,
    [],
]


def test_a_step_holds_what_the_format_promises(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path, [fill(10), fill(20)], split="train", start=200)
    reset, first, second = [json.loads(line) for line in path.read_text().splitlines()]
    assert reset["format"] == 1
    assert (reset["env"], reset["kwargs"]) == (ID, {"split": "train", "start": 200})
    assert (reset["split"], reset["task"], reset["seed"], reset["step"]) == ("train", "train-000003", 5, 0)
    assert reset["action"] is None
    assert first["action"] == {"name": "fill", "arguments": {"level": 10}}
    assert (first["round"], second["round"]) == (0, 1)
    assert second["reply"].startswith("I say")
    assert second["info"]["calls_left"] == 1.0
    assert second["backend"] == {"name": "exact", "version": "1", "hash": "ab" * 32}
    # sha256 of 72 bytes of value 20, worked with sha256sum
    assert second["image"] == {"sha256": SHA_OF_72_TIMES_20, "shape": [4, 6, 3]}


SHA_OF_72_TIMES_20 = "d694231f29c24beacc033fd91fb3d88402b7fc69b8f3414c789b9c148cde3c5b"


@pytest.mark.parametrize("actions", [[fill(0)], [fill(1), fill(2), fill(3)], *([action] for action in ODD_ACTIONS)])
def test_an_episode_plays_again_to_the_same_bytes(tmp_path: Path, actions: list[Any]) -> None:
    path = tmp_path / "t.jsonl"
    record(path, actions, split="validation", task="validation-000011")
    (again,) = replay(path)
    assert again.differences == ()
    assert len(again.images) == len(actions) + 1
    assert again.finished == (len(actions) == 3)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("reward", 0.25, "step 3: reward was 0.25, is now 0.01176"),
        ("error", "limit", "step 3: error was 'limit', is now ''"),
        ("text", "nothing", "step 3: text was 'nothing'"),
        ("image", {"sha256": "0" * 64, "shape": [4, 6, 3]}, "step 3: image was 000000000000 4x6x3, is now"),
        ("info", {}, "step 3: info was {}"),
        ("task", "train-000004", "step 3: task was 'train-000004', is now 'train-000003'"),
        ("split", "test", "step 3: split was 'test', is now 'train'"),
        (
            "backend",
            {"name": "exact", "version": "0", "hash": ""},
            "step 3: backend was ...exact', 'version': '0', 'hash': ''}, is now",
        ),
        ("action", {"$float": {}}, "step 3: the action cannot be repeated: $float stands for one of nan"),
        ("action", {"$float": "1.5"}, "step 3: the action cannot be repeated: $float stands for one of nan"),
        ("action", {"$object": 5}, "step 3: the action cannot be repeated: $object stands for an object"),
        ("action", json.loads("[" * 400 + "]" * 400), "step 3: the action cannot be repeated: a value is nested"),
    ],
)
def test_a_difference_is_found_and_named(tmp_path: Path, key: str, value: Any, says: str) -> None:
    path = tmp_path / "t.jsonl"
    record(path, [fill(1), fill(2), fill(3)])
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], json.dumps(json.loads(lines[3]) | {key: value})]))
    (again,) = replay(path)
    assert len(again.differences) == 1
    assert says in again.differences[0]


def test_of_long_values_the_part_that_differs_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path, [])
    line = json.loads(path.read_text())
    path.write_text(json.dumps(line | {"text": "x" * 500 + line["text"]}))
    (again,) = replay(path)
    assert len(again.differences[0]) < 250
    path.write_text(json.dumps(line | {"info": line["info"] | {"long": "y" * 300}}))
    (again,) = replay(path)
    assert "'long': 'yyy" in again.differences[0]


def test_the_first_frame_of_an_episode_is_its_own_page(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.jsonl") as writer:
        record(writer.path, [fill(0), fill(0), fill(0)], writer=writer)
        record(writer.path, [fill(9), fill(9)], task="train-000000", writer=writer)
    one, two = replay(tmp_path / "t.jsonl")
    assert (len(one.images), len(two.images)) == (4, 3)
    assert one.images[-1].max() == 0
    assert two.images[0].reshape(24, 3)[1:].min() == 255
    strip = filmstrip(two.images, gap_px=1)
    assert strip.shape == (4, 3 * 6 + 2, 3)
    assert (strip[:, :6] == two.images[0]).all()
    assert (strip[:, 6] == 128).all()
    assert (strip[:, 14:] == 9).all()


def test_episodes_side_by_side_are_told_apart(tmp_path: Path) -> None:
    envs = [gym.make(ID), gym.make(ID)]
    with TraceWriter(tmp_path / "t.jsonl") as writer:
        begun = [writer.begin(env, *env.reset(seed=index), seed=index) for index, env in enumerate(envs)]
        for level in (10, 20):
            for env, episode in zip(envs, begun, strict=True):
                episode.step(fill(level), *env.step(fill(level)))
    episodes = list(read_episodes(tmp_path / "t.jsonl"))
    assert [[step.step for step in steps] for steps in episodes] == [[0, 1, 2], [0, 1, 2]]
    assert all(again.differences == () for again in replay(tmp_path / "t.jsonl"))


def test_a_killed_run_leaves_its_whole_steps_and_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    record(path, [fill(1)])
    with path.open("a") as stream:
        stream.write('{"format":1,"episode":"tra')
    with pytest.warns(CutOffWarning):
        (again,) = replay(path)
    assert (again.finished, again.differences, len(again.images)) == (False, (), 2)
    with pytest.warns(CutOffWarning):
        record(path, [fill(1), fill(2), fill(3)])  # the same default name: a run that was started again
    stopped, whole = replay(path)
    assert (stopped.finished, whole.finished) == (False, True)
    assert (stopped.name, whole.name) == ("train-000003#0", "train-000003#0")


def test_a_killed_process_has_written_every_step_it_took(tmp_path: Path) -> None:
    script = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import gymnasium as gym
from {Path(__file__).stem} import ID, PageEnv, fill
from designgym.trace import TraceWriter
gym.register(ID, entry_point=PageEnv)
env = gym.make(ID)
episode = TraceWriter(sys.argv[1]).begin(env, *env.reset(seed=1), seed=1)
for level in (1, 2):
    episode.step(fill(level), *env.step(fill(level)))
print("stepped", flush=True)
time.sleep(60)
"""
    path = tmp_path / "t.jsonl"
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"stepped"
        os.kill(process.pid, signal.SIGKILL)
    (again,) = replay(path)
    assert [step.step for step in again.steps] == [0, 1, 2]
    assert again.differences == ()


def test_images_are_kept_once_each_and_losslessly(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "t.jsonl", images=tmp_path / "images") as writer:
        record(writer.path, [fill(7), fill(7), fill(8)], writer=writer)
    steps = list(read_traces(tmp_path / "t.jsonl"))
    assert len(list((tmp_path / "images").iterdir())) == 3
    kept = np.asarray(Image.open(tmp_path / "images" / steps[2].image.file_name))
    assert (kept == 7).all()
    assert kept.shape == (4, 6, 3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 2}, "t.jsonl:1: the trace has format version 2"),
        ({"task": None}, "t.jsonl:1: 'task' of the trace's line is None"),
        ({"terminated": 1}, "'terminated' of the trace's line is 1"),
        ({"step": True}, "'step' of the trace's line is True"),
        ({"seed": -1}, "'seed' of the trace's line is -1; seeds are 0 or more"),
        ({"reward": {"$repr": "x"}}, "'reward' of the trace's line cannot be read: only a description"),
        ({"reward": {"a": 1}}, "'reward' of the trace's line is {'a': 1}, which is no float"),
        ({"image": {}}, "'image' of the trace's line must have"),
        ({"step": 1}, "step 1 stands where step 0 belongs"),
        ({"env": "os:system"}, "'os:system', which is not registered here"),
        ({"env": "designgym-test/Pag-v0"}, "not registered here"),
        ({"env": "CartPole-v1", "kwargs": {}}, "'CartPole-v1' is no environment of tool calls"),
        ({"kwargs": {"strt": 1}}, "PageEnv has no argument 'strt'. Did you mean 'start'?"),
        ({"kwargs": {"id": "CartPole-v1"}}, "has no argument 'id'; that one belongs to gym.make"),
        ({"kwargs": {"max_episode_steps": 1}}, "has no argument 'max_episode_steps'"),
        ({"kwargs": {"render_mode": "human"}}, "render_mode 'human' opens a window"),
        ({"kwargs": {"start": {"$repr": "<object>"}}}, "cannot be made again"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    path = tmp_path / "t.jsonl"
    record(path, [])
    path.write_text(json.dumps(json.loads(path.read_text()) | change) + "\n")
    with pytest.raises(UserError) as caught:
        list(replay(path))
    assert says in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*The reward is a NaN value")
def test_a_reward_that_is_no_number_is_written_read_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PageEnv, "_pay", lambda *_: float("nan"))
    record(tmp_path / "t.jsonl", [fill(1)])
    assert math.isnan([step.reward for step in read_traces(tmp_path / "t.jsonl")][1])
    (again,) = replay(tmp_path / "t.jsonl")
    assert again.differences == ()


def test_files_that_are_no_traces_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for content, says in (
        ("", "holds no episodes"),
        ('{"a": 1}\n', "no line of a trace"),
        ('{"format": 1}\n', "lacks action"),
    ):
        path.write_text(content)
        with pytest.raises(UserError, match=says):
            list(replay(path))


def test_an_unknown_episode_is_named_with_the_nearest(tmp_path: Path) -> None:
    record(tmp_path / "t.jsonl", [fill(1)])
    with pytest.raises(UserError, match="Did you mean 'train-000003#0'"):
        list(replay(tmp_path / "t.jsonl", ["train-000003#1"]))


def test_an_environment_made_by_hand_cannot_be_traced(tmp_path: Path) -> None:
    env = PageEnv()
    with pytest.raises(UserError, match=r"gym\.make"):
        TraceWriter(tmp_path / "t.jsonl").begin(env, *env.reset())


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot be written"):
        record(tmp_path / "file" / "t.jsonl", [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["$float", "$repr", "$object"]), inner),
    max_leaves=8,
)


@given(JSON)
def test_any_json_data_is_kept_exactly(value: Any) -> None:
    line = json.dumps(exact_json.encode(value), allow_nan=False)
    assert exact_json.decode(json.loads(line)) == value


def test_what_has_no_json_form_is_described_and_never_invented() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for value in (object(), {1: 2}, {3, 4}, b"x", 10**5000, deep):
        data = exact_json.encode({"x": value})
        json.dumps(data, allow_nan=False)
        with pytest.raises(ValueError, match="only a description"):
            exact_json.decode(data)
