"""Recorded runs compared by task."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from designgym import manifest
from designgym.errors import UserError
from designgym.eval.compare_cli import run as command
from designgym.eval.compare_runs import NOT_DISTINGUISHABLE, common_tasks, on, pairs, require_comparable
from designgym.eval.results import Result
from designgym.eval.runs import Run, read_runs

ENV = "designgym/CanvasDrawing-v0"


def record(folder: Path, agent: str, rewards: dict[str, float], **config: Any) -> Path:
    """A run's folder as ``Record`` leaves it."""
    folder.mkdir(parents=True)
    made = manifest.collect(
        seeds={"run": 0},
        config={"env": ENV, "env_kwargs": {"split": "test"}, "agent": agent} | config,
        rewards=[{"name": "exact", "version": "1", "hash": ""}],
    )
    manifest.write_manifest(made, folder / "manifest.json")
    lines = [json.dumps(Result(task, reward).to_json()) for task, reward in rewards.items()]
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def tasks(values: list[float]) -> dict[str, float]:
    return {f"test-{number:03}": value for number, value in enumerate(values)}


def played(runs: list[Run]) -> dict[str, list[Result]]:
    return {run.name: on(run, common_tasks(runs)) for run in runs}


def test_mcnemar_p_and_holm_by_hand(tmp_path: Path) -> None:
    """Ten tasks that only the first gets right: p = 2 / 2^10; against its equal p = 1; of two, the first is doubled."""
    record(tmp_path / "a", "a", tasks([1.0] * 20))
    record(tmp_path / "b", "b", tasks([1.0] * 10 + [0.0] * 10))
    record(tmp_path / "c", "c", tasks([1.0] * 20))
    runs = read_runs([tmp_path])
    found = pairs(played(runs), baseline="a")
    (against_b, against_c) = found
    assert [pair.comparison.first for pair in found] == ["b", "c"]
    assert against_b.test.method == "McNemar's exact test" and against_b.test.p == pytest.approx(2 / 2**10)
    assert against_b.comparison.result.difference.mean == pytest.approx(-0.5)
    assert against_b.comparison.result.p == pytest.approx(2 / 2**10, abs=0.003)
    assert against_b.adjusted == pytest.approx(2 * against_b.comparison.result.p)
    assert against_b.verdict == "a is better"
    assert against_c.adjusted == 1 and against_c.verdict == NOT_DISTINGUISHABLE


def test_every_pair_is_compared_without_a_baseline(tmp_path: Path) -> None:
    for name, shift in (("a", 0.0), ("b", 0.1), ("c", 0.3)):
        record(tmp_path / name, name, tasks([0.01 * n + shift + 0.003 * (n % 3) for n in range(30)]))
    runs = read_runs([tmp_path])
    found = pairs(played(runs))
    assert [(pair.comparison.first, pair.comparison.second) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.verdict for pair in found] == ["b is better", "c is better", "c is better"]


def test_runs_of_one_agent_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for seed in ("one", "two"):
        record(tmp_path / seed / "agents" / "grow", "grow", tasks([0.1]))
    assert [run.name for run in read_runs([tmp_path])] == ["grow (one)", "grow (two)"]
    assert [run.name for run in read_runs([tmp_path / "one", tmp_path / "one" / "agents"])] == ["grow"]


def test_tasks_out_of_distribution_are_no_run_of_their_own(tmp_path: Path) -> None:
    record(tmp_path / "grow", "grow", tasks([0.1]))
    record(tmp_path / "grow" / "ood", "grow", {"other": 1.0})
    assert [list(run.results) for run in read_runs([tmp_path])] == [["test-000"]]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"config": {"env": "designgym/DesignActions-v0", "env_kwargs": {"split": "test"}}}, "environment"),
        ({"config": {"env": ENV, "env_kwargs": {"split": "train"}}}, "split"),
        ({"rewards": [{"name": "exact", "version": "2", "hash": ""}]}, "designgym rescore"),
    ],
)
def test_scores_that_mean_different_things_are_not_compared(tmp_path: Path, change: dict, reason: str) -> None:
    run = read_runs([record(tmp_path / "a", "a", tasks([0.1, 0.2]))])[0]
    with pytest.raises(UserError, match=reason):
        require_comparable([run, replace(run, name="b", **change)])


def test_other_tasks_are_refused_unless_the_common_ones_are_asked_for(tmp_path: Path) -> None:
    record(tmp_path / "a", "a", tasks([0.1, 0.2, 0.3]))
    record(tmp_path / "b", "b", tasks([0.1, 0.2]))
    runs: list[Run] = read_runs([tmp_path])
    with pytest.raises(UserError, match="3 tasks and b 2, and 2 are in all"):
        common_tasks(runs)
    assert common_tasks(runs, intersect=True) == ["test-000", "test-001"]
    with pytest.raises(UserError, match="two runs at least"):
        require_comparable(runs[:1])
    with pytest.raises(UserError, match="no run 'd' among a, b"):
        pairs({run.name: on(run, ["test-000"]) for run in runs}, baseline="d")


def test_the_command_writes_a_report_and_says_what_cannot_be_told_apart(tmp_path: Path, capsys: Any) -> None:
    record(tmp_path / "runs" / "a", "a", tasks([0.1, 0.2, 0.3]))
    record(tmp_path / "runs" / "b", "b", tasks([0.2, 0.1, 0.3]))
    assert command([tmp_path / "runs"], None, False, tmp_path / "out", 0) == 0
    assert "not" in capsys.readouterr().out
    assert NOT_DISTINGUISHABLE in (tmp_path / "out" / "table.md").read_text()
    assert NOT_DISTINGUISHABLE in (tmp_path / "out" / "report.html").read_text()
    with pytest.raises(UserError, match="not empty"):
        command([tmp_path / "runs"], None, False, tmp_path / "out", 0)
    with pytest.raises(UserError, match="no folder with"):
        command([tmp_path / "none"], None, False, None, 0)
