"""From a name in a configuration to a reward. To add a reward: write its file, add its line here."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, cast

from designgym.errors import UserError
from designgym.nearest import did_you_mean, nearest
from designgym.rewards.compose import WeightedSum
from designgym.score import Reward

REWARDS: dict[str, str] = {
    "accuracy": "designgym.rewards.accuracy:Accuracy",
    "closure": "designgym.rewards.closure:Closure",
    "fidelity": "designgym.rewards.fidelity:Fidelity",
    "figural": "designgym.rewards.figural:Figural",
    "hurdle": "designgym.rewards.localization:Hurdle",
    "ink": "designgym.rewards.ink:Ink",
    "iou": "designgym.rewards.localization:LocalizationIoU",
    "shaped": "designgym.rewards.shaped:Shaped",
    "vqa": "designgym.rewards.vqa:Vqa",
}
"""Name -> where it is; imported when it is first asked for."""

MEASURES: dict[str, str] = {
    "content_similarity": "designgym.rewards.content_similarity:ContentSimilarity",
    "creativity": "designgym.rewards.creativity:Creativity",
    "design_pass": "designgym.rewards.design_pass:DesignPass",
    "template_match": "designgym.rewards.template_match:TemplateMatch",
}
"""The same for what GraphicBench reports and nobody should train towards, or what needs a model of the user's: these
are resolved like rewards and are offered nowhere."""

SCORERS: dict[str, str] = {
    "audra": "designgym.rewards.audra:Audra",
    "vidra": "designgym.rewards.vidra:Vidra",
    "vidra-adapted": "designgym.rewards.vidra:VidraAdapted",
}
"""The same for scorers of drawings that need a file which does not ship with this package, weights or a fitted head.
Each is refused at construction, in a sentence that says how to get it, until the file is there."""

GROUP_REWARDS: dict[str, str] = {
    "diversity": "designgym.rewards.diversity:Diversity",
}
"""The same for rewards that compare the episodes of a group. Environments refuse them; training adds them."""

Spec = str | Mapping[str, Any] | Sequence[Any] | Reward


class RewardError(UserError, ValueError):
    """A reward that does not exist, or with arguments that it does not have."""


def resolve(spec: Spec) -> Reward:
    """Make the reward that a specification names.

    Args:
        spec: A name (``"hurdle"``); a dict with ``name`` and the reward's arguments (``{"name": "hurdle"}``); a list of
            those for a weighted sum, each with its ``weight`` (default 1) in the dict or as a pair
            (``[{"name": "hurdle", "weight": 0.8}, ("iou", 0.2)]``); or a reward itself. A reward object works in
            ``gym.make``, but the environment's specification can then not be written as JSON.

    Raises:
        RewardError: For unknown names, arguments or forms; it names what is known.
    """
    if isinstance(spec, str):
        return _named(spec, {})
    if isinstance(spec, Mapping):
        arguments = dict(spec)
        name = arguments.pop("name", None)
        if "weight" in arguments:
            raise RewardError(f"A weight belongs to a list of rewards: [{dict(spec)!r}].")
        return _named(name, arguments)
    if isinstance(spec, list | tuple):
        parts = [_part(part) for part in spec]
        try:
            return WeightedSum(tuple(parts))
        except ValueError as error:
            raise RewardError(str(error)) from error
    if isinstance(spec, type):
        raise RewardError(f"A reward is an object and not a class: write {spec.__name__}() for {spec.__name__}.")
    if isinstance(spec, Reward):
        return spec
    raise RewardError(
        f"A reward is a name, a dict with 'name', a list of those or a reward object; got {spec!r}. "
        "A class of one's own derives from designgym.rewards.base.EpisodeReward."
    )


def _part(part: Any) -> tuple[float, Reward]:
    if isinstance(part, Mapping):
        arguments = dict(part)
        return arguments.pop("weight", 1.0), resolve(arguments)
    if isinstance(part, list | tuple):
        if len(part) != 2:
            raise RewardError(f"A part of a sum is a reward or a pair of reward and weight; got {part!r}.")
        return part[1], resolve(part[0])
    return 1.0, resolve(part)


def _named(name: Any, arguments: dict[str, Any]) -> Reward:
    known_names = REWARDS | MEASURES | SCORERS | GROUP_REWARDS
    if not isinstance(name, str) or name not in known_names:
        close = nearest(name, known_names) if isinstance(name, str) else None
        hint = f" Did you mean {close!r}?" if close else ""
        raise RewardError(f"There is no reward {name!r}.{hint} Known are: {', '.join(sorted(known_names))}.")
    module, _, attribute = known_names[name].partition(":")
    make = getattr(importlib.import_module(module), attribute)
    parameters = inspect.signature(make).parameters
    known = list(parameters)
    for argument in arguments:
        if argument not in known:
            raise RewardError(f"The reward {name!r} has no argument {argument!r}.{did_you_mean(str(argument), known)}")
    for argument, parameter in parameters.items():
        if parameter.default is parameter.empty and argument not in arguments:
            raise RewardError(f"The reward {name!r} needs the argument {argument!r}: write {{'name': {name!r}, ...}}.")
    try:
        return cast(Reward, make(**arguments))
    except ValueError as error:
        raise RewardError(f"The reward {name!r} cannot be made: {error}") from error
