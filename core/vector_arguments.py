"""What users hand to a vector environment, as one value a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from designgym.env import MisuseError

Options = dict[str, Any] | None


def calls_of(actions: Any, count: int) -> Sequence[Any]:
    """The calls of ``count`` copies; raises ``MisuseError`` if they are no sequence of so many."""
    listed = isinstance(actions, (Sequence, np.ndarray)) and not isinstance(actions, (str, bytes))
    if not listed or len(actions) != count:
        got = f"{len(actions)} of them" if listed else f"a {type(actions).__name__}"
        raise MisuseError(f"The actions must be a sequence of {count} calls, one a copy; got {got}.")
    return actions


def seeds_of(seed: int | Sequence[int | None] | None, count: int) -> Sequence[int | None]:
    """The seeds of ``count`` copies, as Gymnasium gives them out: a number, the next one, and so on; or one a copy."""
    if seed is None:
        return [None] * count
    if isinstance(seed, int):
        return [seed + k for k in range(count)]
    if len(seed) != count:
        raise MisuseError(f"There are {len(seed)} seeds for {count} copies; give one, or one a copy.")
    return seed


def options_of(options: Options, count: int) -> tuple[npt.NDArray[np.bool_], list[Options]]:
    """Which of ``count`` copies are reset (``reset_mask``), and the options of each; a list of tasks is one a copy."""
    if not isinstance(options, dict):
        return np.ones(count, np.bool_), [options] * count  # what is no dict, the copies refuse
    rest = {name: value for name, value in options.items() if name != "reset_mask"}
    mask = _mask(options["reset_mask"], count) if "reset_mask" in options else np.ones(count, np.bool_)
    tasks = rest.get("task")
    if not isinstance(tasks, (list, tuple)):
        return mask, [rest] * count
    if len(tasks) != count:
        raise MisuseError(f"There are {len(tasks)} tasks for {count} copies; give one id, or one a copy.")
    return mask, [{**rest, "task": task} for task in tasks]


def _mask(mask: Any, count: int) -> npt.NDArray[np.bool_]:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,):
        got = f"{mask.dtype} of the shape {mask.shape}" if isinstance(mask, np.ndarray) else f"a {type(mask).__name__}"
        raise MisuseError(f"The option 'reset_mask' must be a numpy array, bool of the shape ({count},); got {got}.")
    if not mask.any():
        raise MisuseError("The option 'reset_mask' is False for all copies; there is nothing to reset.")
    return mask
