"""What a plan says of memory and tokens, against models that are really built and figures that are known."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from qwen_stock import write_stock_folder

from designgym.agents.qwen.dialogue import reply_tokens
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.local import load
from designgym.agents.qwen.tiny import TinyConfig, save
from designgym.config import load_config
from designgym.prompt import render_call
from designgym.train.config import TrainConfig
from designgym.train.memory.facts import published
from designgym.train.memory.machines import Machines, Sharding
from designgym.train.memory.plan import plan
from designgym.train.memory.planned import GIB, Plan
from designgym.train.memory.shape import shape_of, without_weights
from designgym.train.model.adapters import add_adapters
from designgym.train.model.weights import freeze_vision, learning

ONE = Machines(1, 1, 80.0, "ddp", "as told")
STAGE = "{name: only, kind: sft, teacher: truth, tasks: {first: 0, count: 100}, steps: 1, batch_size: 1"
GROUP = "{name: only, kind: grpo, tasks: {first: 0, count: 100}, steps: 1, batch_size: 8, learning_rate: 1.0e-6"
SFT = STAGE + ", learning_rate: 1.0e-6}"


def planned(*overrides: str, stage: str = SFT, machines: Machines = ONE, pages_px: int = 448) -> Plan:
    pages = f"env.kwargs={{designs: blocks, image_size: {pages_px}}}"
    return plan(load_config(None, TrainConfig, [pages, f"stages=[{stage}]", *overrides]), machines)


def gpus(n: int, sharding: Sharding, memory_gib: float = 2000.0) -> Machines:
    return Machines(n, 1, memory_gib, sharding, "as told")


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("model", published())
def test_every_published_model_has_as_many_parameters_as_its_weights(model: str) -> None:
    known = published()[model]
    assert shape_of(without_weights(known["config"])).parameters == known["parameters"]


# ---------------------------------------------------------------- against the tiny model, really built


def trained_one_step(model: Any) -> tuple[int, int, int, int]:
    """Bytes of weights, of those that learn, of gradients and of AdamW's moments after a step."""
    learning_weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning_weights, lr=1e-3)
    for weight in learning_weights:
        weight.grad = torch.ones_like(weight)
    optimizer.step()
    moments = [value for state in optimizer.state.values() for name, value in state.items() if name != "step"]

    def size(tensors: Any) -> int:
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors)

    return (
        size(model.parameters()),
        size(learning_weights),
        size(weight.grad for weight in learning_weights),
        size(moments),
    )


@pytest.mark.parametrize(
    "overrides",
    [[], ["vision=frozen"], ["peft.rank=4"], ["peft.rank=3", "peft.targets=[q_proj, down_proj]"]],
    ids=["all weights", "frozen vision tower", "adapters", "adapters on two layers"],
)
def test_the_bytes_of_the_tiny_model_are_those_it_has_after_a_step(tmp_path: Path, overrides: list[str]) -> None:
    made = planned(*overrides, pages_px=128)
    config = made.config
    save(config.tiny_model(), tmp_path)
    local = load(tmp_path, dtype="float32", trainable=True)
    if config.peft is not None:
        local = add_adapters(local, config.peft, 0)
    elif learning(config) == "language":
        freeze_vision(local.model)
    weights, learnt, gradients, moments = trained_one_step(local.model)
    held = made.stages[0].held
    assert (held.weights, held.gradients, held.states) == (weights, gradients, moments)
    assert made.parameters.trained * 4 == learnt


@pytest.mark.parametrize("model_type", FAMILIES)
def test_adapters_of_every_family_are_as_many_as_are_made(tmp_path: Path, model_type: str) -> None:
    folder = write_stock_folder(tmp_path / model_type, model_type)
    made = planned(f"model={folder}", "peft.rank=4", "allow_resize=true", pages_px=64)
    assert made.config.peft is not None
    local = add_adapters(load(folder, dtype="float32", trainable=True), made.config.peft, 0)
    sizes = [(weight.numel(), weight.requires_grad) for weight in local.model.parameters()]
    assert made.parameters.trained == sum(size for size, learns in sizes if learns) > 0
    assert made.parameters.frozen == sum(size for size, learns in sizes if not learns)


# ---------------------------------------------------------------- against known figures

# Per GPU in GB: 2 bytes for each weight and 14 for each that learns (its bfloat16 gradient, its float32 copy and two
# float32 moments), the vision tower frozen, all cut over the GPUs as ZeRO-3 does.
FULL = {"3B": (51, 25, 13, 6), "7B": (123, 62, 31, 15), "32B": (526, 263, 131, 66)}
# Weights in bfloat16, adapters of rank 64 on all linear layers of the language model with their states.
ADAPTERS = {"3B": 9, "7B": 19, "32B": 76}


