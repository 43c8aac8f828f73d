"""Which weights learn, and in which numbers: all, all but the vision tower's, adapters, adapters on 4 bits."""

import json
import math

import pytest

from designgym.config import load_config
from designgym.errors import MissingExtra, UserError
from designgym.train.config import LoraSection, TrainConfig
from designgym.train.model.checks import check_weights
from designgym.train.model.launch import sharding
from designgym.train.model.precision import BYTES, precision
from designgym.train.model.weights import Counts, check_learning, freeze_vision, learning, unrounded

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from qwen_stock import write_stock_folder  # noqa: E402
from tiny_run import write_config  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.four_bit import MARK  # noqa: E402
from designgym.agents.qwen.local import load  # noqa: E402
from designgym.eval.runner import make  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.environments import stage_kwargs  # noqa: E402
from designgym.train.folder import RunFolder  # noqa: E402
from designgym.train.methods import method  # noqa: E402
from designgym.train.model.adapters import add_adapters, name_adapted_model  # noqa: E402
from designgym.train.stage import load_start, stage_pages  # noqa: E402

FOUR_BIT = ["peft={rank: 2, load_in_4bit: true}", "tiny.text_width=64"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("stock")
    return {kind: write_stock_folder(root / kind, kind) for kind in sorted(FAMILIES)}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_config(tmp_path_factory.mktemp("config"))


def configured(path, *settings):
    return load_config(path, TrainConfig, list(settings))


def learn(model):
    return {name for name, weight in model.named_parameters() if weight.requires_grad}


# Which weights learn


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ((), "all"),
        (("vision=frozen",), "language"),
        (("vision=trained",), "all"),
        (("model=Qwen/Qwen3-VL-4B-Instruct",), "language"),
        (("model=Qwen/Qwen3-VL-4B-Instruct", "vision=trained"), "all"),
        (("peft={rank: 2}",), "adapters"),
        (("model=Qwen/Qwen3-VL-4B-Instruct", "peft={rank: 2}", "vision=frozen"), "adapters"),
    ],
)
def test_the_vision_tower_learns_only_in_the_tiny_model_unless_asked(path, settings, what):
    assert learning(configured(path, *settings)) == what


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_a_frozen_vision_tower_is_frozen_with_all_that_joins_it_to_the_language_model(path, folders, kind):
    config = configured(path, f"model={folders[kind]}", "fast_vision=false")
    local, _ = load_start(config, config.model)
    names = {name for name, _ in local.model.named_parameters()}
    assert learn(local.model) == {name for name in names if not name.startswith("model.visual.")}
    assert any("merger" in name for name in names - learn(local.model))
    if kind == "qwen3_vl":
        assert any("deepstack_merger" in name for name in names - learn(local.model))
    counts = check_learning(local.model, "language")
    sizes = {name: math.prod(weight.shape) for name, weight in local.model.named_parameters()}
    assert counts == Counts(sum(sizes[name] for name in learn(local.model)), sum(sizes.values()))
    assert load_start(configured(path, f"model={folders[kind]}", "fast_vision=false", "vision=trained"), config.model)[
        0
    ].model.model.visual.patch_embed.proj.weight.requires_grad


def test_one_weight_that_learns_and_must_not_is_found_and_so_is_the_reverse(path):
    config = configured(path)
    model, _ = tiny.build(config.tiny_model())
    freeze_vision(model)
    check_learning(model, "language")
    with pytest.raises(RuntimeError, match=r"model\.visual\.\S+ does not learn, which is wrong where 'all'"):
        check_learning(model, "all")
    model.model.visual.merger.linear_fc1.bias.requires_grad_(True)
    with pytest.raises(RuntimeError, match=r"visual\.merger\.linear_fc1\.bias learns, which is wrong"):
        check_learning(model, "language")
    model.model.visual.requires_grad_(False)
    model.model.language_model.norm.weight.requires_grad_(False)
    with pytest.raises(RuntimeError, match=r"language_model\.norm\.weight does not learn"):
        check_learning(model, "language")
    with pytest.raises(RuntimeError, match="learns, which is wrong where 'adapters'"):
        check_learning(model, "adapters")


def test_the_counts_are_a_sentence():
    assert Counts(25_000, 1_000_000).words() == "25,000 of 1,000,000 weights learn (2.50%)."


