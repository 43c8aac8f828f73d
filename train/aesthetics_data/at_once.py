"""Doing the same for many things in several threads, until one fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(function: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """The results in order. After a failure nothing more is begun; what is under way ends, and the failure is raised.

    Args:
        function: Is called in several threads.
        items: What it is called with, begun in this order.
        threads: How many at once.
    """
    failed = Event()

    def guarded(item: Item) -> Result:
        if failed.is_set():
            raise CancelledError
        try:
            return function(item)
        except BaseException:
            failed.set()
            raise

    pool = ThreadPoolExecutor(threads)
    try:
        # Whatever was begun before the failure comes before it in order, so it is the failure that is met first.
        return list(pool.map(guarded, items))
    finally:
        failed.set()
        pool.shutdown(cancel_futures=True)
