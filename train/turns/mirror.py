"""Sampled episodes kept for a person to read: texts, rewards and images of every turn, as a Parquet file a step."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from transformers import TrainerCallback

from designgym.agents.qwen.dialogue import TokenRow
from designgym.atomic import write_atomically
from designgym.train.turns.rollout import Trajectory

FOLDER = "trajectories"
"""Within a run's folder."""

SHEET_COLUMNS, SHEET_CELL, SHEET_GAP = 6, 256, 4
"""Of a contact sheet: images in a row, and px."""

_PADS = re.compile(r"(?:<\|image_pad\|>)+")


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
        images: All images in the order of their first showing, as PNG.
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


def sample(trajectory: Trajectory, stage: str, step: int, tokenizer: Any) -> Sample:
    """An episode as it is kept.

    Args:
        trajectory: The episode.
        stage: Name of the stage.
        step: The step.
        tokenizer: The model's, to read the prompts.
    """
    texts = tokenizer.batch_decode([_shown(row) for row in trajectory.rows], skip_special_tokens=False)
    return Sample(
        stage,
        step,
        trajectory.task,
        trajectory.reward,
        dict(trajectory.parts),
        trajectory.end,
        trajectory.steps,
        dict(trajectory.errors),
        [_PADS.sub("<|image_pad|>", text) for text in texts],
        list(trajectory.replies),
        pictures(trajectory),
    )


def pictures(trajectory: Trajectory) -> list[bytes]:
    """The images of an episode as PNG, in the order of their first showing; one that is shown again comes once."""
    images = {id(image): image for row in trajectory.rows for image in row.images}.values()
    return list(dict.fromkeys(_png(image) for image in images))


def contact_sheet(images: Sequence[bytes]) -> Image.Image:
    """All images of an episode as one, in rows of up to `SHEET_COLUMNS`, each within `SHEET_CELL` x `SHEET_CELL` px.

    Args:
        images: One or more, as PNG.
    """
    cells = [Image.open(io.BytesIO(png)).convert("RGB") for png in images]
    for cell in cells:
        cell.thumbnail((SHEET_CELL, SHEET_CELL))
    columns, pitch = min(SHEET_COLUMNS, len(cells)), SHEET_CELL + SHEET_GAP
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * pitch - SHEET_GAP, rows * pitch - SHEET_GAP), (128, 128, 128))
    for index, cell in enumerate(cells):
        sheet.paste(cell, (index % columns * pitch, index // columns * pitch))
    return sheet


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
        ]
    )
    rows = [
        {**each.__dict__, "parts": list(each.parts.items()), "errors": list(each.errors.items())} for each in samples
    ]
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), stream)
    write_atomically(path, stream.getvalue())


class Mirror(TrainerCallback):
    """Keeps some of the episodes that were played for a step: of the first step, and of every so many.

    Args:
        trajectories: What was played last, in this process.
        stage: Name of the stage.
        tokenizer: The model's.
        folder: Where the stage's files go.
        every: Steps between two.
        count: Most episodes of a step.
        show: Takes the step and its samples too.
    """

    def __init__(
        self,
        trajectories: Callable[[], Sequence[Trajectory]],
        stage: str,
        tokenizer: Any,
        folder: Path,
        *,
        every: int,
        count: int,
        show: Callable[[int, Sequence[Sample]], None],
    ) -> None:
        self.trajectories, self.stage, self.tokenizer, self.folder = trajectories, stage, tokenizer, folder
        self.every, self.count, self.show = every, count, show

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Keep the step's episodes, if it is time."""
        step = state.global_step
        if step != 1 and step % self.every:
            return
        made = [sample(each, self.stage, step, self.tokenizer) for each in self.trajectories()[: self.count]]
        write(made, self.folder / f"step-{step:06d}.parquet")
        self.show(step, made)


def _shown(row: TokenRow) -> list[int]:
    """The tokens before the model's last reply."""
    end = len(row.mask)
    while end and row.mask[end - 1]:
        end -= 1
    return [*row.prompt_ids, *row.completion_ids[:end]]


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
