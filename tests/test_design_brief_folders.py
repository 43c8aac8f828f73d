from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest
from chat_server import Reply, chat_server, texts

import designgym  # noqa: F401 - registers the environments
from designgym.envs.design.briefs.generate import brief, task_ids
from designgym.envs.design.briefs.pairing import candidates
from designgym.envs.design.briefs.release import read_release
from designgym.envs.design.briefs.writing import write_briefs
from designgym.errors import UserError
from designgym.eval.briefs_cli import run
from designgym.pool.embedded import embedded


def test_briefs_that_are_written_are_read_as_they_were(tmp_path: Path) -> None:
    made = [brief(id) for id in task_ids("test")[:60]]
    assert write_briefs(made, embedded(), tmp_path / "briefs") == 60
    release = read_release(tmp_path / "briefs")
    assert not len(release.skipped) and not release.left_open
    read = list(release.briefs.values())
    assert len(read) == 60
    for one, two in zip(made, read, strict=True):
        without = {"id": "", "images": ()}
        assert replace(one, **without) == replace(two, **without)
        assert two.id == f"test-{one.type.replace(' ', '')}-{one.id[-6:]}"
        assert [image.caption for image in one.images] == [image.caption for image in two.images]


def test_a_folder_of_briefs_makes_the_environments_tasks(tmp_path: Path) -> None:
    write_briefs([brief("test-000021")], embedded(), tmp_path / "briefs")
    env = gym.make("designgym/DesignActions-v0", briefs=str(tmp_path / "briefs"), split="test")
    observation, _ = env.reset(seed=0)
    assert brief("test-000021").query in observation["task"]
    episode = env.unwrapped.episode()
    own = gym.make("designgym/DesignActions-v0", split="test")
    own.reset(seed=0, options={"task": "test-000021"})
    kept = [
        {key: value for key, value in each["brief"].items() if key not in ("id", "images")}
        for each in (episode.truth, own.unwrapped.episode().truth)
    ]
    assert kept[0] == kept[1]
    assert {each["question"]["kind"] for each in episode.truth["questions"]} >= {"background-color", "text-present"}
    assert [file["sha256"] for file in episode.truth["files"].values()] == [
        file["sha256"] for file in own.unwrapped.episode().truth["files"].values()
    ]


def answer(number: int, body: dict) -> Reply:
    """Turns every ranking around; rates everything 4, but what has a red ground 2; now and then talks nonsense."""
    text = texts(body)
    if number % 5 == 0:
        return Reply("I cannot say.")
    if "Rank all" in text:
        count = len(re.findall(r"^\d+: ", text, re.MULTILINE))
        return Reply(json.dumps({"ranking": list(range(count, 0, -1))}))
    parts = json.loads(text.split("Components: ")[1].splitlines()[0])
    return Reply(json.dumps({"ratings": dict.fromkeys(parts, 4)}))


def test_a_model_behind_an_endpoint_chooses_the_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = brief("test-000021").visuals[0].name
    ids = [picture.id for picture in candidates(embedded(), name)]
    row = {"brief": "test-000021", "ratings": {"background": 4, name: 2}, "rankings": {name: ids[::-1]}}
    (tmp_path / "people.jsonl").write_text(json.dumps(row))
    with chat_server(answer) as server:
        code = run(out=tmp_path / "briefs", n=25, endpoint=server.url, model="judge", people=tmp_path / "people.jsonl")
    assert code == 0
    said = capsys.readouterr().out
    assert "25 briefs in" in said.replace("\n", " ") and "0 left out" in said
    assert "tau 1.000 of 1" in said and "kappa 0.000 of 2" in said  # one of two ratings by chance alone
    (read,) = [each for id, each in read_release(tmp_path / "briefs").briefs.items() if id.endswith("000021")]
    assert ids[-1].replace(":", "-").replace("/", "-") in read.images[0].url


def test_a_judge_that_never_answers_leaves_its_briefs_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(lambda number, body: Reply("no")) as server:
        assert run(out=tmp_path / "briefs", n=3, endpoint=server.url, model="judge") == 0
        assert len(server.requests) == 9
    assert "3 left out" in capsys.readouterr().out


def test_a_wrong_address_ends_the_command_and_leaves_nothing(tmp_path: Path) -> None:
    with (
        chat_server(lambda number, body: Reply(status=404, body="no such model")) as server,
        pytest.raises(UserError, match="404"),
    ):
        run(out=tmp_path / "briefs", n=3, endpoint=server.url, model="judge")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"split": "validation"}, "train and test"),
        ({"endpoint": "http://localhost:1/v1"}, "go together"),
        ({"people": Path("people.jsonl")}, "compared with a judge"),
    ],
)
def test_mistakes_are_found_before_any_work(tmp_path: Path, arguments: dict, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        run(out=tmp_path / "briefs", **arguments)
    (tmp_path / "briefs").mkdir()
    (tmp_path / "briefs" / "here").touch()
    with pytest.raises(UserError, match="exists and is not empty"):
        run(out=tmp_path / "briefs")
