"""What models write, read as data: a reply goes in, plain values come out, or what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

from designgym.envs.design.experts import EXPERTS, Expert, expert_named
from designgym.values import show

MOST_STEPS = 100
"""Of a workflow; plans have room for no more."""


class Unreadable(ValueError):
    """A reply that does not say what was asked for; the message is told to the model."""


def json_of(reply: str) -> Any:
    """The first JSON object or list in a reply that holds nothing else in braces before it.

    Raises:
        Unreadable: If there is none.
    """
    decoder = json.JSONDecoder()
    for start, sign in enumerate(reply):
        if sign in "{[":
            try:
                return decoder.raw_decode(reply, start)[0]
            except (ValueError, RecursionError):
                continue
    raise Unreadable(f"it holds no JSON: {show(reply[:80])}.")


def goals(reply: str) -> dict[Expert, str]:
    """Who is recruited, and for what, in order. Whoever is named twice has both goals.

    Raises:
        Unreadable: For another form, nobody, or somebody who does not exist.
    """
    found: dict[Expert, str] = {}
    for entry in _list(reply, "experts"):
        name = expert_named(entry.get("expert")) if isinstance(entry, dict) else None
        goal = entry.get("goal") if isinstance(entry, dict) else None
        if name is None or not isinstance(goal, str):
            raise Unreadable(f"{show(entry)} is no {{'expert', 'goal'}} with one of {', '.join(EXPERTS)}.")
        found[name] = f"{found[name]} {goal}" if name in found else goal
    return found


def texts(reply: str) -> list[str]:
    """An expert's steps.

    Raises:
        Unreadable: For another form or no steps.
    """
    steps = _list(reply, "steps")
    if not all(isinstance(step, str) and step.strip() for step in steps):
        raise Unreadable("every step must be a text that is not empty.")
    return steps


def workflow(reply: str) -> list[tuple[str, str]]:
    """Expert and step of an integrated workflow.

    Names of experts are kept as they stand: a wrong one is an error of the plan, and counted there.

    Raises:
        Unreadable: For another form or no steps.
    """
    found = []
    for entry in _list(reply, "workflow"):
        name, step = (entry.get(key) for key in ("expert", "step")) if isinstance(entry, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(step, str):
            raise Unreadable(f"{show(entry)} is no {{'expert', 'step'}}.")
        found.append((expert_named(name) or name, step))
    return found


def call(reply: str) -> tuple[str, Any]:
    """Action and parameters of a step, unchecked: the workbench says what is wrong with them.

    Raises:
        Unreadable: If there is no object with an action.
    """
    value = json_of(reply)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or not isinstance(value.get("action"), str):
        raise Unreadable('it must be {"action": name, "parameters": {...}}.')
    return value["action"], value.get("parameters", {})


def _list(reply: str, key: str) -> list[Any]:
    value = json_of(reply)
    if isinstance(value, dict):
        value = value.get(key)
    if not isinstance(value, list) or not value:
        raise Unreadable(f"it must be an object with the list {key!r}, which is not empty.")
    if len(value) > MOST_STEPS:
        raise Unreadable(f"{key!r} has {len(value)} entries; at most {MOST_STEPS} are allowed.")
    return value
