"""The setting ``placement``: one text and one picture, each at its place on an empty postcard.

The smallest whole task of the workbench: six calls solve it (new page, import, move, write, move, finish), none of them
about size, colour or type. It is for models that learn the actions from nothing, and for trying a training out. The
score is in sixths: whether text and picture are there, where the brief wants them, and whole.

Tasks are the combinations of a text, a picture and two different places, shuffled once and dealt to the splits, so that
no combination is in two of them. Texts, pictures and places are all in each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations, product

import numpy as np

from designgym.envs.design.asking import PLACES
from designgym.envs.design.briefs.brief import Brief, BriefImage, DesignType, NamedColor, TextPart, VisualPart
from designgym.envs.design.briefs.draw import one
from designgym.envs.design.briefs.naming import with_article
from designgym.envs.design.briefs.pairing import candidates, file_name
from designgym.envs.design.questions import items_about
from designgym.envs.design.sandbox import File
from designgym.envs.design.task import Task
from designgym.errors import UserError
from designgym.pool.embedded import embedded
from designgym.rewards.judges.meanings import Position
from designgym.rewards.judges.questions import Kind, flat
from designgym.tasks import SPLITS, Split, TaskIds

TYPE: DesignType = "postcard"

TEXTS = (
    "Bike week", "Bon voyage", "Book club", "Come and dance", "Film night", "Free entry", "Fresh bread", "Garden party",
    "Get well soon", "Good luck", "Good morning", "Grand opening", "Happy birthday", "Live music", "New menu",
    "Open day", "Save the date", "See you soon", "Summer sale", "Sweet dreams", "Thank you", "Welcome home",
    "Winter fair", "Wish you were here",
)  # fmt: skip
"""What is written; in the usual type none is wider than a third of the page."""

PICTURES = (
    "anchor", "bicycle", "butterfly", "cactus", "camera", "castle", "elephant", "fox", "giraffe", "guitar",
    "lighthouse", "mushroom", "octopus", "owl", "panda", "penguin", "pineapple", "rocket", "sailboat", "snowman",
    "sunflower", "tent", "turtle", "violin",
)  # fmt: skip
"""What pictures of the embedded pool show."""

POSITIONS: tuple[Position, ...] = (
    "top left", "top center", "top right", "center left", "center", "center right", "bottom left", "bottom center",
    "bottom right",
)  # fmt: skip

PICTURE_PX = 160
"""Longer side of a picture; it is imported at this size, and finds room at every place."""

SIZES: dict[Split, int] = {"train": 37_000, "validation": 2_000, "test": 2_000}
"""Tasks of each split."""

ASKED: tuple[Kind, ...] = ("text-present", "text-position", "image-present", "image-position", "uncut")
"""Kinds of questions: one of each, and ``uncut`` of both."""

HEADS = ("Please make a postcard.", "I need a postcard.", "Could you make a postcard?")
TEXT_LINES = ("Put the text “{text}” {place}.", "Write “{text}” {place}.")
PICTURE_LINES = ("Put the picture of {shown} {place}.", "Show {shown} {place}.")

KEPT = 4096
"""Tasks that are kept; each holds a picture of some kilobytes, which it shares with others."""

_WHITE = NamedColor("white", (255, 255, 255))


@dataclass(frozen=True)
class PlacementTasks:
    """The tasks of the setting."""

    name: str = "placement"

    def ids(self, split: Split) -> Sequence[str]:
        """``"train-000000"`` and on."""
        return TaskIds(split, SIZES[split])

    def type_of(self, id: str) -> str:
        """A postcard."""
        return TYPE

    def task(self, id: str) -> Task:
        """The task of an id of any split.

        Raises:
            UserError: If there is no such task.
        """
        return _task(id)


@lru_cache(maxsize=KEPT)
def _task(id: str) -> Task:
    text, picture, (text_place, picture_place) = _combinations()[_number(id)]
    file = file_of(picture)
    asked = Brief(
        id=id,
        type=TYPE,
        query=_query(id, text, picture, text_place, picture_place),
        background=_WHITE,
        texts=(TextPart("message", text, position=text_place),),
        visuals=(VisualPart(picture, position=picture_place),),
        images=(BriefImage(file.name, file.caption, candidates(embedded(), picture)[0].id),),
    )
    items = items_about(asked, ASKED)
    return Task(
        id=id,
        type=TYPE,
        query=asked.query,
        files=(file,),
        brief=asked.to_dict(),
        questions=tuple(item.to_dict() for item in items),
        asked=tuple(question.text for question in flat(items)),
    )


def _query(id: str, text: str, picture: str, text_place: Position, picture_place: Position) -> str:
    """The client's words; how they are put is drawn."""
    rng = np.random.default_rng(int.from_bytes(_digest(id)[:16]))
    lines = [
        one(rng, TEXT_LINES).format(text=text, place=PLACES[text_place]),
        one(rng, PICTURE_LINES).format(shown=with_article(picture), place=PLACES[picture_place]),
    ]
    if rng.random() < 0.5:
        lines.reverse()
    return " ".join((one(rng, HEADS), *lines))


@cache
def file_of(picture: str) -> File:
    """The file of a picture of :data:`PICTURES`, under the name that it has in every task."""
    found = candidates(embedded(), picture)[0]
    return File(file_name(picture, set()), embedded().png(found.id, PICTURE_PX), picture)


@cache
def _combinations() -> tuple[tuple[str, str, tuple[Position, Position]], ...]:
    """Every text, picture and pair of places, in an order that looks random."""
    every = product(TEXTS, PICTURES, permutations(POSITIONS, 2))
    return tuple(sorted(every, key=lambda each: _digest("/".join((each[0], each[1], *each[2])))))


def _number(id: str) -> int:
    """Which combination a task is: the splits lie one behind the other."""
    start = 0
    for split in SPLITS:
        known = TaskIds(split, SIZES[split])
        if id in known:
            return start + known.index(id)
        start += SIZES[split]
    ranges = ", ".join(f"{TaskIds(split, size)[0]} to {TaskIds(split, size)[-1]}" for split, size in SIZES.items())
    raise UserError(f"There is no placement task {id!r}; ids go from {ranges}.")


def _digest(text: str) -> bytes:
    return hashlib.sha256(f"placement {text}".encode()).digest()
