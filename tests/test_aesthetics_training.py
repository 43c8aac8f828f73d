"""Training on a folder of pairs: by TRL alone, and as a supervised stage."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image
from rich.console import Console

from designgym.config import load_config
from designgym.errors import UserError
from designgym.train.config import TrainConfig
from designgym.train.stages import SftStage

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
datasets = pytest.importorskip("datasets")

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import fitted  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.eval.runner import make  # noqa: E402
from designgym.train.aesthetics_data.build import build  # noqa: E402
from designgym.train.aesthetics_data.pairs import ask, conversation  # noqa: E402
from designgym.train.aesthetics_data.settings import DataSettings  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.sft import trainer as sft_trainer  # noqa: E402

BLOCKS = ("layout-balance", "layout-layering", "layout-alignment", "color-harmony", "color-contrast")
MODEL = {
    "image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1, "text_width": 32, "text_heads": 2,
    "text_layers": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("data") / "pairs"
    settings = DataSettings(n=4, indicators=BLOCKS, source="blocks", image_size=64, wording="brief")
    build(settings, where, Console(file=io.StringIO()))
    return where


@pytest.fixture
def local() -> LocalModel:
    model, processor = tiny.build(tiny.TinyConfig(**MODEL))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def config(path: Path, data: Path | str, **stage: Any) -> TrainConfig:
    written = {
        "model": "tiny",
        "threads": 1,
        "tiny": MODEL,
        "env": {"id": "designgym/AestheticJudgment-v0", "kwargs": {"designs": "blocks", "image_size": 64}},
        "prompt": {"wording": stage.pop("wording", "brief")},
        "stages": [
            {"name": "sft", "kind": "sft", "data": str(data), "steps": 2, "batch_size": 2, "learning_rate": 1e-3}
            | stage
        ],
        "evaluation": {"count": 4, "batch_size": 2, "max_new_tokens": 8, "agents": ["always-yes"]},
        "tracking": {"wandb": "off"},
    }
    (path / "run.yaml").write_text(yaml.safe_dump(written))
    return load_config(path / "run.yaml", TrainConfig)


def learnt(trainer: Any, tokenizer: Any, rows: Any) -> None:
    """Each row of a batch trains on its completion alone, and is asked by its prompt with one page."""
    batch = next(iter(trainer.get_train_dataloader()))
    assert batch["pixel_values"].shape[0] == 2 * 4 * 4
    for ids, labels in zip(batch["input_ids"], batch["labels"], strict=True):
        taught = tokenizer.decode(labels[labels != -100], skip_special_tokens=True)
        asked = tokenizer.decode(ids[labels == -100], skip_special_tokens=True)
        row = next(row for row in rows if row["completion"][0]["content"][0]["text"] == taught.strip())
        assert row["prompt"][0]["content"][1]["text"] in asked


def test_trl_trains_two_steps_on_a_folder_as_it_is_loaded(folder: Path, local: LocalModel, tmp_path: Path) -> None:
    from trl import SFTConfig, SFTTrainer

    arguments = SFTConfig(
        output_dir=str(tmp_path / "run"),
        max_steps=2,
        per_device_train_batch_size=2,
        max_length=None,
        completion_only_loss=True,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        logging_steps=1,
    )
    found = datasets.load_dataset(str(folder), split="train")
    trainer = SFTTrainer(model=local.model, args=arguments, train_dataset=found, processing_class=local.processor)
    learnt(trainer, local.processor.tokenizer, found)
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert len(losses) == 2 and all(torch.isfinite(torch.tensor(losses)))


def test_a_stage_trains_on_a_folder_in_place_of_a_teacher(folder: Path, local: LocalModel, tmp_path: Path) -> None:
    run = config(tmp_path, folder)
    check(run)
    stage = run.stages[0]
    assert isinstance(stage, SftStage)
    env = make(run.env.id, run.env.kwargs)
    pages = Pages(env, run.env.id, local, wording="brief")
    trainer = sft_trainer(stage, local, pages, [], tmp_path / "stage", seed=0)
    assert set(trainer.train_dataset.column_names) == {"prompt", "completion", "images"}
    learnt(trainer, local.processor.tokenizer, trainer.train_dataset)
    before = [parameter.detach().clone() for parameter in local.model.parameters()]
    trainer.train()
    assert trainer.state.global_step == 2
    assert any(not torch.equal(a, b) for a, b in zip(before, local.model.parameters(), strict=True))


def test_a_folder_that_does_not_suit_the_run_is_refused_before_work(folder: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["tasks"] = ["selection", "localization"]
    (alone / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="about selection and localization, which the run's environment does not ask"):
        check(config(tmp_path, alone))
    with pytest.raises(UserError, match="holds no finished pairs"):
        check(config(tmp_path, tmp_path / "nowhere"))
    with pytest.raises(UserError, match="ask in the wording 'brief'"):
        check(config(tmp_path, folder, wording="full"))
    other = tmp_path / "other"
    other.mkdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["settings"]["frame"] = "resized_pixel"
    (other / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="write pairs with --frame thousand"):
        check(config(tmp_path, other))


@pytest.mark.parametrize("more", [{"tasks": {"first": 0, "count": 4}}, {"teacher": "truth"}])
def test_a_stage_has_data_or_a_teacher_and_not_both(folder: Path, tmp_path: Path, more: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="leave 'tasks' and 'teacher' out"):
        config(tmp_path, folder, **more)


@pytest.mark.parametrize("wording", ["full", "brief"])
@pytest.mark.parametrize("env_id", ["AestheticJudgment", "RegionSelection", "AestheticLocalization"])
@pytest.mark.parametrize("designs", ["blocks", "layouts"])
def test_pairs_ask_as_training_and_evaluation_do(local: LocalModel, designs: str, env_id: str, wording: str) -> None:
    env = make(f"designgym/{env_id}-v0", {"designs": designs, "image_size": 64})
    pages = Pages(env, f"designgym/{env_id}-v0", local, wording=wording)  # type: ignore[arg-type]
    for task in ("train-000000", "train-000001"):
        row = pages.row(task)
        item = env.unwrapped.item(task)  # type: ignore[attr-defined]
        settings = DataSettings(n=1, image_size=64, wording=wording)  # type: ignore[arg-type]
        question = ask(item, settings)
        assert conversation(question, settings, "")["prompt"] == row["prompt"]
        # Training hands pictures over in the size that the processor would give them; pairs leave that to it.
        page = fitted(local.processor.image_processor, Image.fromarray(question.page))
        assert (np.asarray(row["images"][0]) == np.asarray(page)).all()


def test_pixels_are_those_of_the_page_as_qwen_2_5_sees_it() -> None:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    settings = DataSettings(n=1, frame="resized_pixel")
    for width, height in ((448, 448), (320, 448), (448, 256), (288, 448), (1024, 571)):
        resized = smart_resize(height, width, factor=28, min_pixels=3136, max_pixels=12845056)
        assert settings.number_frame(width, height).size == resized[::-1]
