"""Supervised stages: what the model learns is exactly the teacher's answer, in the model's frame, and nothing else."""

import json
import re

import pytest

from designgym.config import load_config
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.eval.runner import make
from designgym.parse import parse_calls, single_call
from designgym.train.config import TrainConfig

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import to_env  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.errors import UserError  # noqa: E402
from designgym.eval.config import AgentSection  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.sft import trainer as sft_trainer  # noqa: E402
from designgym.train.teachers import make_teacher  # noqa: E402

ENV = "designgym/AestheticLocalization-v0"
KWARGS = {"designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.3}


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return load_config(write_config(tmp_path_factory.mktemp("config")), TrainConfig)


@pytest.fixture
def local(config):
    model, processor = tiny.build(config.tiny)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def pages(local, teacher="truth", wording="brief", step=25):
    env = make(ENV, KWARGS)
    section = AgentSection(name=teacher)
    return Pages(env, ENV, local, wording=wording, teacher=make_teacher(section, env, 0), number_step=step)


def trainer(config, local, tmp_path, some=None):
    some = some or pages(local)
    tasks = [f"train-{i:06d}" for i in range(8)]
    return sft_trainer(config.stages[0], local, some, tasks, tmp_path, seed=0)


@pytest.mark.parametrize("wording", ["brief", "full"])
@pytest.mark.parametrize("task", ["train-000000", "train-000001", "train-000002", "train-000003"])
def test_a_completion_is_read_back_as_the_true_answer(local, task, wording):
    made = pages(local, wording=wording, step=1)
    text = made.row(task)["completion"][0]["content"][0]["text"]
    call, problem = single_call(parse_calls(text, made.tools))
    assert problem == ""
    observation, _ = made.env.reset(options={"task": task})
    action = to_env(call.action, made.tools, made.frame(observation, {}))
    _, reward, *_ = made.env.step(action)
    assert reward > 0.98  # thousandths of the page are not exactly the truth


def test_the_tiny_models_completions_stand_on_its_grid(local):
    boxes = []
    for index in range(12):
        text = pages(local).row(f"train-{index:06d}")["completion"][0]["content"][0]["text"]
        call, _ = single_call(parse_calls(text, pages(local).tools))
        boxes.append(call.arguments["bbox"])
        assert len(local.processor.tokenizer(text)["input_ids"]) in (1, 9)
    assert all(value % 25 == 0 for box in boxes if box for value in box)
    assert any(box is None for box in boxes) and any(boxes)


def test_only_the_answer_and_its_end_are_learnt_and_padding_is_not(config, local, tmp_path):
    made = trainer(config, local, tmp_path)
    rows = [made.train_dataset[i] for i in range(8)]
    batch = made.data_collator(rows)
    tokenizer = local.processor.tokenizer
    texts = set()
    for ids, labels, attended in zip(batch["input_ids"], batch["labels"], batch["attention_mask"], strict=True):
        learnt = labels[labels != -100]
        text = tokenizer.decode(learnt)
        assert text.startswith("<tool_call>") and text.endswith("</tool_call><|im_end|>\n")
        assert tokenizer.eos_token_id in learnt.tolist()
        assert (labels[attended == 0] == -100).all()
        assert torch.equal(ids[labels != -100], learnt)
        texts.add(text)
    assert len(texts) > 1


def test_a_page_is_drawn_once_and_reading_does_not_change_it(local):
    made = pages(local)
    data = made.dataset(["train-000000", "train-000000", "train-000001"])
    first, again = data[0], data[1]
    assert first["images"][0] is again["images"][0]
    first["images"].clear()
    first["prompt"].append("something")
    assert len(data[0]["images"]) == 1 and len(data[0]["prompt"]) == 1


def test_no_more_pages_are_kept_than_the_budget_allows(local, monkeypatch):
    monkeypatch.setattr("designgym.train.data.CACHE_BYTES", 64 * 64 * 3)
    made = pages(local)
    assert made.row("train-000000") is made.row("train-000000")
    assert made.row("train-000001") is not made.row("train-000001")
    assert made.row("train-000001")["completion"] == made.row("train-000001")["completion"]


def test_training_lowers_the_loss_and_is_repeatable(config, tmp_path):
    losses = []
    for run in range(2):
        model, processor = tiny.build(config.tiny)
        made = trainer(config, LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny"), tmp_path / str(run))
        made.train()
        losses.append([entry["loss"] for entry in made.state.log_history if "loss" in entry])
    assert losses[0] == losses[1]
    assert len(losses[0]) == config.stages[0].steps
    assert losses[0][-1] < losses[0][0]


def test_a_demonstrator_teaches_larger_boxes_than_the_truth(local):
    def area(text, made):
        box = single_call(parse_calls(text, made.tools))[0].arguments["bbox"]
        return 0 if box is None else (box[2] - box[0]) * (box[3] - box[1])

    sums = {}
    for teacher in ("truth", "demonstrator"):
        made = pages(local, teacher)
        texts = [made.row(f"train-{i:06d}")["completion"][0]["content"][0]["text"] for i in range(12)]
        sums[teacher] = sum(area(text, made) for text in texts)
    assert sums["demonstrator"] > 1.2 * sums["truth"] > 0


def test_an_ordinary_agent_can_teach_too(local):
    text = pages(local, "full-page").row("train-000000")["completion"][0]["content"][0]["text"]
    assert "[0, 0, 1000, 1000]" in text


def test_a_processor_that_pads_on_the_right_is_refused(config, local, tmp_path):
    local.processor.tokenizer.padding_side = "right"
    with pytest.raises(UserError, match="pads on the right"):
        trainer(config, local, tmp_path)


def test_lora_trains_only_adapters_and_comes_back_from_its_folder(config, tmp_path):
    from designgym.agents.qwen.local import load
    from designgym.train.config import LoraSection
    from designgym.train.model.adapters import add_adapters, name_adapted_model

    tiny.save(config.tiny, tmp_path / "base")
    adapted = add_adapters(load(tmp_path / "base"), LoraSection(rank=2, alpha=4), seed=3)
    before = {name: p.detach().clone() for name, p in adapted.model.named_parameters()}
    made = trainer(config, adapted, tmp_path)
    made.train()
    moved = {n for n, p in adapted.model.named_parameters() if not torch.equal(p, before[n])}
    assert moved and all("lora_" in name for name in moved)
    twin = add_adapters(load(tmp_path / "base"), LoraSection(rank=2, alpha=4), seed=3)
    assert all(torch.equal(p, before[name]) for name, p in twin.model.named_parameters())
    made.save_model(str(tmp_path / "adapter"))
    assert (tmp_path / "adapter" / "adapter_config.json").is_file()
    name_adapted_model(tmp_path / "adapter", adapted.source, tmp_path)
    (tmp_path / "moved").mkdir()
    for folder in ("base", "adapter"):  # as if the run's folder were moved
        (tmp_path / folder).rename(tmp_path / "moved" / folder)
    again = load(tmp_path / "moved" / "adapter", trainable=True)
    assert again.family.name == "Qwen3-VL"
    batch = made.data_collator([made.train_dataset[0]])
    adapted.model.eval()
    with torch.no_grad():
        expected = adapted.model(**batch).loss
        assert torch.allclose(again.model(**batch).loss, expected, atol=1e-5)
    assert any(p.requires_grad for p in again.model.parameters())


def test_an_adapter_names_its_model_by_hub_id_or_a_path_that_holds_from_anywhere(tmp_path):
    from designgym.train.model.adapters import name_adapted_model

    def named(source, folder, run="run"):
        folder.mkdir(parents=True)
        (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "x", "r": 2}')
        name_adapted_model(folder, str(source), tmp_path / run)
        settings = json.loads((folder / "adapter_config.json").read_text())
        assert settings["r"] == 2
        return settings["base_model_name_or_path"]

    (tmp_path / "run" / "init").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    first = tmp_path / "run" / "stages" / "a" / "model"
    assert named("Qwen/Some-Model", tmp_path / "run" / "stages" / "h" / "model") == "Qwen/Some-Model"
    assert named(tmp_path / "run" / "init", first) == "../../../init"
    assert named(first, tmp_path / "run" / "stages" / "b" / "model") == "../../../init"
    assert named(tmp_path / "other", tmp_path / "run" / "stages" / "c" / "model") == str(tmp_path / "other")
    assert named(first, tmp_path / "new" / "model", run="new") == str(tmp_path / "run" / "init")


def test_a_single_call_of_px_is_written_on_the_number_grid_of_the_model() -> None:
    env = make("designgym/CanvasDrawing-v0", {"kinds": ["is"], "reward": "closure", "max_calls": 1})
    model, processor = tiny.build(tiny.TinyConfig(env="designgym/CanvasDrawing-v0", number_step=8))
    local = LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")
    teacher = make_teacher(AgentSection(name="join-ends", options={"one_by_one": True}), env, 0)
    pages = Pages(env, "designgym/CanvasDrawing-v0", local, wording="brief", teacher=teacher, number_step=8)
    (completion,) = pages.row("train-is-000000")["completion"]
    text = completion["content"][0]["text"]
    numbers = [int(number) for number in re.findall(r'"[xy][12]": (\d+)', text)]
    ends = [value for end in sorted(stimulus("train-is-000000").open_ends) for value in end]
    assert len(numbers) == len(ends) == 4
    assert all(number % 8 == 0 and abs(number - end) <= 5 for number, end in zip(numbers, ends, strict=True))
