"""A thread that notices when a run stands still and writes down where: the stacks of all threads of the process.

It stands still when no process of the run has passed a batch through the model or ended a step for so many seconds.
Processes that wait for one another do not count: each tells the others by a file that it gets on, so a long piece of
work of one of them is no alarm in those that wait for it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

STACKS = "stacks"
"""Within a run's folder."""
HANG_EXIT = 75
"""Exit code of a process that ended itself because the run stood still: the one of failures that may pass."""
LONGEST_PAUSE_S = 10.0
"""Between two looks at whether the run gets on."""
SAY_S = 5.0
"""Longest wait for a message to be printed: what hangs may be the output."""
STDERR = 2


class Watchdog:
    """Watches within a ``with`` block.

    A library that holds Python's own lock stops this thread, too. Then Python's `faulthandler` writes the stacks to the
    standard error output.

    Attributes:
        step: Optimiser steps that are done, for the message.

    Args:
        seconds: The longest time without a sign of life; None watches nothing.
        folder: The run's folder.
        stage: The stage's name.
        say: Told once.
        rank: Number of this process.
        ranks: How many there are.
        stop: End the process then, with `HANG_EXIT`.
    """

    def __init__(
        self,
        seconds: float | None,
        folder: Path,
        stage: str,
        say: Callable[[str], None],
        *,
        rank: int = 0,
        ranks: int = 1,
        stop: bool = False,
    ) -> None:
        self.seconds, self.folder, self.stage, self.say = seconds, folder / STACKS, stage, say
        self.rank, self.ranks, self.stop = rank, ranks, stop
        self.step = 0
        self._signs = 0
        self._told = -1
        self._said = False
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._pause = LONGEST_PAUSE_S if seconds is None else min(LONGEST_PAUSE_S, seconds / 10)

    def sign(self, *unused: Any) -> None:
        """A sign of life."""
        self._signs += 1

    def __enter__(self) -> Self:
        if self.seconds is not None:
            self._if_this_thread_cannot(self.seconds)
            self._thread = threading.Thread(target=self._watch, args=(self.seconds,), name="watchdog", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is None:
            return
        self._over.set()
        self._thread.join()
        faulthandler.cancel_dump_traceback_later()
        with contextlib.suppress(OSError):
            self._file(self.rank).unlink(missing_ok=True)
            self.folder.rmdir()  # unless it holds stacks

    def _watch(self, seconds: float) -> None:
        seen, still, hangs = self._seen(), 0.0, False
        looked = time.monotonic()
        while not self._over.wait(self._pause):
            self._if_this_thread_cannot(seconds)
            # A process that a scheduler suspends for hours has not hung for hours.
            still += min(time.monotonic() - looked, 2 * self._pause)
            looked = time.monotonic()
            if (now := self._seen()) != seen:
                seen, still, hangs = now, 0.0, False
            elif still >= seconds and not hangs:
                hangs = True
                self._tell(seconds)

    def _if_this_thread_cannot(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds + 2 * self._pause, exit=self.stop, file=STDERR)

    def _seen(self) -> tuple[Any, ...]:
        """The signs of life of all processes; tells the others of this one's."""
        if self.ranks == 1:
            return (self._signs,)
        others = []
        # Whole or not at all, and not again while it stands: a file that others find half written looks like a sign.
        if (signs := self._signs) != self._told:
            with contextlib.suppress(OSError):  # a full disk must not end a run by its watchdog
                self.folder.mkdir(parents=True, exist_ok=True)
                part = self._file(self.rank).with_suffix(".part")
                part.write_text(str(signs))
                part.replace(self._file(self.rank))
                self._told = signs
        for rank in range(self.ranks):
            with contextlib.suppress(OSError):
                others.append(self._file(rank).read_text() if rank != self.rank else "")
        return (self._signs, *others)

    def _file(self, rank: int) -> Path:
        return self.folder / f".alive-{rank}"

    def _tell(self, seconds: float) -> None:
        said = (
            f"For {seconds:g} s the run has not got on (stage '{self.stage}', after step {self.step}); where its "
            f"processes stand is written in '{self.folder}'."
        )
        if self.stop:
            said += f" It ends with exit code {HANG_EXIT}; the same command goes on from the last checkpoint."
        self._write(f"{said}\nProcess {self.rank} of {self.ranks}, {time.strftime('%Y-%m-%d %H:%M:%S')}.\n\n{stacks()}")
        if not self._said:
            self._said = True
            teller = threading.Thread(target=self.say, args=(said,), daemon=True)
            teller.start()
            teller.join(SAY_S)
        if self.stop:
            time.sleep(2 * self._pause)  # until the other processes have written theirs
            os._exit(HANG_EXIT)

    def _write(self, text: str) -> None:
        path = self.folder / f"rank-{self.rank}-{time.strftime('%Y%m%dT%H%M%S')}.txt"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError:
            with contextlib.suppress(OSError):
                os.write(STDERR, text.encode())


def stacks() -> str:
    """Where all threads of this process stand, the main one first, the latest call last."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    main = threading.main_thread().ident
    frames = sorted(sys._current_frames().items(), key=lambda each: each[0] != main)
    return "\n".join(
        f"Thread {names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}" for ident, frame in frames
    )