def test_a_frozen_tower_stays_as_it_is_while_the_rest_learns(path, tmp_path):
    config = configured(path, "vision=frozen")
    local = start(config, tmp_path)
    before = {name: weight.detach().clone() for name, weight in local.model.named_parameters()}
    trained(config, local, 0, tmp_path)
    moved = {name for name, weight in local.model.named_parameters() if not torch.equal(weight, before[name])}
    assert moved and not any("visual" in name for name in moved)


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_adapters_sit_on_every_kind_of_linear_layer_of_the_language_model_and_nowhere_else(path, folders, kind):
    config = configured(path, f"model={folders[kind]}", "fast_vision=false", "peft={rank: 2}")
    local, _ = load_start(config, config.model)
    counts = check_learning(local.model, "adapters")
    assert counts.trainable == sum(weight.numel() for weight in local.model.parameters() if weight.requires_grad)
    layers = {name.split(".lora_")[0] for name in learn(local.model)}
    assert layers and all("language_model" in name for name in layers)
    short = {name.rpartition(".")[2] for name in layers}
    assert {"q_proj", "k_proj", "v_proj", "o_proj"} <= short
    hybrid = any("linear_attn" in name for name, _ in local.model.named_parameters())
    assert hybrid == ({"in_proj_qkv", "in_proj_z", "out_proj"} <= short)


def test_a_layer_that_a_configuration_names_must_exist(folders):
    local = load(folders["qwen3_vl"], trainable=True)
    with pytest.raises(UserError, match=r"peft\.targets \['in_proj_z'\] name no layer.*it has .*q_proj"):
        add_adapters(local, LoraSection(targets=("q_proj", "in_proj_z")), 0)


# 4 bits


def start(config, folder):
    """The model that the first stage starts from."""
    if not (folder / "init").is_dir():
        tiny.save(config.tiny_model(), folder / "init")
    return load_start(config, str(folder / "init"))[0]


def trained(config, local, stage, folder):
    """A trainer of one of the configuration's stages, which ran two steps."""
    stage = config.stages[stage].model_copy(update={"steps": 2})
    env = make(config.env.id, stage_kwargs(config, stage))
    pages: Pages = stage_pages(config, stage, env, local)
    tasks = [f"train-{number:06d}" for number in range(8)]
    with unrounded(local.model):
        made = method(stage).trainer(stage, local, pages, tasks, folder / stage.name, seed=0)
    check_learning(local.model, learning(config))
    made.train()
    return made


@pytest.fixture(scope="module")
def four_bit(path, tmp_path_factory):
    """Two supervised and then two reinforced steps of adapters on weights of 4 bits, and the saved adapter."""
    pytest.importorskip("bitsandbytes")
    config = configured(path, *FOUR_BIT, "stages.1.temperature=2")
    folder = tmp_path_factory.mktemp("four")
    local = start(config, folder)
    frozen = {name: w.detach().clone() for name, w in local.model.named_parameters() if not w.requires_grad}
    adapters = {name: w.detach().clone() for name, w in local.model.named_parameters() if w.requires_grad}
    local.model.eval()
    made = trained(config, local, 0, folder)
    supervised = {name: w.detach().clone() for name, w in local.model.named_parameters() if w.requires_grad}
    reward = trained(config, local, 1, folder)
    made.save_model(str(folder / "adapter"))
    name_adapted_model(folder / "adapter", local.source, folder, four_bit=local.four_bit)
    return config, folder, local, frozen, adapters, supervised, reward, made


def test_only_the_language_model_is_held_in_4_bits(four_bit):
    import bitsandbytes

    _, _, local, *_ = four_bit
    layers = [n for n, module in local.model.named_modules() if isinstance(module, bitsandbytes.nn.Linear4bit)]
    assert len(layers) == 7  # of one block: query, key, value, output, gate, up, down
    assert all("language_model" in name for name in layers)
    assert local.model.get_base_model().model.visual.merger.linear_fc1.weight.dtype == torch.float32
    assert local.model.get_base_model().lm_head.weight.dtype == torch.float32
    weight = next(w for w in local.model.parameters() if hasattr(w, "quant_state"))
    assert (weight.quant_state.quant_type, weight.quant_state.nested) == ("nf4", True)


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_every_family_is_held_in_4_bits_outside_its_vision_tower(folders, kind):
    bitsandbytes = pytest.importorskip("bitsandbytes")
    local = load(folders[kind], four_bit=True, trainable=True)
    layers = [name for name, each in local.model.named_modules() if isinstance(each, bitsandbytes.nn.Linear4bit)]
    assert any(name.endswith("q_proj") for name in layers)
    assert all("language_model" in name for name in layers)
    plain = load(folders[kind], trainable=True)
    adapters = [add_adapters(each, LoraSection(rank=2), seed=0) for each in (local, plain)]
    assert check_learning(adapters[0].model, "adapters") == check_learning(adapters[1].model, "adapters")
    assert torch.isfinite(local.model(input_ids=torch.tensor([[1, 2, 3]])).logits).all()


def test_weights_of_4_bits_are_counted_one_by_one(four_bit, path, tmp_path):
    config, _, local, *_ = four_bit
    plain = start(configured(path, "peft={rank: 2}", "tiny.text_width=64"), tmp_path)
    assert check_learning(local.model, "adapters") == check_learning(plain.model, "adapters")
    assert learning(config) == "adapters"


