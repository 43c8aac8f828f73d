"""The ``--set key.subkey=value`` overrides of a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from designgym.config_errors import dotted
from designgym.config_file import ConfigError
from designgym.yaml12 import Key, parse_scalar, parse_yaml


def override(data: dict[str, Any], overrides: Sequence[str]) -> dict[Key, str]:
    """Write overrides into the data of a configuration.

    A value that begins with ``[``, ``{`` or a quote is read as YAML; anything else is one plain value, spaces and ``#``
    included. A section that is not there yet is made; list items are reached by index (``stages.0.steps=5``).

    Args:
        data: The data; changed in place.
        overrides: Texts of the form ``key=value``.

    Returns:
        Each text by the path that it set.

    Raises:
        ConfigError: If a text has no such form, does not fit the data, or sets what another one sets.
    """
    done: dict[Key, str] = {}
    for text in overrides:
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ConfigError(f"--set {text}: this is no UTF-8 text.")
        name, equals, raw = text.partition("=")
        parts = name.strip().split(".")
        if not equals or not all(parts):
            raise ConfigError(f"--set {text}: write it as key=value, for example --set training.learning_rate=1e-3.")
        section: Any = data
        path: Key = ()
        for part in parts[:-1]:
            path = (*path, _key(section, part, path, text))
            section = _enter(section, path[-1])
        path = (*path, _key(section, parts[-1], path, text))
        for other, earlier in done.items():
            if path[: len(other)] == other or other[: len(path)] == path:
                raise ConfigError(f"--set {text}: '--set {earlier}' sets the same. Keep one of them.")
        section[path[-1]] = _value(raw.strip(), text)
        done[path] = text
    return done


def _enter(section: Any, key: str | int) -> Any:
    if isinstance(section, dict) and section.get(key) is None:
        section[key] = {}
    return section[key]


def _key(section: Any, part: str, path: Key, text: str) -> str | int:
    """Return ``part`` as a key of the section, or as an index of the list, that stands at ``path``."""
    if isinstance(section, dict):
        return part
    if not isinstance(section, list):
        raise ConfigError(f"--set {text}: '{dotted(path)}' is {section!r} and has no keys.")
    if part.isascii() and part.isdecimal() and int(part) < len(section):
        return int(part)
    raise ConfigError(
        f"--set {text}: '{dotted(path)}' is a list of {len(section)}, and '{part}' is none of its indices."
    )


def _value(raw: str, text: str) -> Any:
    if raw[:1] in ("[", "{", '"', "'"):
        return parse_yaml(raw, name=f"--set {text}").data
    try:
        return parse_scalar(raw)
    except ValueError as error:
        raise ConfigError(f"--set {text}: {error}.") from error
