"""What a plan refuses: each problem is a sentence with the way out, and is found without weights, data or a network."""

import json
from pathlib import Path
from typing import Any

import pytest

import designgym.cli.main as cli
from designgym.config import load_config
from designgym.config_file import ConfigError
from designgym.errors import UserError
from designgym.train.config import TrainConfig
from designgym.train.memory.machines import Machines, Sharding
from designgym.train.memory.plan import plan
from designgym.train.memory.planned import Plan

MODEL = "Qwen/Qwen2.5-VL-7B-Instruct"
TASKS = "tasks: {first: 0, count: 100}, steps: 1, learning_rate: 1.0e-6, gradient_checkpointing: true"


def planned(
    *overrides: str, gpus: int = 1, memory: float = 80.0, sharding: Sharding = "ddp", model: str = MODEL
) -> Plan:
    config = load_config(None, TrainConfig, [f"model={model}", *overrides])
    return plan(config, Machines(gpus, 1, memory, sharding, "as told"))


def grpo(more: str = "", batch: int = 8) -> str:
    return f"stages=[{{name: only, kind: grpo, {TASKS}, batch_size: {batch}{more}}}]"


def canvas(more: str = "") -> list[str]:
    env = "env={id: designgym/CanvasDrawing-v0, kwargs: {max_calls: 6}}"
    played = "evaluation={count: 30, agents: [blank]}"
    return [grpo(f", max_rows: 8{more}"), env, played, "allow_resize=true", "peft.rank=8"]


def only(made: Plan) -> str:
    assert len(made.problems) == 1, made.problems
    return made.problems[0]


# ---------------------------------------------------------------- what does not fit


def test_all_weights_of_a_7b_model_do_not_fit_on_one_gpu() -> None:
    problem = only(planned(grpo()))
    assert problem.startswith("Stage 'only' does not fit: it needs some 1")
    assert (
        "which has 80; train adapters (peft), or cut the states over more GPUs (--gpus 8 --sharding zero3)" in problem
    )
    assert planned(grpo(), gpus=8, sharding="zero3").problems == []
    assert planned(grpo(), "peft.rank=8").problems == []


def test_answers_that_are_sampled_at_once_are_named_where_they_are_too_many() -> None:
    problem = only(planned(grpo(", accumulation: 64"), "peft.rank=8"))
    assert "lower accumulation: a process samples batch_size x accumulation answers at once" in problem


def test_many_rows_of_a_pass_are_named_where_they_are_too_many() -> None:
    stage = [grpo(", max_completion_length: 512"), *canvas()[1:]]
    assert "set a lower max_rows" in only(planned(*stage, memory=24.0, model="Qwen/Qwen3-VL-2B-Instruct"))


# ---------------------------------------------------------------- what no memory mends


@pytest.mark.parametrize(("sharding", "kind"), [("fsdp2", "FSDP"), ("zero3", "DeepSpeed ZeRO-3")])
def test_episodes_of_several_turns_need_whole_weights(sharding: Sharding, kind: str) -> None:
    problem = only(planned(*canvas(), gpus=4, sharding=sharding))
    assert problem.startswith(f"{kind} gathers weights in every forward pass") and "ZeRO-2" in problem
    assert planned(*canvas(), gpus=4, sharding="zero2").problems == []
    assert planned(*canvas(), gpus=4, sharding="ddp").problems == []


def test_windowed_turns_take_one_loss() -> None:
    problem = planned(*canvas()[1:], grpo(", loss_type: dr_grpo")).problems[0]
    assert "loss_type is 'dr_grpo'" in problem and "take 'dapo', or history 'growing'" in problem


@pytest.mark.parametrize("sharding", ["fsdp2", "zero3"])
def test_weights_of_four_bits_are_not_cut(sharding: Sharding) -> None:
    four_bit = "peft={rank: 8, load_in_4bit: true}"
    problem = only(planned(grpo(), four_bit, gpus=2, sharding=sharding))
    assert "peft.load_in_4bit does not go with" in problem and "DDP or ZeRO-2" in problem
    for whole in ("ddp", "zero2"):
        assert planned(grpo(), four_bit, gpus=2, sharding=whole).problems == []  # type: ignore[arg-type]


def test_vllm_has_to_be_installed() -> None:
    problem = only(planned(grpo(", vllm: {memory: 0.4}"), "peft.rank=8"))
    assert "samples with vllm" in problem and "leave vllm out" in problem


