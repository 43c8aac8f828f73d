"""The agents by name. To add one: write its file, add its line here.

A name stands for a *factory*, ``factory(env, seed=0, **options) -> agent``: it gets an environment of the kind to be
played (to read its tools, settings and reward from), the seed of whatever the agent draws, and the options of the
configuration.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import gymnasium as gym

from designgym.agents.base import Agent
from designgym.errors import UserError
from designgym.nearest import did_you_mean

Factory = Callable[..., Agent]

AGENTS: dict[str, str] = {
    "random": "designgym.agents.random:build",
    "always-none": "designgym.agents.constant:always_none",
    "full-page": "designgym.agents.constant:full_page",
    "mean-box": "designgym.agents.constant:mean_box",
    "best-fixed-box": "designgym.agents.constant:best_fixed_box",
    "always-yes": "designgym.agents.aesthetics.constants:always_yes",
    "always-no": "designgym.agents.aesthetics.constants:always_no",
    "always-a": "designgym.agents.aesthetics.constants:always_a",
    "none-if-offered": "designgym.agents.aesthetics.constants:none_if_offered",
    "blank": "designgym.agents.canvas_constants:blank",
    "full-ink": "designgym.agents.canvas_constants:full_ink",
    "grow": "designgym.agents.grow:build",
    "join-ends": "designgym.agents.join_ends:build",
    "quickdraw": "designgym.agents.quickdraw:build",
    "heuristic": "designgym.agents.heuristic:build",
    "designer": "designgym.agents.designer:build",
    "placer": "designgym.agents.placer:build",
    "template": "designgym.agents.template_designer:build",
    "template-guess": "designgym.agents.template_guess:build",
    "graphictown": "designgym.agents.graphictown.agent:build",
    "demonstrator": "designgym.agents.demonstrator:build",
    "truth": "designgym.agents.truth:build",
    "qwen": "designgym.agents.qwen.agent:build",
    "chat": "designgym.agents.chat.agent:build",
}
"""Name -> factory, loaded when it is asked for."""

BOX_CONSTANTS = ("always-none", "full-page", "mean-box", "best-fixed-box")
VERDICT_CONSTANTS = ("always-yes", "always-no")
CHOICE_CONSTANTS = ("always-a", "none-if-offered")
DRAWING_CONSTANTS = ("blank", "full-ink")
CONSTANTS = (*BOX_CONSTANTS, *VERDICT_CONSTANTS, *CHOICE_CONSTANTS, *DRAWING_CONSTANTS)
"""The policies that see nothing, beside which every result is shown: those that answer with boxes, verdicts and
letters, and those that draw."""

PLAYERS = {
    "designgym/AestheticJudgment-v0": ("random", *VERDICT_CONSTANTS, "heuristic"),
    "designgym/RegionSelection-v0": ("random", *CHOICE_CONSTANTS, "heuristic"),
    "designgym/AestheticLocalization-v0": ("random", *BOX_CONSTANTS, "heuristic"),
    "designgym/CanvasDrawing-v0": ("random", *DRAWING_CONSTANTS),
    "designgym/DesignActions-v0": ("random", "blank", "template", "template-guess", "designer"),
}
"""Environment id -> who plays in an evaluation that names nobody; elsewhere it is ``random`` alone."""


def factory(name: str) -> Factory:
    """The factory behind a name, or behind an import path ``package.module:factory`` of one's own.

    Raises:
        UserError: If there is none.
    """
    if name in AGENTS:
        return _load(AGENTS[name])
    if ":" not in name:
        raise UserError(
            f"There is no agent {name!r}.{did_you_mean(name, AGENTS)} One of your own is named by its import path, "
            "package.module:factory."
        )
    try:
        found = _load(name)
    except (ImportError, AttributeError, ValueError) as error:
        way_out = "Write package.module:factory."
        if isinstance(error, ModuleNotFoundError) and error.name == name.partition(":")[0].partition(".")[0]:
            way_out = "For a module in the current folder, set PYTHONPATH=. before the command."
        raise UserError(f"The agent {name!r} cannot be loaded: {error}. {way_out}") from error
    if not callable(found):
        raise UserError(f"The agent {name!r} is a {type(found).__name__}, not a function that makes an agent.")
    return found


def build(name: str, env: gym.Env[Any, Any], seed: int = 0, **options: Any) -> Agent:
    """Make an agent for an environment.

    Args:
        name: A name of :data:`AGENTS`, or an import path.
        env: An environment of the kind to be played; it is looked at, not stepped.
        seed: Seed of what the agent draws.
        options: The factory's own arguments.

    Raises:
        UserError: If there is no such agent or option, what the factory returns is no agent, or the agent cannot play
            this environment.
    """
    check(name, options)
    agent = factory(name)(env, seed, **options)
    if not callable(agent) and not hasattr(agent, "act_batch"):
        raise UserError(
            f"The agent {name!r} is no factory: called with an environment and a seed it returned "
            f"a {type(agent).__name__}. It must return the agent, such as a function of observation and info."
        )
    return agent


def check(name: str, options: Mapping[str, Any]) -> None:
    """Find out, before anything is loaded, whether there is an agent of that name with these options.

    Raises:
        UserError: For an unknown name or option, one that is needed and missing, or one of another type than the
            factory announces.
    """
    try:
        parameters = list(inspect.signature(factory(name)).parameters.values())
    except ValueError:  # functions written in C may have none
        parameters = []
    if len(parameters) < 2 and not any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        raise UserError(f"The agent {name!r} is no factory: it must take an environment and a seed.")
    known = parameters[2:]
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known):
        return
    names = [p.name for p in known]
    for option in options:
        if option not in names:
            raise UserError(f"The agent {name!r} has no option {option!r}.{did_you_mean(option, names)}")
    for parameter in known:
        if parameter.default is inspect.Parameter.empty and parameter.name not in options:
            raise UserError(
                f"The agent {name!r} needs the option {parameter.name!r}; write it under 'options' in a configuration."
            )
    _check_types(name, options)


def _check_types(name: str, options: Mapping[str, Any]) -> None:
    """Compare what a configuration can hold with the factory's annotations; objects of a program are its own affair."""
    from pydantic import TypeAdapter, ValidationError
    from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

    try:
        announced = get_type_hints(factory(name))
    except (NameError, TypeError):  # annotations of one's own factory that exist for type checkers alone
        return
    for option, value in options.items():
        try:
            TypeAdapter(announced.get(option, Any)).validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            reason = error.errors()[0]["msg"].removeprefix("Input ")
            raise UserError(f"The option {option!r} of the agent {name!r} is {value!r}; it {reason}.") from error
        except (TypeError, ValueError, PydanticSchemaGenerationError, PydanticUserError):
            continue


def _load(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)
