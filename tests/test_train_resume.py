"""Whole runs: every part of the folder, resuming after Ctrl-C and after a crash, refusing other settings."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from designgym.config import load_config
from designgym.errors import UserError
from designgym.jsonl import read_jsonl
from designgym.train.config import TrainConfig

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config  # noqa: E402

from designgym.agents.qwen.local import load  # noqa: E402
from designgym.eval.results import read_results  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.cli import run as command  # noqa: E402
from designgym.train.folder import RunFolder  # noqa: E402
from designgym.train.guards.checkpoints import is_whole  # noqa: E402
from designgym.train.guards.interrupt import Interrupt, StopOnInterrupt  # noqa: E402


def quiet():
    return Console(file=StringIO(), width=160)


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return load_config(write_config(tmp_path_factory.mktemp("config")), TrainConfig)


@pytest.fixture(scope="module")
def finished(config, tmp_path_factory):
    """One run from start to end, with what it printed."""
    folder = tmp_path_factory.mktemp("run") / "whole"
    console = quiet()
    report = running.run(config, folder, console)
    return folder, report, console.file.getvalue()


def weights(folder, stage):
    return (folder / "stages" / stage / "model" / "model.safetensors").read_bytes()


def points(folder):
    return [(line.value["stage"], line.value["step"]) for line in read_jsonl(folder / "metrics.jsonl")]


def test_a_run_leaves_models_curves_results_and_a_report(finished):
    folder, report, printed = finished
    assert report == folder / "report.html" and report.is_file()
    for stage, steps in (("sft", 4), ("grpo", 3)):
        assert load(folder / "stages" / stage / "model").family.name == "Qwen3-VL"
        done = json.loads((folder / "stages" / stage / "done.json").read_text())
        assert done["steps"] == steps and done["seconds"] > 0 and done["peak_rss_mb"] > 100
        assert not (folder / "stages" / stage / "checkpoints").exists()
    assert points(folder) == [("sft", s) for s in (1, 2, 3, 4)] + [("grpo", s) for s in (1, 2, 3)]
    results = json.loads((folder / "results.json").read_text())
    rows = {row["name"]: row["cells"] for row in results["tables"][0]["rows"]}
    assert list(rows) == ["untrained", "sft", "grpo", "sft, rescaled", "demonstrator", "always-none"]
    assert rows["untrained"]["reward"]["n"] == rows["grpo"]["sampled"]["n"] == 12
    compared = {row["name"] for row in results["tables"][1]["rows"]}
    assert {"grpo − sft", "grpo − demonstrator", "sft − untrained", "grpo − always-none"} <= compared
    assert str(report) in printed and "demonstrator" in printed
    page = report.read_text(encoding="utf-8")
    assert "against demonstrator (hurdle, greedy)" in page
    assert "Loss of the supervised stages" in page and "Reward of sampled answers" in page
    assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page


def test_the_folder_tells_what_the_run_was_made_with(finished, config):
    folder, _, _ = finished
    again = load_config(folder / "config.yaml", TrainConfig)
    assert RunFolder(folder, again).settings == RunFolder(folder, config).settings
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["seeds"] == {"run": 0} and "trl" in manifest["versions"]


def test_the_same_run_on_its_folder_trains_nothing_and_ends_the_same(finished, config):
    folder, _, _ = finished
    before = {path: path.stat().st_mtime_ns for path in folder.glob("stages/*/model/*")}
    results = (folder / "results.json").read_text()
    running.run(config, folder, quiet())
    assert {path: path.stat().st_mtime_ns for path in folder.glob("stages/*/model/*")} == before
    assert (folder / "results.json").read_text() == results


def test_answers_that_were_interrupted_end_the_same(finished, config, tmp_path):
    folder, _, _ = finished
    shutil.copytree(folder, tmp_path / "again")
    policies = [path.parent.name for path in folder.glob("evaluation/*/results.jsonl")]
    for policy in policies:
        cut = tmp_path / "again" / "evaluation" / policy / "results.jsonl"
        cut.write_text("".join(cut.read_text().splitlines(keepends=True)[:8]))  # in the middle of the second batch
    running.run(config, tmp_path / "again", quiet())
    for policy in policies:
        one, two = (read_results(run / "evaluation" / policy / "results.jsonl") for run in (folder, tmp_path / "again"))
        assert one == two, policy


def test_other_settings_on_a_used_folder_are_refused_with_the_difference(finished, config):
    folder, _, _ = finished
    changed = load_config(folder / "config.yaml", TrainConfig, ["stages.0.steps=5"])
    with pytest.raises(UserError, match=r"other settings: stages\.0\.steps is 4 there and 5 now"):
        running.run(changed, folder, quiet())


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("config.yaml", b"\xff\xfe", "is UTF-16"),
        ("config.yaml", b"a: [", "not valid YAML"),
        ("config.yaml", b"", "other settings: seed is None there and 0 now"),
        ("metrics.jsonl", b'{"a": 1}\n', r"metrics\.jsonl:1: this is no point of this run's curves"),
        ("metrics.jsonl", b"null\n", r"metrics\.jsonl:1: this is no point of this run's curves"),
        ("evaluation/always-none/manifest.json", b'{"format": 1}', "is no manifest"),
    ],
)
def test_a_file_of_the_folder_that_was_spoilt_is_named(file, content, says, finished, config, tmp_path):
    shutil.copytree(finished[0], tmp_path / "run")
    (tmp_path / "run" / file).write_bytes(content)
    with pytest.raises(UserError, match=says):
        running.run(config, tmp_path / "run", quiet())


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"steps": 4, "sec'])
def test_a_stage_counts_as_done_only_with_its_whole_record(content, config, tmp_path):
    holder = RunFolder(tmp_path, config)
    holder.stage("sft").mkdir(parents=True)
    (holder.stage("sft") / "done.json").write_text(content)
    assert holder.done("sft") is None


def test_how_a_run_is_watched_may_change(finished, config):
    folder, _, _ = finished
    RunFolder(folder, load_config(folder / "config.yaml", TrainConfig, ["tracking.project=other", "threads=2"]))


def test_a_second_process_in_the_folder_is_refused(finished, config):
    folder, _, _ = finished
    holder = RunFolder(folder, config)
    with holder.opened(), pytest.raises(UserError, match="Another process is working in"), holder.opened():
        pass


def stop_in(patch, stage, step):
    """Let a signal arrive in a training step."""
    from designgym.train.tracking.callbacks import Curves

    original = Curves.on_step_end

    def on_step_end(curves, args, state, control, **kwargs):
        original(curves, args, state, control, **kwargs)
        if state.global_step == step and stage in args.output_dir:
            os.kill(os.getpid(), signal.SIGTERM)

    patch.setattr(Curves, "on_step_end", on_step_end)


def test_a_run_interrupted_in_each_stage_ends_with_the_weights_and_curves_of_one_that_was_not(
    finished, config, tmp_path, monkeypatch
):
    folder = tmp_path / "run"
    for stage, step in (("sft", 2), ("grpo", 1)):
        console = quiet()
        with monkeypatch.context() as patch:
            stop_in(patch, stage, step)
            with pytest.raises(KeyboardInterrupt):
                running.run(config, folder, console)
        assert f"Stopped after step {step} of" in console.file.getvalue()
        checkpoint = folder / "stages" / stage / "checkpoints" / f"checkpoint-{step}"
        assert (checkpoint / "model.safetensors").is_file() and is_whole(checkpoint)
        assert not (folder / "stages" / stage / "done.json").exists()
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    running.run(config, folder, quiet())
    assert weights(folder, "sft") == weights(finished[0], "sft")
    assert weights(folder, "grpo") == weights(finished[0], "grpo")
    assert points(folder) == points(finished[0])


def test_ctrl_c_in_the_last_step_of_a_stage_keeps_its_model_and_stops(config, tmp_path, monkeypatch):
    stop_in(monkeypatch, "sft", 4)
    with pytest.raises(KeyboardInterrupt):
        running.run(config, tmp_path / "run", quiet())
    assert (tmp_path / "run" / "stages" / "sft" / "done.json").is_file()
    assert not (tmp_path / "run" / "stages" / "grpo").exists()


def test_between_updates_on_one_batch_of_answers_nothing_is_stopped():
    interrupt = Interrupt(print)
    interrupt.requested = True
    args, control = SimpleNamespace(world_size=1), SimpleNamespace(should_save=False, should_training_stop=False)
    stop = StopOnInterrupt(interrupt, every=3)
    stop.on_step_end(args, SimpleNamespace(global_step=4), control)
    assert not control.should_save and not control.should_training_stop
    stop.on_step_end(args, SimpleNamespace(global_step=6), control)
    assert control.should_save and control.should_training_stop


@pytest.fixture
def hears_ctrl_c():
    """A shell starts background jobs with Ctrl-C ignored; some tests are about a process that hears it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_second_ctrl_c_stops_at_once(hears_ctrl_c):
    said = []
    with pytest.raises(KeyboardInterrupt), Interrupt(said.append) as interrupt:
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.requested and len(said) == 1
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_outside_the_main_thread_signals_are_left_alone():
    before = signal.getsignal(signal.SIGTERM)
    with Interrupt(lambda text: None):
        pass
    results = []

    def elsewhere():
        with Interrupt(lambda text: None):
            results.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert results == [before] == [signal.getsignal(signal.SIGTERM)]


