"""From a supply of designs to the rows of a file, a few at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.train.aesthetics_data.pairs import Question, ask, completion, conversation, path_by_rule
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.shards import GROUP
from designgym.train.aesthetics_data.supply import Supply, item_of

RULES, NOBODY = "rules", "nobody"


class Written(NamedTuple):
    """A reasoning path, and who wrote it: `RULES`, a model's name, or `NOBODY` where there is none."""

    path: str
    writer: str


class Writer(Protocol):
    """Writes reasoning paths."""

    def __call__(self, questions: Sequence[tuple[int, Question]]) -> list[Written]:
        """The paths of some pairs, given with their numbers, in order."""
        ...


class RuleWriter:
    """Writes the paths that the measured quantities give, or none where the settings want none."""

    def __init__(self, settings: DataSettings) -> None:
        self.settings = settings

    def __call__(self, questions: Sequence[tuple[int, Question]]) -> list[Written]:
        """See `Writer`."""
        if not self.settings.reasoning:
            return [Written("", NOBODY) for _ in questions]
        return [Written(path_by_rule(question, self.settings, number), RULES) for number, question in questions]


def groups(
    settings: DataSettings, schedule: Schedule, supply: Supply, shard: int, writer: Writer
) -> Iterator[list[dict[str, Any]]]:
    """The rows of a shard, `GROUP` at a time."""
    numbers = settings.numbers(shard)
    for first in range(0, len(numbers), GROUP):
        asked = [(n, _question(settings, schedule, supply, n)) for n in numbers[first : first + GROUP]]
        written = writer(asked)
        yield [_row(settings, *one, path) for one, path in zip(asked, written, strict=True)]


def _question(settings: DataSettings, schedule: Schedule, supply: Supply, number: int) -> Question:
    return ask(item_of(supply, schedule.cell(number), number), settings)


def _row(settings: DataSettings, number: int, question: Question, written: Written) -> dict[str, Any]:
    item = question.item
    return {
        **conversation(question, settings, completion(written.path, question.call())),
        "images": [_png(question.page)],
        "number": number,
        "task": item.task,
        "indicator": item.indicator,
        "harmed": item.verdict == "yes",
        "flaw": item.flaw,
        "design": item.sample.id,
        "writer": written.writer,
    }


def _png(page: NDArray[np.uint8]) -> bytes:
    """The page as a PNG file, packed lightly: a third of the time for a tenth more bytes."""
    buffer = io.BytesIO()
    Image.fromarray(page).save(buffer, "PNG", compress_level=3)
    return buffer.getvalue()
