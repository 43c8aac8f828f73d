"""Sampled episodes kept for a person to read: texts, rewards and images, as a Parquet file a step.

Episodes of one answer and of many turns have the same form, so that one reader reads both.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image
from transformers import TrainerCallback

from designgym.atomic import write_atomically
from designgym.eval.attempts import Attempts
from designgym.eval.report.data import Box

FOLDER = "trajectories"
"""Within a run's folder; a folder for each stage is in it."""

SHEET_COLUMNS, SHEET_CELL, SHEET_GAP = 6, 256, 4
"""Of a contact sheet: images in a row, and px."""


@dataclass(frozen=True)
class Sample:
    """An episode as it is kept.

    Attributes:
        stage: Name of the stage.
        step: Optimiser step that learnt from it.
        task: Task id.
        reward: What it earned; None if it could not be scored.
        parts: The reward's components.
        end: Why it ended.
        steps: Calls that the environment was given.
        errors: How many of them had which error.
        prompts: What the model was shown: a text a turn, or with a growing history the conversation before its last
            reply as one text. An image stands as ``<|image_pad|>``.
        replies: What the model wrote, a text a turn.
        images: All images in the order of their first showing, and the page as it was left, as PNG.
        advantage: What the step learnt from it: how much better it was than its group. None if that is not known.
        boxes: Boxes on the first image, ``truth`` and ``answer``, where the task is about some.
    """

    stage: str
    step: int
    task: str
    reward: float | None
    parts: dict[str, float]
    end: str
    steps: int
    errors: dict[str, int]
    prompts: list[str]
    replies: list[str]
    images: list[bytes]
    advantage: float | None = None
    boxes: Mapping[str, Sequence[Box]] = field(default_factory=dict)


class Keeper(TrainerCallback):
    """Keeps some of the episodes that were played for a step: of the first step, and of every so many.

    What cannot be written, on a full disk above all, is left out; that is said once.

    Args:
        make: The samples of a step; called in this process alone.
        folder: Where the stage's files go.
        every: Steps between two.
        show: Takes the step and its samples too.
        say: Told if a file cannot be written.
    """

    def __init__(
        self,
        make: Callable[[int], Sequence[Sample]],
        folder: Path,
        *,
        every: int,
        show: Callable[[int, Sequence[Sample]], None],
        say: Callable[[str], None],
    ) -> None:
        self.make, self.folder, self.every, self.show = make, folder, every, show
        self._write = Attempts("The mirror of sampled episodes", "they are not kept", say)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Keep the step's episodes, if it is time."""
        step = state.global_step
        if step != 1 and step % self.every:
            return
        made = self.make(step)
        self._write("to write a file", lambda: write(made, self.folder / f"step-{step:06d}.parquet"))
        self.show(step, made)


def write(samples: Sequence[Sample], path: Path) -> None:
    """Write samples as a Parquet file, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            ("stage", pa.string()),
            ("step", pa.int64()),
            ("task", pa.string()),
            ("reward", pa.float64()),
            ("parts", pa.map_(pa.string(), pa.float64())),
            ("end", pa.string()),
            ("steps", pa.int64()),
            ("errors", pa.map_(pa.string(), pa.int64())),
            ("prompts", pa.list_(pa.string())),
            ("replies", pa.list_(pa.string())),
            ("images", pa.list_(pa.binary())),
            ("advantage", pa.float64()),
            ("boxes", pa.map_(pa.string(), pa.list_(pa.list_(pa.float64())))),
        ]
    )
    rows = [
        {
            **each.__dict__,
            "parts": list(each.parts.items()),
            "errors": list(each.errors.items()),
            "boxes": [(name, [list(box) for box in boxes]) for name, boxes in each.boxes.items()],
            "prompts": [_written(text) for text in each.prompts],
            "replies": [_written(text) for text in each.replies],
        }
        for each in samples
    ]
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), stream)
    write_atomically(path, stream.getvalue())


def advantages(trainer: Any, count: int) -> list[float | None]:
    """The advantages of the first process's episodes that were played last, as TRL keeps them for its own tables.

    Args:
        trainer: Of TRL.
        count: How many episodes this process, the first one, has played.

    Returns:
        ``count`` of them; all None if TRL keeps none.
    """
    found = list(getattr(trainer, "_logs", {}).get("advantages", ()))[:count]
    return found if len(found) == count else [None] * count


def contact_sheet(images: Sequence[bytes]) -> Image.Image:
    """All images of an episode as one, in rows of up to `SHEET_COLUMNS`, each within `SHEET_CELL` x `SHEET_CELL` px.

    Args:
        images: One or more, as PNG.
    """
    cells = [picture(png) for png in images]
    for cell in cells:
        cell.thumbnail((SHEET_CELL, SHEET_CELL))
    columns, pitch = min(SHEET_COLUMNS, len(cells)), SHEET_CELL + SHEET_GAP
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * pitch - SHEET_GAP, rows * pitch - SHEET_GAP), (128, 128, 128))
    for index, cell in enumerate(cells):
        sheet.paste(cell, (index % columns * pitch, index // columns * pitch))
    return sheet


def picture(png: bytes) -> Image.Image:
    """An image as it is kept, in RGB."""
    return Image.open(io.BytesIO(png)).convert("RGB")


def png(image: Image.Image) -> bytes:
    """An image as it is kept."""
    stream = io.BytesIO()
    image.convert("RGB").save(stream, "PNG")
    return stream.getvalue()


def _written(text: str) -> str:
    """A text with escapes for lone surrogates, which models may write and UTF-8 has no bytes for."""
    return text.encode("utf-8", "backslashreplace").decode()