def test_ctrl_c_on_the_command_line_exits_with_130_and_leaves_a_checkpoint(tmp_path):
    config = write_config(tmp_path)
    folder = tmp_path / "run"
    arguments = ["train", str(config), "--output", str(folder), "--set", "stages.0.steps=5000", "--set", "workers=1"]
    program = "import sys; from designgym.cli.main import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (folder / "metrics.jsonl").is_file():
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the process that prepares batches gets it too
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130, printed
    assert printed.count("Stopping after this step") == 1
    assert "The same command goes on" in printed
    assert "Traceback" not in printed
    assert list(folder.glob("stages/sft/checkpoints/checkpoint-*/trainer_state.json"))


@pytest.mark.parametrize("said", ["I/O error: No space left on device (os error 28)", "unexpected pos 206272"])
def test_a_full_disk_is_a_sentence_and_anything_else_is_not_taken_for_one(said, tmp_path, capsys, monkeypatch):
    def fail(*_):
        raise RuntimeError(said)

    monkeypatch.setattr(running, "run", fail)
    file = str(write_config(tmp_path))
    (tmp_path / "run").mkdir()
    if "space" not in said:  # a library that does not say why: the disk itself is looked at
        with pytest.raises(RuntimeError, match="unexpected pos"):
            command(file, [], tmp_path / "run", False)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=4096))
    assert command(file, [], tmp_path / "run", False) == 1
    assert "is full. Make room; the same command goes on there." in capsys.readouterr().err


def test_the_command_checks_and_prints_without_touching_anything(tmp_path, capsys):
    assert command(str(write_config(tmp_path)), ["seed=3"], tmp_path / "run", dry_run=True) == 0
    printed = capsys.readouterr().out
    assert "--set seed=3" in printed and "All is well" in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tiny-run.yaml"]
