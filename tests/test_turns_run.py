"""``designgym train`` on an environment of several calls: to the report in both histories; mistakes are sentences."""

from io import StringIO

import pytest
from rich.console import Console

from designgym.config import ConfigError, load_config
from designgym.errors import UserError
from designgym.jsonl import read_jsonl
from designgym.train.config import TrainConfig

pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.train.checks import check
from designgym.train.run import run

CONFIG = """
model: tiny
fast_vision: true
allow_resize: true
threads: 1
tiny:
  {image_size: 64, vision_width: 32, colour_filters: 12, vision_depth: 1, text_width: 32, text_heads: 2, text_layers: 1}
env:
  id: designgym/CanvasDrawing-v0
  kwargs: {reward: closure, kinds: [is], max_calls: 3}
prompt: {wording: brief, context: [canvas, history]}
stages:
  - name: windowed
    kind: grpo
    tasks: {first: 0, count: 8}
    steps: 1
    batch_size: 4
    num_generations: 4
    learning_rate: 1e-3
    max_completion_length: 24
    max_turns: 2
    max_rows: 6
    log_every: 1
  - name: growing
    kind: grpo
    history: growing
    beta: 0.05
    tasks: {first: 100, count: 8}
    steps: 1
    batch_size: 4
    num_generations: 4
    learning_rate: 1e-3
    max_completion_length: 24
    log_every: 1
evaluation: {count: 3, batch_size: 3, max_new_tokens: 8, agents: [random], untrained: false}
tracking: {wandb: "off"}
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "canvas.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def test_a_run_in_both_histories_goes_to_its_report(path, tmp_path):
    printed = StringIO()
    report = run(load_config(path, TrainConfig), tmp_path / "run", Console(file=printed, width=160))
    assert report is not None and report.is_file()
    curves = {line.value["stage"]: line.value["figures"] for line in read_jsonl(tmp_path / "run" / "metrics.jsonl")}
    for stage in ("windowed", "growing"):
        assert {"reward", "episodes/turns", "calls/format", "seconds/environment", "seconds/model"} <= set(
            curves[stage]
        )
        assert 1 <= curves[stage]["episodes/turns"] <= 3
    assert "growing − windowed" in printed.getvalue()


def test_the_configuration_is_well(path):
    check(load_config(path, TrainConfig))


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("stages.0.loss_type=grpo", "loss_type is 'grpo', which would count padding among the rows that are turns"),
        (
            "stages.1={name: rl, kind: rloo, tasks: {count: 8}, steps: 1, batch_size: 8, learning_rate: 1e-3}",
            "RLOO over many",
        ),
        ("stages.1.num_iterations=2", "num_iterations is 2, and episodes of many turns are used for one update"),
        ("stages.0.max_completion_length=1", "max_completion_length is 1, and the smallest call"),
        ("stages.0.num_generations=3", "num_generations 3 does not divide the 4 answers of a step"),
        ("stages.0.env={max_calls: 1}", "history 'growing', max_turns or max_rows, which are for episodes of several"),
        ("stages.0.max_turns=0", "max_turns"),
        ("stages.0.history=window", "history"),
        ("prompt.framing=depictive", "The brief wording has no framing 'depictive'"),
        ("prompt.framing=pictive", r"no framing 'pictive'\. Did you mean 'depictive'"),
        ("prompt.context=[canvass]", r"context has no component 'canvass'\. Did you mean 'canvas'"),
        ("allow_resize=false", r"would make them 64x64: its pages have no other size\. Set allow_resize to true"),
        ("tiny.number_step=125", "must divide 400, and 125 does not"),
    ],
)
def test_every_mistake_is_a_sentence_before_any_work(override, says, path):
    with pytest.raises((UserError, ConfigError), match=says):
        check(load_config(path, TrainConfig, [override]))


def test_a_model_folder_without_a_chat_template_is_a_sentence(path, tmp_path):
    from qwen_stock import write_stock_folder

    folder = tmp_path / "model"
    write_stock_folder(folder, "qwen3_vl")
    for file in folder.glob("chat_template*"):
        file.unlink()
    with pytest.raises(UserError, match="has no chat template; add the file chat_template"):
        check(load_config(path, TrainConfig, [f"model={folder}", "fast_vision=false"]))


@pytest.mark.parametrize("kind", ["qwen2_5_vl", "qwen3_vl", "qwen3_5", "qwen4_exp"])
def test_any_familys_folder_is_well_whatever_its_template_makes_of_tools(kind, path, stock_folder):
    folder = stock_folder(kind)
    budget = ["stages.0.max_completion_length=128", "stages.1.max_completion_length=128"]
    check(load_config(path, TrainConfig, [f"model={folder}", "fast_vision=false", *budget]))
