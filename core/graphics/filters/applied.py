"""A filter as a layer holds it: a name and values, as plain data. What the names mean is said in ``registry``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Value = float | str

MAX_FILTERS = 16
"""Most filters that one layer may have."""


@dataclass(frozen=True)
class AppliedFilter:
    """One filter of a layer. Make it by :meth:`of`, which puts the values in order, so that equal ones compare equal.

    Attributes:
        name: One of ``designgym.graphics.filters.registry.FILTERS``.
        parameters: Pairs of a parameter's name and its value, sorted by name; all that the filter has.
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, name: str, values: Mapping[str, Value] | None = None) -> AppliedFilter:
        """The filter of this name with these values; nothing is checked here, ``Document.validate`` does."""
        return cls(name, tuple(sorted((values or {}).items())))

    @property
    def values(self) -> dict[str, Value]:
        """The parameters' values by name."""
        return dict(self.parameters)

    def to_json(self) -> dict[str, Any]:
        """JSON data: ``{"name": ..., "parameters": {...}}``."""
        return {"name": self.name, "parameters": self.values}
