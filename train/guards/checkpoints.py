"""Which checkpoints a stage can go on from: those that were written to their end and have lost nothing since.

transformers writes a checkpoint file by file into its folder. When all processes have written theirs, a list of the
files and their sizes is put there, whole or not at all; a checkpoint without it, or with a file that is shorter, comes
from a process that was killed or from a full disk.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from designgym.atomic import write_atomically

WHOLE = "whole.json"


class MarkWhole(TrainerCallback):
    """Marks every checkpoint that is written."""

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Wait for what the other processes write, and mark."""
        from accelerate import PartialState

        PartialState().wait_for_everyone()
        if args.should_save:
            mark(Path(args.output_dir) / f"checkpoint-{state.global_step}")


def mark(checkpoint: Path) -> None:
    """Write down what a checkpoint consists of."""
    files = {
        str(path.relative_to(checkpoint)): path.stat().st_size
        for path in sorted(checkpoint.rglob("*"))
        if path.is_file() and path.name != WHOLE
    }
    write_atomically(checkpoint / WHOLE, json.dumps(files, indent=2) + "\n")


def is_whole(checkpoint: Path) -> bool:
    """Whether all files of a checkpoint are there, in their full size."""
    try:
        files: Any = json.loads((checkpoint / WHOLE).read_text(encoding="utf-8"))
        return bool(files) and all((checkpoint / name).stat().st_size == size for name, size in files.items())
    except (OSError, ValueError, AttributeError):
        return False


def last_whole(folder: Path) -> Path | None:
    """The last checkpoint in a folder that a stage can go on from; None if there is none."""
    found = [
        (int(number), checkpoint)
        for checkpoint in folder.glob("checkpoint-*")
        if (number := checkpoint.name.removeprefix("checkpoint-")).isdigit() and is_whole(checkpoint)
    ]
    return max(found)[1] if found else None


def remove_parts(folder: Path) -> list[str]:
    """Remove the checkpoints that are not whole, which would only take up room.

    Returns:
        Their names.
    """
    parts = sorted(path for path in folder.glob("checkpoint-*") if path.is_dir() and not is_whole(path))
    for path in parts:
        shutil.rmtree(path)
    return [path.name for path in parts]
