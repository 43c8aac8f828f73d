"""The columns of a Crello file and what its numbers stand for, read from the file's own description.

Files written by the package ``datasets`` carry the names of their categories as JSON in the schema. Element types and
fonts differ in order between releases, so nothing is ever looked up by a number that is known beforehand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from designgym.broken import BrokenRecord
from designgym.errors import UserError, require

NO_LABEL = -1
"""How ``datasets`` stores a category that is not known."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        type: Its Arrow type.
        labels: Names of the categories that its numbers stand for; None if they are no categories.
        description: How ``datasets`` describes it; None for a file without description.
    """

    type: Any
    labels: tuple[str, ...] | None = None
    description: Any = None


Columns = dict[str, Column]


def read_columns(schema: Any, name: str) -> Columns:
    """The columns of an Arrow schema.

    Raises:
        UserError: If the description is damaged.
    """
    try:
        described = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features = described.get("info", {}).get("features", {})
        return {
            field.name: Column(field.type, _labels(features.get(field.name)), features.get(field.name))
            for field in schema
        }
    except (ValueError, AttributeError, TypeError) as error:
        raise UserError(f"The description of the columns in '{name}' is damaged: {error}.") from error


def schema_of(columns: Mapping[str, Column]) -> Any:
    """The Arrow schema of columns, with the description from which ``datasets`` reads them."""
    arrow = require("pyarrow", extra="train")
    features = {name: column.description for name, column in columns.items() if column.description is not None}
    description = json.dumps({"info": {"features": features}}).encode()
    fields = [arrow.field(name, column.type) for name, column in columns.items()]
    return arrow.schema(fields, metadata={"huggingface": description})


def with_labels(column: Column, names: Iterable[str]) -> Column:
    """The column with further categories added at the end."""
    assert column.labels is not None
    labels = tuple(dict.fromkeys((*column.labels, *names)))
    return Column(column.type, labels, _relabelled(column.description, labels))


def decode_row(row: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """A row with the names of categories in place of their numbers; an unknown category is an empty name.

    Raises:
        BrokenRecord: For a number that stands for nothing.
    """
    return {
        name: value if columns[name].labels is None else _decode(value, columns[name].labels or (), name)
        for name, value in row.items()
    }


def encode_row(record: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """The row that :func:`decode_row` makes the record from.

    Raises:
        UserError: For a column that the file lacks.
    """
    if unknown := sorted(set(record) - set(columns)):
        raise UserError(f"The record has a field {unknown[0]!r}, which the columns lack; pass the columns of its file.")
    return {
        name: record.get(name)
        if column.labels is None
        else _encode(record.get(name), {label: index for index, label in enumerate(column.labels)})
        for name, column in columns.items()
    }


def names_in(value: Any) -> set[str]:
    """All names in the value of a column of categories."""
    if isinstance(value, list):
        return {name for part in value for name in names_in(part)}
    return {value} if isinstance(value, str) else set()


def _decode(value: Any, labels: tuple[str, ...], name: str) -> Any:
    if isinstance(value, list):
        return [_decode(part, labels, name) for part in value]
    if value is None:
        return None
    if value == NO_LABEL:
        return ""
    if not isinstance(value, int) or not 0 <= value < len(labels):
        raise BrokenRecord(f"{name} is {value!r}; the file names {len(labels)} categories, counted from 0.")
    return labels[value]


def _encode(value: Any, numbers: Mapping[str, int]) -> Any:
    if isinstance(value, list):
        return [_encode(part, numbers) for part in value]
    if value == "":
        return numbers.get("", NO_LABEL)
    return None if value is None else numbers[value]


def _labels(feature: Any) -> tuple[str, ...] | None:
    inner = _innermost(feature)
    return tuple(inner["names"]) if inner.get("_type") == "ClassLabel" else None


def _innermost(feature: Any) -> dict[str, Any]:
    """What a list of lists holds; older releases of ``datasets`` write plain lists for them."""
    while True:
        if isinstance(feature, list) and len(feature) == 1:
            feature = feature[0]
        elif isinstance(feature, Mapping) and isinstance(feature.get("feature"), Mapping | list):
            feature = feature["feature"]
        else:
            return dict(feature) if isinstance(feature, Mapping) else {}


def _relabelled(feature: Any, labels: tuple[str, ...]) -> Any:
    if isinstance(feature, list):
        return [_relabelled(feature[0], labels)]
    if "feature" in feature:
        return {**feature, "feature": _relabelled(feature["feature"], labels)}
    return {**feature, "names": list(labels)}
