"""The arithmetic of a step: how many answers of how many tasks, and how many tokens are learnt from."""

from __future__ import annotations

from dataclasses import dataclass

from designgym.train.memory.sequences import Sequences
from designgym.train.stages import DpoStage, SamplingStage, Stage


@dataclass(frozen=True)
class Batches:
    """One optimiser step over all processes.

    Attributes:
        examples: Examples (pairs in dpo; answers or episodes in grpo and rloo).
        tasks: Different tasks among them; None where examples are not sampled in groups.
        rows: Sequences, at most.
        tokens: Tokens of these, at most.
        told: The arithmetic in words.
    """

    examples: int
    tasks: int | None
    rows: int
    tokens: int
    told: str


def batches(stage: Stage, sequences: Sequences, processes: int) -> Batches:
    """What a step of a stage holds."""
    examples = stage.batch_size * stage.accumulation * processes
    noun = "pairs" if isinstance(stage, DpoStage) else "answers" if sequences.turns == 1 else "episodes"
    noun = noun if isinstance(stage, SamplingStage | DpoStage) else "examples"
    told = f"{stage.batch_size} x {stage.accumulation} x {processes} processes = {examples:,} {noun}"
    tasks = None
    if isinstance(stage, SamplingStage):
        tasks = examples // stage.num_generations
        told += f" / {stage.num_generations} of a group = {tasks:,} tasks"
    rows = sequences.rows * stage.accumulation * processes
    return Batches(examples, tasks, rows, rows * sequences.length, told)
