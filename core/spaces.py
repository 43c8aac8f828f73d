"""The two spaces that Gymnasium lacks: any Unicode text, and a tool call.

Both subclass ``gym.Space`` directly, so that an ``AsyncVectorEnv`` with shared memory refuses them clearly (it corrupts
``spaces.Text``); they batch to tuples. Use ``designgym.make_vec``, which chooses what works. Neither can be flattened
into an array: wrappers that need arrays take the image alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import gymnasium as gym
import numpy as np
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import create_empty_array
from gymnasium.wrappers.utils import create_zero_array

from designgym.tools import Accepted, ToolTable
from designgym.values import unicode_sample


class Unicode(gym.Space[str]):
    """Strings of at most ``max_length`` characters, out of all of Unicode.

    Args:
        max_length: Most characters, counted as Python does (code points).
        seed: Seed of the space's own generator.
    """

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None):
        if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 0:
            raise ValueError(f"max_length is {max_length!r}; it must be a whole number, 0 or more.")
        self.max_length = max_length
        super().__init__(seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed shape."""
        return False

    def sample(self, mask: None = None, probability: None = None) -> str:
        """A string of uniform length; no surrogates, so every encoding can write it. There is nothing to mask."""
        if mask is not None or probability is not None:
            raise ValueError("Unicode.sample takes neither mask nor probability: there is no set of values to weigh.")
        return unicode_sample(self.np_random, int(self.np_random.integers(self.max_length, endpoint=True)))

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a string that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length

    def __repr__(self) -> str:
        return f"Unicode({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and self.max_length == other.max_length


class ToolCall(gym.Space[dict[str, Any]]):
    """Valid calls of the tools of a table: ``{"name": str, "arguments": {...}}``.

    A value belongs to the space exactly if a step with it is not refused as ``format``, ``invalid_action``,
    ``invalid_parameters`` or ``limit``; numbers in strings and arguments as a JSON string belong to it, too.

    Args:
        table: The tools.
        seed: Seed of the space's own generator.
    """

    def __init__(self, table: ToolTable, seed: int | np.random.Generator | None = None):
        self.table = table
        super().__init__(seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: calls have no fixed shape."""
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> dict[str, Any]:
        """A random valid call in canonical form (every parameter present).

        Args:
            mask: int8 array of one 0 or 1 a tool, in the table's order: which tools may be drawn.
            probability: float64 array of one probability a tool; they sum to 1. Not together with ``mask``.
        """
        weights = self._weights(mask, probability)
        tool = self.table.tools[int(self.np_random.choice(len(self.table), p=weights))]
        call = self.table.read({"name": tool.name, "arguments": tool.sample(self.np_random)})
        assert isinstance(call, Accepted), call  # a type that samples what it does not accept
        return {"name": call.name, "arguments": call.arguments}

    def contains(self, x: Any) -> bool:
        """Whether a step with ``x`` would be carried out as a call."""
        return isinstance(self.table.read(x), Accepted)

    def to_jsonable(self, sample_n: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Calls in canonical form, which is JSON data."""
        calls = [self.table.read(sample) for sample in sample_n]
        for call in calls:
            if not isinstance(call, Accepted):
                raise ValueError(f"Not in the space: {call.message}")
        return [{"name": call.name, "arguments": call.arguments} for call in calls if isinstance(call, Accepted)]

    def from_jsonable(self, sample_n: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Calls out of their JSON data."""
        return self.to_jsonable(sample_n)

    def __repr__(self) -> str:
        return f"ToolCall({', '.join(self.table.names)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolCall) and self.table == other.table

    def _weights(self, mask: Any | None, probability: Any | None) -> np.ndarray[Any, np.dtype[np.float64]]:
        count = len(self.table)
        if mask is not None and probability is not None:
            raise ValueError("ToolCall.sample takes mask or probability, not both.")
        weights = np.ones(count) if mask is None and probability is None else None
        if weights is None:
            given, name = (mask, "mask") if mask is not None else (probability, "probability")
            weights = np.asarray(given, dtype=np.float64)
            if weights.shape != (count,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
                raise ValueError(f"{name} must hold {count} numbers, one a tool, not all 0; got {given!r}.")
            if mask is not None and not np.isin(weights, (0, 1)).all():
                raise ValueError(f"A mask holds only 0 and 1; got {given!r}.")
            if probability is not None and abs(weights.sum() - 1) > 1e-8:
                raise ValueError(f"Probabilities must sum to 1; these sum to {weights.sum()}.")
        return weights / weights.sum()


@create_empty_array.register(Unicode)
def _empty_texts(space: Unicode, n: int = 1, fn: Callable[..., Any] = np.zeros) -> tuple[str, ...]:
    return ("",) * n


@create_empty_array.register(ToolCall)
def _empty_calls(space: ToolCall, n: int = 1, fn: Callable[..., Any] = np.zeros) -> tuple[dict[str, Any], ...]:
    first = space.table.tools[0]
    return tuple({"name": first.name, "arguments": first.example()} for _ in range(n))


@create_zero_array.register(Unicode)
def _zero_text(space: Unicode) -> str:  # type: ignore[misc]  # the fallback is generic, which mypy cannot follow
    return _empty_texts(space)[0]


@create_zero_array.register(ToolCall)
def _zero_call(space: ToolCall) -> dict[str, Any]:  # type: ignore[misc]
    return _empty_calls(space)[0]


def _refuse_to_flatten(space: gym.Space[Any], *values: Any) -> NoReturn:
    raise gym.error.CustomSpaceError(
        f"{space} cannot be flattened into an array. Take the image alone: "
        'gymnasium.wrappers.FilterObservation(env, ["image"]).'
    )


for _flattening in (flatdim, flatten, flatten_space, unflatten):
    for _space in (Unicode, ToolCall):
        _flattening.register(_space, _refuse_to_flatten)
