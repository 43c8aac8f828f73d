"""From a name in a configuration to features. To add a backbone: write its file, add its line here."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, cast

from designgym.nearest import did_you_mean
from designgym.rewards.features.base import Features, FeaturesError

FEATURES: dict[str, str] = {
    "dinov2": "designgym.rewards.features.dinov2:DinoV2",
    "effnet-lite0+hog": "designgym.rewards.features.effnet:EffnetHog",
    "hog": "designgym.rewards.features.hog:Hog",
}
"""Name -> where it is; imported when it is first asked for."""

FeaturesSpec = str | Mapping[str, Any] | Features


def resolve_features(spec: FeaturesSpec) -> Features:
    """Make the features that a specification names.

    Args:
        spec: A name (``"effnet-lite0+hog"``); a dict with ``name`` and its arguments (``{"name": "dinov2", "model":
            "models/dinov2-large"}``); or features themselves.

    Raises:
        FeaturesError: For unknown names, arguments or forms, and where weights are missing; it says how to get them.
    """
    if isinstance(spec, Mapping):
        arguments = dict(spec)
        return _named(arguments.pop("name", None), arguments)
    if isinstance(spec, str):
        return _named(spec, {})
    if isinstance(spec, Features) and not isinstance(spec, type):
        return spec
    raise FeaturesError(f"Features are a name, a dict with 'name' or an object that extracts them; got {spec!r}.")


def _named(name: Any, arguments: dict[str, Any]) -> Features:
    if not isinstance(name, str) or name not in FEATURES:
        raise FeaturesError(f"There are no features {name!r}.{did_you_mean(str(name), FEATURES)}")
    module, _, attribute = FEATURES[name].partition(":")
    make = getattr(importlib.import_module(module), attribute)
    known = list(inspect.signature(make).parameters)
    for argument in arguments:
        if argument not in known:
            raise FeaturesError(
                f"The features {name!r} have no argument {argument!r}.{did_you_mean(str(argument), known)}"
            )
    return cast(Features, make(**arguments))
