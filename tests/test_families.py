"""Every family that is read, by its tiny random twin: loaded, adapted, asked, taught and reinforced."""

import json
import random
import re
import shutil

import numpy as np
import pytest

from designgym.config import load_config
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.eval.runner import make, run

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("peft")

from qwen_stock import published_template  # noqa: E402
from tiny_run import write_config  # noqa: E402
from turn_training import line  # noqa: E402

from designgym.agents.prompts import prompt_builder  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import fitted, resized, seen_size  # noqa: E402
from designgym.agents.qwen.image_only import PROCESSORS  # noqa: E402
from designgym.agents.qwen.local import load  # noqa: E402
from designgym.agents.qwen.processor import load_processor  # noqa: E402
from designgym.agents.qwen.tokenizer import suppressed_tokens  # noqa: E402
from designgym.agents.qwen.tokens import model_inputs, reply_tokens, to_prompt  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.config import LoraSection, TrainConfig  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.methods.grpo import trainer as grpo_trainer  # noqa: E402
from designgym.train.methods.sft import trainer as sft_trainer  # noqa: E402
from designgym.train.model.adapters import add_adapters  # noqa: E402
from designgym.train.stages import GrpoStage, SftStage  # noqa: E402
from designgym.train.teachers import make_teacher  # noqa: E402
from designgym.train.turns.trainer import TurnGRPOTrainer  # noqa: E402

