"""In which numbers a stage holds and computes what: for loading the model, and for planning the memory.

On a GPU with bfloat16, forward and backward passes are in bfloat16 by autocast, and the weights that learn stay
float32 (transformers' ``bf16=True``): a step of a learning rate of 1e-6 is less than bfloat16 can add to most weights
(it has 8 bits), so weights in bfloat16 alone would not move. Weights that do not learn under adapters are bfloat16.
DeepSpeed keeps float32 copies of its own beside weights and gradients in bfloat16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from designgym.train.config import TrainConfig
from designgym.train.model.launch import Sharding
from designgym.train.stages import Stage

Dtype = Literal["float32", "bfloat16"]
BYTES = {"float32": 4.0, "bfloat16": 2.0, "uint8": 1.0, "nf4": 0.5 + 1 / 64 + 4 / (64 * 256)}
"""Bytes a number; nf4 with a scale of 8 bits for each 64 and one of 32 for each 256 of those (arXiv 2305.14314)."""


@dataclass(frozen=True)
class Precision:
    """Types by name; `BYTES` has their sizes.

    Attributes:
        loaded: Of the weights as they are read, and of those that do not learn.
        four_bit: Whether the linear layers of the language model are nf4 instead.
        trained: Of the weights that learn.
        gradients: Of their gradients.
        master: Of another copy of the weights that learn, which the optimizer updates; None: there is none.
        states: Of the optimizer's two moments.
        compute: Of activations.
    """

    loaded: Dtype
    four_bit: bool
    trained: Dtype
    gradients: Dtype
    master: Dtype | None
    states: Literal["float32", "bfloat16", "uint8"]
    compute: Dtype


def precision(config: TrainConfig, stage: Stage | None = None, *, bf16: bool, sharded: Sharding = "none") -> Precision:
    """The types of a run.

    Args:
        config: The run.
        stage: One of its stages, which decides the optimizer; None: AdamW with states of 32 bits.
        bf16: Whether the device computes in bfloat16, as GPUs do.
        sharded: How the model is spread over processes.
    """
    half = bf16 and config.model != "tiny"
    adapters = config.peft is not None
    deepspeed = half and sharded.startswith("zero")
    trained: Dtype = "bfloat16" if deepspeed else "float32"
    eight = stage is not None and stage.optimizer != "adamw"
    return Precision(
        loaded="bfloat16" if half and adapters else "float32",
        four_bit=config.peft is not None and config.peft.load_in_4bit,
        trained=trained,
        gradients=trained,
        master="float32" if deepspeed else None,
        states="uint8" if eight else "float32",
        compute="bfloat16" if half else "float32",
    )
