"""A run of one answer an episode as trackers get it: tables with boxes, files and curves; and its Parquet files."""

import io
import json
import sys
import types
from types import SimpleNamespace

import pytest
from PIL import Image

wandb = pytest.importorskip("wandb")
pytest.importorskip("torch")
pytest.importorskip("trl")
parquet = pytest.importorskip("pyarrow.parquet")

from tiny_run import write_config  # noqa: E402
from turn_run import quiet  # noqa: E402

from designgym.config import load_config  # noqa: E402
from designgym.errors import UserError  # noqa: E402
from designgym.eval.record import slug  # noqa: E402
from designgym.eval.runner import make  # noqa: E402
from designgym.jsonl import JsonlWriter, read_jsonl  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.config import TrackingSection, TrainConfig  # noqa: E402
from designgym.train.environments import stage_kwargs  # noqa: E402
from designgym.train.tracking import boards  # noqa: E402
from designgym.train.tracking import tracker as tracking  # noqa: E402
from designgym.train.tracking.tracker import Tracker, held_out_curves  # noqa: E402

SETTINGS = [
    "tracking={wandb: offline, trajectories_every: 2, trajectories: 3, examples: 4, report_to: [tensorboard]}",
    "validation={every: 2, count: 4, agents: [always-none, {name: full-page, label: whole page}]}",
    "peft={rank: 2, alpha: 4}",
]


class Recorded:
    """A run in wandb that keeps what it is given."""

    def __init__(self):
        self.logged, self.artifacts = [], []

    def log(self, figures, step):
        self.logged.append((step, figures))

    def log_artifact(self, artifact):
        self.artifacts.append(artifact)

    def finish(self):
        pass

    def under(self, key):
        return {step: figures[key] for step, figures in self.logged if key in figures}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The configuration, the run's folder and what wandb got."""
    folder, run = tmp_path_factory.mktemp("tracked"), Recorded()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("WANDB_MODE", raising=False)
        patch.delenv("WANDB_DISABLED", raising=False)
        patch.setattr(wandb, "init", lambda **unused: run)
        patch.setattr(running, "_evaluate", lambda *arguments: None)
        config = load_config(write_config(folder), TrainConfig, SETTINGS)
        console = quiet()
        running.run(config, folder / "run", console)
    assert "failed" not in console.file.getvalue()
    return config, folder / "run", run


def test_some_sampled_answers_are_kept_with_their_rewards_advantages_pages_and_boxes(ran):
    config, folder, run = ran
    assert sorted(path.name for path in (folder / "trajectories/grpo").iterdir()) == [
        "step-000001.parquet", "step-000002.parquet"
    ]  # fmt: skip
    env = make(config.env.id, stage_kwargs(config, config.stages[1]))
    for step in (1, 2):
        rows = parquet.read_table(folder / f"trajectories/grpo/step-{step:06d}.parquet").to_pylist()
        table = run.under("grpo/completions")[4 + step]  # after four steps of imitation
        assert table.columns == ["step", "task", "reward", "advantage", "end", "parts", "prompts", "replies", "images"]
        assert len(rows) == len(table.data) == 3 and len({row["task"] for row in rows}) == 1  # of a group of four
        for row, cells in zip(rows, table.data, strict=True):
            assert cells[1:4] == [row["task"], row["reward"], row["advantage"]] and cells[7] == row["replies"][0]
            assert row["stage"] == "grpo" and row["step"] == step and cells[0] == 4 + step
            assert row["prompts"][0] == cells[6] and row["prompts"][0].count("<|image_pad|>") == 1
            assert row["prompts"][0].endswith("<|im_start|>assistant\n")
            observation, _ = env.reset(options={"task": row["task"]})
            (page,) = row["images"]
            assert Image.open(io.BytesIO(page)).tobytes() == observation["image"].tobytes()
            box = env.unwrapped.episode().truth["bbox"]
            boxes = dict(row["boxes"])
            assert boxes["truth"] == ([] if box is None else [pytest.approx(list(box))])
            (truth,) = [cells[8]._boxes["truth"]._val] if box is not None else [[]]
            assert [list(each["position"].values()) for each in truth] == boxes["truth"]


