"""A run's plan: for each stage its sequences, batches and memory on one GPU, and what of it cannot work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from designgym.eval.runner import make
from designgym.train.config import TrainConfig
from designgym.train.environments import stage_kwargs
from designgym.train.memory.activations import Estimate, learning_pass, sampling
from designgym.train.memory.batches import Batches, batches
from designgym.train.memory.counting import Counter
from designgym.train.memory.facts import Facts, read_facts
from designgym.train.memory.holding import Held, Parameters, held, parameters
from designgym.train.memory.machines import Machines
from designgym.train.memory.refusals import refusals
from designgym.train.memory.sequences import Sequences, sequences
from designgym.train.precision import BYTES
from designgym.train.stages import GrpoStage, SamplingStage, Stage

GIB = 2**30
ROOM = 0.1
"""Share of a GPU that is left to CUDA's context, libraries and fragments."""


@dataclass(frozen=True)
class StagePlan:
    """One stage, in bytes on one GPU.

    Attributes:
        stage: The stage.
        sequences: Its sequences.
        batches: Its batches.
        held: What is known exactly.
        learning: Estimates for a forward and backward pass.
        sampling: Estimates for sampling answers, which comes before it.
        vllm: What a colocated vLLM keeps for itself.
        asleep: Whether vLLM gives it back while the model learns.
        problems: Why the stage cannot work, each a sentence with the way out.
        notes: What was assumed or not looked at.
    """

    stage: Stage
    sequences: Sequences
    batches: Batches
    held: Held
    learning: tuple[Estimate, ...]
    sampling: tuple[Estimate, ...]
    vllm: float
    asleep: bool
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def peak(self) -> float:
        """Most bytes at once."""
        learning = sum(each.bytes for each in self.learning) + (0 if self.asleep else self.vllm)
        return self.held.total + max(learning, sum(each.bytes for each in self.sampling) + self.vllm)


@dataclass(frozen=True, eq=False)
class Plan:
    """A run on some machines.

    Attributes:
        config: The run.
        facts: Its model.
        machines: The machines.
        parameters: What is trained and kept.
        stages: The stages in order.
    """

    config: TrainConfig
    facts: Facts
    machines: Machines
    parameters: Parameters
    stages: tuple[StagePlan, ...]

    @property
    def problems(self) -> list[str]:
        """Why the run cannot work."""
        return list(dict.fromkeys(problem for stage in self.stages for problem in stage.problems))


def plan(config: TrainConfig, machines: Machines) -> Plan:
    """Plan a run; nothing is trained, and neither weights nor training data are read.

    Args:
        config: The run.
        machines: Where it is to run.

    Raises:
        UserError: If nothing is known of the model, or the environment cannot be made.
    """
    facts = read_facts(config)
    made = []
    for stage in config.stages:
        env = make(config.env.id, stage_kwargs(config, stage))
        try:
            made.append(_stage(config, stage, env, facts, machines))
        finally:
            env.close()
    return Plan(config, facts, machines, parameters(config, facts.shape), tuple(made))


def _stage(config: TrainConfig, stage: Stage, env: Any, facts: Facts, machines: Machines) -> StagePlan:
    counter, shape = Counter(facts), facts.shape
    found, problems, notes = sequences(config, stage, env, counter), *refusals(config, stage, env, facts, machines)
    counted = batches(stage, found, machines.processes)
    vllm = getattr(stage, "vllm", None)
    colocated = vllm is not None and vllm.mode == "colocate"
    patches = counter.patches(found.rows * found.image_tokens)
    learning = learning_pass(config, stage, shape, machines, rows=found.rows, length=found.length, patches=patches)
    sampled: list[Estimate] = []
    if isinstance(stage, SamplingStage) and vllm is None:
        answers, budget = stage.batch_size * stage.accumulation, stage.max_completion_length
        sampled = sampling(config, shape, answers=answers, prompt=found.prompt, completion=budget)
    planned = StagePlan(
        stage=stage,
        sequences=found,
        batches=counted,
        held=held(config, stage, shape, machines),
        learning=tuple(learning),
        sampling=tuple(sampled),
        vllm=vllm.memory * machines.memory_gib * GIB if colocated else 0.0,
        asleep=colocated and vllm.sleep,
        problems=(),
        notes=(*found.notes, *notes),
    )
    more = [*_lengths(stage, found, facts), *_vllm(stage, found, facts, machines), *_room(planned, machines)]
    return StagePlan(**{**planned.__dict__, "problems": (*problems, *more)})


def _lengths(stage: Stage, found: Sequences, facts: Facts) -> list[str]:
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


def _vllm(stage: Stage, found: Sequences, facts: Facts, machines: Machines) -> list[str]:
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


def _room(planned: StagePlan, machines: Machines) -> list[str]:
    """Whether everything fits, and what would help if not."""
    size = machines.memory_gib * GIB
    if planned.peak <= size:
        return []
    known = planned.held.total + planned.vllm
    learnt, sampled = (sum(each.bytes for each in part) for part in (planned.learning, planned.sampling))
    ways = []
    if planned.held.gradients + planned.held.states > 0.3 * size:
        ways.append("train adapters (peft)")
    if machines.sharding == "ddp" and planned.held.total > 0.5 * size:
        kind = "zero3" if planned.sequences.turns == 1 else "zero2"
        ways.append(f"cut the states over more GPUs (--gpus 8 --sharding {kind})")
    if sampled > learnt and planned.stage.accumulation > 1:
        ways.append("lower accumulation: a process samples batch_size x accumulation answers at once")
    if learnt >= sampled and not planned.stage.gradient_checkpointing:
        ways.append("set gradient_checkpointing")
    if planned.sequences.rows > 1:
        rows = planned.sequences.turns > 1 and planned.stage.history == "windowed" and learnt >= sampled
        ways.append("set a lower max_rows" if rows and isinstance(planned.stage, GrpoStage) else "lower batch_size")
    return [
        f"Stage '{planned.stage.name}' does not fit: it needs some {planned.peak / GIB:.0f} GiB of a GPU "
        f"({known / GIB:.0f} before any activation), which has {machines.memory_gib:g}; "
        f"{', or '.join(ways) or 'take larger GPUs'}."
    ]