@pytest.mark.parametrize("size", FULL)
def test_weights_and_states_under_zero_3_are_those_of_the_usual_rule(size: str) -> None:
    for count, expected in zip((2, 4, 8), FULL[size][1:], strict=True):
        made = planned(f"model=Qwen/Qwen2.5-VL-{size}-Instruct", machines=gpus(count, "zero3"))
        assert made.stages[0].held.total / 1e9 == pytest.approx(expected, rel=0.02, abs=0.5)


@pytest.mark.parametrize("size", FULL)
def test_float32_training_on_one_gpu_takes_the_frozen_tower_twice(size: str) -> None:
    made = planned(f"model=Qwen/Qwen2.5-VL-{size}-Instruct", machines=gpus(1, "ddp"))
    tower = 2 * made.facts.shape.vision / 1e9
    assert made.stages[0].held.total / 1e9 == pytest.approx(FULL[size][0] + tower, rel=0.01, abs=0.5)


@pytest.mark.parametrize("size", ADAPTERS)
def test_adapters_take_little_more_than_the_weights(size: str) -> None:
    made = planned(f"model=Qwen/Qwen2.5-VL-{size}-Instruct", "peft.rank=64", machines=gpus(1, "ddp"))
    assert made.stages[0].held.total / 1e9 == pytest.approx(ADAPTERS[size], abs=0.6)


def test_weights_of_four_bits_take_a_quarter() -> None:
    whole = planned("model=Qwen/Qwen3-VL-4B-Instruct", "peft.rank=8")
    cut = planned("model=Qwen/Qwen3-VL-4B-Instruct", "peft={rank: 8, load_in_4bit: true}")
    # 36 layers of 4 projections (2560 to 4096, twice 1024, back) and three of 2560 x 9728.
    linear = 36 * (2 * 2560 * 4096 + 2 * 2560 * 1024 + 3 * 2560 * 9728)
    saved = whole.stages[0].held.weights - cut.stages[0].held.weights
    assert cut.parameters.quantised == linear
    assert saved == pytest.approx(linear * (2 - 0.5 - 1 / 64 - 1 / 4096))


def test_eight_bit_states_are_a_quarter() -> None:
    model = "model=Qwen/Qwen2.5-VL-3B-Instruct"
    full, eight = (
        planned(model, stage=f"{STAGE}, learning_rate: 1.0e-6, optimizer: {name}}}") for name in ("adamw", "adamw_8bit")
    )
    assert eight.stages[0].held.states == full.stages[0].held.states / 4


# ---------------------------------------------------------------- copies


def test_a_kl_term_keeps_a_second_model_or_second_adapters() -> None:
    model, stage = "model=Qwen/Qwen2.5-VL-3B-Instruct", f"{GROUP}, beta: 0.04}}"
    assert planned(model, stage=stage).stages[0].held.reference == 4 * 3_754_622_976
    adapted = planned(model, "peft.rank=8", stage=stage)
    assert adapted.stages[0].held.reference == 4 * adapted.parameters.trained
    assert planned(model, stage=GROUP + "}").stages[0].held.reference == 0


def test_plain_data_parallelism_sends_copies_of_the_gradients() -> None:
    model = "model=Qwen/Qwen2.5-VL-3B-Instruct"
    one, two = planned(model).stages[0].held, planned(model, machines=gpus(2, "ddp")).stages[0].held
    assert one.buckets == 0 and two.buckets == two.gradients == one.gradients
    assert two.weights == one.weights and two.states == one.states


def test_zero_2_cuts_gradients_and_states_and_leaves_weights_whole() -> None:
    model = "model=Qwen/Qwen2.5-VL-7B-Instruct"
    held = planned(model, machines=gpus(4, "zero2")).stages[0].held
    learnt = 8_292_166_656 - 676_550_144
    assert held.weights == 2 * 8_292_166_656
    assert (held.gradients, held.states) == (2 * learnt / 4, 12 * learnt / 4)


# ---------------------------------------------------------------- tokens and batches


def test_image_tokens_are_those_of_the_family() -> None:
    # 448 x 448 px: (448 / 28)^2 = 256 where two patches of 14 px make a token, (448 / 32)^2 = 196 where two of 16 do.
    for model, tokens in (("Qwen2.5-VL-3B", 256), ("Qwen3-VL-4B", 196)):
        assert planned(f"model=Qwen/{model}-Instruct").stages[0].sequences.image_tokens == tokens


