"""What was changed in a design, out of JSON whose exact form is not published.

The release's labels and changes are lists of objects that name an element, an attribute and a value before; the names
of the keys vary. Whatever has an element is read, however deep it stands; what has none is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_ELEMENT = ("element_index", "element_indices", "element_id", "element", "index")
_ATTRIBUTE = ("attribute", "attributes", "property", "field", "key")
_BEFORE = ("original", "before", "old", "old_value", "original_value", "from")
_AFTER = ("perturbed", "after", "new", "new_value", "modified", "value", "to")
_OPERATION = ("operation", "perturbation", "perturbation_type", "change_type", "type", "name")


@dataclass(frozen=True)
class Change:
    """One change of one element; what is not told is empty or None."""

    element: str
    operation: str
    attribute: str
    before: Any
    after: Any


def changed_elements(data: Any) -> list[Change]:
    """All changes in JSON data, in order."""
    return list(_walk(data, None))


def indices(entry: Mapping[str, Any]) -> list[str]:
    """The elements that an entry names; booleans and other values are no indices."""
    named = next((entry[key] for key in _ELEMENT if key in entry), None)
    values = named if isinstance(named, list) else [named]
    return [
        str(value) for value in values if isinstance(value, int | str) and not isinstance(value, bool) and value != ""
    ]


def _walk(data: Any, above: str | None) -> Iterator[Change]:
    if isinstance(data, list):
        for part in data:
            yield from _walk(part, above)
    elif isinstance(data, Mapping):
        named = indices(data) or (
            [above] if above and any(key in data for key in (*_ATTRIBUTE, *_BEFORE, *_AFTER)) else []
        )
        if named:
            attribute = _first(data, _ATTRIBUTE)
            joined = "+".join(map(str, attribute)) if isinstance(attribute, list) else str(attribute or "")
            operation = str(_first(data, _OPERATION) or joined or "unknown")
            for element in named:
                yield Change(element, operation, joined, _first(data, _BEFORE), _first(data, _AFTER))
            return
        for key, part in data.items():
            if isinstance(part, Mapping | list):
                yield from _walk(part, key if str(key).isdigit() else above)


def _first(data: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((data[key] for key in keys if key in data), None)
