"""A plan as data: for each stage its sequences, batches and memory on one GPU, and what of it cannot work."""

from __future__ import annotations

from dataclasses import dataclass

from designgym.train.config import TrainConfig
from designgym.train.memory.activations import Estimate
from designgym.train.memory.batches import Batches
from designgym.train.memory.facts import Facts
from designgym.train.memory.holding import Held, Parameters
from designgym.train.memory.machines import Machines
from designgym.train.memory.sequences import Sequences
from designgym.train.stages import Stage

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
        validating: Estimates for playing held-out tasks, in between.
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
    validating: tuple[Estimate, ...]
    vllm: float
    asleep: bool
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def peak(self) -> float:
        """Most bytes at once."""
        learning, sampling, validating = (
            sum(each.bytes for each in part) for part in (self.learning, self.sampling, self.validating)
        )
        beside = 0.0 if self.asleep else self.vllm
        return self.held.total + max(learning + beside, validating + beside, sampling + self.vllm)


@dataclass(frozen=True, eq=False)
class Plan:
    """A run on some machines.

    Attributes:
        config: The run.
        facts: Its model.
        machines: The machines.
        parameters: What is trained and kept.
        stages: The stages in order.
        wrong: Why the run cannot work, beside what its stages tell.
    """

    config: TrainConfig
    facts: Facts
    machines: Machines
    parameters: Parameters
    stages: tuple[StagePlan, ...]
    wrong: tuple[str, ...] = ()

    @property
    def problems(self) -> list[str]:
        """Why the run cannot work, each a sentence with the way out."""
        return list(dict.fromkeys([*self.wrong, *(problem for stage in self.stages for problem in stage.problems)]))