def test_the_tiny_models_tokens_are_counted_by_its_tokenizer() -> None:
    made = planned("prompt.wording=brief", pages_px=128)
    found = made.stages[0].sequences
    assert found.exact and found.image_tokens == (128 // 32) ** 2
    call = render_call("answer", {"bbox": [100, 200, 300, 400]})  # on the grid of its numbers
    assert found.completion == len(reply_tokens(made.facts.processor, call))


def test_the_answers_of_a_step_are_those_of_all_processes_in_groups() -> None:
    stage = f"{GROUP}, accumulation: 4, num_generations: 8}}"
    found = planned("model=Qwen/Qwen3-VL-4B-Instruct", "peft.rank=8", stage=stage, machines=gpus(3, "ddp"))
    counted = found.stages[0].batches
    assert (counted.examples, counted.tasks) == (8 * 4 * 3, 12)
    assert counted.rows == 96 and counted.tokens == 96 * found.stages[0].sequences.length


def canvas(*overrides: str, more: str = "") -> Plan:
    stage = (
        "{name: draw, kind: grpo, tasks: {first: 0, count: 64}, steps: 1, batch_size: 4, num_generations: 4, "
        f"learning_rate: 1.0e-6, max_completion_length: 300{more}}}"
    )
    settings = ["env={id: designgym/CanvasDrawing-v0, kwargs: {max_calls: 6}}", f"stages=[{stage}]", *overrides]
    settings += ["model=Qwen/Qwen3-VL-4B-Instruct", "allow_resize=true", "peft.rank=8"]
    return plan(load_config(None, TrainConfig, settings), ONE)


def test_windowed_rows_are_episodes_times_calls_of_which_max_rows_are_drawn() -> None:
    assert canvas().stages[0].sequences.rows == 4 * 6
    assert canvas(more=", max_turns: 5").stages[0].sequences.rows == 4 * 5
    assert canvas(more=", max_rows: 7").stages[0].sequences.rows == 7
    assert canvas(more=", history: growing").stages[0].sequences.rows == 4


def test_a_windowed_prompt_remembers_calls_and_a_growing_sequence_holds_them_all() -> None:
    windowed, growing = canvas().stages[0].sequences, canvas(more=", history: growing").stages[0].sequences
    # 400 px become 384 (12 x 32): 144 tokens; the strip of three canvases is 1208 px wide, 1216 (38 x 32) then.
    assert windowed.image_tokens == 12 * 12 + 38 * 12 and windowed.images == 2
    assert windowed.prompt >= windowed.first + 5 * 300  # the five calls before the last one, each as long as can be
    assert growing.images == 6 and growing.image_tokens == 6 * 144
    assert growing.length == growing.first + growing.completion >= 6 * 300 + 6 * 144


def test_sampling_and_learning_share_what_is_held_and_the_larger_one_counts() -> None:
    stage = canvas().stages[0]
    learnt, sampled = (sum(each.bytes for each in part) for part in (stage.learning, stage.sampling))
    assert math.isclose(stage.peak, stage.held.total + max(learnt, sampled))


def test_held_out_tasks_are_played_in_the_evaluations_batches_beside_what_is_held() -> None:
    evaluation = "evaluation={batch_size: 64, max_new_tokens: 300}"
    small = ", gradient_checkpointing: true, max_rows: 1"
    found = canvas("validation={count: 8}", evaluation, more=small).stages[0]
    kept = {each.name: each.bytes for each in found.validating}
    # 64 episodes of the longest prompt and a call; keys and values of 8 heads x 128 in 36 layers, 2 bytes each.
    assert kept["cache of keys and values"] == 64 * (found.sequences.prompt + 300) * 2 * 2 * 1024 * 36
    assert math.isclose(found.peak, found.held.total + sum(kept.values()))


def test_a_colocated_vllm_takes_its_share_and_may_give_it_back_to_learning() -> None:
    stage, model = f"{GROUP}, vllm: {{memory: 0.25, sleep: %s}}}}", "model=Qwen/Qwen2.5-VL-3B-Instruct"
    awake, asleep = (planned(model, "peft.rank=8", stage=stage % value).stages[0] for value in ("false", "true"))
    assert awake.vllm == asleep.vllm == 20 * GIB and not awake.sampling
    learnt = sum(each.bytes for each in awake.learning)
    assert awake.peak == awake.held.total + learnt + 20 * GIB
    assert asleep.peak == asleep.held.total + max(learnt, 20 * GIB)


def test_checkpointing_keeps_one_layers_activations_and_each_layers_input() -> None:
    one = planned("model=Qwen/Qwen3-VL-4B-Instruct", "peft.rank=8").stages[0].learning[0].bytes
    stage = f"{STAGE}, learning_rate: 1.0e-6, gradient_checkpointing: true}}"
    checkpointed = planned("model=Qwen/Qwen3-VL-4B-Instruct", "peft.rank=8", stage=stage).stages[0]
    tokens = checkpointed.sequences.length
    assert checkpointed.learning[0].bytes == one / 36 + tokens * 2 * 2560 * 36


def test_a_folder_is_read_from_its_files(tmp_path: Path) -> None:
    save(TinyConfig(), tmp_path / "model")
    made = planned(f"model={tmp_path / 'model'}", pages_px=128)
    assert made.facts.shape == planned(pages_px=128).facts.shape
    assert made.stages[0].sequences.exact
