"""What of a plan does not fit: into the model, into vLLM, or into a GPU; each a sentence with the way out."""

from __future__ import annotations

from designgym.train.memory.facts import Facts
from designgym.train.memory.machines import Machines
from designgym.train.memory.planned import GIB, StagePlan
from designgym.train.memory.sequences import Sequences
from designgym.train.model.precision import BYTES
from designgym.train.stages import GrpoStage, Stage


def lengths(stage: Stage, found: Sequences, facts: Facts) -> list[str]:
    """Sequences that are longer than the model, or vLLM, can take."""
    vllm = getattr(stage, "vllm", None)
    told = []
    limits = [(facts.shape.longest, "the model takes", "a shorter max_completion_length, or a smaller max_pixels")]
    if vllm is not None and vllm.max_model_length is not None:
        limits.append((vllm.max_model_length, "vllm.max_model_length is", "a larger one, or a smaller max_pixels"))
    for limit, whose, way in limits:
        if found.length > limit:
            told.append(
                f"Stage '{stage.name}': a sequence has up to {found.length:,} tokens ({found.image_tokens:,} of its "
                f"images), and {whose} {limit:,}; set {way}."
            )
    return told


def vllm_room(stage: Stage, found: Sequences, facts: Facts, machines: Machines) -> list[str]:
    """Whether a colocated vLLM has room for its copy and for one sequence."""
    vllm = getattr(stage, "vllm", None)
    if vllm is None or vllm.mode != "colocate":
        return []
    shape = facts.shape
    length = vllm.max_model_length or found.length
    needed = (shape.parameters + 2 * length * shape.keys * shape.layers) * BYTES["bfloat16"] / vllm.tensor_parallel
    share = vllm.memory * machines.memory_gib * GIB
    if needed <= share:
        return []
    return [
        f"Stage '{stage.name}': vLLM's copy of the weights and one sequence take {needed / GIB:.1f} GiB, and "
        f"vllm.memory {vllm.memory:g} leaves it {share / GIB:.1f}; raise it, or vllm.tensor_parallel."
    ]


def room(planned: StagePlan, machines: Machines) -> list[str]:
    """Whether everything fits, and what would help if not."""
    size = machines.memory_gib * GIB
    if planned.peak <= size:
        return []
    known = planned.held.total + planned.vllm
    learnt, sampled, validated = (
        sum(each.bytes for each in part) for part in (planned.learning, planned.sampling, planned.validating)
    )
    ways = []
    if planned.held.gradients + planned.held.states > 0.3 * size:
        ways.append("train adapters (peft)")
    if machines.sharding == "ddp" and planned.held.total > 0.5 * size:
        kind = "zero3" if planned.sequences.turns == 1 else "zero2"
        ways.append(f"cut the states over more GPUs (--gpus 8 --sharding {kind})")
    if validated > max(learnt, sampled):
        ways.append("lower evaluation.batch_size, with which held-out tasks are played")
    elif sampled > learnt and planned.stage.accumulation > 1:
        ways.append("lower accumulation: a process samples batch_size x accumulation answers at once")
    if learnt >= sampled and not planned.stage.gradient_checkpointing:
        ways.append("set gradient_checkpointing")
    if planned.sequences.rows > 1 and validated <= max(learnt, sampled):
        rows = planned.sequences.turns > 1 and planned.stage.history == "windowed" and learnt >= sampled
        ways.append("set a lower max_rows" if rows and isinstance(planned.stage, GrpoStage) else "lower batch_size")
    return [
        f"Stage '{planned.stage.name}' does not fit: it needs some {planned.peak / GIB:.0f} GiB of a GPU "
        f"({known / GIB:.0f} before any activation), which has {machines.memory_gib:g}; "
        f"{', or '.join(ways) or 'take larger GPUs'}."
    ]
