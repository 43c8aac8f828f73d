"""Recorded episodes scored with other rewards, without the agent."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from canvas_turns import CANVAS, TEST

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import build
from designgym.errors import UserError
from designgym.eval.rescore import rescore, table
from designgym.eval.rescore_cli import run as command
from designgym.eval.results import read_results
from designgym.eval.runner import run
from designgym.eval.statistics import bootstrap
from designgym.rewards.figural import Figural
from designgym.rewards.table import resolve

TASKS = ["is01", "is02", "is03", "ot04"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two agents' runs on ``figural``, and one of them on ``closure``."""
    root = tmp_path_factory.mktemp("recorded")
    for agent, reward in (("grow", "figural"), ("random", "figural"), ("grow", "closure")):
        kwargs = {**TEST, "reward": reward}
        out = root / reward / agent
        run(build(agent, gym.make(CANVAS, **kwargs)), CANVAS, kwargs, TASKS, out=out, name=agent)
    return root


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_a_rescored_run_has_the_values_of_a_run_with_that_reward(recorded: Path) -> None:
    wanted = {task: result.value for task, result in read_results(recorded / "closure/grow/results.jsonl").items()}
    found = list(rescore(recorded / "figural/grow/traces.jsonl", [resolve("closure"), resolve("figural")], "grow"))
    assert {each.task: each.scores["closure"].value for each in found} == wanted
    for each in found:
        assert each.scores["figural"].value == pytest.approx(each.reward)
        assert each.differences == () and each.backend == f"figural@{Figural.backend.version}"
    assert len({each.scores["closure"].value for each in found}) > 1


def test_the_command_writes_scores_table_and_manifest(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    code = command([recorded / "figural"], ["closure", "{name: figural}"], tmp_path / "scores", 0)
    assert code == 0
    written = rows(tmp_path / "scores/scores.csv")
    assert [(row["policy"], row["task"]) for row in written] == [(who, t) for who in ("grow", "random") for t in TASKS]
    assert all(row["as_recorded"] == "yes" and float(row["figural"]) == float(row["recorded"]) for row in written)
    assert {"closure/joined", "figural/extension"} <= written[0].keys()
    manifest = json.loads((tmp_path / "scores/manifest.json").read_text())
    assert [reward["reward"] for reward in manifest["rewards"]] == ["closure", "figural"]
    assert "| grow" in (tmp_path / "scores/table.md").read_text()
    assert "8 episodes" in capsys.readouterr().out


def test_rows_are_means_and_rank_correlations_by_policy(recorded: Path) -> None:
    found = [
        each
        for who in ("grow", "random")
        for each in rescore(recorded / f"figural/{who}/traces.jsonl", [resolve("figural")], who)
    ]
    shown = table(found)
    assert [row.name for row in shown.rows] == ["grow", "random"]
    for row in shown.rows:
        own = [each.reward for each in found if each.policy == row.name]
        assert row.cells["figural"].mean == pytest.approx(sum(own) / len(own))  # type: ignore[union-attr]
        assert row.cells["rho/figural"] == pytest.approx(1)


def test_replicates_of_a_task_are_resampled_together(recorded: Path) -> None:
    found = list(rescore(recorded / "figural/grow/traces.jsonl", [resolve("closure")], "grow"))
    shown = table(found * 3).rows[0].cells
    values, tasks = [each.scores["closure"].value for each in found] * 3, [each.task for each in found] * 3
    assert shown["episodes"] == 12
    assert shown["closure"] == bootstrap(values, clusters=tasks)
    loose = bootstrap(values)
    assert shown["closure"].high - shown["closure"].low > 1.3 * (loose.high - loose.low)  # type: ignore


def test_an_episode_that_is_not_as_it_was_is_marked(recorded: Path, tmp_path: Path) -> None:
    lines = (recorded / "figural/grow/traces.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])
    last["image"]["sha256"] = "0" * 64
    (tmp_path / "traces.jsonl").write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
    assert command([tmp_path / "traces.jsonl"], ["closure"], tmp_path / "scores", 0) == 1
    assert [row["as_recorded"] for row in rows(tmp_path / "scores/scores.csv")] == ["yes"] * 3 + ["no"]


@pytest.mark.parametrize(
    ("rewards", "reason"),
    [
        ([], "Name a reward"),
        (["clossure"], "Did you mean 'closure'"),
        (["{name: "], "valid YAML"),
        (["closure", "{name: closure}"], "Two rewards are called 'closure'"),
        (["vqa"], "no questions"),
        (["diversity"], "scored_in_groups"),
    ],
)
def test_mistakes_are_sentences(recorded: Path, tmp_path: Path, rewards: list[str], reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        command([recorded / "figural"], rewards, tmp_path / "scores", 0)
    assert not (tmp_path / "scores").exists()


def test_a_full_folder_is_not_written_over(recorded: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(UserError, match="not empty"):
        command([recorded / "figural"], ["closure"], tmp_path, 0)