ENV, CANVAS = "designgym/AestheticLocalization-v0", "designgym/CanvasDrawing-v0"
KWARGS = {"designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.3}
TASKS = [f"train-{i:06d}" for i in range(4)]
LARGEST = 384 * 384
"""Most pixels of an image, for speed."""


@pytest.fixture(params=sorted(FAMILIES))
def family(request):
    return request.param


@pytest.fixture
def local(family, stock_folder):
    return load(stock_folder(family), trainable=True, max_pixels=LARGEST)


def pages(local, taught):
    env = make(ENV, KWARGS)
    teacher = make_teacher(AgentSection(name="truth"), env, 0) if taught else None
    return Pages(env, ENV, local, wording="brief", teacher=teacher)


def weights(local):
    return {name: parameter.detach().clone() for name, parameter in local.model.named_parameters()}


def changed(local, before):
    return [name for name, parameter in local.model.named_parameters() if not torch.equal(parameter, before[name])]


def test_the_tables_hold_the_same_families_and_transformers_knows_them_all():
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as MODELS

    assert FAMILIES.keys() == PROCESSORS.keys()
    for name, family in FAMILIES.items():
        assert name == family.model_type and name in MODELS
        assert AutoConfig.for_model(name).vision_config.patch_size * 2 == family.multiple


def test_a_twin_is_of_its_family_and_its_processor_prepares_images_without_a_video_processor(family, local):
    assert local.model.config.model_type == family == local.family.model_type
    assert not hasattr(local.processor, "video_processor")
    limits = local.processor.image_processor
    assert limits.patch_size * limits.merge_size == local.family.multiple


def test_a_model_is_read_by_its_hub_id(family, stock_folder, tmp_path, monkeypatch):
    """Out of the hub's cache, which is all that an offline machine has."""
    import huggingface_hub.constants

    commit = "0" * 40
    cached = tmp_path / f"models--Qwen--{family}"
    shutil.copytree(stock_folder(family), cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    local = load(f"Qwen/{family}", max_pixels=LARGEST)
    assert local.family.model_type == family and local.source == f"Qwen/{family}"
    assert local.processor.chat_template == published_template(family)


def test_adapters_sit_on_the_language_model_alone_and_come_back_from_their_folder(
    family, local, stock_folder, tmp_path
):
    plain = weights(local)
    adapted = add_adapters(local, LoraSection(rank=2), seed=0)
    lora = [name for name, _ in adapted.model.named_parameters() if "lora_" in name]
    assert lora and all("language_model" in name and "visual" not in name for name in lora)
    kinds = {name.rpartition(".lora_")[0].rpartition(".")[2] for name in lora}
    assert {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"} - kinds <= (
        {"gate_proj", "up_proj", "down_proj"} if family == "qwen3_vl_moe" else set()  # its experts are one tensor
    )
    assert "patch_embed" not in kinds and "router" not in kinds
    with torch.no_grad():
        for name, parameter in adapted.model.named_parameters():
            if "lora_B" in name:
                parameter.fill_(0.02)
    adapted.model.save_pretrained(tmp_path / "adapter")
    adapted.processor.save_pretrained(tmp_path / "adapter")
    settings = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert settings["base_model_name_or_path"] == str(stock_folder(family))
    back = load(tmp_path / "adapter", max_pixels=LARGEST)
    assert back.family is local.family
    inputs = model_inputs(local.processor, [to_prompt(local.processor, CHAT)])
    with torch.no_grad():
        logits = [each.model.eval()(**inputs).logits for each in (adapted, back, load(stock_folder(family)))]
    assert torch.allclose(logits[0], logits[1], atol=1e-5)
    assert not torch.allclose(logits[0], logits[2], atol=1e-3)
    assert all(torch.equal(plain[name], p) for name, p in load(stock_folder(family)).model.named_parameters())


CHAT = [{"role": "user", "content": [{"type": "text", "text": "Where?"}]}]


def test_a_model_that_wants_to_write_vision_tokens_cannot_and_its_turns_are_read(local):
    """The twin's own weights prefer pads of images by far; a sampled one would break the next forward pass."""
    forbidden = suppressed_tokens(local.processor.tokenizer)
    assert len(forbidden) == 5
    head = local.model.get_output_embeddings()
    head.register_forward_hook(
        lambda module, given, logits: logits.index_add(-1, torch.tensor(forbidden), logits[..., :5] * 0 + 1e4)
    )
    kwargs = {"split": "test", "vocabulary": "dots", "max_calls": 2, "subject": "a snail"}
    table = make(CANVAS, kwargs).unwrapped.tool_table
    for history in ("windowed", "growing"):
        agent = QwenAgent(
            local, prompt_builder(CANVAS), table, wording="brief", history=history, max_new_tokens=4, sample=True
        )
        results = run(agent, CANVAS, kwargs, ["is01", "is02"], batch_size=2)
        assert [result.failure for result in results] == ["", ""]
        assert all(result.scored for result in results)


def test_answers_alone_and_in_a_left_padded_batch_have_the_same_probabilities(local):
    """Linear attention carries a state over the padding, unless it is masked."""
    picture = pages(local, taught=False).row(TASKS[0])["images"][0]
    chats = [
        [{"role": "user", "content": [{"type": "image", "image": picture}, {"type": "text", "text": text}]}]
        for text in ("short", "a question with many more words than the other one, so that the other one is padded")
    ]
    prompts = [to_prompt(local.processor, chat) for chat in chats]
    assert len(prompts[0].ids) + 10 < len(prompts[1].ids)
    model = local.model.eval()

    def last(some):
        with torch.no_grad():
            return model(**model_inputs(local.processor, some)).logits[:, -1].log_softmax(-1)

    together = last(prompts)
    assert torch.allclose(together[0], last(prompts[:1])[0], atol=1e-4)
    assert torch.allclose(together[1], last(prompts[1:])[0], atol=1e-4)
    assert not torch.allclose(together[0], together[1], atol=1e-4)


@pytest.mark.parametrize("size", [(100, 100), (448, 317), (400, 400), (900, 30)])
def test_pictures_are_resized_before_the_processor_to_what_it_would_make_of_them(local, size):
    from PIL import Image

    limits = local.processor.image_processor
    rng = np.random.default_rng(0)
    picture = Image.fromarray(rng.integers(0, 256, (size[1] // 10 + 1, size[0] // 10 + 1, 3), dtype=np.uint8)).resize(
        size
    )
    ours = fitted(limits, picture)
    assert ours.size == seen_size(limits, size) == seen_size(limits, ours.size)
    assert fitted(limits, ours) is ours
    by_processor, by_us = (limits(images=[each], return_tensors="np") for each in (picture, ours))
    assert by_us["image_grid_thw"].tolist() == by_processor["image_grid_thw"].tolist()
    assert np.array_equal(by_us["pixel_values"], by_processor["pixel_values"])


def test_bounds_without_room_between_them_leave_the_picture_to_the_processor():
    from types import SimpleNamespace

    from PIL import Image

    limits = SimpleNamespace(
        do_resize=True, patch_size=16, merge_size=2, resample=3, size={"shortest_edge": 65536, "longest_edge": 65536}
    )
    assert resized((300, 200), 32, 65536, 65536) == (320, 224)
    assert resized((320, 224), 32, 65536, 65536) == (288, 192)
    picture = Image.new("RGB", (300, 200))
    assert fitted(limits, picture) is picture


@pytest.mark.parametrize("side", [40, 430, 2048])
@pytest.mark.parametrize("model_type", ["qwen2_5_vl", "qwen3_5"])  # the two image processors of all families
def test_the_advice_about_a_page_that_would_be_resized_can_be_followed(model_type, stock_folder, side, tmp_path):
    def config(image_size):
        bound = "max_pixels=1000000"
        model = f"model={stock_folder(model_type)}"
        overrides = [model, bound, f"env.kwargs.image_size={image_size}", "fast_vision=false"]
        return load_config(write_config(tmp_path), TrainConfig, overrides)

    with pytest.raises(UserError, match=rf"pages are {side}x{side} px.*Or set allow_resize to true") as refused:
        check(config(side))
    advised = re.findall(r"\d+", re.search(r"set env.kwargs.image_size to (.*)\. Or", str(refused.value)).group(1))
    assert 1 <= len(advised) <= 3
    for size in advised:
        check(config(size))


@pytest.mark.parametrize("model_type", ["qwen2_5_vl", "qwen3_5"])
def test_pages_that_have_no_other_size_are_accepted_by_saying_so(model_type, stock_folder):
    overrides = [f"model={stock_folder(model_type)}", "fast_vision=false"]
    with pytest.raises(UserError, match=r"400x400 px.*its pages have no other size\. Set allow_resize to true\."):
        check(load_config("train/canvas-closure-tiny", TrainConfig, [*overrides, "allow_resize=false"]))


def test_the_pages_of_the_evaluation_are_looked_at_too(stock_folder, tmp_path):
    overrides = [f"model={stock_folder('qwen3_5')}", "fast_vision=false", "env.kwargs.image_size=100"]
    own = [f"stages.{stage}.env={{image_size: 256}}" for stage in (0, 1)]
    with pytest.raises(UserError, match="pages are 100x100 px"):
        check(load_config(write_config(tmp_path), TrainConfig, [*overrides, *own]))


TWO = {"tasks": {"count": 4}, "steps": 2, "batch_size": 2, "learning_rate": 1e-2, "log_every": 1}


def test_two_supervised_steps_teach_the_answer_and_nothing_else(local, tmp_path):
    made = sft_trainer(
        SftStage(name="sft", kind="sft", **TWO), local, pages(local, taught=True), TASKS, tmp_path, seed=0
    )
    batch = made.data_collator([made.train_dataset[index] for index in range(4)])
    tokenizer = local.processor.tokenizer
    learnt = [tokenizer.decode(labels[labels != -100]) for labels in batch["labels"]]
    told = [pages(local, taught=True).row(task)["completion"][0]["content"][0]["text"] for task in TASKS]
    assert learnt == [f"{text}<|im_end|>\n" for text in told]
    before = weights(local)
    made.train()
    moved = changed(local, before)
    assert any("language_model" in name for name in moved)
    assert all(torch.isfinite(parameter).all() for parameter in local.model.parameters())


def test_two_reinforced_steps_change_the_language_model(local, tmp_path, monkeypatch):
    paid = iter(np.tile([0.0, 1.0], 20))
    monkeypatch.setattr(EnvironmentReward, "play", lambda self, text, task: (float(next(paid)), {}))
    stage = GrpoStage(name="grpo", kind="grpo", num_generations=2, max_completion_length=4, **TWO)
    made = grpo_trainer(stage, local, pages(local, taught=False), TASKS, tmp_path, seed=0)
    before = weights(local)
    made.train()
    assert any("language_model" in name for name in changed(local, before))
    assert all(torch.isfinite(parameter).all() for parameter in local.model.parameters())
    logs = [entry for entry in made.state.log_history if "reward" in entry]
    assert [entry["reward"] for entry in logs[:2]] == [0.5, 0.5]
    assert all(entry["grad_norm"] > 0 for entry in logs[:2])


@pytest.mark.slow
@pytest.mark.parametrize("history", ["windowed", "growing"])
@pytest.mark.parametrize("model_type", ["qwen3_5", "qwen4_exp"])
def test_two_reinforced_steps_on_episodes_of_several_turns_change_the_newest_families(
    model_type, history, stock_folder, tmp_path, monkeypatch
):
    """What is written is scripted; that these models generate is tested above, and takes a CPU long."""
    processor = load_processor(stock_folder(model_type))
    rng = random.Random(0)
    write = lambda self, prompts: [reply_tokens(processor, line(rng)) for _ in prompts]  # noqa: E731
    monkeypatch.setattr(TurnGRPOTrainer, "_write", write)
    local = load(stock_folder(model_type), trainable=True, max_pixels=LARGEST)
    env = make(CANVAS, {"max_calls": 3, "reward": "figural", "kinds": ["is"], "split": "train"})
    made = grpo_trainer(
        GrpoStage(name="grpo", kind="grpo", history=history, num_generations=2, max_completion_length=64, **TWO),
        local,
        Pages(env, CANVAS, local, wording="brief"),
        env.unwrapped.task_ids()[:4],
        tmp_path,
        seed=0,
    )
    before = weights(local)
    made.train()
    assert any("language_model" in name for name in changed(local, before))
    assert all(torch.isfinite(parameter).all() for parameter in local.model.parameters())
    rows = made.trajectories[0].rows
    assert len(rows) == (3 if history == "windowed" else 1)
    limits = local.processor.image_processor
    assert all(seen_size(limits, image.size) == image.size for row in rows for image in row.images)
