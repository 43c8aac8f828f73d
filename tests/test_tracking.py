"""Tracking asks for nothing: offline by default, else refused early or left out, and all below the run's folder."""

import os
import subprocess
import sys

import numpy as np
import pytest

from designgym.errors import UserError
from designgym.eval import wandb_run
from designgym.eval.report.data import Example
from designgym.train.config import TrackingSection
from designgym.train.tracking import tracker as tracking

PAGE = np.full((32, 32, 3), 200, np.uint8)
FOUND = Example(PAGE, (0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.5), task="test-000000", kind="clash")
CLEAN = Example(PAGE // 2, None, None, task="test-000001", kind="clean")
UNREADABLE = Example(PAGE, (0.1, 0.2, 0.3, 0.4), None, task="test-000002", kind="clash", error="format")


def test_boxes_are_in_the_form_of_wandb_in_fractions_of_the_page():
    made = wandb_run.boxes(FOUND)
    assert made["truth"]["box_data"] == [
        {"position": {"minX": 0.1, "minY": 0.2, "maxX": 0.3, "maxY": 0.4}, "class_id": 0, "box_caption": "truth"}
    ]
    assert made["answer"]["box_data"][0]["position"]["maxY"] == 0.5
    assert made["answer"]["class_labels"] == {0: "answer"}
    assert wandb_run.boxes(CLEAN)["truth"]["box_data"] == wandb_run.boxes(CLEAN)["answer"]["box_data"] == []


def test_captions_tell_a_wrong_none_from_an_unreadable_answer():
    assert wandb_run.caption(CLEAN) == "test-000001: truth None, answer None"
    assert wandb_run.caption(UNREADABLE) == "test-000002: truth clash, answer unreadable answer"


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_tracking import CLEAN, FOUND
from designgym.train.config import TrackingSection
from designgym.train.tracking.tracker import Tracker
tracker = Tracker(TrackingSection(), Path(sys.argv[1]), "run", {{"seed": 0}}, lambda text: print("SAID", text))
for step in (1, 2):
    tracker.log("sft", step, {{"loss": 1.0 / step}})
tracker.pages("sft", 2, [FOUND, CLEAN])
tracker.close()
print("ENDED")
"""


def test_offline_all_lands_below_the_runs_folder_and_no_key_is_asked_for_used_or_written(tmp_path):
    """In a process without a terminal or a home; with a key that would be refused, if it were used."""
    pytest.importorskip("wandb")
    folder, home = tmp_path / "run", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    key = "not-a-real-key-" + "0" * 25
    env = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")}
    env |= {"HOME": str(home), "XDG_CACHE_HOME": str(home), "WANDB_API_KEY": key}
    script = SCRIPT.format(tests=os.path.dirname(__file__))
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ENDED" in done.stdout and "SAID" not in done.stdout
    assert len(list(folder.glob("wandb/offline-run-*/run-*.wandb"))) == 1
    assert len(list(folder.glob("wandb/offline-run-*/files/media/images/sft/pages_*.png"))) == 2
    assert len(list(folder.glob("wandb/offline-run-*/files/media/metadata/boxes2D/sft/*.json"))) == 4
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert key not in done.stdout + done.stderr
    assert not any(key.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("off", ["off", "environment"])
def test_switched_off_nothing_is_written(off, monkeypatch, tmp_path):
    monkeypatch.setenv("WANDB_MODE", "disabled" if off == "environment" else "offline")
    section = TrackingSection(wandb="off" if off == "off" else "online")
    tracking.check_tracking(section)  # even online needs no key then
    tracker = tracking.Tracker(section, tmp_path, "run", {}, print)
    tracker.log("sft", 1, {"loss": 1.0})
    tracker.pages("sft", 1, [FOUND])
    tracker.close()
    assert list(tmp_path.iterdir()) == []


def test_online_without_a_key_is_a_sentence_before_any_work(monkeypatch, tmp_path):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(wandb_run, "installed", lambda: True)
    with pytest.raises(UserError, match="there is no key for it"):
        tracking.check_tracking(TrackingSection(wandb="online"))
    monkeypatch.setenv("WANDB_API_KEY", "x")
    tracking.check_tracking(TrackingSection(wandb="online"))


def test_online_with_a_server_that_does_not_answer_goes_on_offline(monkeypatch, tmp_path):
    wandb = pytest.importorskip("wandb")
    modes = []

    class Run:
        def log(self, figures, step):
            pass

        def finish(self):
            pass

    def init(*, mode, settings, **unused):
        modes.append((mode, settings.init_timeout))
        if mode == "online":
            raise wandb.errors.CommError("no answer")
        return Run()

    monkeypatch.setattr(wandb, "init", init)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    said = []
    tracker = tracking.Tracker(TrackingSection(wandb="online"), tmp_path, "run", {}, said.append)
    tracker.log("sft", 1, {"loss": 1.0})
    tracker.close()
    assert modes == [("online", wandb_run.LOGIN_TIMEOUT_S), ("offline", wandb_run.LOGIN_TIMEOUT_S)]
    assert len(said) == 1 and "tracked offline" in said[0]


def test_without_wandb_one_line_says_where_the_curves_are(monkeypatch, tmp_path):
    monkeypatch.setattr(wandb_run, "installed", lambda: False)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    said = []
    tracker = tracking.Tracker(TrackingSection(), tmp_path, "run", {}, said.append)
    tracker.log("sft", 1, {"loss": 1.0})
    tracker.pages("sft", 1, [FOUND])
    tracker.close()
    assert said == ["wandb is not installed; the curves are in metrics.jsonl alone."]
    with pytest.raises(UserError, match="wandb is not installed"):
        tracking.check_tracking(TrackingSection(wandb="online"))


def test_the_environment_is_restored(monkeypatch, tmp_path):
    pytest.importorskip("wandb")
    monkeypatch.setattr("wandb.init", lambda **unused: type("Run", (), {"finish": lambda self: None})())
    monkeypatch.setenv("WANDB_DIR", "/somewhere/else")
    monkeypatch.delenv("WANDB_DATA_DIR", raising=False)
    monkeypatch.setenv("WANDB_MODE", "offline")
    tracker = tracking.Tracker(TrackingSection(), tmp_path, "run", {}, print)
    assert os.environ["WANDB_DIR"] == str(tmp_path)
    tracker.close()
    assert os.environ["WANDB_DIR"] == "/somewhere/else" and "WANDB_DATA_DIR" not in os.environ


def test_a_run_that_goes_on_is_the_same_run_in_wandb(monkeypatch, tmp_path):
    wandb = pytest.importorskip("wandb")
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.delenv("WANDB_DISABLED", raising=False)
    made = []

    class Run:
        def finish(self):
            pass

    def init(**settings):
        made.append((settings["id"], settings["resume"]))
        return Run()

    monkeypatch.setattr(wandb, "init", init)
    monkeypatch.setenv("WANDB_API_KEY", "x")
    for name, mode in (("a", "offline"), ("a", "online"), ("b", "offline")):
        tracking.Tracker(TrackingSection(wandb=mode), tmp_path / name, "run", {}, print).close()
    (first, _), (again, _), (other, _) = made
    assert first == again != other and len(first) == 8
    assert [resume for _, resume in made] == [None, "allow", None]
