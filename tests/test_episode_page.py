"""Pages to step through an episode: what a browser shows, and that nothing of a model's text runs in it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from canvas_turns import CANVAS, FINISH, LINE, TEST, UNDO, Turns, command

import designgym  # noqa: F401 - registers the environments
from designgym.eval.episode_pages import selected
from designgym.eval.replay import replay
from designgym.eval.report.episode import LONGEST_TEXT, render, rounds
from designgym.eval.results import Result
from designgym.eval.runner import run

CHROMIUM = shutil.which("chromium")
ATTACK = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> & <b>bold</b>"


def played(folder: Path, *turns: list[dict[str, Any]], text: str = "") -> Path:
    run(Turns(*turns, text=text), CANVAS, TEST, ["is07"], out=folder, name="turns")
    return folder / "traces.jsonl"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return played(tmp_path / "run", [LINE, LINE], [UNDO], [{"name": "paint", "arguments": {}}], [FINISH], text=ATTACK)


def data(page: str) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="rounds">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_page_holds_every_round_with_calls_results_rewards_and_pictures(trace: Path) -> None:
    (again,) = replay(trace)
    page = render(again.steps, again.images, policy="turns")
    shown = data(page)
    assert [[call["name"] for call in each["calls"]] for each in shown] == [
        [],
        ["draw_lines", "draw_lines"],
        ["undo_last_action"],
        ["paint"],
        ["drawing_finished"],
    ]
    assert shown[3]["calls"][0]["error"] == "invalid_action" and "no tool" in shown[3]["calls"][0]["result"]
    assert all(each["image"].startswith("data:image/png;base64,") for each in shown)
    assert shown[0]["image"] != shown[1]["image"] and shown[-1]["end"] == "finished"
    assert sum(each["reward"] for each in shown) == pytest.approx(sum(step.reward for step in again.steps))
    assert all(each["reply"] == ATTACK for each in shown[1:])


def test_nothing_is_loaded_from_elsewhere_and_markup_of_models_is_no_markup(trace: Path) -> None:
    (again,) = replay(trace)
    page = render(again.steps, again.images)
    assert page.count("<script") == 2 and "onerror=" not in re.sub(
        r'id="rounds">.*?</script>', "", page, flags=re.DOTALL
    )
    assert not re.search(r'(?:src|href)="(?!data:)[^"]', page)


def test_long_texts_are_cut_and_say_so(trace: Path) -> None:
    (again,) = replay(trace)
    steps = (
        again.steps[0],
        *(step.__class__(**{**vars(step), "reply": "x" * (LONGEST_TEXT + 7)}) for step in again.steps[1:]),
    )
    assert list(rounds(steps))[1]["reply"].endswith("… 7 more characters")


def test_rounds_and_pictures_must_agree(trace: Path) -> None:
    (again,) = replay(trace)
    with pytest.raises(ValueError, match="5 rounds, the reset among them, need as many images; got 4"):
        render(again.steps, again.images[1:])


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_the_round_and_runs_nothing_of_the_model(trace: Path, tmp_path: Path) -> None:
    assert command("replay", str(trace), "--pages", str(tmp_path / "pages")) == 0
    (page,) = (tmp_path / "pages").glob("*.html")
    assert CHROMIUM is not None
    asked = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]
    shown = subprocess.run(
        [*asked, f"{page.as_uri()}#round-3"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert "After round 3 of 4" in shown and "<h2>Round 3</h2>" in shown
    assert "<title>is07, played by turns</title>" in shown
    assert "&lt;b&gt;bold&lt;/b&gt;" in shown and "<b>bold</b>" not in shown
    assert "invalid action" in shown


def test_design_pages_are_in_colour(tmp_path: Path) -> None:
    env_id = "designgym/DesignActions-v0"
    env = gym.make(env_id, split="test")
    calls = [
        {"name": "CreateDocument", "arguments": {"docType": "postcard"}},
        {"name": "SetBackgroundColor", "arguments": {"red": 200, "green": 30, "blue": 40}},
        {"name": "finish", "arguments": {}},
    ]
    run(Turns(*([call] for call in calls)), env_id, {"split": "test"}, ["test-000000"], out=tmp_path / "run")
    env.close()
    (again,) = replay(tmp_path / "run" / "traces.jsonl")
    assert np.ptp(again.images[-1].astype(int).mean(axis=(0, 1))) > 50
    assert len(data(render(again.steps, again.images))) == 4


def test_the_best_the_worst_and_some_drawn_by_seed_are_chosen() -> None:
    results = [Result(f"is{n:02}", reward) for n, reward in enumerate([0.5, 0.9, 0.1, 0.4, 0.3])]
    results += [Result("is08", 1.0, scored=False), Result("is09", 0.0, failure="boom")]
    chosen = selected(results, 4, 0)
    assert list(chosen.items())[:2] == [("is01", "best"), ("is02", "worst")]
    assert list(chosen.values())[2:] == ["drawn by seed"] * 2
    changed = [Result(r.task, r.reward + (0.01 if r.task == "is03" else 0), scored=r.scored) for r in results[:-1]]
    assert list(selected([*changed, results[-1]], 4, 0)) == list(chosen)
    assert selected([Result("is01"), Result("is02")], 2, 0) == dict.fromkeys(["is01", "is02"], "drawn by seed")


def test_a_report_links_pages_that_are_there(tmp_path: Path) -> None:
    out = tmp_path / "evaluation"
    assert command("eval", "eval/canvas", "--limit", "5", "--output", str(out)) == 0
    links = re.findall(r'href="([^"]+)"', (out / "report.html").read_text())
    assert len(links) == 10 and all((out / link).is_file() for link in links)  # two agents, five episodes each
    assert {Path(link).parent.name for link in links} == {"grow", "random"}
    assert all(not link.startswith(("/", "http")) for link in links)
