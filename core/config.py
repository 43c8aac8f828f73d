"""Configurations: YAML or JSON files, checked whole against a pydantic model before anything is done.

A configuration is a class::

    class Training(Section):
        learning_rate: float = 1e-3
        "Peak of the schedule."

    class Run(Section):
        seed: int = 0
        training: Training = Training()

    run = load_config("run.yaml", Run, ["training.learning_rate=5e-4"])

An unknown key is an error that names the nearest known one. Values are taken as they look: a number is no text,
a text no boolean.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from designgym.config_errors import dotted, explain, holds
from designgym.config_file import ConfigError, bundled_folder, bundled_names, find_config, read_document
from designgym.config_overrides import override
from designgym.config_paths import Arguments, ConfigPath, PathOrName, anchor
from designgym.yaml12 import Document, Key

__all__ = [
    "Arguments",
    "ConfigError",
    "ConfigPath",
    "Loaded",
    "PathOrName",
    "Section",
    "Seed",
    "Setting",
    "bundled_names",
    "load_config",
    "read_config",
]

M = TypeVar("M", bound=BaseModel)

Seed = Annotated[int, Field(ge=0, lt=2**31)]
"""A seed that every library takes, even added to another one."""


class Section(BaseModel):
    """Base of every configuration and its sections: unknown keys are errors, values are finite and do not change."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True, protected_namespaces=()
    )


@dataclass(frozen=True)
class Setting:
    """One effective setting: its dotted key, its value, and where it was written (``default`` if nowhere)."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True)
class Loaded(Generic[M]):
    """A configuration and where its values come from.

    Attributes:
        config: The validated configuration.
        name: The file's name without suffix, a name for runs; ``settings`` if there is no file.
        source: The file; None if there is none.
        settings: Every effective setting, in the order of the model.
    """

    config: M
    name: str
    source: Path | None
    settings: tuple[Setting, ...]


def load_config(source: str | Path | None, model: type[M], overrides: Sequence[str] = ()) -> M:
    """Read and check a configuration.

    Args:
        source: Path of a YAML or JSON file, or the name of a configuration that ships with the package, such as
            ``"quickstart"``; None for the model's defaults alone.
        model: The pydantic model it must fit, best a :class:`Section`.
        overrides: ``"key.subkey=value"`` strings, as after ``--set``; they win over the file.

    Raises:
        UserError: If anything is wrong with it. The message has one line for each mistake, with file, line and key.
    """
    return read_config(source, model, overrides).config


def read_config(source: str | Path | None, model: type[M], overrides: Sequence[str] = ()) -> Loaded[M]:
    """Like :func:`load_config`, with the origin of every setting."""
    path = None if source is None else find_config(source)
    bundled = path is not None and bundled_folder() in path.resolve().parents
    shown = "settings" if path is None else f"{path.name} (bundled)" if bundled else str(source)
    document = Document(None) if path is None else read_document(path, shown)
    data = {} if document.data is None else copy.deepcopy(document.data)
    if not isinstance(data, dict):
        raise ConfigError(f"{shown}: a configuration is a mapping of keys to values, not a {type(data).__name__}.")
    origins = _Origins(shown, data, document.lines, override(data, overrides))

    try:
        # The JSON form, since pydantic's strict mode takes a list for a tuple and a text for a path only there.
        config = model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        raise ConfigError(explain(error, model, data, origins.of)) from error

    here = Path.cwd()
    beside = here if path is None or bundled else path.resolve().parent
    config = anchor(config, lambda key: beside if origins.in_file(key) else here)
    settings = tuple(Setting(dotted(key), value, origins.of_value(key)) for key, value in _leaves(config))
    return Loaded(config, path.stem if path else "settings", path, settings)


@dataclass(frozen=True)
class _Origins:
    """Where the keys of a configuration were written."""

    shown: str
    data: Any
    lines: Mapping[Key, int]
    overrides: Mapping[Key, str]

    def of(self, key: Key) -> str:
        """Return the place of a key, or of the section around it: ``--set key=value`` or ``file:line``."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.overrides:
                return f"--set {self.overrides[key[:length]]}"
            if key[:length] in self.lines:
                return f"{self.shown}:{self.lines[key[:length]]}"
        return self.shown

    def of_value(self, key: Key) -> str:
        return self.of(key) if self._written(key) else "default"

    def in_file(self, key: Key) -> bool:
        return self._written(key) and not any(key[:length] in self.overrides for length in range(1, len(key) + 1))

    def _written(self, key: Key) -> bool:
        current = self.data
        for part in key:
            if holds(current, part):
                current = current[part]
            else:
                # Below a value that is no section, a section was written in a short form, such as a name alone.
                return not isinstance(current, (dict, list))
        return True


def _leaves(value: Any, at: Key = ()) -> Iterator[tuple[Key, Any]]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _leaves(getattr(value, name), (*at, name))
    elif isinstance(value, (list, tuple)) and any(isinstance(item, BaseModel) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(item, (*at, index))
    else:
        yield at, value
