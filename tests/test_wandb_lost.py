"""A wandb that fails, dies or hangs costs a run its copy in wandb and nothing else."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest

wandb = pytest.importorskip("wandb")
pytest.importorskip("torch")
pytest.importorskip("trl")

from test_tracking import FOUND  # noqa: E402
from test_train_resume import stop_in  # noqa: E402
from tiny_run import write_config  # noqa: E402
from turn_run import quiet  # noqa: E402

from designgym.config import load_config  # noqa: E402
from designgym.eval import wandb_run  # noqa: E402
from designgym.jsonl import read_jsonl  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.config import TrackingSection, TrainConfig  # noqa: E402
from designgym.train.tracking import tracker as tracking  # noqa: E402


@pytest.fixture(autouse=True)
def tracked(monkeypatch):
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.delenv("WANDB_DISABLED", raising=False)


class Lost:
    """A run in wandb that takes nothing."""

    id = "x"

    def log(self, *unused, **more):
        raise ConnectionResetError("Connection lost")

    log_artifact = finish = log


def test_what_wandb_does_not_take_is_said_once_and_counted(monkeypatch, tmp_path):
    monkeypatch.setattr(wandb, "init", lambda **unused: Lost())
    torn = []
    monkeypatch.setattr(wandb, "teardown", lambda: torn.append(True))
    said = []
    tracker = tracking.Tracker(TrackingSection(), tmp_path, "run", {}, said.append)
    for step in (1, 2, 3):
        tracker.log("sft", step, {"loss": 1.0})
    tracker.pages("sft", 3, [FOUND])
    assert said == [
        "wandb failed to take the curves (ConnectionResetError: Connection lost); the curves are in metrics.jsonl "
        "alone. The work goes on."
    ]
    tracker.close()
    assert said[1:] == ["wandb failed 5 times in all; the curves are in metrics.jsonl alone."] and torn == [True]


def test_a_wandb_that_cannot_begin_is_left_out(monkeypatch, tmp_path):
    def init(**unused):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(wandb, "init", init)
    said = []
    tracker = tracking.Tracker(TrackingSection(), tmp_path, "run", {}, said.append)
    tracker.log("sft", 1, {"loss": 1.0})
    tracker.close()
    assert len(said) == 1 and said[0].startswith("wandb failed to begin (OSError: [Errno 28] No space left on device);")
    assert "WANDB_DATA_DIR" not in os.environ


def test_a_wandb_that_does_not_end_is_left_alone(monkeypatch, tmp_path):
    for name in ("FINISH_TIMEOUT_S", "FINISH_SPARE_S"):
        monkeypatch.setattr(wandb_run, name, 0.05)
    never = threading.Event()
    monkeypatch.setattr(wandb, "init", lambda **unused: type("Run", (), {"finish": lambda self: never.wait()})())
    monkeypatch.setattr(wandb, "teardown", never.wait)
    said = []
    tracking.Tracker(TrackingSection(), tmp_path, "run", {}, said.append).close()
    never.set()
    assert said == [f"wandb does not end; what it has not uploaded is in '{tmp_path / 'wandb'}'."]


SCRIPT = """
import os, signal, sys
from pathlib import Path
from designgym.eval import wandb_run
from designgym.train.config import TrackingSection
from designgym.train.tracking.tracker import Tracker
wandb_run.FINISH_TIMEOUT_S = wandb_run.FINISH_SPARE_S = 1
tracker = Tracker(TrackingSection(), Path(sys.argv[1]), "run", {}, lambda text: print("SAID", text))
tracker.log("sft", 1, {"loss": 1.0})
children = [int(each) for task in Path("/proc/self/task").iterdir() for each in (task / "children").read_text().split()]
for child in children:
    if b"wandb-core" in Path(f"/proc/{child}/cmdline").read_bytes():
        os.kill(child, signal.SIGKILL if sys.argv[2] == "dies" else signal.SIGSTOP)
        print("FOUND", child, flush=True)
for step in range(2, 6):
    tracker.log("sft", step, {"loss": 1.0})
tracker.close()
print("ENDED")
"""


@pytest.mark.parametrize("how", ["dies", pytest.param("hangs", marks=pytest.mark.slow)])
def test_a_run_outlives_the_process_of_wandb(how, tmp_path):
    env = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")} | {"HOME": str(tmp_path)}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), how]
    printed, problems = tmp_path / "printed", tmp_path / "problems"
    with printed.open("w") as out, problems.open("w") as err:  # a pipe would stay open as long as the stopped process
        code = subprocess.run(command, env=env, stdout=out, stderr=err, timeout=60, check=False).returncode
    text = printed.read_text()
    (process,) = [int(line.split()[1]) for line in text.splitlines() if line.startswith("FOUND")]
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    assert code == 0 and "ENDED" in text, problems.read_text()
    assert "wandb failed to take the curves" in text if how == "dies" else "wandb does not end" in text
    assert "Traceback" not in problems.read_text()


def test_a_run_that_is_interrupted_and_goes_on_is_one_run_in_wandb_and_loses_no_curves_with_it(tmp_path, monkeypatch):
    ids = []

    def init(**settings):
        ids.append(settings["id"])
        return Lost()

    monkeypatch.setattr(wandb, "init", init)
    monkeypatch.setattr(wandb, "teardown", lambda: None)
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    config = load_config(
        write_config(tmp_path), TrainConfig, ["tracking.wandb=offline", "tracking.trajectories_every=1"]
    )
    with monkeypatch.context() as patch:
        stop_in(patch, "sft", 2)
        with pytest.raises(KeyboardInterrupt):
            running.run(config, tmp_path / "run", quiet())
    console = quiet()
    running.run(config, tmp_path / "run", console)
    assert len(ids) == 2 and ids[0] == ids[1] == (tmp_path / "run/wandb/id.txt").read_text()
    assert console.file.getvalue().count("ConnectionResetError") == 1
    points = [(line.value["stage"], line.value["step"]) for line in read_jsonl(tmp_path / "run/metrics.jsonl")]
    assert points == [("sft", step) for step in (1, 2, 3, 4)] + [("grpo", step) for step in (1, 2, 3)]
