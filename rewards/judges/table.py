"""From a name in a configuration to a judge. To add a judge: write its file, add its line here."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, cast

from designgym.nearest import did_you_mean
from designgym.rewards.judges.base import Judge

JUDGES: dict[str, str] = {
    "ocr": "designgym.rewards.judges.ocr:OcrJudge",
    "scene": "designgym.rewards.judges.scene:SceneJudge",
    "vlm": "designgym.rewards.judges.vlm:VlmJudge",
}
"""Name -> where it is; imported when it is first asked for."""

JudgeSpec = str | Mapping[str, Any] | Judge


def resolve_judge(spec: JudgeSpec) -> Judge:
    """Make the judge that a specification names.

    Args:
        spec: A name (``"scene"``); a dict with ``name`` and the judge's arguments; or a judge itself.

    Raises:
        ValueError: For unknown names, arguments or forms; it names what is known.
    """
    if isinstance(spec, str):
        return _named(spec, {})
    if isinstance(spec, Mapping):
        arguments = dict(spec)
        return _named(arguments.pop("name", None), arguments)
    if isinstance(spec, Judge) and not isinstance(spec, type):
        return spec
    raise ValueError(f"A judge is a name, a dict with 'name' or a judge object; got {spec!r}.")


def _named(name: Any, arguments: dict[str, Any]) -> Judge:
    if not isinstance(name, str) or name not in JUDGES:
        raise ValueError(f"There is no judge {name!r}.{did_you_mean(str(name), JUDGES)}")
    module, _, attribute = JUDGES[name].partition(":")
    make = getattr(importlib.import_module(module), attribute)
    parameters = inspect.signature(make).parameters
    known = list(parameters)
    for argument in arguments:
        if argument not in known:
            raise ValueError(f"The judge {name!r} has no argument {argument!r}.{did_you_mean(str(argument), known)}")
    for argument, parameter in parameters.items():
        if parameter.default is parameter.empty and argument not in arguments:
            raise ValueError(f"The judge {name!r} needs the argument {argument!r}: write {{'name': {name!r}, ...}}.")
    return cast(Judge, make(**arguments))