def test_vllm_needs_room_for_its_copy_of_the_weights() -> None:
    problem = planned(grpo(", vllm: {memory: 0.1}"), "peft.rank=8").problems[-1]
    # 8.29 billion weights of 2 bytes are 15.4 GiB, and a tenth of the GPU is 8.
    assert "take 15.5 GiB, and vllm.memory 0.1 leaves it 8.0; raise it, or vllm.tensor_parallel" in problem


def test_vllm_has_to_take_a_whole_sequence() -> None:
    problems = planned(grpo(", vllm: {memory: 0.4, max_model_length: 512}"), "peft.rank=8").problems
    assert "(256 of its images), and vllm.max_model_length is 512; set a larger one" in problems[-1]


def test_a_sequence_has_to_fit_into_the_model() -> None:
    stage = canvas(", history: growing, max_completion_length: 6000")
    stage[0] = stage[0].replace(", max_rows: 8", "")
    problem = planned(*stage, model="Qwen/Qwen2-VL-7B-Instruct", memory=1000.0).problems[0]
    assert "and the model takes 32,768; set a shorter max_completion_length" in problem


def test_pages_that_the_pixel_budget_would_shrink_are_refused() -> None:
    problem = only(planned(grpo(), "peft.rank=8", "max_pixels=100352"))
    assert problem.startswith("The pages are 448x448 px, and the model's processor would make them 308x308")
    assert "allow_resize" in problem


def test_layers_that_the_model_does_not_have_get_no_adapters() -> None:
    problem = only(planned(grpo(), "peft.targets=[q_proj, query]"))
    assert problem.startswith("peft.targets ['query'] name no layer of the language model of ")
    assert "q_proj, up_proj, v_proj" in problem


def test_groups_have_to_divide_the_answers_of_a_step() -> None:
    with pytest.raises(ConfigError, match="num_generations 8 does not divide the 12 answers of a step"):
        planned(grpo(", accumulation: 2", batch=6))


def test_an_evaluation_that_cannot_be_played_is_refused() -> None:
    assert "The evaluation asks for tasks 0 to" in only(planned(grpo(), "peft.rank=8", "evaluation.count=1000000"))


def test_more_tasks_than_there_are_is_refused() -> None:
    config = grpo().replace("count: 100", "count: 2000000")
    assert "asks for 2000000 tasks; the split has" in only(planned(config, "peft.rank=8"))


# ---------------------------------------------------------------- models that nothing is known of


def test_an_unknown_hub_id_says_what_to_do() -> None:
    with pytest.raises(UserError, match="shape of the model 'someone/else' is not known here") as error:
        planned(grpo(), model="someone/else")
    assert "`hf download someone/else`" in str(error.value) and MODEL in str(error.value)


def test_a_folder_of_another_family_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}), encoding="utf-8")
    with pytest.raises(UserError, match="has model_type 'llama'"):
        planned(grpo(), model=str(tmp_path))


# ---------------------------------------------------------------- the command


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(["train", "plan", *words])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_command_prints_the_plan_and_then_why_it_is_refused(capsys: Any) -> None:
    assert command("train/grounding-grpo", "--gpus", "1", "--gpu-memory", "80") == 0
    shown = capsys.readouterr().out
    assert "3,754,622,976 parameters" in shown and "8 x 2 x 1 processes = 16 answers / 8 of a group = 2 tasks" in shown
    assert command("train/grounding-grpo", "--gpu-memory", "40") == 2
    shown = capsys.readouterr()
    assert "does not fit into 40 GiB" in shown.out and "designgym: Stage 'grpo' does not fit" in shown.err


def test_accelerates_file_gives_gpus_and_sharding(capsys: Any) -> None:
    assert command("train/grounding-grpo", "--accelerate", "accelerate/fsdp2", "--gpu-memory", "40") == 0
    shown = capsys.readouterr().out
    assert "8 GPU of 40 GiB (as told), fsdp2" in shown and "/ 8 GPUs" in shown


def test_a_configuration_may_be_called_as_a_command_is(tmp_path: Path, capsys: Any) -> None:
    assert command("no-such-plan") == 2
    assert "no bundled configuration 'no-such-plan'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        cli.main(["train", str(tmp_path / "plan"), "--dry-run"])
    assert ended.value.code == 2
    assert "There is no file and no bundled configuration" in capsys.readouterr().err
