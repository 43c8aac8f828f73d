"""Paths in a configuration, which are relative to the file that they stand in.

A file may be moved together with what it names. A path that stands anywhere else (after ``--set``, as a default, in a
configuration that ships with the package) is relative to the current folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from designgym.yaml12 import Key


@dataclass(frozen=True)
class _Relative:
    """Marks a type whose values are anchored after validation."""

    only_explicit: bool = False
    within: bool = False


ConfigPath = Annotated[Path, _Relative()]
"""A file or folder; a leading ``~`` is the home folder."""

PathOrName = Annotated[str, _Relative(only_explicit=True)]
"""A name (of a model on a hub, say), or a path if it begins with ``.``, ``/`` or ``~``."""

Arguments = Annotated[dict[str, Any], _Relative(within=True)]
"""Arguments of something that the configuration knows nothing of; texts in them, at any depth, that begin with ``./``,
``../`` or ``~/`` are paths."""

_EXPLICIT = ("./", "../", "~/")
M = TypeVar("M", bound=BaseModel)


def anchor(config: M, base: Callable[[Key], Path], above: Key = ()) -> M:
    """Return the configuration with every marked path made absolute.

    Args:
        config: A validated configuration.
        base: The folder that the path written at a key is relative to.
        above: Where ``config`` stands in the whole configuration.
    """
    changed: dict[str, Any] = {}
    for name, field in type(config).model_fields.items():
        value = getattr(config, name)
        annotation = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        anchored = _anchored(value, annotation, base, (*above, name))
        if anchored is not value:
            changed[name] = anchored
    return config.model_copy(update=changed) if changed else config


def _anchored(value: Any, annotation: Any, base: Callable[[Key], Path], at: Key) -> Any:
    if isinstance(value, BaseModel):
        return anchor(value, base, at)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        markers = [part for part in arguments[1:] if isinstance(part, _Relative)]
        if not markers:
            return _anchored(value, arguments[0], base, at)
        return _within(value, base, at) if markers[0].within else _absolute(value, markers[0], base(at))
    if origin in (Union, UnionType):
        for option in arguments:
            anchored = _anchored(value, option, base, at)
            if anchored is not value:
                return anchored
        return value
    if isinstance(value, (list, tuple)):
        item = arguments[0] if arguments else Any
        items = [_anchored(part, item, base, (*at, index)) for index, part in enumerate(value)]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else type(value)(items)
    if isinstance(value, dict) and arguments:
        parts = {key: _anchored(part, arguments[1], base, (*at, key)) for key, part in value.items()}
        return value if all(parts[key] is value[key] for key in value) else parts
    return value


def _within(value: Any, base: Callable[[Key], Path], at: Key) -> Any:
    if isinstance(value, str):
        return str(base(at) / Path(value).expanduser()) if value.startswith(_EXPLICIT) else value
    if isinstance(value, dict):
        return {key: _within(item, base, (*at, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_within(item, base, (*at, index)) for index, item in enumerate(value)]
    return value


def _absolute(value: Any, marker: _Relative, base: Path) -> Any:
    if not isinstance(value, (str, Path)):
        return value
    if marker.only_explicit:
        return str(base / Path(value).expanduser()) if str(value).startswith((".", "/", "~")) else value
    return base / value.expanduser() if isinstance(value, Path) else value
