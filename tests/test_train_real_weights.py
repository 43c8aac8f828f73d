"""The configuration for real weights, end to end on folders in the published layout: adapters and full prompts."""

import json
from io import StringIO

import pytest
from rich.console import Console

from designgym.config import load_config
from designgym.train.config import TrainConfig

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from qwen_stock import write_stock_folder  # noqa: E402

from designgym.train.run import run  # noqa: E402

SHORTENED = [
    *(f"stages.{stage}.{key}" for stage in (0, 1) for key in ("steps=1", "tasks.count=4", "accumulation=1")),
    *("stages.0.batch_size=2", "stages.1.batch_size=2", "stages.1.num_generations=2"),
    *("stages.1.max_completion_length=4", "evaluation.count=2", "evaluation.max_new_tokens=4"),
    *("evaluation.sampled=false", "evaluation.agents=[always-none]", "tracking.wandb=off", "env.kwargs.image_size=224"),
    "allow_resize=true",
]


@pytest.mark.parametrize("model_type", ["qwen2_5_vl", "qwen3_vl", "qwen3_5"])
def test_supervised_and_reinforced_stages_train_adapters_on_the_language_model(model_type, tmp_path):
    base = write_stock_folder(tmp_path / "base", model_type)
    name = "train/aesthetic-localization-qwen3-vl-4b"
    config = load_config(name, TrainConfig, [f"model={base}", *SHORTENED])
    report = run(config, tmp_path / "run", Console(file=StringIO()))
    assert report.is_file()
    for stage in ("sft", "grpo"):
        model = tmp_path / "run" / "stages" / stage / "model"
        adapter = json.loads((model / "adapter_config.json").read_text())
        assert adapter["r"] == 64 and adapter["base_model_name_or_path"] == str(base)
        assert not (model / "model.safetensors").exists()  # only the adapters are kept
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    names = [row["name"] for row in results["tables"][0]["rows"]]
    assert names == ["untrained", "after SFT", "after SFT + GRPO", "after SFT, rescaled", "always-none"]
