"""What about a stage cannot work on the machines that it is planned for, found without weights and training data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from designgym.errors import UserError
from designgym.train.checks import check_asked, check_played
from designgym.train.config import TrainConfig
from designgym.train.memory.facts import Facts
from designgym.train.memory.machines import Machines
from designgym.train.methods import method
from designgym.train.model.adapters import check_targets
from designgym.train.model.checks import check_weights
from designgym.train.model.files import KnownModel, NotAtHand, known
from designgym.train.stages import TRACES, DpoStage, SamplingStage, SftStage, Stage
from designgym.train.tracking.tracker import check_tracking
from designgym.train.turns.guards import check_sharding

Check = Callable[[], None]


def refusals(
    config: TrainConfig, stage: Stage, env: Any, facts: Facts, machines: Machines
) -> tuple[list[str], list[str]]:
    """Problems of a stage, and what was not looked at, each a sentence."""
    notes = []
    checks: list[Check] = [lambda: check_asked(config, stage, env), lambda: _sharding(stage, env, machines)]
    if absent := [path for path in _brought(stage) if not path.exists()]:
        notes.append(f"'{absent[0]}' is not there, so what the stage learns from was not looked at.")
    else:
        checks.insert(0, lambda: method(stage).check(config, stage, env))
    problems, unseen = _failed(checks, config, facts)
    return problems, [*notes, *unseen]


def refusals_of_the_run(config: TrainConfig, facts: Facts, machines: Machines) -> list[str]:
    """Problems that are no single stage's."""
    sharded = machines.launched if machines.processes > 1 else "none"
    checks: list[Check] = [
        lambda: check_weights(config, gpu=True, sharded=sharded),
        lambda: _targets(config, facts),
        lambda: check_played(config),
        lambda: check_tracking(config.tracking),
    ]
    return _failed(checks, config, facts)[0]


def _failed(checks: Sequence[Check], config: TrainConfig, facts: Facts) -> tuple[list[str], list[str]]:
    """What checks say that fail, and those that need files of the model that are not here."""
    problems, notes = [], []
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


def _targets(config: TrainConfig, facts: Facts) -> None:
    if config.peft is not None:
        check_targets(config.peft, [linear.name for linear in facts.shape.linears], config.model)


def _sharding(stage: Stage, env: Any, machines: Machines) -> None:
    """Refuse to cut weights over GPUs whose processes play episodes of uneven turns."""
    if machines.processes == 1:
        return
    if isinstance(stage, SamplingStage) and env.unwrapped.max_calls > 1:
        check_sharding(machines.sharding == "fsdp2", 3 if machines.sharding == "zero3" else 0)
