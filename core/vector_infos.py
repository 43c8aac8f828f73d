"""The infos of several environments as one dict of arrays, as Gymnasium's vector environments give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv

Info = Mapping[str, Any]

_NUMBERS = (float, bool, int)
_OBJECTS = (str, list)


def batch_infos(
    vector: VectorEnv[Any, Any, Any], infos: Sequence[Info | None], finals: Mapping[int, Info] | None = None
) -> dict[str, Any]:
    """Batch infos as ``vector`` itself would, one after the other, but quickly where all have the same keys.

    Args:
        vector: Whose infos they are.
        infos: One a copy; None where a copy has none.
        finals: Copy -> ``final_obs`` and ``final_info``, of copies that were reset within the step.

    Returns:
        Key -> array of shape N (floats and booleans of their type, all else as objects), and ``_key`` -> bool array of
        shape N: which copies have it.
    """
    if not finals:
        columns = _columns(infos)
        if columns is not None:
            return columns
    result: dict[str, Any] = {}
    for k, info in enumerate(infos):
        for part in ((finals or {}).get(k), info):
            if part is not None:
                result = vector._add_info(result, dict(part), k)
    return result


def _columns(infos: Sequence[Info | None]) -> dict[str, Any] | None:
    """The infos key by key; None if they differ in keys or hold what has to be batched otherwise."""
    first = infos[0]
    if first is None or any(info is None or info.keys() != first.keys() for info in infos):
        return None
    count, result = len(infos), {}
    for key, value in first.items():
        kind = type(value)
        if kind not in _NUMBERS and kind not in _OBJECTS:
            return None
        array = np.empty(count, kind if kind in _NUMBERS else object)
        for k, info in enumerate(infos):
            array[k] = info[key]  # type: ignore[index]  # none of them is None here
        result[key], result[f"_{key}"] = array, np.ones(count, np.bool_)
    return result
