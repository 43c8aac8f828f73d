"""The configurations of accelerate that ship: accelerate reads them, plans understand them, the command finds them."""

import argparse
import inspect
from pathlib import Path

import pytest
import yaml
from accelerate.commands.config.config_args import load_config_from_file
from accelerate.commands.launch import launch_command_parser
from accelerate.utils import DeepSpeedPlugin, FullyShardedDataParallelPlugin

import designgym.cli.main as cli
from designgym.config_file import bundled_folder
from designgym.errors import UserError
from designgym.train.memory.machines import machines, read_accelerate

FILES = sorted((bundled_folder() / "accelerate").glob("*.yaml"))
MEANT = {
    "one-gpu": (1, 1, "ddp"),
    "ddp": (8, 1, "ddp"),
    "fsdp2": (8, 1, "fsdp2"),
    "zero2": (8, 1, "zero2"),
    "zero3": (8, 1, "zero3"),
    "two-nodes": (8, 2, "ddp"),
}


def test_there_is_a_file_for_each_way_of_training() -> None:
    assert {file.stem for file in FILES} == set(MEANT)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_accelerate_reads_it_and_the_plan_sees_the_same(file: Path) -> None:
    read = load_config_from_file(str(file))
    gpus, nodes, sharding = read_accelerate(file)
    assert (gpus, nodes, sharding) == MEANT[file.stem]
    assert read.num_processes == gpus * nodes and read.num_machines == nodes
    assert read.mixed_precision == "bf16" and not read.use_cpu
    kind = {"ddp": "NO" if gpus == 1 else "MULTI_GPU", "fsdp2": "FSDP"}.get(sharding, "DEEPSPEED")
    assert read.distributed_type.value == kind


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_nested_field_is_an_option_of_accelerates_launcher(file: Path) -> None:
    parser = launch_command_parser()
    options = {option for action in parser._actions for option in action.option_strings}
    assert isinstance(parser, argparse.ArgumentParser)
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    for section in ("fsdp_config", "deepspeed_config"):
        for name in data.get(section, {}):
            assert f"--{name}" in options


def test_fsdp_saves_whole_models_and_is_of_the_second_version() -> None:
    fields = yaml.safe_load((bundled_folder() / "accelerate/fsdp2.yaml").read_text(encoding="utf-8"))["fsdp_config"]
    plugin = FullyShardedDataParallelPlugin(fsdp_version=2, state_dict_type=fields["fsdp_state_dict_type"])
    assert plugin.fsdp_version == 2 and plugin.state_dict_type.name == "FULL_STATE_DICT"


@pytest.mark.parametrize("stage", [2, 3])
def test_deepspeed_is_told_its_stage_and_to_save_whole_models(stage: int) -> None:
    text = (bundled_folder() / f"accelerate/zero{stage}.yaml").read_text(encoding="utf-8")
    fields = yaml.safe_load(text)["deepspeed_config"]
    known = inspect.signature(DeepSpeedPlugin).parameters
    assert set(fields) - set(known) == {"deepspeed_multinode_launcher"}
    assert fields["zero_stage"] == stage
    assert stage == 2 or fields["zero3_save_16bit_model"] is True


def test_the_command_prints_where_a_file_lies(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["configs", "path", "accelerate/zero3"])
    assert ended.value.code == 0
    assert Path(capsys.readouterr().out.strip()) == bundled_folder() / "accelerate/zero3.yaml"
    with pytest.raises(SystemExit) as ended:
        cli.main(["configs", "path", "accelerate/zero4"])
    assert ended.value.code == 2
    assert "no bundled configuration 'accelerate/zero4'. Did you mean 'accelerate/zero" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("num_processes: 2", "no distributed_type"),
        ("distributed_type: XLA", "distributed_type XLA"),
        ("distributed_type: FSDP\nfsdp_config: {fsdp_version: 1}", "FSDP 1; set fsdp_config.fsdp_version to 2"),
        ("distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 1}", "ZeRO-1; take zero_stage 2 or 3"),
        ("distributed_type: MULTI_GPU\nnum_processes: 3\nnum_machines: 2", "3 processes over 2 machines"),
    ],
)
def test_what_a_plan_is_not_made_for_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=why):
        read_accelerate(tmp_path / "own.yaml")


def test_options_win_over_accelerates_file() -> None:
    read = machines(4, None, 40.0, "zero2", Path("accelerate/two-nodes"))
    assert (read.gpus, read.nodes, read.sharding, read.memory_gib, read.processes) == (4, 2, "zero2", 40.0, 8)
    with pytest.raises(UserError, match="no sharding 'zero1'; there are ddp, fsdp2, zero2, zero3"):
        machines(None, None, None, "zero1", None)
