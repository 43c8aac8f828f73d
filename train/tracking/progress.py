"""What a person sees of a run under way: a bar on a terminal, a line now and then where there is none."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

LINE_EVERY_S = 20.0
"""Seconds between two lines where the output is no terminal."""


class Work:
    """One piece of work with a known number of steps; told of each step, it shows pace, time left and figures."""

    def __init__(self, console: Console, title: str, total: int, done: int = 0) -> None:
        self.title, self.total, self.done = title, total, done
        self._console = console
        self._start = self._last = time.monotonic()
        self._first = done
        self._figures: dict[str, float] = {}
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[pace]}"),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[figures]}"),
                console=console,
            )
            self._task = self._bar.add_task(title, total=total, completed=done, pace="", figures="")

    def step(self, done: int, figures: Mapping[str, float] | None = None) -> None:
        """Say how much is done, and the latest figures (kept until there are newer ones)."""
        self.done = done
        self._figures.update(figures or {})
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=done, pace=self._pace(now), figures=self._words())
        elif now - self._last >= LINE_EVERY_S:
            self._last = now
            self._line(now)

    def end(self) -> None:
        """Where there is no bar: one last line."""
        if self._bar is None:
            self._line(time.monotonic())

    def say(self, text: str) -> None:
        """A line for the person, above the bar."""
        self._console.print(text)

    def _line(self, now: float) -> None:
        self._console.print(
            f"{self.title}: {self.done}/{self.total}  {self._pace(now)}  {self._left(now)}{self._words()}"
        )

    def _pace(self, now: float) -> str:
        steps = self.done - self._first
        return f"{steps / max(now - self._start, 1e-9):.1f}/s" if steps else ""

    def _left(self, now: float) -> str:
        steps = self.done - self._first
        if not steps or self.done >= self.total:
            return ""
        return f"{(now - self._start) / steps * (self.total - self.done):.0f} s left  "

    def _words(self) -> str:
        return " ".join(f"{name} {value:.3f}" for name, value in self._figures.items())


@contextmanager
def work(console: Console, title: str, total: int, done: int = 0) -> Iterator[Work]:
    """Show a piece of work while the block runs."""
    shown = Work(console, title, total, done)
    with shown._bar or nullcontext():
        yield shown
    shown.end()
