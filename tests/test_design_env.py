"""The environment of design actions over tasks made here: modes, observations, info, what is submitted, snapshots."""

import hashlib
import json
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from design_bench import L, P, V, picture
from gymnasium.error import ResetNeeded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designgym.agents.designer import design
from designgym.env import MisuseError
from designgym.envs.design.env import LAYERS_LENGTH, TEXT_LENGTH, DesignActions
from designgym.envs.design.layer_list import layer_list
from designgym.envs.design.sandbox import File
from designgym.envs.design.task import Task
from designgym.episode import Episode
from designgym.graphics.document import Document, Group, TextLayer
from designgym.graphics.render import render
from designgym.rewards.base import EpisodeReward
from designgym.score import Backend
from designgym.tasks import Split, TaskIds

BLUE = {"red": 0, "green": 0, "blue": 255}


class Two:
    """A source of tasks that differ by their number."""

    name = "two"

    def ids(self, split: Split) -> Sequence[str]:
        return TaskIds(split, 2)

    def type_of(self, id: str) -> str:
        return "poster"

    def task(self, id: str) -> Task:
        files = (File("sun.png", picture(), caption="a red field"),)
        question = {"text": "Is the background blue?", "expected": True}
        return Task(id, "poster", f"Make poster {id}.", files, {"id": id}, [question], (question["text"],))


class Blueness(EpisodeReward):
    """The blue share of the submitted page."""

    name = "blueness"
    backend = Backend("test", "1")

    def value(self, episode: Episode) -> float:
        if episode.document is None:
            return 0.0
        assert episode.image is not None
        return float((episode.image == (0, 0, 255)).all(axis=-1).mean())


def made(**arguments: object) -> DesignActions:
    return DesignActions(**{"briefs": Two(), "reward": Blueness(), **arguments})  # type: ignore[arg-type]


def call(name: str, **arguments: object) -> dict:
    return {"name": name, "arguments": arguments}


def test_an_episode_from_the_brief_to_the_delivered_page() -> None:
    env = made()
    observation, info = env.reset(options={"task": "train-000001"})
    assert observation in env.observation_space
    assert "Make poster train-000001." in observation["task"]
    assert "sun.png: a red field" in observation["task"]
    assert (observation["image"] == 128).all()
    assert (info["expert"], info["page"], info["scale"]) == (L, [0.0, 0.0], 0.0)

    _, reward, over, _, info = env.step(call("CreateDocument", docType="book cover", expert=V))
    assert (reward, over, info["error"], info["expert"]) == (0.0, False, "", V)
    assert info["page"] == [336.0, 448.0]
    assert info["scale"] == pytest.approx(448 / 1728)
    env.step(call("SetBackgroundColor", **BLUE))
    observation, *_ = env.step(call("DrawRectangle", layerName="r", width=648, height=864, red=255, green=0, blue=0))
    image = observation["image"]
    assert tuple(image[0, 0]) == (0, 0, 255)
    assert tuple(image[224, 168]) == (255, 0, 0)
    assert (image[:, 336:] == 128).all()
    observation, reward, over, _, info = env.step(call("finish"))
    assert over
    assert info["end"] == "submit"
    assert reward == pytest.approx(0.75, abs=0.01)
    assert (info["execution_success"], info["error_free"], info["scored"]) == (1.0, True, True)


def test_what_is_scored_holds_the_page_the_questions_and_every_step() -> None:
    env = made()
    env.reset(options={"task": "train-000000"})
    env.step(call("CreateDocument", docType="postcard"))
    env.step(call("ColorText", layerName="nobody", **BLUE))
    env.step(call("CreateText", layerName="x"))
    env.step(call("ImportObject", fileName="hero.png", layerName="hero"))
    _, _, _, _, info = env.step("nonsense")
    episode = env.episode()
    assert episode.image is not None
    assert episode.image.shape == (655, 1024, 3)
    np.testing.assert_array_equal(episode.image, render(env.workspace.design, 1.024))
    assert episode.questions == ("Is the background blue?",)
    assert episode.truth["questions"][0]["expected"] is True
    hashed = hashlib.sha256(picture()).hexdigest()
    assert episode.truth["files"] == {"sun.png": {"caption": "a red field", "sha256": hashed}}
    assert episode.truth["experts"] == [L]
    assert [(s["action"], s["error"], s["dependency"]) for s in episode.truth["plan"]] == [
        ("CreateDocument", "", ""),
        ("ColorText", "dependency", "local"),
        ("CreateText", "invalid_parameters", ""),
        ("ImportObject", "dependency", "global"),
        ("", "format", ""),
    ]
    assert Episode.from_json(episode.to_json()).document == episode.document
    kinds = ("format", "invalid_parameters", "dependency_local", "dependency_global")
    assert [info[f"errors/{kind}"] for kind in kinds] == [1.0] * 4
    assert (info["steps"], info["done"]) == (5.0, 1.0)


