"""How long a trainer waits for its data: made beside it, made by itself, or there already."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from .cases import KINDS, trainer_of, write_pairs
from .measure import Hook

SOURCES = {
    "generated pages": "sft, generated pages",
    "simple pages": "sft, simple pages",
    "demonstrations": "sft, canvas, windowed",
    "pairs of a folder": "sft, pairs of a folder",
}
"""Where rows come from -> the kind of training that reads them."""


def waits(source: str, folder: Path, seed: int, *, steps: int, workers: int, step: float, made: bool) -> list[float]:
    """The share of each step's time in which the trainer waited for its batch, collating included.

    Args:
        source: One of `SOURCES`.
        folder: Where it may write.
        seed: Of weights, tasks and their order.
        steps: Steps that are looked at, after two that are not: workers begin in them.
        workers: Processes that make rows and batches beside the training; 0: it makes them itself.
        step: Seconds that each step takes longer than the tiny model's, while the process does nothing: a model on a
            GPU leaves the CPU alone.
        made: Whether the rows are there already: the baseline.
    """
    kind = KINDS[SOURCES[source]]
    size = kind.stage["batch_size"]
    needed = (steps + 4) * size
    changes: dict[str, Any] = {"tasks": {"count": needed}}
    if source == "pairs of a folder":
        changes = {"data": str(write_pairs(folder / "pairs", needed, seed))}
    trainer = trainer_of(kind, seed, folder, workers=workers, **changes)
    if made:
        for row in range(len(trainer.train_dataset)):
            trainer.train_dataset[row]
    waited, marks = [0.0], []
    real = trainer.get_batch_samples

    def get(*rest: Any, **options: Any) -> Any:
        began = time.perf_counter()
        found = real(*rest, **options)
        waited[0] += time.perf_counter() - began
        return found

    def mark() -> None:
        time.sleep(step)
        marks.append((time.perf_counter(), waited[0]))

    trainer.get_batch_samples = get
    trainer.add_callback(Hook(end=mark))
    trainer.args.max_steps = steps + 2
    trainer.train()
    spans = pairwise(marks[1:])
    return [(late[1] - early[1]) / (late[0] - early[0]) for early, late in spans]
