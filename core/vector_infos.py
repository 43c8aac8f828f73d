"""The infos of several environments as one dict of arrays, as Gymnasium's vector environments give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv

Info = Mapping[str, Any]

_NUMBERS = (float, bool, int)


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
    result, everyone = {}, np.ones(len(infos), np.bool_)
    for key, value in first.items():
        kind = type(value)
        column = [info[key] for info in infos]  # type: ignore[index]  # none of them is None here
        if kind in _NUMBERS:
            array = np.array(column, kind)
        elif kind is str:
            array = np.array(column, object)
        else:
            return None
        result[key], result[f"_{key}"] = array, everyone.copy()
    return result
