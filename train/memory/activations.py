"""What passes through the model, in bytes: estimates by formulas that are told with them, not measured.

Counted are the tensors that PyTorch keeps for the backward pass of a Qwen layer in bfloat16: per token the inputs of
its two norms in float32 and their outputs (12 x width bytes), queries and what attention returns (4 x query width),
keys and values (4 x key width), and the gate, its activation, the up projection and their product (8 x feed-forward
width). Attention itself keeps nothing of quadratic size unless it is ``eager``.
"""

from __future__ import annotations

from dataclasses import dataclass

from designgym.train.config import TrainConfig
from designgym.train.memory.holding import adapted, numbers, parameters
from designgym.train.memory.machines import Machines
from designgym.train.memory.shape import Shape
from designgym.train.model.precision import BYTES
from designgym.train.model.weights import learning
from designgym.train.stages import Stage

FLOAT32, BFLOAT16 = BYTES["float32"], BYTES["bfloat16"]

HEAD_TOKENS, HEAD_ENTRIES = 4096, 32768
"""TRL 1.16 computes the log-probabilities of so many tokens and vocabulary entries at once, and keeps no logits."""


@dataclass(frozen=True)
class Estimate:
    """An estimated part of the memory.

    Attributes:
        name: What it is.
        bytes: On one GPU.
        formula: How it was computed, in words and numbers.
    """

    name: str
    bytes: float
    formula: str


def learning_pass(
    config: TrainConfig, stage: Stage, shape: Shape, machines: Machines, *, rows: int, length: int, patches: int
) -> list[Estimate]:
    """What a forward and backward pass takes beside weights, gradients and states.

    Args:
        config: The run.
        stage: The stage.
        shape: The model's.
        machines: The machines.
        rows: Sequences in the pass.
        length: Tokens of the longest of them.
        patches: Patches of all its images.
    """
    tokens = rows * length
    layer = 12 * shape.width + 4 * shape.queries + 4 * shape.keys + 8 * shape.hidden
    told = f"12 x {shape.width} + 4 x {shape.queries} + 4 x {shape.keys} + 8 x {shape.hidden}"
    if config.peft is not None:  # an adapter's input is cast to float32
        inputs = int(FLOAT32 * sum(linear.inputs for linear in adapted(config, shape)) / shape.layers)
        layer, told = layer + inputs, f"{told} + {inputs} of adapters"
    if config.attention == "eager":
        quadratic = int(2 * BFLOAT16 * shape.heads * length)
        layer, told = layer + quadratic, f"{told} + {quadratic} of attention's own"
    kinds = numbers(config, stage, machines)
    stream = BYTES[kinds.trained] if config.peft is None else BYTES[kinds.loaded]
    found = []
    if stage.gradient_checkpointing:
        kept = tokens * shape.width * stream * shape.layers
        each = f"{stream:.0f} x {shape.width} x {shape.layers} layers"
        found.append(Estimate("activations", kept + tokens * layer, f"{tokens:,} tokens x ({each} + {told} of one)"))
    else:
        formula = f"{tokens:,} tokens x {shape.layers} layers x ({told})"
        found.append(Estimate("activations", tokens * layer * shape.layers, formula))
    tile = min(tokens, HEAD_TOKENS) * min(shape.vocabulary, HEAD_ENTRIES) * BFLOAT16
    gradient = FLOAT32 * shape.vocabulary * shape.width if config.peft is None else 0.0
    formula = f"a tile of {min(tokens, HEAD_TOKENS):,} tokens, and the float32 gradients of its input and the layer"
    found.append(Estimate("output layer", tile + tokens * shape.width * FLOAT32 + gradient, formula))
    found.append(_vision(config, stage, shape, patches))
    if config.peft is None and kinds.compute != kinds.trained and machines.parts[0] == 1:
        trained = parameters(config, shape).trained
        told = f"2 x {trained:,} weights, which autocast keeps"
        found.append(Estimate("bfloat16 copies", trained * BFLOAT16, told))
    if machines.parts[0] > 1:
        unit = 2 * BFLOAT16 * shape.largest_unit
        found.append(Estimate("gathered layers", unit, f"two of at most {shape.largest_unit:,} parameters in bfloat16"))
    return found


def sampling(config: TrainConfig, shape: Shape, *, answers: int, prompt: int, completion: int) -> list[Estimate]:
    """What transformers takes to sample answers, all of a process's step at once.

    Args:
        config: The run.
        shape: The model's.
        answers: Answers, or episodes, of a process.
        prompt: Tokens of the longest prompt.
        completion: Longest answer, tokens.
    """
    number = FLOAT32 if config.model == "tiny" else BFLOAT16  # as it computes
    token = 2 * number * shape.keys * shape.layers
    cache = answers * (prompt + completion) * token
    formula = f"{answers} answers x {prompt + completion:,} tokens x 2 x {number:.0f} x {shape.keys} x {shape.layers}"
    wide = answers * prompt * number * (3 * shape.hidden + 2 * shape.width)
    told = f"{answers} prompts x {prompt:,} tokens x {number:.0f} x (3 x {shape.hidden} + 2 x {shape.width})"
    return [Estimate("cache of keys and values", cache, formula), Estimate("reading the prompts", wide, told)]


def _vision(config: TrainConfig, stage: Stage, shape: Shape, patches: int) -> Estimate:
    layer = 20 * shape.vision_width + 4 * shape.vision_hidden
    told = f"20 x {shape.vision_width} + 4 x {shape.vision_hidden}"
    if learning(config) != "all":
        return Estimate("vision tower", patches * layer, f"{patches:,} patches x ({told}) of one layer; none is kept")
    if stage.gradient_checkpointing:
        kept = 4 * shape.vision_width * shape.vision_layers
        return Estimate(
            "vision tower",
            patches * (kept + layer),
            f"{patches:,} patches x (4 x {shape.vision_width} x {shape.vision_layers} layers + {told} of one)",
        )
    formula = f"{patches:,} patches x {shape.vision_layers} layers x ({told})"
    return Estimate("vision tower", patches * layer * shape.vision_layers, formula)
