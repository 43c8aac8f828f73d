"""What about weights, optimizers and attention can be found wrong before any work."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from designgym.agents.qwen.four_bit import is_marked
from designgym.agents.qwen.processor import ADAPTER
from designgym.errors import UserError, require
from designgym.train.config import TrainConfig
from designgym.train.model.launch import Sharding, sharding
from designgym.train.stages import Stage


def check_weights(config: TrainConfig, *, gpu: bool | None = None, sharded: Sharding | None = None) -> None:
    """Refuse what cannot work on this machine or under this launcher.

    Args:
        config: The run.
        gpu: Whether there is a GPU; None: as torch finds.
        sharded: How the model is spread over processes; None: as the launcher said.

    Raises:
        UserError: With the way out.
        MissingExtra: If a package is not installed.
    """
    if gpu is None:
        import torch

        gpu = torch.cuda.is_available()
    sharded = sharding() if sharded is None else sharded
    _check_attention(config, gpu)
    _check_adapters(config, sharded)
    _check_optimizers(config.stages, gpu)


def _check_attention(config: TrainConfig, gpu: bool) -> None:
    if config.attention != "flash_attention_2":
        return
    if not gpu:
        raise UserError("attention 'flash_attention_2' needs a GPU, and there is none; set attention to 'sdpa'.")
    if importlib.util.find_spec("flash_attn") is None:
        raise UserError(
            "attention 'flash_attention_2' needs the package flash-attn, which is not installed. Install it with: "
            "pip install flash-attn --no-build-isolation; or set attention to 'sdpa'."
        )


def _check_adapters(config: TrainConfig, sharded: Sharding) -> None:
    _check_start(config)
    if config.peft is None:
        return
    if config.vision == "trained":
        raise UserError(
            "vision is 'trained', but adapters are on the language model alone; leave vision out, or set peft to null "
            "to train all weights."
        )
    if not config.peft.load_in_4bit:
        return
    require("bitsandbytes", extra="qlora")
    if sharded in ("fsdp", "zero3"):
        raise UserError(
            f"peft.load_in_4bit does not go with {'FSDP' if sharded == 'fsdp' else 'ZeRO-3'}: weights of 4 bits cannot "
            "be cut into parts and merged again (huggingface/trl#6007). Launch with DDP or ZeRO-2, or set "
            "peft.load_in_4bit to false."
        )


def _check_start(config: TrainConfig) -> None:
    """Refuse an adapter as the start of a run that would train something else."""
    folder = Path(config.model)
    if not (folder / ADAPTER).is_file():
        return
    if config.peft is None:
        raise UserError(f"The model '{config.model}' is an adapter, and peft is null; set peft to train it on.")
    if is_marked(folder) != config.peft.load_in_4bit:
        bits, other = ("of 4 bits", "true") if is_marked(folder) else ("that are not of 4 bits", "false")
        raise UserError(
            f"The adapter '{config.model}' was trained on weights {bits}; set peft.load_in_4bit to {other} to go on."
        )


def _check_optimizers(stages: Sequence[Stage], gpu: bool) -> None:
    for stage in stages:
        if stage.optimizer == "adamw":
            continue
        require("bitsandbytes", extra="qlora")
        if stage.optimizer.startswith("paged") and not gpu:
            raise UserError(
                f"Stage '{stage.name}' has the optimizer '{stage.optimizer}', which moves its states between a GPU and "
                "the memory, and there is no GPU; take 'adamw_8bit' or 'adamw'."
            )
