"""Work that waits for others, in several threads: each with a resource of its own, until all is done or one fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Resource = TypeVar("Resource")

GRACE_S = 2.0
"""So long threads that are in the middle of something may take to end after a stop; then they are left behind."""


class Halted(Exception):
    """The work was stopped in the meantime: a thread that meets this ends without a trace."""


class Gate:
    """Lets one thread through at a time, to where something is kept; once closed, nobody."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._closed = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._closed:
            self._lock.release()
            raise Halted

    def __exit__(self, *raised: object) -> None:
        self._lock.release()

    def close(self) -> None:
        """Let nobody through any more; who is inside comes out first."""
        with self._lock:
            self._closed = True


def at_once(
    work: Callable[[Resource, Item], object],
    items: Sequence[Item],
    resources: Sequence[Resource],
    gate: Gate,
    *,
    alike: Callable[[Item], Hashable],
) -> None:
    """Do the work for every item, begun in order, as many at once as there are resources.

    Whatever ends it, Ctrl-C too, the gate is closed before this returns. Threads that wait for a server then are left
    behind: they end with the process at the latest, and can keep nothing.

    Args:
        work: Called in threads with a resource and an item; ends early at a closed gate.
        items: Begun in this order, except where the next is not allowed yet.
        resources: Each belongs to one thread.
        gate: Closed at the end.
        alike: Items of one key are not under way together.

    Raises:
        Exception: The first one of ``work``; nothing is begun after it.
    """
    state = _State(items, alike)

    def serve(resource: Resource) -> None:
        while (item := state.take()) is not None:
            try:
                work(resource, item[0])
            except Halted:
                return
            except BaseException as error:
                state.fail(error)
                return
            finally:
                state.done(item[0])

    threads = [threading.Thread(target=serve, args=(resource,), daemon=True) for resource in resources]
    try:
        for thread in threads:
            thread.start()
        state.wait()
    finally:
        state.stop()
        gate.close()
        until = time.monotonic() + GRACE_S
        for thread in threads:
            if thread.ident is not None:
                thread.join(max(0.0, until - time.monotonic()))


class _State(Generic[Item]):
    """Which items wait and are under way, shared by the threads."""

    def __init__(self, items: Sequence[Item], alike: Callable[[Item], Hashable]) -> None:
        self._waiting = list(items)
        self._alike = alike
        self._under_way: set[Hashable] = set()
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def take(self) -> tuple[Item] | None:
        """The next item that may begin; None if there is none any more."""
        with self._changed:
            while self._waiting:
                for place, item in enumerate(self._waiting):
                    if self._alike(item) not in self._under_way:
                        del self._waiting[place]
                        self._under_way.add(self._alike(item))
                        return (item,)
                self._changed.wait()
            return None

    def done(self, item: Item) -> None:
        with self._changed:
            self._under_way.discard(self._alike(item))
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        with self._changed:
            self._error = self._error or error
            self._waiting.clear()
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    def wait(self) -> None:
        """Until all is done, or the first error, which is raised."""
        with self._changed:
            while self._error is None and (self._waiting or self._under_way):
                self._changed.wait()
        if self._error is not None:
            raise self._error
