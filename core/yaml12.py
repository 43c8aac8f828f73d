"""YAML as YAML 1.2 reads it, to plain data with the line of every key.

The core schema decides what a plain scalar is: ``1e-5`` is a number, ``true`` a boolean and ``null`` or ``~`` nothing,
while ``no``, ``on``, ``16:9``, ``1_000`` and dates are strings. Duplicate keys, unknown tags and endless or exploding
aliases are errors.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import yaml

from designgym.errors import UserError

MAX_NODES = 100_000
"""Nodes a document may hold after its aliases are written out."""

MAX_DIGITS = 300

Key = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_NULL = re.compile(r"(?:null|Null|NULL|~|)\Z")
_BOOL = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
_INT = re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")
_FLOAT = re.compile(
    r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
)


class YamlError(UserError):
    """A document that cannot be read; the message begins with the file's name and the line."""


@dataclass(frozen=True)
class Document:
    """What a file says.

    Attributes:
        data: Dicts with string keys, lists, strings, ints, finite floats, booleans and None.
        lines: The line, from 1, of every key and list item, by its path.
    """

    data: Any
    lines: dict[Key, int] = field(default_factory=dict)


class _CoreLoader(yaml.BaseLoader):  # type: ignore[misc,unused-ignore]
    """PyYAML's parser with the resolver of YAML 1.2's core schema (PyYAML's own is YAML 1.1's)."""


class _CoreDumper(yaml.SafeDumper):  # type: ignore[misc,unused-ignore]
    """PyYAML's emitter, which quotes a text that the core schema would take for something else."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _class in (_CoreLoader, _CoreDumper):
    # Each with the characters that such a scalar may begin with.
    _class.add_implicit_resolver(f"{_TAG}null", _NULL, ["n", "N", "~", ""])
    _class.add_implicit_resolver(f"{_TAG}bool", _BOOL, list("tTfF"))
    _class.add_implicit_resolver(f"{_TAG}int", _INT, list("-+0123456789"))
    _class.add_implicit_resolver(f"{_TAG}float", _FLOAT, list("-+.0123456789"))


def parse_yaml(text: str, *, name: str) -> Document:
    """Read one document.

    Args:
        text: The document.
        name: The file's name, for messages.

    Raises:
        YamlError: If the text is not one valid document.
    """
    try:
        loader = _CoreLoader(text)
        node = loader.get_single_node()
        return _Builder(name).document(node) if node is not None else Document(None)
    except yaml.MarkedYAMLError as error:
        place = f"{name}:{error.problem_mark.line + 1}" if error.problem_mark else name
        context = f"{error.context}, " if error.context else ""
        raise YamlError(f"{place}: this is not valid YAML: {context}{error.problem}.") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            f"{name}:{line}: the character U+{ord(text[error.position]):04X} is not allowed in YAML."
        ) from error
    except RecursionError as error:
        raise YamlError(f"{name}: the document is nested too deeply.") from error


def parse_scalar(text: str) -> str | int | float | bool | None:
    """Read a single value as a plain scalar of a document would be read; text stays as it is.

    Raises:
        ValueError: If it is a number that is not finite or too long.
    """
    for tag, pattern in (("null", _NULL), ("bool", _BOOL), ("int", _INT), ("float", _FLOAT)):
        if pattern.match(text):
            return _scalar(_TAG + tag, text)
    return text


def dump_yaml(data: Any) -> str:
    """Return plain data as a document that :func:`parse_yaml` reads back to equal data, keys in their order.

    Raises:
        yaml.YAMLError: For anything but dicts, lists, strings, numbers, booleans and None.
    """
    # Escaped to ASCII: PyYAML writes some of Unicode's line separators raw and reads them as line feeds.
    text: str = yaml.dump(data, Dumper=_CoreDumper, sort_keys=False, allow_unicode=False, width=100)
    return text


def _scalar(tag: str, text: str) -> str | int | float | bool | None:
    """Return the value of a scalar; ``ValueError`` where the text does not fit the tag."""
    kind = tag.removeprefix(_TAG)
    if kind == "str":
        return text
    if kind == "null" and _NULL.match(text):
        return None
    if kind == "bool" and _BOOL.match(text):
        return text.lower() == "true"
    if kind == "int" and _INT.match(text):
        if len(text) > MAX_DIGITS:
            raise ValueError(f"a whole number of {len(text)} characters is too long")
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if kind == "float" and _FLOAT.match(text):
        number = math.inf if text[-1].isalpha() else float(text)
        if not math.isfinite(number):
            raise ValueError(f"{text} is not a finite number")
        return number
    if kind in ("null", "bool", "int", "float"):
        raise ValueError(f"'{text}' does not fit the tag '!!{kind}'")
    raise ValueError(f"the tag '{tag}' is not supported")


class _Builder:
    """Nodes to data. Written here, since PyYAML's constructor keeps the last of duplicate keys in silence."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines: dict[Key, int] = {}
        self._open: set[int] = set()
        self._count = 0

    def document(self, node: Any) -> Document:
        data = self._value(node, ())
        return Document(data, self._lines)

    def _value(self, node: Any, path: Key) -> Any:
        self._count += 1
        if self._count > MAX_NODES:
            raise self._error(node, f"the document holds more than {MAX_NODES} values")
        if id(node) in self._open:
            raise self._error(node, "an alias contains itself")
        self._lines.setdefault(path, node.start_mark.line + 1)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, path)
            if isinstance(node, yaml.SequenceNode):
                self._plain_tag(node, "seq")
                return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]
            try:
                return _scalar(node.tag, node.value)
            except ValueError as error:
                raise self._error(node, str(error)) from error
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: Any, path: Key) -> dict[str, Any]:
        self._plain_tag(node, "map")
        result: dict[str, Any] = {}
        first_line: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "a key must be a name, not a list or a mapping")
            key, line = key_node.value, key_node.start_mark.line + 1
            if key in result:
                raise self._error(key_node, f"the key '{key}' stands twice, first in line {first_line[key]}")
            first_line[key] = line
            self._lines[*path, key] = line
            result[key] = self._value(value_node, (*path, key))
        return result

    def _plain_tag(self, node: Any, kind: str) -> None:
        if node.tag != _TAG + kind:
            raise self._error(node, f"the tag '{node.tag}' is not supported")

    def _error(self, node: Any, problem: str) -> YamlError:
        return YamlError(f"{self._name}:{node.start_mark.line + 1}: {problem}.")