def test_an_answer_is_rewarded_in_the_table_as_the_environment_pays_it(ran):
    config, folder, _ = ran
    env = make(config.env.id, stage_kwargs(config, config.stages[1]))
    rows = parquet.read_table(folder / "trajectories/grpo/step-000001.parquet").to_pylist()
    for row in rows:
        env.reset(options={"task": row["task"]})
        _, reward, *_, info = env.step(row["replies"][0])
        assert row["reward"] == pytest.approx(reward, abs=1e-6)
        assert dict(row["errors"]) == ({info["error"]: 1} if info["error"] else {})
        assert row["end"] == info["end"] and row["steps"] == 1


def test_held_out_answers_are_shown_on_the_same_pages_in_every_validation(ran):
    _, _, run = ran
    assert sorted(run.under("sft/held_out_pages")) == [0, 2, 4]
    shown = [[image._caption.split(":")[0] for image in images] for images in run.under("sft/held_out_pages").values()]
    assert len(shown[0]) == 4 and shown[0] == shown[1] == shown[2]
    assert sorted(run.under("grpo/held_out_pages")) == [4, 6, 7]


def test_the_held_out_scores_of_constant_policies_stand_in_one_chart_with_the_models(ran):
    _, folder, run = ran
    curves = held_out_curves(folder / "metrics.jsonl", "grpo")
    assert list(curves) == ["grpo", "always-none", "whole page"] and list(curves["grpo"]) == [0, 2, 3]
    charts = run.under("grpo/held_out")
    assert sorted(charts) == [4, 6, 7]
    rows = charts[7].table.data
    assert sorted({row[1] for row in rows}) == ["always-none", "grpo", "whole page"]
    assert {(row[0], row[2]) for row in rows if row[1] == "grpo"} == set(curves["grpo"].items())


def test_settings_manifest_and_adapters_are_artifacts_and_no_whole_model_is(ran, tmp_path):
    _, folder, run = ran
    found = {artifact.name.split(":")[0]: artifact for artifact in run.artifacts}
    assert list(found) == ["run-settings", "run-sft", "run-grpo"]
    assert sorted(found["run-settings"].manifest.entries) == ["config.yaml", "manifest.json"]
    for stage in ("sft", "grpo"):
        entries = found[f"run-{stage}"].manifest.entries
        assert {"adapter_config.json", "adapter_model.safetensors"} <= set(entries)
        weights = folder / "stages" / stage / "model/adapter_model.safetensors"
        assert entries["adapter_model.safetensors"].size == weights.stat().st_size
    assert not list((folder / "wandb").rglob("*.safetensors"))  # no copies either
    whole = tmp_path / "model"
    whole.mkdir()
    (whole / "model.safetensors").write_bytes(b"x")
    tracker = Tracker(TrackingSection(wandb="off"), tmp_path, "run", {}, pytest.fail)
    tracker._wandb.run = Recorded()
    tracker.keep_adapter("sft", whole)
    assert tracker._wandb.run.artifacts == []


def test_a_very_large_adapter_is_no_artifact_and_artifacts_can_be_switched_off(ran, tmp_path, monkeypatch):
    _, folder, _ = ran
    monkeypatch.setattr(tracking, "ARTIFACT_LIMIT_BYTES", 1000)
    said = []
    for artifacts in (True, False):
        tracker = Tracker(TrackingSection(wandb="off", artifacts=artifacts), tmp_path, "run", {}, said.append)
        tracker._wandb.run = Recorded()
        tracker.keep_adapter("sft", folder / "stages/sft/model")
        tracker.keep_settings([folder / "config.yaml"])
        assert len(tracker._wandb.run.artifacts) == artifacts  # the settings
    assert len(said) == 1 and said[0].startswith("The adapter of 'sft' has 0.0 GB, more than 0: it is no artifact")


