"""The progress of a run: few lines where there is no terminal, pace and time left, nothing lost at the end."""

from io import StringIO

import pytest
from rich.console import Console

from designgym.train.tracking import progress


class Clock:
    """Seconds that pass when told to."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_without_a_terminal_there_is_a_line_every_so_often_and_one_at_the_end(clock):
    console = Console(file=StringIO(), width=160)
    with progress.work(console, "Train sft", 100, done=20) as shown:
        for step in range(21, 101):
            clock.now += 1.0
            shown.step(step, {"loss": step / 100} if step % 10 == 0 else None)
    lines = console.file.getvalue().splitlines()
    assert lines[0] == "Train sft: 40/100  1.0/s  60 s left  loss 0.400"
    assert lines[-1] == "Train sft: 100/100  1.0/s  loss 1.000"
    assert len(lines) == 80 // progress.LINE_EVERY_S + 1


def test_on_a_terminal_there_is_a_bar_with_the_figures(clock):
    console = Console(file=StringIO(), width=160, force_terminal=True)
    with progress.work(console, "Train sft", 3) as shown:
        shown.step(2, {"reward": 0.25})
        shown.say("a word")
    printed = console.file.getvalue()
    assert "Train sft" in printed and "2/3" in printed and "reward 0.250" in printed and "a word" in printed
