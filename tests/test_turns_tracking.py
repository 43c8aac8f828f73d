"""Sampled episodes for a person to read: Parquet files with texts, rewards and images, and tables in wandb."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
parquet = pytest.importorskip("pyarrow.parquet")

from turn_training import any_reply, scripted  # noqa: E402

from designgym.train.tracking.samples import Keeper, advantages, contact_sheet, write  # noqa: E402
from designgym.train.turns.mirror import sample  # noqa: E402


@pytest.fixture(scope="module", params=["windowed", "growing"])
def kept(request, tmp_path_factory):
    """The trainer of two steps, and the folder with what was kept of the first and the second."""
    folder = tmp_path_factory.mktemp("mirror")
    shown = {}
    trainer = scripted(folder / "out", request.param, max_steps=2, learning_rate=1e-3, say=any_reply, seed=3)
    played = {}

    tokenizer = trainer.processing_class.tokenizer

    def make(step):
        played[step] = list(trainer.trajectories)
        known = advantages(trainer, len(played[step]))
        gone = zip(played[step][:3], known, strict=False)
        return [sample(each, "grpo", step, tokenizer, advantage) for each, advantage in gone]

    show = lambda step, samples: shown.update({step: samples})  # noqa: E731
    trainer.add_callback(Keeper(make, folder / "kept", every=2, show=show, say=pytest.fail))
    trainer.train()
    return request.param, trainer, folder / "kept", played, shown


def test_a_file_a_step_holds_what_was_played(kept):
    history, _, folder, played, shown = kept
    assert sorted(path.name for path in folder.iterdir()) == ["step-000001.parquet", "step-000002.parquet"]
    assert any(each.turns > 1 for each in played[2])
    for step in (1, 2):
        rows = parquet.read_table(folder / f"step-{step:06d}.parquet").to_pylist()
        assert len(rows) == len(shown[step]) == 3
        for row, each in zip(rows, played[step], strict=False):
            assert (row["stage"], row["step"], row["task"]) == ("grpo", step, each.task)
            assert (row["reward"], row["end"], row["steps"]) == (each.reward, each.end, each.steps)
            assert dict(row["parts"]) == each.parts and dict(row["errors"]) == each.errors
            assert row["replies"] == list(each.replies)
            assert len(row["prompts"]) == (each.turns if history == "windowed" else 1)


def test_prompts_hold_a_mark_for_each_image_and_a_growing_one_the_replies(kept):
    history, _, folder, played, _ = kept
    rows = parquet.read_table(folder / "step-000002.parquet").to_pylist()
    for row, each in zip(rows, played[2], strict=False):
        marks = [text.count("<|image_pad|>") for text in row["prompts"]]
        assert marks == [len(r.images) for r in each.rows]
        if history == "growing":
            assert all(reply in row["prompts"][0] for reply in row["replies"][:-1])
        assert all(text.endswith("<|im_start|>assistant\n") for text in row["prompts"])


def test_images_are_those_that_were_shown_each_once_in_order_and_the_page_as_it_was_left(kept):
    _, _, folder, played, _ = kept
    rows = parquet.read_table(folder / "step-000002.parquet").to_pylist()
    for row, each in zip(rows, played[2], strict=False):
        found = [Image.open(io.BytesIO(png)).tobytes() for png in row["images"]]
        shown = [image.convert("RGB").tobytes() for r in each.rows for image in r.images]
        left = each.observation["image"]
        shown.append(np.repeat(left, 3 // left.shape[-1], axis=-1).tobytes())
        assert found == sorted(set(shown), key=shown.index)
        assert len(found) >= each.turns - each.errors.get("format", 0)  # a new canvas before each turn


def test_a_sheet_holds_all_images_in_rows_of_six():
    def png(shade):
        stream = io.BytesIO()
        Image.new("RGB", (512, 512), (shade, 0, 0)).save(stream, "PNG")
        return stream.getvalue()

    sheet = contact_sheet([png(shade) for shade in range(10, 18)])
    assert sheet.size == (6 * 260 - 4, 2 * 260 - 4)
    assert [sheet.getpixel((260 * n + 5, 5))[0] for n in range(6)] == [10, 11, 12, 13, 14, 15]
    assert [sheet.getpixel((260 * n + 5, 265))[0] for n in range(3)] == [16, 17, 128]
    assert contact_sheet([png(3)]).size == (256, 256)


def test_the_curves_of_a_step_have_all_that_is_promised(kept):
    log = kept[1].state.log_history[1]
    names = ["frac_reward_zero_std", "clip_ratio/region_mean", "seconds/environment", "seconds/model"]
    names += ["episodes/turns", "rows/tokens", "rows/learnt", "reward/closure"]
    missing = [name for name in names if name not in log]
    assert not missing, sorted(log)
    assert log["seconds/environment"] > 0 and log["seconds/model"] > 0
    played = kept[3][2]
    turns = [each.turns for each in played]
    assert log["episodes/turns"] == pytest.approx(np.mean(turns))


SCRIPT = """
import sys
from pathlib import Path
from designgym.train.config import TrackingSection
from designgym.train.tracking.tracker import Tracker
from designgym.train.tracking.samples import Sample
import io
from PIL import Image
def png(shade):
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), (shade,) * 3).save(stream, "PNG")
    return stream.getvalue()
tracker = Tracker(TrackingSection(), Path(sys.argv[1]), "run", {"seed": 0}, print)
for step in (1, 50):
    some = Sample("grpo", step, "train-is-000001", 0.5, {"ink": 1.0}, "finished", 2, {}, ["ask", "again"],
                  ["a", "b"], [png(step), png(step + 1), png(step + 2)])
    tracker.samples("grpo", step, [some, some], "trajectories")
tracker.close()
"""


def test_wandb_gets_a_table_a_step_with_all_images_below_the_runs_folder(tmp_path):
    pytest.importorskip("wandb")
    folder, home = tmp_path / "run", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")}
    env |= {"HOME": str(home), "XDG_CACHE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tables = sorted(folder.glob("wandb/offline-run-*/files/media/table/grpo/trajectories_*.table.json"))
    assert len(tables) == 2
    for path, step in zip(sorted(tables, key=lambda p: int(p.name.split("_")[1])), (1, 50), strict=True):
        table = json.loads(path.read_text())
        names = ["step", "task", "reward", "advantage", "end", "parts", "prompts", "replies", "images"]
        assert table["columns"] == names
        assert [row[:5] for row in table["data"]] == [[step, "train-is-000001", 0.5, None, "finished"]] * 2
        assert table["data"][0][7] == "[1] a\n\n[2] b"
    for place in ("data/artifacts/staging/*", "offline-run-*/files/media/images/grpo/*.png"):
        stored = [path for path in (folder / "wandb").glob(place) if path.read_bytes().startswith(b"\x89PNG")]
        sheets = [Image.open(path) for path in stored]
        assert len(sheets) >= 2  # equal ones are stored once
        assert {image.size for image in sheets} == {(3 * 260 - 4, 256)}
        assert {image.getpixel((0, 0))[0] for image in sheets} == {1, 50}
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_an_episode_without_a_reward_is_kept(kept, tmp_path):
    _, trainer, _, played, _ = kept
    unscored = replace(played[2][0], reward=None, parts={})
    write([sample(unscored, "grpo", 7, trainer.processing_class.tokenizer)], tmp_path / "a.parquet")
    (row,) = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert row["reward"] is None and row["parts"] == []