def test_two_supervised_and_two_reinforced_steps_move_the_adapters_alone(four_bit):
    _, _, local, frozen, adapters, supervised, reward, _ = four_bit
    now = dict(local.model.named_parameters())
    assert all(torch.equal(now[name], weight) for name, weight in frozen.items())
    assert any(not torch.equal(supervised[name], weight) for name, weight in adapters.items())
    assert reward.state.global_step == 2
    assert all(weight.dtype == torch.float32 for name, weight in now.items() if "lora_" in name)


def test_an_adapter_comes_back_on_weights_of_4_bits_and_answers_as_it_did(four_bit):
    _, folder, local, *_, made = four_bit
    assert json.loads((folder / "adapter" / MARK).read_text())["load_in_4bit"] is True
    again = load(folder / "adapter")
    full = load(folder / "adapter", four_bit=False)
    assert again.four_bit and not full.four_bit
    batch = made.data_collator([made.train_dataset[0]])
    local.model.eval()
    with torch.no_grad():
        logits = [each.model(**batch).logits for each in (local, again, full)]
    assert torch.allclose(logits[0], logits[1], atol=1e-5)  # one of the two sees by faster passes
    assert (logits[0] - logits[2]).abs().max() > 0.01  # weights of 32 bits answer otherwise
    trainable = load(folder / "adapter", trainable=True)
    assert trainable.four_bit and learn(trainable.model)


def test_looking_at_held_out_tasks_does_not_change_the_weights_of_4_bits(four_bit):
    _, _, local, frozen, *_, made = four_bit
    batch = made.data_collator([made.train_dataset[0]])
    local.model.eval()
    with torch.no_grad():
        before = local.model(**batch).loss
    local.model.train()
    assert torch.equal(local.model(**batch).loss.detach(), before)  # there is no dropout
    assert all(torch.equal(dict(local.model.named_parameters())[name], w) for name, w in frozen.items())


def test_gradients_through_weights_of_4_bits_reach_adapters_with_checkpointing(path, tmp_path):
    pytest.importorskip("bitsandbytes")
    config = configured(path, *FOUR_BIT, "stages.0.gradient_checkpointing=true", "stages.0.optimizer=adamw_8bit")
    local = start(config, tmp_path)
    before = {name: w.detach().clone() for name, w in local.model.named_parameters() if w.requires_grad}
    trained(config, local, 0, tmp_path)
    moved = [
        name for name, weight in local.model.named_parameters() if not torch.equal(weight, before.get(name, weight))
    ]
    assert len(moved) >= len(before) // 2


# What is refused


@pytest.mark.parametrize(
    ("settings", "here", "words"),
    [
        (("attention=flash_attention_2",), {"gpu": False}, "needs a GPU, and there is none; set attention to 'sdpa'"),
        (("attention=flash_attention_2",), {"gpu": True}, "needs the package flash-attn.*pip install flash-attn"),
        (("peft={rank: 2}", "vision=trained"), {}, "adapters are on the language model alone"),
        ((*FOUR_BIT,), {"sharded": "fsdp"}, "does not go with FSDP.*DDP or ZeRO-2"),
        ((*FOUR_BIT,), {"sharded": "zero3"}, "does not go with ZeRO-3"),
        (("stages.0.optimizer=paged_adamw_8bit",), {"gpu": False}, "Stage 'sft'.*there is no GPU; take 'adamw_8bit'"),
    ],
)
def test_what_cannot_work_is_a_sentence_before_any_work(path, settings, here, words):
    pytest.importorskip("bitsandbytes")
    with pytest.raises(UserError, match=words):
        check_weights(configured(path, *settings), **{"gpu": False, **here})


def test_an_adapter_is_trained_on_as_an_adapter_and_on_weights_like_those_that_it_was_trained_on(path, tmp_path):
    pytest.importorskip("bitsandbytes")
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(UserError, match="is an adapter, and peft is null; set peft to train it on"):
        check_weights(configured(path, f"model={tmp_path}"), gpu=False)
    with pytest.raises(UserError, match=r"weights that are not of 4 bits; set peft\.load_in_4bit to false"):
        check_weights(configured(path, f"model={tmp_path}", "peft={rank: 2, load_in_4bit: true}"), gpu=False)
    check_weights(configured(path, f"model={tmp_path}", "peft={rank: 2}"), gpu=False)
    (tmp_path / MARK).write_text("{}")
    with pytest.raises(UserError, match=r"weights of 4 bits; set peft\.load_in_4bit to true"):
        check_weights(configured(path, f"model={tmp_path}", "peft={rank: 2}"), gpu=False)


