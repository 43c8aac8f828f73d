"""Evaluations of drawing: constant policies, tables, the sheet of drawings, and the command for markers."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from canvas_turns import CANVAS, LINE, TEST, TRIAL, UNDO, Turns, call, command, dots, played
from PIL import Image

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import DRAWING_CONSTANTS, PLAYERS, build
from designgym.config import load_config, read_config
from designgym.errors import UserError
from designgym.eval import drawings
from designgym.eval.config import AgentSection, EvalConfig
from designgym.eval.evaluate import check, evaluate
from designgym.eval.markers import FIELDS, Markers
from designgym.eval.replay import replay
from designgym.eval.report import cells
from designgym.eval.report.data import Drawing, Measure, Row, Table
from designgym.eval.report.drawings import INK, PAPER, SHAPE, picture
from designgym.eval.report.text import as_csv, markdown
from designgym.eval.results import Result
from designgym.eval.runner import run
from designgym.eval.statistics import Interval, Spread, spread
from designgym.eval.trials import read_trials
from designgym.manifest import read_manifest


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return played(tmp_path / "turns")


# ------------------------------------------------------------ constants


@pytest.mark.parametrize(
    "settings",
    [{}, {"renderer": "skia"}, {"interface": "svg"}, {"interface": "svg", "renderer": "skia"}, {"vocabulary": "dots"},
     {"vocabulary": "dots", "renderer": "skia"}, {"stimulus": None}],
)  # fmt: skip
def test_one_constant_leaves_the_shape_alone_and_one_leaves_no_paper(settings: dict[str, Any]) -> None:
    env = gym.make(CANVAS, split="test", **settings)
    before, info = env.reset(options={"task": "is03"})
    for name, all_ink in (("blank", False), ("full-ink", True)):
        observation, info = env.reset(options={"task": "is03"})
        agent, over = build(name, env), False
        while not over:
            observation, _, over, _, info = env.step(agent(observation, info))
            assert not info["error"]
        assert info["end"] == "finished"
        assert (observation["image"] == (0 if all_ink else before["image"])).all()
    assert build("full-ink", env).about == "fills the canvas with ink"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", DRAWING_CONSTANTS)
def test_constants_that_draw_refuse_other_environments(name: str) -> None:
    with pytest.raises(UserError, match=f"'{name}' draws, which 'designgym/AestheticLocalization-v0' does not ask for"):
        build(name, gym.make("designgym/AestheticLocalization-v0", image_size=64))


# ------------------------------------------------------------ evaluations


def small(**changes: Any) -> EvalConfig:
    settings = {"env": {"id": CANVAS}, "agents": ["random", "blank", "full-ink"], "limit": 6, "examples": 4}
    return EvalConfig.model_validate({**settings, **changes})


def test_who_plays_depends_on_the_environment() -> None:
    assert tuple(agent.name for agent in EvalConfig.model_validate({"env": {"id": CANVAS}}).agents) == PLAYERS[CANVAS]
    assert "heuristic" in [agent.name for agent in EvalConfig().agents]
    assert [a.name for a in EvalConfig.model_validate({"env": {"id": "my/Env-v0"}}).agents] == ["random"]
    assert set(DRAWING_CONSTANTS) < set(PLAYERS[CANVAS])


def test_a_wrong_environment_is_the_only_mistake_that_is_named() -> None:
    with pytest.raises(UserError) as raised:
        read_config(None, EvalConfig, ["env.id=3"])
    assert str(raised.value) == "--set env.id=3: 'env.id' must be text (put it in quotes), not 3."


def test_the_bundled_configuration_is_valid_and_plays_the_thirty_shapes(tmp_path: Path) -> None:
    config = load_config("eval/canvas", EvalConfig)
    check(config, tmp_path / "out", resume=False)
    assert {"random", *DRAWING_CONSTANTS} <= {agent.name for agent in config.agents} and config.limit == 30


def test_an_evaluation_of_drawing_has_tables_of_endings_parts_and_process(tmp_path: Path) -> None:
    done = evaluate(small(), tmp_path)
    tables = {table.title: table for table in done.tables}
    assert list(tables) == [
        "Results", "Against the best constant", "Parts of the reward figural", "Ink and score", "Tools",
        "Revision and failures", "Effort", "Further process markers", "Figural by shape",
    ]  # fmt: skip
    results = {row.name: row.cells for row in tables["Results"].rows}
    assert [m.key for m in tables["Results"].measures] == ["reward", "finish", "null", "failed_calls", "malformed"]
    assert results["blank"]["null"].mean == 1.0 and results["full-ink"]["null"].mean == 0.0  # type: ignore[union-attr]
    assert results["blank"]["finish"].mean == 1.0 and results["blank"]["reward"].mean == 0.0  # type: ignore[union-attr]
    assert [m.label for m in tables["Parts of the reward figural"].measures] == [
        "Incorporation", "Connected", "Joined", "Taken", "Extension", "Structure", "Closed", "Turning", "Novelty",
        "Ink",
    ]  # fmt: skip
    # Constants have no process.
    assert [row.name for row in tables["Effort"].rows] == ["random"]
    (effort,) = tables["Effort"].rows
    assert effort.cells["effort"].mean == pytest.approx(0.0, abs=1e-12)  # type: ignore[union-attr]
    keys = [m.key for title in ("Effort", "Further process markers") for m in tables[title].measures]
    assert set(keys) == {"effort", *FIELDS}
    page = done.report.read_text(encoding="utf-8")
    assert "Invalid answers" not in page and "None accuracy" not in page and "pillow " in page
    assert len(shown(page)) == 4 + 6 and page.count("best by reward") == page.count("worst by reward") == 1
    assert json.loads((tmp_path / "results.json").read_text())["tables"][6]["rows"][0]["cells"]["rounds"]["n"] == 6


def test_failed_calls_malformed_operations_and_unfinished_trials_are_counted(tmp_path: Path) -> None:
    # Six rounds of the trial above: line, 3 dots, undo, dot, draw_blob, a malformed dot, an erasing dot, and two texts
    # without a call: 9 calls, of which draw_blob and the two texts failed; 6 operations drawn and 1 malformed of 7.
    agent = Turns(*TRIAL)
    results = run(agent, CANVAS, TEST, ["is01", "is02"], out=tmp_path, max_rounds=6)
    (first, second) = read_trials(tmp_path / "traces.jsonl").values()
    assert first.failed_call_rate == pytest.approx(3 / 9) and first.malformed_rate == pytest.approx(1 / 7)
    assert (first.end, first.finished, first.null) == ("", False, None) and first.markers == second.markers
    assert [result.end for result in results] == ["rounds", "rounds"]


def test_markers_of_a_trial_that_was_played(trace: Path) -> None:
    # round 0   a text                          exploration
    # round 1   line, 3 dots                    ink, 4 operations, 2 calls
    # round 2   undo
    # round 3   dot, an unknown tool            ink, 1 operation, 2 calls
    # round 4   a malformed dot, erasing dot    ink, 1 operation, 2 calls: the last
    # round 5   a text                          verification
    # round 6   finished
    # lines 1, dots 5 of 6: diversity 1/6 log2 6 + 5/6 log2 6/5 = .430827 + .219195 = .650022
    for trial in read_trials(trace).values():
        expected = Markers(4, 6, 7, trial.markers.tool_diversity, 1, 1, 6 / 7, 3, 2, 1 / 8, 1 / 8)
        assert trial.markers == expected
        assert trial.markers.tool_diversity == pytest.approx(0.650022, abs=1e-6)
        # On the canvas are the line, a dot, and a hole that meets nothing: 360 x 5 px and round ends, and one dot.
        assert trial.title == "<b>Moth</b>" and trial.added_ink is not None and 1800 <= trial.added_ink <= 1860
        assert trial.null is False


def test_a_trial_that_fails_is_a_row_like_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_broken.py").write_text(
        "def make(env, seed):\n"
        "    done = {'name': 'drawing_finished', 'arguments': {'label': 'x'}}\n"
        "    return lambda o, i: 1 / 0 if i['task'] == 'is01' else done\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    done = evaluate(small(agents=[AgentSection(name="half_broken:make", label="half")], limit=4), tmp_path / "out")
    (row,) = done.tables[0].rows
    assert row.cells["failed"] == 1 and row.cells["finish"].mean == 0.75  # type: ignore[union-attr]
    assert "ZeroDivisionError" in done.report.read_text(encoding="utf-8")


def test_a_shape_that_the_reward_cannot_score_counts_in_no_mean(tmp_path: Path) -> None:
    done = evaluate(small(env={"id": CANVAS, "kwargs": {"reward": "closure"}}, agents=["full-ink"], limit=30), tmp_path)
    tables = {table.title: table for table in done.tables}
    results, parts = (tables[t].rows[0].cells for t in ("Results", "Parts of the reward closure"))
    unscored = results["unscored"]
    assert isinstance(unscored, int) and 0 < unscored < 10
    assert results["reward"].n == parts["closure/joined"].n == 30 - unscored  # type: ignore[union-attr]
    assert results["finish"].n == 30  # type: ignore[union-attr]


def test_a_trace_that_lacks_a_trial_is_named(tmp_path: Path) -> None:
    config = small(agents=["blank"], limit=2)
    evaluate(config, tmp_path)
    traces = tmp_path / "agents" / "blank" / "traces.jsonl"
    traces.write_text("".join(line for line in traces.read_text().splitlines(True) if '"task":"is01"' in line))
    with pytest.raises(UserError, match="lacks the trial 'is02'"):
        evaluate(config, tmp_path, resume=True)


# ------------------------------------------------------------ the sheet of drawings


def shown(page: str) -> list[Image.Image]:
    """The pictures of a page."""
    found = re.findall(r'<img src="data:image/png;base64,([^"]+)"', page)
    return [Image.open(io.BytesIO(base64.b64decode(data))) for data in found]


def test_the_sheet_shows_the_drawing_with_the_shape_in_its_own_colour_and_the_title_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "moth.py").write_text(
        "def make(env, seed):\n"
        "    line = {'name': 'draw_lines', 'arguments': {'lines': {'x1': 0, 'y1': 390, 'x2': 399, 'y2': 390}}}\n"
        "    done = {'name': 'drawing_finished', 'arguments': {'label': '<b>Moth</b> &'}}\n"
        "    return lambda o, i: done if i['calls_left'] == 299 else line\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    env = {"id": CANVAS, "kwargs": {"axes": "outside", "channels": 3}}  # which the sheet shows without
    page = evaluate(small(env=env, agents=["moth:make"], limit=1), tmp_path / "out").report
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;Moth&lt;/b&gt;" in text and "<b>Moth" not in text
    (image,) = shown(text)
    pixels = np.asarray(image.convert("RGB"))
    assert pixels.shape == (400, 400, 3) and len(page.read_bytes()) < 40_000
    shape = gym.make(CANVAS, split="test").reset(options={"task": "is01"})[0]["image"][..., 0] == 0
    assert (pixels[shape] == SHAPE).all() and (pixels[390] == INK).all()
    rest = ~shape
    rest[380:] = False
    assert (pixels[rest] == PAPER).all()


def test_the_shape_lies_on_top_and_may_be_missing() -> None:
    grey = np.full((4, 5, 1), 255, np.uint8)
    grey[1], stimulus = 0, np.full((4, 5), 255, np.uint8)
    stimulus[1, 2] = 0
    pixels = np.asarray(picture(Drawing(grey, stimulus, "is01")).convert("RGB"))
    assert tuple(pixels[1, 2]) == SHAPE and tuple(pixels[1, 1]) == INK and tuple(pixels[0, 0]) == PAPER
    assert not (np.asarray(picture(Drawing(grey[..., 0], None, "is01")).convert("RGB")) == SHAPE).all(-1).any()


def test_the_tasks_on_the_sheet_depend_on_the_seed_and_not_on_scores(tmp_path: Path) -> None:
    tasks = [f"is{number:02}" for number in range(1, 21)]
    chosen = drawings.choose(tasks, 5, seed=0)
    assert drawings.choose(tasks[::-1], 5, seed=0) == chosen == sorted(chosen) and len(set(chosen)) == 5
    assert drawings.choose(tasks, 5, seed=1) != chosen and drawings.choose(tasks, 99, seed=0) == tasks
    policies = {}
    for name in ("random", "full-ink"):
        agent = build(name, gym.make(CANVAS, **TEST))
        policies[name] = (run(agent, CANVAS, TEST, tasks[:6], out=tmp_path / name), tmp_path / name, TEST)
    made = drawings.sheets(policies, CANVAS, count=6)
    ends = [sheet for sheet in made if sheet.caption]
    assert [(sheet.name, sheet.caption) for sheet in ends] == [
        (name, f"{end} by reward") for name in policies for end in ("best", "worst")
    ]
    for best, worst in zip(ends[::2], ends[1::2], strict=True):
        highest, lowest = ([drawing.reward for drawing in sheet.drawings] for sheet in (best, worst))
        assert len(highest) == len(lowest) == 3
        assert [*highest, *lowest[::-1]] == sorted([*highest, *lowest], reverse=True)  # type: ignore[type-var]
    made = tuple(sheet for sheet in made if not sheet.caption)
    first, second = ([drawing.task for drawing in sheet.drawings] for sheet in made)
    assert first == second == drawings.choose(tasks[:6], 3, seed=0) and [s.name for s in made] == list(policies)


def test_a_drawing_that_was_not_finished_says_so_and_the_last_try_is_shown(tmp_path: Path) -> None:
    run(Turns([LINE], [LINE]), CANVAS, TEST, ["is01"], out=tmp_path, max_rounds=2)
    (tmp_path / "results.jsonl").unlink()  # as if it had been stopped before the result was written
    results = run(Turns([dots((9, 9))], [UNDO]), CANVAS, TEST, ["is01"], out=tmp_path, max_rounds=2, resume=True)
    ((sheet),) = drawings.sheets({"p": (results, tmp_path, TEST)}, CANVAS)
    (drawing,) = sheet.drawings
    assert (drawing.note, drawing.title) == ("not finished (rounds)", "")
    assert drawing.stimulus is not None and (drawing.image[..., 0] == drawing.stimulus).all()


def test_results_of_other_environments_are_no_drawings() -> None:
    assert drawings.applies([Result("is01", truth={"open_ends": [], "kind": "is", "name": ""})])
    assert not drawings.applies([Result("t", truth={"bbox": None})]) and not drawings.applies([])


# ------------------------------------------------------------ means with standard deviations


def test_a_spread_by_hand() -> None:
    # mean (1 + 2 + 6) / 3 = 3; deviations -2, -1, 3; sd = sqrt((4 + 1 + 9) / 2) = sqrt(7)
    assert spread([1.0, None, 2.0, 6.0]) == Spread(3.0, pytest.approx(7**0.5), 3, missing=1)
    assert spread([0.1] * 3) == Spread(0.1, 0.0, 3) and spread([4.0]) == Spread(4.0, None, 1)
    assert spread([]) == Spread(None, None, 0) and spread([None]) == Spread(None, None, 0, missing=1)


def test_how_spreads_are_written() -> None:
    rounds, share = Measure("r", "Rounds", digits=1), Measure("s", "Undo", percent=True)
    row = Row("p", {"r": Spread(7.5, 1.72, 150), "s": Spread(0.0226, 0.01, 150)})
    assert cells.whole(row.cells["r"], rounds) == "7.5 (1.7)" and cells.whole(row.cells["s"], share) == "2.3 % (1.0)"
    assert (
        cells.whole(Spread(4.0, None, 1), rounds) == "4.0" and cells.whole(Spread(None, None, 0), rounds) == cells.DASH
    )
    table = Table("T", (rounds, share, Measure("i", "I")), (row, Row("q", {"i": Interval(0.5, 0.4, 0.6, 9, "BCa")})))
    assert "| p | 7.5 (1.7) | 2.3 % (1.0) | – |" in markdown(table)
    header, first, second = csv.reader(io.StringIO(as_csv(table)))
    assert header == ["group", "policy", "r", "r_sd", "r_n", "s", "s_sd", "s_n", "i", "i_low", "i_high", "i_n"]
    assert first == ["", "p", "7.5", "1.72", "150", "0.0226", "0.01", "150", "", "", "", ""]
    assert second == ["", "q", *[""] * 6, "0.5", "0.4", "0.6", "9"]


# ------------------------------------------------------------ the command for markers


def test_the_command_prints_markers_and_writes_a_line_a_trial(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "markers.csv"
    assert command("markers", str(trace), "--output", str(out)) == 0
    printed = capsys.readouterr().out
    assert "turns" in printed and "Verification rounds" in printed and f"2 trials in {out}" in printed.replace("\n", "")
    rows = list(csv.DictReader(out.open(encoding="utf-8")))
    assert [(row["policy"], row["task"], row["end"]) for row in rows] == [
        ("turns", "is01", "finished"), ("turns", "ot01", "finished"),
    ]  # fmt: skip
    assert (rows[0]["title"], rows[0]["drawing_operations"], float(rows[0]["effort"])) == ("<b>Moth</b>", "6", 0.0)


def test_runs_of_one_policy_are_one_row_and_a_folder_stands_for_its_traces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (0, 1):
        evaluate(small(agents=["random", "blank"], limit=3, seed=seed, examples=0), tmp_path / f"seed{seed}")
    out = tmp_path / "m.csv"
    twice = str(tmp_path / "seed1" / "agents" / "random" / "traces.jsonl")  # given again: it counts once
    assert command("markers", str(tmp_path / "seed0"), str(tmp_path / "seed1"), twice, "--output", str(out)) == 0
    rows = list(csv.DictReader(out.open(encoding="utf-8")))
    assert sorted(row["policy"] for row in rows) == ["blank"] * 6 + ["random"] * 6
    assert sum(float(row["effort"]) for row in rows) == pytest.approx(0.0, abs=1e-9)
    assert "12 trials" in capsys.readouterr().out
    blank = next(row for row in rows if row["policy"] == "blank")
    assert (blank["exploration_rounds"], blank["tool_diversity"], blank["rounds"]) == ("", "0.0", "1")


def test_the_command_refuses_what_holds_no_drawings(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.jsonl").write_text("")
    env, kwargs = "designgym/AestheticLocalization-v0", {"split": "test", "designs": "blocks", "image_size": 64}
    run(lambda o, i: call("answer", bbox=None), env, kwargs, ["test-000000"], out=tmp_path / "boxes")
    for arguments, says in (
        ((str(tmp_path / "empty"),), "holds no traces.jsonl"),
        ((str(tmp_path / "empty.jsonl"),), "There are no episodes in"),
        ((str(tmp_path / "nowhere.jsonl"),), "cannot be read"),
        ((str(tmp_path / "boxes"),), "of no drawing"),
        ((str(trace), "--output", "markers.txt"), "must have a name that ends in .csv"),
    ):
        assert command("markers", *arguments) == 2
        assert says in capsys.readouterr().err


def test_conditions_are_agents_with_arguments_of_their_own_beside_a_baseline(tmp_path: Path) -> None:
    config = EvalConfig.model_validate(
        {
            "env": {"id": CANVAS, "kwargs": {"max_calls": 6}},
            "limit": 6,
            "replicates": 2,
            "baseline": "tools",
            "examples": 4,
            "agents": [
                {"name": "random", "label": "tools"},
                {"name": "random", "label": "markup", "env": {"interface": "svg"}},
                {"name": "random", "label": "no shape", "env": {"stimulus": None, "max_calls": 20}},
            ],
        }
    )
    done = evaluate(config, tmp_path / "study")
    against = next(table for table in done.tables if table.title == "Against tools")
    assert [row.name for row in against.rows] == ["markup − tools", "no shape − tools"]
    assert [row.cells["wins"] + row.cells["losses"] + row.cells["ties"] for row in against.rows] == [6, 6]  # type: ignore[operator]
    markup = read_manifest(tmp_path / "study" / "agents" / "markup" / "manifest.json")
    assert markup["config"]["env_kwargs"]["interface"] == "svg"
    assert all(again.differences == () for again in replay(tmp_path / "study/agents/markup/traces.jsonl"))
    with pytest.raises(UserError, match="no agent is called so; there are markup"):
        check(config.model_copy(update={"baseline": "else"}), tmp_path / "other", resume=False)


def test_agents_of_a_name_share_options_and_keep_their_own(tmp_path: Path) -> None:
    settings = {
        "env": {"id": CANVAS},
        "limit": 2,
        "examples": 0,
        "agent_options": {"grow": {"wobble": 3.0}},
        "agents": ["random", {"name": "grow"}, {"name": "grow", "label": "steady", "options": {"wobble": 0.0}}],
    }
    config = EvalConfig.model_validate(settings)
    assert [agent.options for agent in config.with_shared_options().agents] == [{}, {"wobble": 3.0}, {"wobble": 0.0}]
    evaluate(config, tmp_path / "out")
    made = read_manifest(tmp_path / "out" / "agents" / "grow" / "manifest.json")
    assert made["config"]["options"]["options"] == {"wobble": 3.0}
    unused = EvalConfig.model_validate({**settings, "agent_options": {"chat": {"url": "x"}}})
    with pytest.raises(UserError, match="no agent of that name plays"):
        check(unused, tmp_path / "other", resume=False)