def test_flat_pages_that_were_imported_are_scored_with_their_layers() -> None:
    env = made()
    env.reset(seed=0)
    env.step(call("CreateDocument", docType="postcard", expert=P))
    env.step(call("CreateText", layerName="title", textString="Hello"))
    env.step(call("SaveDocument", fileName="art", format="png"))
    env.step(call("CreateDocument", docType="postcard", expert=L))
    env.step(call("ImportObject", fileName="art.png", layerName="art"))
    env.step(call("finish"))
    document = env.episode().document
    assert document is not None
    assert "art/title" in {layer.id for layer in document.layers}


def test_the_budgets_end_submits_what_was_changed_last() -> None:
    env = made(max_calls=3)
    env.reset(seed=0)
    env.step(call("CreateDocument", docType="postcard"))
    env.step(call("SetBackgroundColor", **BLUE))
    _, reward, over, _, info = env.step(call("CreateDocument", docType="poster", expert=V))
    assert (over, info["end"], reward) == (True, "budget", 1.0)


def test_dense_rewards_sum_to_the_terminal_one() -> None:
    env = made(reward_mode="dense")
    env.reset(seed=0)
    calls = [
        call("CreateDocument", docType="postcard"),
        call("SetBackgroundColor", **BLUE),
        call("ImportObject", fileName="sun.png", layerName="sun"),
        call("ResizeObject", fileName="sun", width=500, height=640),
        call("finish"),
    ]
    rewards = [env.step(each)[1] for each in calls]
    assert rewards[1] == 1.0
    assert rewards[3] < 0
    assert sum(rewards) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("task", ["test-000000", "test-000011", "test-000200"])
def test_dense_rewards_of_questions_sum_to_the_terminal_one_to_the_last_digit(task: str) -> None:
    wrong = [call("CreateText", layerName="more", textString="Yes", expert=V), call("RemoveText", layerName="more")]
    wrong += [call("RemoveObject", fileName="picture 1"), "nonsense"]
    sums = []
    for mode in ("dense", "terminal"):
        env = DesignActions(split="test", reward_mode=mode)  # type: ignore[arg-type]
        env.reset(options={"task": task})
        *made, finish = design(env.tasks.task(task))
        sums.append(sum(env.step(each)[1] for each in [*made, *wrong, finish]))
    assert abs(sums[0] - sums[1]) < 1e-9 and 0 < sums[1] < 1


class Looks(EpisodeReward):
    """Says whether it was shown an image, and looks at it or not."""

    name = "looks"
    backend = Backend("looks", "1")

    def __init__(self, reads: bool) -> None:
        self.reads = reads

    @property
    def reads_image(self) -> bool:
        return self.reads

    def value(self, episode: Episode) -> float:
        return 0.75 if episode.image is None else 0.25 + 0.25 * (max(episode.image.shape) == 1024)


@pytest.mark.parametrize(("reads", "expected"), [(True, 0.5), (False, 0.75)])
def test_the_large_page_is_drawn_only_for_rewards_that_look_at_it(reads: bool, expected: float) -> None:
    env = made(reward=Looks(reads))
    env.reset(seed=0)
    env.step(call("CreateDocumentCustom", width=200, height=300))
    assert env.step({"name": "finish", "arguments": {}})[1] == expected
    assert env.episode().image is not None


def test_finish_delivers_the_open_document_or_any_saved_file_and_ends_the_episode() -> None:
    made_blue = [
        call("CreateDocument", docType="postcard", expert=V),
        call("SetBackgroundColor", **BLUE),
        call("SaveDocument", fileName="blue", format="png"),
        call("SaveDocument", fileName="blue", format="psd"),
        call("CreateDocument", docType="postcard", expert=P),
        call("SetBackgroundColor", red=255, green=0, blue=0),
    ]
    for arguments, expected in (
        ({}, 0.0), ({"fileName": None}, 0.0), ({"fileName": "blue.png"}, 1.0), ({"fileName": "blue.psd"}, 1.0),
    ):  # fmt: skip
        env = made()
        env.reset(seed=0)
        for each in made_blue:
            env.step(each)
        observation, reward, over, _, info = env.step(call("finish", **arguments))
        assert (over, info["end"], info["error"], reward) == (True, "submit", "", expected)
        assert info["error_free"] is True and "Delivered" in observation["text"]
        with pytest.raises(ResetNeeded):
            env.step(call("finish"))
    env = made()
    env.reset(seed=0)
    _, _, over, _, info = env.step(call("finish", fileName="sun.png"))
    assert (over, info["error"], info["errors/dependency_global"]) == (False, "dependency", 1.0)
    _, _, over, _, info = env.step(call("finish", fileName="../sun.png"))
    assert (over, info["error"]) == (False, "invalid_parameters")


