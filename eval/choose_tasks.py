"""Which tasks are played: a run of numbers of a split, and of these the ones about which certain facts hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym

from designgym.errors import UserError
from designgym.nearest import did_you_mean


def check_where(env: gym.Env[Any, Any], where: Mapping[str, Any]) -> None:
    """Refuse facts that the environment's tasks do not have.

    Raises:
        UserError: It names the nearest fact there is.
    """
    design: Any = env.unwrapped
    known = list(design.task_facts(design.task_ids()[0]))
    for name in where:
        if name not in known:
            about = f"; there are {', '.join(known)}" if known else ""
            raise UserError(f"Tasks of {design.env_id} have no fact {name!r}{about}.{did_you_mean(name, known)}")


def matching(env: gym.Env[Any, Any], tasks: Sequence[str], where: Mapping[str, Any]) -> list[str]:
    """Those of the tasks whose facts (`designgym.env.DesignEnv.task_facts`) are equal to ``where``, in order.

    Raises:
        UserError: If there is no such fact, or no such task.
    """
    if not where:
        return list(tasks)
    check_where(env, where)
    facts = env.unwrapped.task_facts  # type: ignore[attr-defined]
    found = [task for task in tasks if where.items() <= dict(facts(task)).items()]
    if not found:
        wanted = ", ".join(f"{name}: {value}" for name, value in where.items())
        raise UserError(f"None of the {len(tasks)} tasks from {tasks[0]!r} on has {wanted}.")
    return found
