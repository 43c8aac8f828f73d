"""Replays of drawn trials: the same bytes with both renderers, other versions of a library, and pictures on demand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from canvas_turns import CANVAS, FINISH, LINE, TEST, TRIAL, UNDO, Turns, call, command, played
from PIL import Image

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import build
from designgym.eval.filmstrip import COLUMNS, MOST_PIXELS, filmstrip
from designgym.eval.replay import replay
from designgym.eval.runner import run


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return played(tmp_path / "turns")


@pytest.mark.parametrize("renderer", ["pillow", "skia"])
@pytest.mark.parametrize("interface", ["tools", "svg"])
def test_trials_replay_to_the_same_bytes(renderer: str, interface: str, tmp_path: Path) -> None:
    kwargs = {**TEST, "renderer": renderer, "interface": interface, "axes": "outside", "max_calls": 12}
    run(build("random", gym.make(CANVAS, **kwargs)), CANVAS, kwargs, ["is01", "is02", "ot03"], out=tmp_path / "random")
    if interface == "svg":
        markup = '<g transform="rotate(20)"><path d="M100 100 q 40 -80 90 10 z"/><circle cx="200" cy="90" r="33"/></g>'
        turns = Turns(
            [call("draw_svg", svg=markup, erase=False)], [call("draw_svg", svg=markup, erase=True), UNDO, FINISH]
        )
    else:
        turns = Turns(*TRIAL)
    run(turns, CANVAS, kwargs, ["is07"], out=tmp_path / "turns")
    for name in ("random", "turns"):
        for again in replay(tmp_path / name / "traces.jsonl"):
            assert again.differences == () and again.finished and not again.note
            assert again.steps[0].info["renderer"].startswith(renderer)


def changed(trace: Path, change: Any) -> Path:
    """The trace with lines that ``change`` has gone over."""
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    for line in lines:
        change(line)
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return trace


def older(line: dict[str, Any]) -> None:
    if line["step"] == 0:
        line["info"]["renderer"] = "pillow 1.2.3"


def other_bytes(line: dict[str, Any]) -> None:
    if line["step"] >= 3:
        line["image"]["sha256"] = "0" * 64


def test_another_version_of_the_library_that_draws_the_same_is_a_note(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(trace, older)
    for again in replay(trace):
        assert again.differences == ()
        assert re.fullmatch(r"recorded with pillow 1\.2\.3 and played with pillow \d\S+", again.note)
    assert command("replay", str(trace)) == 0
    assert "2 episodes were recorded with pillow 1.2.3" in capsys.readouterr().out


def test_another_version_that_draws_otherwise_is_said_in_one_sentence(trace: Path) -> None:
    changed(trace, older)
    changed(trace, other_bytes)
    for again in replay(trace):
        (difference,) = again.differences
        assert difference.startswith("step 3: from here on, pictures or what is scored from them differ.")
        assert "recorded with pillow 1.2.3 and played with pillow" in difference
        assert difference.endswith("install pillow 1.2.3") and again.note == ""


def test_what_does_not_hang_on_the_library_is_compared_all_the_same(trace: Path) -> None:
    def other_text(line: dict[str, Any]) -> None:
        if line["step"] == 2:
            line["text"] = "OK\nCalls left: 7."

    changed(trace, older)
    changed(trace, other_text)
    for again in replay(trace):
        (difference,) = again.differences
        assert difference.startswith("step 2: text was 'OK\\nCalls left: 7.'")


def test_other_bytes_of_the_same_version_are_a_bare_mismatch(trace: Path) -> None:
    changed(trace, other_bytes)
    again = next(replay(trace))
    assert len(again.differences) == len(again.steps) - 3
    assert all(": image was 000000000000 400x400x1, is now" in difference for difference in again.differences)


def test_the_command_saves_an_image_a_round_and_a_strip(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    images, strip = tmp_path / "images", tmp_path / "strip.png"
    assert command("replay", str(trace), "--images", str(images), "--filmstrip", str(strip)) == 0
    assert "16 images in" in capsys.readouterr().out
    names = ["round-0000.png", *(f"round-{n:04}.png" for n in range(1, 7)), "start.png"]
    for task in ("is01", "ot01"):
        assert [path.name for path in sorted((images / task).iterdir())] == names
    env = gym.make(CANVAS, **TEST)
    start, _ = env.reset(options={"task": "is01"})
    env.step(LINE)
    after, *_ = env.step(TRIAL[1][1])  # type: ignore[index]

    def saved(name: str) -> np.ndarray:
        return np.asarray(Image.open(images / "is01" / name))

    assert (saved("start.png") == start["image"][..., 0]).all() and (
        saved("round-0000.png") == saved("start.png")
    ).all()
    assert (saved("round-0001.png") == after["image"][..., 0]).all()  # of a round with two calls, what it left
    assert Image.open(strip).size == (8 * 404 - 4, 400)
    assert (np.asarray(Image.open(strip))[:, -400:, 0] == saved("round-0006.png")).all()


def test_images_are_kept_only_where_they_are_asked_for(trace: Path) -> None:
    with_images, without = next(replay(trace)), next(replay(trace, images=False))
    assert with_images.rounds == tuple(range(7)) and len(with_images.images) == 8
    assert without.images == () and without.rounds == () and without.differences == ()


def test_a_long_strip_goes_on_in_further_rows_and_becomes_smaller() -> None:
    tiles = [np.full((40, 20, 1), value, np.uint8) for value in range(COLUMNS + 1)]
    strip = filmstrip(tiles, gap_px=2)
    assert strip.shape == (2 * 42 - 2, COLUMNS * 22 - 2, 3)
    assert (strip[:40, :20] == 0).all() and (strip[42:, :20] == COLUMNS).all() and (strip[42:, 22:] == 128).all()
    half = np.zeros((400, 401, 1), np.uint8)
    half[:, ::2] = 200
    strip = filmstrip([half] * 200)  # 200 x 400 x 401 px are 32 million: halves of the sides are enough
    assert strip.shape == (25 * 204 - 4, 8 * 204 - 4, 3) and strip[:, :, 0].size < 1.1 * MOST_PIXELS
    assert (strip[:200, :200] == 100).all()


def test_a_moving_image_has_a_frame_a_round(trace: Path, tmp_path: Path) -> None:
    assert command("replay", str(trace), "--gif", str(tmp_path / "moving.gif")) == 0
    (again, *_) = replay(trace)
    with Image.open(tmp_path / "moving.gif") as moving:
        assert 1 < moving.n_frames <= len(again.images)  # equal frames in a row are one
        assert moving.size == again.images[0].shape[1::-1]
        moving.seek(moving.n_frames - 1)
        assert np.array_equal(np.asarray(moving.convert("L")), again.images[-1].squeeze())
    assert command("replay", str(trace), "--gif", str(tmp_path / "moving.png")) == 2