def test_4_bits_go_with_ddp_and_with_the_gradients_and_states_in_parts(path):
    pytest.importorskip("bitsandbytes")
    for sharded in ("none", "zero2"):
        check_weights(configured(path, *FOUR_BIT), gpu=True, sharded=sharded)
    check_weights(configured(path, "stages.0.optimizer=paged_adamw_8bit"), gpu=True)


@pytest.mark.parametrize("setting", ["peft={load_in_4bit: true}", "stages.1.optimizer=adamw_8bit"])
def test_without_bitsandbytes_the_sentence_names_the_extra(path, setting, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "bitsandbytes", None)
    with pytest.raises((MissingExtra, ModuleNotFoundError), match="bitsandbytes"):
        check_weights(configured(path, setting), gpu=False)


def test_attention_is_passed_on_to_the_model(path, tmp_path):
    config = configured(path, "attention=eager", "fast_vision=false")
    assert start(config, tmp_path).model.config._attn_implementation == "eager"
    assert start(configured(path, "fast_vision=false"), tmp_path).model.config._attn_implementation == "sdpa"


# Launchers and numbers


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, "none"),
        ({"ACCELERATE_USE_FSDP": "true"}, "fsdp"),
        ({"ACCELERATE_USE_DEEPSPEED": "true"}, "zero2"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}, "zero3"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "0"}, "none"),
        ({"ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}, "none"),
    ],
)
def test_what_the_launcher_was_told_is_read_from_its_variables(variables, found):
    assert sharding(variables) == found


def test_deepspeeds_own_file_goes_before_the_launchers_variable(tmp_path):
    (tmp_path / "ds.json").write_text('{"zero_optimization": {"stage": 3}}')
    variables = {
        "ACCELERATE_USE_DEEPSPEED": "true",
        "ACCELERATE_DEEPSPEED_ZERO_STAGE": "2",
        "ACCELERATE_DEEPSPEED_CONFIG_FILE": str(tmp_path / "ds.json"),
    }
    assert sharding(variables) == "zero3"


def numbers(path, *settings, **where):
    config = configured(path, "model=Qwen/Qwen3-VL-4B-Instruct", "fast_vision=false", *settings)
    made = precision(config, config.stages[0], bf16=True, **where)
    return made.loaded, made.trained, made.gradients, made.master, made.states, made.compute


def test_the_numbers_of_a_run_are_what_the_recipes_say(path):
    full = ("float32", "float32", "float32", None, "float32", "bfloat16")
    assert numbers(path) == full
    assert numbers(path, "peft={rank: 2}") == ("bfloat16", *full[1:])
    assert numbers(path, "stages.0.optimizer=adamw_8bit") == (*full[:4], "uint8", "bfloat16")
    shared = ("float32", "bfloat16", "bfloat16", "float32", "float32", "bfloat16")
    assert numbers(path, sharded="zero3") == shared
    assert numbers(path, sharded="fsdp") == full
    assert precision(configured(path), bf16=True).compute == "float32"  # the tiny model
    assert precision(configured(path, *FOUR_BIT), bf16=True).four_bit
    assert not precision(configured(path, "peft={rank: 2}"), bf16=True).four_bit


def test_a_weight_of_4_bits_takes_4_127_bits():
    assert BYTES["nf4"] * 8 == pytest.approx(4.127, abs=5e-4)  # QLoRA, section 3: 0.127 bits for the constants


def test_the_model_is_loaded_in_the_numbers_that_are_told(path, tmp_path):
    for settings in ((), ("peft={rank: 2}",)):
        config = configured(path, *settings)
        told = precision(config, config.stages[0], bf16=False)
        local = start(config, tmp_path)
        types = {str(w.dtype).removeprefix("torch.") for w in local.model.parameters() if w.requires_grad}
        assert types == {told.trained}
        assert {str(w.dtype).removeprefix("torch.") for w in local.model.parameters()} == {told.loaded, told.trained}


def test_a_stage_says_and_records_how_many_weights_learn(path, tmp_path):
    from accelerate import PartialState
    from rich.console import Console

    from designgym.train.stage import train_stage

    config = configured(path, "vision=frozen", "stages=" + json.dumps([one_step(path)]))
    folder = RunFolder(tmp_path, config)
    tiny.save(config.tiny_model(), folder.model("init"))
    console = Console(record=True, width=120)
    train_stage(config, config.stages[0], folder, console, PartialState(cpu=True), None)
    record = folder.done("sft")
    sizes = {name: weight.numel() for name, weight in load(folder.model("init")).model.named_parameters()}
    learnt = sum(size for name, size in sizes.items() if "visual" not in name)
    assert (record["trainable_weights"], record["weights"]) == (learnt, sum(sizes.values()))
    assert Counts(learnt, sum(sizes.values())).words() in console.export_text()


def one_step(path):
    return {**configured(path).stages[0].model_dump(mode="json", exclude_defaults=True), "steps": 1}
