"""A scripted drawing trial of several turns, for the tests of evaluations and replays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from designgym.agents.base import Reply
from designgym.cli.main import main
from designgym.eval.runner import run

CANVAS = "designgym/CanvasDrawing-v0"
TEST: dict[str, Any] = {"split": "test"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def dots(*places: tuple[int, int], erase: bool = False) -> dict[str, Any]:
    return call("draw_dots", dots=[{"x": x, "y": y} for x, y in places], erase=erase)


LINE = call("draw_lines", lines=[{"x1": 20, "y1": 380, "x2": 380, "y2": 380}], erase=False)
UNDO, FINISH = call("undo_last_action"), call("drawing_finished", label="<b>Moth</b>")


class Turns:
    """Plays the same turns in every trial; each is a list of calls, which ``text`` goes with, or a text without any."""

    def __init__(self, *turns: list[Any] | str, text: str = "") -> None:
        self.turns = turns
        self.text = text
        self.made: dict[str, int] = {}

    def __call__(self, observation: Any, info: Any) -> Reply:
        number = self.made.get(info["task"], 0)
        self.made[info["task"]] = number + 1
        turn = self.turns[number]
        return Reply(turn) if isinstance(turn, str) else Reply(self.text, tuple(turn))


TRIAL: tuple[list[Any] | str, ...] = (
    "I look first.",
    [LINE, dots((30, 30), (60, 30), (90, 30))],
    [UNDO],
    [dots((200, 20)), call("draw_blob")],
    [call("draw_dots", dots=[{"x": 10}], erase=False), dots((30, 30), erase=True)],
    "Done, I think.",
    [FINISH],
)


def played(folder: Path) -> Path:
    """The trace of that trial on is01 and on ot01."""
    run(Turns(*TRIAL), CANVAS, TEST, ["is01", "ot01"], out=folder, name="turns")
    return folder / "traces.jsonl"


def command(*arguments: str) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0)