def scalars(folder):
    """Every scalar of an event folder, by tag."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return {tag: [(each.step, each.value) for each in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_tensorboard_has_the_curves_with_steps_counted_over_stages_and_policies_under_the_names_of_the_model(ran):
    pytest.importorskip("tensorboard")
    _, folder, _ = ran
    expected, policies = {}, {"always-none": {}, slug("whole page"): {}}
    for line in read_jsonl(folder / "metrics.jsonl"):
        point = line.value
        for name, value in point["figures"].items():
            step = point["step"] + (4 if point["stage"] == "grpo" else 0)
            if name.startswith("validation/agents"):
                kind, label = name.removeprefix("validation/").split("/")
                name = f"{point['stage']}/validation/" + {"agents": "reward"}.get(kind, kind.removeprefix("agents_"))
                policies[slug(label)].setdefault(name, []).append((step, pytest.approx(value)))
            else:
                expected.setdefault(f"{point['stage']}/{name}", []).append((step, pytest.approx(value)))
    assert scalars(folder / "tensorboard/model") == expected
    assert "grpo/validation/reward" in expected and "sft/loss" in expected
    for label, curves in policies.items():
        assert scalars(folder / "tensorboard/agents" / label) == curves and "sft/validation/reward" in curves


def test_a_tracker_that_is_not_installed_is_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(boards.importlib.util, "find_spec", lambda name: None)
    for name, says in (("trackio", "pip install trackio 'pillow<13'"), ("tensorboard", r"designgym\[tensorboard\]")):
        with pytest.raises(UserError, match=f"names '{name}', which is not installed: .*{says}.*or leave it out"):
            tracking.check_tracking(TrackingSection(wandb="off", report_to=[name]))
    tracking.check_tracking(TrackingSection(wandb="off"))


@pytest.fixture
def trackio(monkeypatch, tmp_path):
    """What of trackio is called, recorded."""
    calls = []
    fake = types.ModuleType("trackio")
    run = SimpleNamespace(
        log=lambda metrics, step=None: calls.append(("log", metrics, step)), finish=lambda: calls.append(("finish",))
    )

    def init(project, name=None, **settings):
        print("* Trackio project initialized")
        calls.append(("init", project, name, settings))
        return run

    fake.init = init
    fake.utils = SimpleNamespace(TRACKIO_DIR=tmp_path / "trackio")
    monkeypatch.setitem(sys.modules, "trackio", fake)
    monkeypatch.setenv("TRACKIO_DIR", "elsewhere")
    return calls


SECTION = TrackingSection(wandb="off", project="gym", report_to=["trackio"])


def test_trackio_gets_the_curves_and_a_run_that_goes_on_is_the_same_run(trackio, tmp_path, capsys):
    for step in (1, 2):
        tracker = Tracker(SECTION, tmp_path, "run", {"seed": 3}, pytest.fail)
        tracker.log("sft", step, {"loss": 0.5})
        tracker.close()
    quiet = {"resume": "allow", "embed": False, "auto_log_gpu": False, "auto_log_cpu": False}
    begin = ("init", "gym", "run", {"config": {"seed": 3}, **quiet})
    assert trackio == [
        begin,
        ("log", {"sft/loss": 0.5}, 1),
        ("finish",),
        begin,
        ("log", {"sft/loss": 0.5}, 2),
        ("finish",),
    ]
    assert capsys.readouterr().out == ""


def test_a_tracker_that_writes_elsewhere_or_fails_is_left_out_with_a_word(trackio, tmp_path):
    said = []
    Tracker(SECTION, tmp_path / "other", "run", {}, said.append).close()
    assert len(said) == 1 and said[0].startswith("trackio failed to begin (UserError: it writes into ")
    tracker = Tracker(SECTION, tmp_path, "run", {}, said.append)
    tracker._boards._boards[0][1]._run = SimpleNamespace(finish=lambda: None)  # has no `log`
    for step in (1, 2):
        tracker.log("sft", step, {"loss": 0.5})
    tracker.close()
    assert said[1].startswith("trackio failed to take the curves (AttributeError: ")
    assert said[2:] == ["trackio failed 2 times in all; its curves are in metrics.jsonl too."]


def test_of_a_step_that_was_done_twice_the_second_score_counts(tmp_path):
    with JsonlWriter(tmp_path / "metrics.jsonl") as metrics:
        for stage, step, value in (("sft", 4, 0.1), ("sft", 2, 0.2), ("grpo", 2, 0.9), ("sft", 4, 0.3)):
            figures = {"loss": 1.0, "validation/reward": value, "validation/agents/blank": 0.5, "validation/low": 0.0}
            metrics.write({"stage": stage, "step": step, "seconds": 1.0, "figures": figures})
    assert held_out_curves(tmp_path / "metrics.jsonl", "sft") == {"sft": {2: 0.2, 4: 0.3}, "blank": {2: 0.5, 4: 0.5}}
    assert json.loads((tmp_path / "metrics.jsonl").read_text().splitlines()[0])["step"] == 4
