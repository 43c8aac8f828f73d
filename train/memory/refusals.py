"""What about a stage cannot work on the machines that it is planned for, found without weights and training data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from designgym.errors import UserError
from designgym.train.check_weights import check_weights
from designgym.train.checks import check_size
from designgym.train.config import TrainConfig
from designgym.train.memory.facts import Facts
from designgym.train.memory.machines import Machines
from designgym.train.methods import method
from designgym.train.model_files import KnownModel, NotAtHand, known
from designgym.train.stages import TRACES, DpoStage, SamplingStage, SftStage, Stage
from designgym.train.turns.guards import check_sharding


def refusals(
    config: TrainConfig, stage: Stage, env: Any, facts: Facts, machines: Machines
) -> tuple[list[str], list[str]]:
    """Problems, and what was not looked at, each a sentence."""
    problems, notes = [], []
    if absent := [path for path in _brought(stage) if not path.exists()]:
        notes.append(f"'{absent[0]}' is not there, so what the stage learns from was not looked at.")
    checks = [
        lambda: check_weights(config, gpu=True, sharded=machines.launched if machines.processes > 1 else "none"),
        lambda: _tasks(stage, env),
        lambda: check_size(config, facts.family, facts.image_processor, env),
        lambda: _sharding(stage, env, machines),
    ]
    if not absent:
        checks.insert(0, lambda: method(stage).check(config, stage, env))
    tokenizer = None if facts.processor is None else facts.processor.tokenizer
    with known(KnownModel(facts.family, facts.bounded, tokenizer)):
        for check in checks:
            try:
                check()
            except NotAtHand:
                notes.append(f"The files of '{config.model}' are not here; what needs them was not looked at.")
            except UserError as error:
                problems.append(str(error))
    return problems, notes


def _brought(stage: Stage) -> list[Path]:
    """The files and folders that a stage names."""
    if isinstance(stage, SftStage):
        named = stage.teacher.options.get("path", ()) if stage.teacher.name == TRACES else stage.data or ()
    else:
        named = stage.traces if isinstance(stage, DpoStage) else ()
    return [Path(path) for path in ((named,) if isinstance(named, str | Path) else named)]


def _tasks(stage: Stage, env: Any) -> None:
    """Refuse more tasks than there are."""
    size = len(env.unwrapped.task_ids())
    if stage.tasks is not None and stage.tasks.count > size:
        raise UserError(f"Stage '{stage.name}' asks for {stage.tasks.count} tasks; the split has {size}.")


def _sharding(stage: Stage, env: Any, machines: Machines) -> None:
    """Refuse to cut weights over GPUs whose processes play episodes of uneven turns."""
    if machines.processes == 1:
        return
    if isinstance(stage, SamplingStage) and env.unwrapped.max_calls > 1:
        check_sharding(machines.sharding == "fsdp2", 3 if machines.sharding == "zero3" else 0)
