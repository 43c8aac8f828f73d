"""A full disk costs a run no more than what it was writing: it ends with a sentence and goes on when there is room."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("pyarrow.parquet")

from test_train_resume import points, weights  # noqa: E402
from tiny_run import write_config  # noqa: E402
from turn_run import quiet  # noqa: E402

from designgym.config import load_config  # noqa: E402
from designgym.errors import UserError  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.cli import run as command  # noqa: E402
from designgym.train.config import TrainConfig  # noqa: E402
from designgym.train.guards.checkpoints import last_whole  # noqa: E402
from designgym.train.tracking import samples  # noqa: E402
from designgym.train.tracking.callbacks import Curves  # noqa: E402

SETTINGS = ["stages.0.save_every=1", "stages.0.steps=3", "tracking.trajectories_every=1"]
SENTENCE = "is full. Make room; the same command goes on there."

needs_dev_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")


@pytest.fixture(autouse=True)
def without_evaluation(monkeypatch):
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run on a disk with room."""
    folder = tmp_path_factory.mktemp("full-disk")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_evaluate", lambda *arguments: None)
        running.run(load_config(write_config(folder), TrainConfig, SETTINGS), folder / "run", quiet())
    return folder / "run"


def fill(patch, file, step=1):
    """After a step of the first stage, let a file of its next checkpoint have no room."""
    original = Curves.on_step_end

    def on_step_end(curves, args, state, control, **kwargs):
        original(curves, args, state, control, **kwargs)
        if state.global_step == step + 1 and "sft" in args.output_dir:
            place = Path(args.output_dir, f"checkpoint-{step + 1}", file)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to("/dev/full")

    patch.setattr(Curves, "on_step_end", on_step_end)


@needs_dev_full
@pytest.mark.slow
@pytest.mark.parametrize("file", ["optimizer.pt", "trainer_state.json"])
def test_a_checkpoint_without_room_ends_the_run_and_it_goes_on_from_the_one_before(
    file, whole, tmp_path, capsys, monkeypatch
):
    config, folder = str(write_config(tmp_path)), tmp_path / "run"
    with monkeypatch.context() as patch:
        fill(patch, file)
        if file == "optimizer.pt":  # torch does not say why it fails; the disk is looked at
            patch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
        assert command(config, SETTINGS, folder, False) == 1
    assert SENTENCE in capsys.readouterr().err
    checkpoints = folder / "stages/sft/checkpoints"
    assert last_whole(checkpoints).name == "checkpoint-1" and (checkpoints / "checkpoint-2").is_dir()
    assert command(config, SETTINGS, folder, False) == 0
    assert "checkpoint-2 was not written to its end; it was removed." in capsys.readouterr().out
    assert points(folder) == [("sft", 1), ("sft", 2), *points(whole)[1:]]  # the second step is done again
    for stage in ("sft", "grpo"):
        assert weights(folder, stage) == weights(whole, stage)


@needs_dev_full
@pytest.mark.slow
def test_curves_without_room_end_the_run_and_it_goes_on(whole, tmp_path, capsys):
    config, folder = str(write_config(tmp_path)), tmp_path / "run"
    folder.mkdir()
    (folder / "config.yaml").symlink_to(whole / "config.yaml")
    (folder / "metrics.jsonl").symlink_to("/dev/full")
    assert command(config, SETTINGS, folder, False) == 1
    assert SENTENCE in capsys.readouterr().err
    (folder / "metrics.jsonl").unlink()
    assert command(config, SETTINGS, folder, False) == 0
    assert points(folder) == points(whole)


def test_sampled_answers_without_room_are_left_out_and_training_goes_on(tmp_path, monkeypatch):
    def write_atomically(path, content):
        try:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise UserError(f"'{path}' cannot be written: {error.strerror}.") from error

    console, folder = quiet(), tmp_path / "run"
    monkeypatch.setattr(samples, "write_atomically", write_atomically)
    running.run(load_config(write_config(tmp_path), TrainConfig, SETTINGS), folder, console)
    said = " ".join(console.file.getvalue().split())
    assert said.count("The mirror of sampled episodes failed to write a file") == 1
    assert "No space left on device); they are not kept. The work goes on." in said
    assert not list((folder / "trajectories").rglob("*")) and (folder / "stages/grpo/done.json").is_file()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_file_of_the_run_that_has_no_room_is_a_full_disk(number, tmp_path, capsys, monkeypatch):
    def fail(*_):
        try:
            raise OSError(number, os.strerror(number))
        except OSError as error:
            raise UserError("'x' cannot be written.") from error

    monkeypatch.setattr(running, "run", fail)
    assert command(str(write_config(tmp_path)), [], tmp_path / "run", False) == 1
    assert SENTENCE in capsys.readouterr().err


def test_a_mistake_on_a_disk_with_little_room_is_no_full_disk(tmp_path, monkeypatch):
    def fail(*_):
        raise UserError("The reward has collapsed.")

    monkeypatch.setattr(running, "run", fail)
    (tmp_path / "run").mkdir()
    config = str(write_config(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    with pytest.raises(UserError, match="collapsed"):
        command(config, [], tmp_path / "run", False)


RUN = 'import sys; from designgym.cli.main import main; main(["train", *sys.argv[1:]])'
SCRIPT = """
mount -t tmpfs -o size=3m tmpfs "$1" || exit 99
shift
"$@"
echo "FIRST $?"
mount -o remount,size=100m tmpfs {mount}
"$@"
echo "SECOND $?"
sha256sum {mount}/run/stages/*/model/model.safetensors
"""


@pytest.mark.slow
def test_on_a_disk_that_is_really_full_with_wandb_a_run_ends_and_goes_on(whole, tmp_path):
    mount = tmp_path / "mount"
    mount.mkdir()
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        pytest.skip("needs a file system of its own")
    settings = [*SETTINGS, "tracking.wandb=offline", "evaluation.count=4"]
    flags = [each for setting in settings for each in ("--set", setting)]
    train = [sys.executable, "-c", RUN, str(write_config(tmp_path)), "--output", str(mount / "run"), *flags]
    script = SCRIPT.format(mount=mount)
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", str(mount), *train],
        env={**os.environ, "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    if done.returncode == 99:
        pytest.skip("needs a file system of its own")
    assert "FIRST 1" in done.stdout and "SECOND 0" in done.stdout, done.stderr
    assert SENTENCE in done.stderr and "Traceback" not in done.stderr
    found = [line.split()[0] for line in done.stdout.partition("SECOND 0\n")[2].splitlines()]
    expected = subprocess.run(
        ["sha256sum", *(str(whole / "stages" / stage / "model/model.safetensors") for stage in ("grpo", "sft"))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found == [line.split()[0] for line in expected.stdout.splitlines()]
