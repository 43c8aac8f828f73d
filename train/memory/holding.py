"""How many parameters a run trains and keeps, and the bytes that they take: what of its memory is known exactly.

In which numbers they are held is said by `designgym.train.model.precision`, which of them learn by
`designgym.train.model.weights`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from designgym.train.config import TrainConfig
from designgym.train.memory.machines import Machines
from designgym.train.memory.shape import Linear, Shape
from designgym.train.model.adapters import target_pattern
from designgym.train.model.precision import BYTES, Precision, precision
from designgym.train.model.weights import learning
from designgym.train.stages import DpoStage, GrpoStage, RlooStage, Stage


@dataclass(frozen=True)
class Parameters:
    """Numbers of parameters by what is done with them.

    Attributes:
        trained: Those that learn: adapters, or the model's own.
        frozen: Those that are held as they are.
        quantised: Those of them that are held in 4 bits.
    """

    trained: int
    frozen: int
    quantised: int


@dataclass(frozen=True)
class Held:
    """Bytes on one GPU.

    Attributes:
        weights: Of the model, adapters included.
        gradients: Of what is trained.
        buckets: Copies of gradients that plain data parallelism sends.
        states: Of the optimiser, DeepSpeed's float32 copy of the trained weights included.
        reference: Of the copy that a KL term or dpo compares with.
    """

    weights: float
    gradients: float
    buckets: float
    states: float
    reference: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.weights + self.gradients + self.buckets + self.states + self.reference


def numbers(config: TrainConfig, stage: Stage, machines: Machines) -> Precision:
    """The types in which a stage holds and computes on GPUs."""
    return precision(config, stage, bf16=True, sharded=machines.launched)


def adapted(config: TrainConfig, shape: Shape) -> tuple[Linear, ...]:
    """The linear layers that get adapters."""
    if config.peft is None:
        return ()
    pattern = re.compile(target_pattern(config.peft))
    return tuple(linear for linear in shape.linears if pattern.fullmatch(linear.name))


def parameters(config: TrainConfig, shape: Shape) -> Parameters:
    """How many parameters a run trains and keeps."""
    what = learning(config)
    if config.peft is None or what != "adapters":
        frozen = shape.vision if what == "language" else 0
        return Parameters(shape.parameters - frozen, frozen, 0)
    trained = sum(config.peft.rank * (linear.inputs + linear.outputs) for linear in adapted(config, shape))
    four_bit = [linear for linear in shape.linears if config.peft.load_in_4bit and not linear.name.endswith("lm_head")]
    return Parameters(trained, shape.parameters, sum(linear.inputs * linear.outputs for linear in four_bit))


def held(config: TrainConfig, stage: Stage, shape: Shape, machines: Machines) -> Held:
    """The bytes that weights, gradients and states take on one GPU."""
    counted, kinds = parameters(config, shape), numbers(config, stage, machines)
    cut_weights, cut_gradients, cut_states = machines.parts
    own = BYTES[kinds.trained]
    # DeepSpeed makes of all weights what it trains in.
    kept = own if kinds.master is not None else BYTES[kinds.loaded]
    frozen = counted.quantised * BYTES["nf4"] + (counted.frozen - counted.quantised) * kept
    gradients = counted.trained * BYTES[kinds.gradients] / cut_gradients
    moments = 2 * BYTES[kinds.states] + (BYTES[kinds.master] if kinds.master is not None else 0)
    return Held(
        weights=(counted.trained * own + frozen) / cut_weights,
        gradients=gradients,
        buckets=gradients if machines.sharding == "ddp" and machines.processes > 1 else 0.0,
        states=counted.trained * moments / cut_states,
        reference=_reference(config, stage, shape, counted) * own / cut_weights,
    )


def _reference(config: TrainConfig, stage: Stage, shape: Shape, counted: Parameters) -> int:
    """Parameters of the copy that a policy is held to: of the whole model, or of its adapters."""
    compared = isinstance(stage, DpoStage) or (isinstance(stage, GrpoStage | RlooStage) and stage.beta > 0)
    if not compared:
        return 0
    return shape.parameters if config.peft is None else counted.trained