def test_the_budgets_end_without_a_document_scores_0() -> None:
    env = DesignActions(split="test", max_calls=2)
    env.reset(seed=0)
    env.step("nonsense")
    _, reward, over, _, info = env.step(call("CreateText", layerName="t", textString="Hello"))
    assert (over, info["end"], reward, info["scored"]) == (True, "budget", 0.0, True)


def test_finish_without_anything_to_deliver_goes_on() -> None:
    env = made()
    env.reset(seed=0)
    _, _, over, _, info = env.step(call("finish"))
    assert (over, info["error"], info["errors/dependency_local"]) == (False, "dependency", 1.0)
    _, _, over, _, info = env.step(call("finish", fileName="hero.png"))
    assert (over, info["error"], info["errors/dependency_global"]) == (False, "dependency", 1.0)


def test_a_plan_is_an_episode() -> None:
    env = made(mode="plan")
    env.reset(seed=0)
    steps = [
        {"expert": L, "action": "CreateDocument", "parameters": {"docType": "poster"}, "description": "open"},
        {"expert": L, "action": "ApplyBlue", "parameters": {}, "description": "colour"},
        {"expert": L, "action": "SetBackgroundColor", "parameters": BLUE, "description": "colour"},
    ]
    observation, reward, over, _, info = env.step(call("execute_plan", steps=steps))
    assert (over, info["end"], reward) == (True, "submit", 1.0)
    assert "2 of 3 steps" in observation["text"]
    assert info["execution_success"] == pytest.approx(2 / 3)
    assert info["error_free"] is False
    assert info["errors/invalid_action"] == 1.0
    assert [step["description"] for step in env.episode().truth["plan"]] == ["open", "colour", "colour"]


def test_a_plan_that_cannot_be_read_costs_the_call() -> None:
    env = made(mode="plan")
    env.reset(seed=0)
    _, reward, over, _, info = env.step(call("execute_plan", steps="First I open a document."))
    assert (info["error"], over, info["end"], reward) == ("format", True, "budget", 0.0)


def test_layers_are_told_on_request() -> None:
    env = made(layers=True)
    env.reset(seed=0)
    env.step(call("CreateDocument", docType="postcard"))
    observation, *_ = env.step(call("CreateText", layerName="title", textString="Hé"))
    assert '"layerName": "title"' in observation["text"]
    assert '"text": "Hé"' in observation["text"]
    plain = made()
    plain.reset(seed=0)
    assert "Layers" not in plain.step(call("CreateDocument", docType="postcard"))[0]["text"]


def test_layers_are_told_whole_however_much_they_hold() -> None:
    signs = "\x01"  # six characters each in JSON
    texts = tuple(
        TextLayer(
            id=f"{n:03}" + signs * 197, name=signs * 200, text=signs * 2000, x=0, y=0, width=1, height=1, group="g"
        )
        for n in range(200)
    )
    groups = tuple(Group(id=f"{n:03}" + signs * 197, x=0, y=0, width=1, height=1, name=signs * 200) for n in range(199))
    fullest = Document(9, 9, layers=texts, groups=(Group(id="g", x=0, y=0, width=1, height=1), *groups)).validate()
    assert len(json.dumps(layer_list(fullest), ensure_ascii=False)) < LAYERS_LENGTH - TEXT_LENGTH


def test_snapshots_are_exact_and_pickle() -> None:
    env = made()
    env.reset(seed=0)
    for each in (call("CreateDocument", docType="postcard"), call("SetBackgroundColor", **BLUE)):
        env.step(each)
    state = pickle.loads(pickle.dumps(env.get_state()))
    rest = [call("CreateText", layerName="t", textString="Hello"), call("ResizeText", layerName="t", fontSize=99)]

    def play() -> list[bytes]:
        return [env.step(each)[0]["image"].tobytes() for each in rest]

    first = play()
    env.set_state(state)
    assert env.observe()["image"].tobytes() != first[0]
    assert play() == first
    other = pickle.loads(pickle.dumps(env))
    assert other.observe()["image"].tobytes() == first[-1]


