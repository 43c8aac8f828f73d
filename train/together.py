"""Work that the processes of a run share: each does its part, all learn of all, none waits for one that failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The work was given up because a process was asked to stop."""


class OtherFailed(RuntimeError):
    """Another process cannot go on."""


def together(do: Callable[[], T]) -> list[T]:
    """Do something in every process and return what each of them got, by its number.

    Args:
        do: This process's part. What it returns must be picklable.

    Raises:
        Stopped: In all processes, if it was raised in one.
        Exception: What was raised here; in the other processes `OtherFailed`.
    """
    from accelerate import PartialState
    from accelerate.utils import gather_object

    got: list[T] = []
    problem: Exception | None = None
    try:
        got = [do()]
    except Exception as error:  # the other processes would wait for this one for ever
        problem = error
    said = "" if problem is None else f"{type(problem).__name__}: {problem}"
    told = gather_object([(got, said, isinstance(problem, Stopped))])
    failed = [(text, stopped) for _, text, stopped in told if text]
    if not failed:
        return [value for (value,), _, _ in told]
    PartialState().wait_for_everyone()  # Gloo may still hold what was told when this process ends
    real = [text for text, stopped in failed if not stopped]
    if not real:
        raise Stopped
    if problem is not None and not isinstance(problem, Stopped):
        raise problem
    raise OtherFailed(f"Another process cannot go on: {real[0]}")
