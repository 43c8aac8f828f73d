"""Memory of a training in a process of its own, step by step; `benchmarks/train.py` starts these processes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .cases import KINDS, trainer_of, write_pairs, write_traces
from .growth import EVERY, Used
from .measure import Hook, resident

TASKS = 48
"""All that is kept of tasks, up to limits of its own, is kept once each was seen, in fewer steps than `SETTLED`."""

_SMALL: dict[str, Any] = {"tasks": {"count": TASKS}, "batch_size": 4}
_MORE: dict[str, dict[str, Any]] = {
    "sft, pairs of a folder": {"batch_size": 4},
    "dpo, simple pages": {"batch_size": 2},
}
MODES = (
    "sft, generated pages", "sft, pairs of a folder", "sft, canvas, windowed", "sft, canvas, growing",
    "dpo, simple pages", "grpo, generated pages", "rloo, simple pages", "grpo, canvas, 3 calls, windowed",
    "grpo, canvas, 3 calls, growing", "grpo, postcards, windowed", "grpo, postcards, growing", "grpo, postcards, plan",
)  # fmt: skip


def used(mode: str, steps: int, seed: int) -> Used:
    """Train in another process, and look at its memory."""
    code = f"from training.memory import main; main({mode!r}, {steps}, {seed})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], check=True, stdout=subprocess.PIPE, text=True)
    return Used(tuple(json.loads(done.stdout.splitlines()[-1])))


def main(mode: str, steps: int, seed: int) -> None:
    """Train in this process; the last line that is printed is the list of what was measured."""
    from .quiet import quiet

    quiet()
    measured: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        changes = dict(_MORE.get(mode, _SMALL))
        if mode == "sft, pairs of a folder":
            changes["data"] = str(write_pairs(Path(folder) / "pairs", TASKS, seed))
        if mode == "dpo, simple pages":
            changes["traces"] = str(write_traces(Path(folder) / "traces", TASKS))
        trainer = trainer_of(KINDS[mode], seed, folder, **changes)

        def measure() -> None:
            if trainer.state.global_step % EVERY == 0:
                measured.append(resident())

        trainer.add_callback(Hook(end=measure))
        trainer.args.max_steps = steps
        trainer.train()
    print(json.dumps([round(each, 2) for each in measured]))