def test_wrong_arguments_are_misuse() -> None:
    for arguments in ({"mode": "batch"}, {"image_size": 10}, {"layers": 1}, {"split": "dev"}, {"max_calls": 0}):
        with pytest.raises(MisuseError, match=next(iter(arguments))):
            made(**arguments)


SCRIPT = """
import sys, hashlib
sys.path.insert(0, {tests!r})
import test_design_env as own
print(own.fingerprint())
"""


def fingerprint() -> str:
    """Observations and saved files of sampled episodes, of both modes."""
    sha = hashlib.sha256()
    for arguments in ({"max_calls": 40, "layers": True}, {"mode": "plan"}):
        env = made(**arguments)
        env.action_space.seed(3)
        for seed in range(2):
            observation, info = env.reset(seed=seed)
            env.step(call("CreateDocument", docType="postcard", expert=P))
            over = arguments.get("mode") == "plan"
            while not over:
                observation, _, over, _, info = env.step(env.action_space.sample())
                sha.update(observation["image"].tobytes() + observation["text"].encode() + repr(info).encode())
            for name, file in env.workspace.files.items():
                sha.update(name.encode() + file.data)
    for form in ("pdf", "png", "psd", "jpg"):
        env = made()
        env.reset(seed=0)
        env.step(call("CreateDocument", docType="postcard"))
        env.step(call("CreateText", layerName="t", textString="Hello"))
        env.step(call("GenerateQRObject", layerName="q", linkURL="https://example.com"))
        env.step(call("SaveDocument", fileName="page", format=form))
        sha.update(env.workspace.files[f"page.{form}"].data)
    return sha.hexdigest()


def test_another_process_gives_the_same_bytes() -> None:
    script = SCRIPT.format(tests=str(Path(__file__).parent))
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert found.stdout.strip() == fingerprint(), found.stderr


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.lists(st.integers(), max_size=3)
    | st.sampled_from(["t", "sun", "sun.png", "../x", "page.png", "a/b", "\0", 1e308, -1e9, 5000, 0, 0.1])
)
NAMES = st.sampled_from([*made().tool_table.names, "StrokeDrawing", "ExportDocument"])


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_arbitrary_calls_neither_raise_nor_change_anything_when_they_fail(data: st.DataObject) -> None:
    env = made()
    env.reset(seed=0)
    for each in (
        call("CreateDocumentCustom", width=120, height=80, expert=data.draw(st.sampled_from([L, P, V]))),
        call("CreateText", layerName="t", textString="Hello"),
        call("ImportObject", fileName="sun.png", layerName="sun"),
    ):
        env.step(each)
    for _ in range(data.draw(st.integers(1, 4))):
        name = data.draw(NAMES)
        tool = env.tool_table[name] if name in env.tool_table else env.tool_table["SaveDocument"]
        arguments = tool.sample(np.random.default_rng(data.draw(st.integers(0, 99))))
        for key in data.draw(st.lists(st.sampled_from([*arguments, "expert", "x"]), max_size=2)):
            arguments[key] = data.draw(VALUES)
        before = pickle.dumps(env.workspace), env.observe()["image"].tobytes()
        observation, _, over, _, info = env.step({"name": name, "arguments": arguments})
        assert observation in env.observation_space
        observation["text"].encode("utf-8")
        if info["error"]:
            assert (pickle.dumps(env.workspace), observation["image"].tobytes()) == before
            assert len(observation["text"]) > 20
        if over:
            break
    for document in env.workspace.open.values():
        document.validate()
    assert set(env.workspace.files) >= {"sun.png"}


def test_generated_briefs_make_tasks_whose_files_can_be_imported_and_whose_truth_is_json() -> None:
    env = DesignActions(reward=Blueness(), split="test")
    ids = env.task_ids()
    assert len(ids) == 1059
    for task in (ids[0], ids[500], ids[-1]):
        observation, _ = env.reset(options={"task": task})
        env.step(call("CreateDocument", docType="poster"))
        for name in env.workspace.files:
            assert name in observation["task"]
            assert not env.step(call("ImportObject", fileName=name, layerName=name))[4]["error"]
        episode = env.episode()
        assert 5 <= len(episode.truth["questions"]) <= 12
        assert len(episode.questions) == 2 * len(episode.truth["questions"])
        assert json.loads(json.dumps(episode.truth))["type"] == env.task_facts(task)["type"]


def test_what_is_no_source_of_briefs_is_misuse() -> None:
    for wrong in ("nonsense", Two, 3):
        with pytest.raises(MisuseError, match="briefs"):
            DesignActions(reward=Blueness(), briefs=wrong)  # type: ignore[arg-type]
