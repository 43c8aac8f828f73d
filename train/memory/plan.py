"""Planning a run: nothing is trained, and neither weights nor training data are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from designgym.eval.runner import make
from designgym.train.config import TrainConfig
from designgym.train.environments import stage_kwargs
from designgym.train.memory.activations import Estimate, learning_pass, sampling
from designgym.train.memory.batches import batches
from designgym.train.memory.counting import Counter
from designgym.train.memory.facts import Facts, read_facts
from designgym.train.memory.fitting import lengths, room, vllm_room
from designgym.train.memory.holding import held, parameters
from designgym.train.memory.machines import Machines
from designgym.train.memory.planned import GIB, Plan, StagePlan
from designgym.train.memory.refusals import refusals, refusals_of_the_run
from designgym.train.memory.sequences import sequences
from designgym.train.stages import SamplingStage, Stage


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
    wrong = refusals_of_the_run(config, facts, machines)
    return Plan(config, facts, machines, parameters(config, facts.shape), tuple(made), tuple(wrong))


def _stage(config: TrainConfig, stage: Stage, env: Any, facts: Facts, machines: Machines) -> StagePlan:
    counter, shape = Counter(facts), facts.shape
    found, problems, notes = sequences(config, stage, env, counter), *refusals(config, stage, env, facts, machines)
    counted = batches(stage, found, machines.processes)
    vllm = stage.vllm if isinstance(stage, SamplingStage) else None
    beside = vllm if vllm is not None and vllm.mode == "colocate" else None
    patches = counter.patches(found.rows * found.image_tokens)
    learning = learning_pass(config, stage, shape, machines, rows=found.rows, length=found.length, patches=patches)
    sampled: list[Estimate] = []
    if isinstance(stage, SamplingStage) and vllm is None:
        answers, budget = stage.batch_size * stage.accumulation, stage.max_completion_length
        sampled = sampling(config, shape, answers=answers, prompt=found.prompt, completion=budget)
    validated: list[Estimate] = []
    if config.validation is not None:
        asked = config.evaluation
        validated = sampling(
            config, shape, answers=asked.batch_size, prompt=found.prompt, completion=asked.max_new_tokens
        )
    planned = StagePlan(
        stage=stage,
        sequences=found,
        batches=counted,
        held=held(config, stage, shape, machines),
        learning=tuple(learning),
        sampling=tuple(sampled),
        validating=tuple(validated),
        vllm=0.0 if beside is None else beside.memory * machines.memory_gib * GIB,
        asleep=beside is not None and beside.sleep,
        problems=(),
        notes=(*found.notes, *notes),
    )
    more = [*lengths(stage, found, facts), *vllm_room(stage, found, facts, machines), *room(planned, machines)]
    return replace(planned, problems=(*problems, *more))
