"""Which item belongs to a task: from settings and a number to a design, a question and a picture, with short memories.

A number whose design does not allow the question takes the next number that has the same indicator, is good or flawed
alike, and allows it, counting on from the end to the start of the split. So the balance of indicators and of good and
flawed designs stays that of the source.
"""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from designgym.env import MisuseError
from designgym.envs.aesthetics.blocks.source import BlockSource, localization_question
from designgym.envs.aesthetics.items import Item, make_item
from designgym.envs.aesthetics.sample import Sample, Source
from designgym.envs.aesthetics.settings import CLEAN_SHARES, Settings
from designgym.tasks import SPLITS, Split, TaskIds

KEPT_ITEMS = 256
KEPT_PAGES = 64
"""Of the latest tasks: the answers of a group are all about the same one."""

TRIED = 20_000
"""Numbers that are looked through for a design that allows the question."""

GROUND = 128
"""Shade, 0 to 255, of what of the square picture is no page."""

Page = NDArray[np.uint8]

_taken: dict[tuple[Settings, Split, int], tuple[Item, Page]] = {}
"""What other processes made of the latest tasks that were handed over."""
_lock = Lock()


@lru_cache(maxsize=16)
def source_of(settings: Settings) -> Source:
    """Where the samples of these settings come from; opened once.

    Raises:
        UserError: If the path that they name holds no designs, or none of these indicators or shares.
    """
    if settings.designs == "blocks":
        return BlockSource(settings.block_settings())
    from designgym.envs.aesthetics.sources.resolve import kind_of_folder, resolve_source

    share = settings.clean_share
    if share is None and kind_of_folder(settings.designs) == "crello":  # the one kind of data that is perturbed here
        share = CLEAN_SHARES[settings.task]
    return resolve_source(settings.designs, indicators=settings.indicators, clean_share=share)


@lru_cache(maxsize=KEPT_ITEMS)
def deal(settings: Settings, split: Split, number: int) -> Item:
    """The item of a task: the same for the same arguments.

    Raises:
        MisuseError: If no design of the split allows the question.
    """
    if (taken := _taken.get((settings, split, number))) is not None:
        return taken[0]
    source = source_of(settings)
    sample, indicator = source.ask(split, number)
    found = _item(settings, sample, indicator)
    size = source.size(split)
    for step in range(1, min(size, TRIED)):
        if found is not None:
            break
        other, about = source.ask(split, (number + step) % size)
        if about == indicator and bool(other.harmed.get(about)) == bool(sample.harmed.get(indicator)):
            found = _item(settings, other, about)
    if found is None:
        raise MisuseError(
            f"No design of {source.name!r} near {split}-{number:06d} has elements enough to ask for a {settings.task} "
            f"about {indicator}; use designs of more elements."
        )
    return found


def item(task: str, settings: Settings) -> Item:
    """The item behind a task id such as ``"test-000042"``, of any split.

    Raises:
        MisuseError: If there is no such task, or no design for it.
    """
    return deal(settings, *place(task, settings))


def place(task: str, settings: Settings) -> tuple[Split, int]:
    """Split and number of a task id.

    Raises:
        MisuseError: If there is no such task.
    """
    source = source_of(settings)
    for split in SPLITS:
        ids = TaskIds(split, source.size(split))
        if task in ids:
            return split, ids.index(task)
    forms = [f"'{ids[0]}' to '{ids[-1]}'" for split in SPLITS if len(ids := TaskIds(split, source.size(split)))]
    raise MisuseError(f"Task {task!r} does not exist; ids are {', '.join(forms)}.")


@lru_cache(maxsize=KEPT_PAGES)
def page_of(settings: Settings, split: Split, number: int) -> Page:
    """The page of a task, uint8 H x W x 3, its longer side ``image_size`` px long; read-only."""
    if (taken := _taken.get((settings, split, number))) is not None:
        return taken[1]
    page = deal(settings, split, number).sample.page(settings.image_size)
    page.flags.writeable = False
    return page


def take_over(settings: Settings, split: Split, number: int, item: Item, page: Page) -> None:
    """Use an item and its page that another process made, see `deal` and `page_of`."""
    page.flags.writeable = False
    with _lock:
        _taken[settings, split, number] = item, page
        while len(_taken) > KEPT_PAGES:
            del _taken[next(iter(_taken))]


def in_square(page: Page, side: int) -> Page:
    """The page at the top left of a square picture, the rest grey; an array of its own.

    Args:
        page: uint8 H x W x 3, neither side longer than ``side``.
        side: Px.
    """
    height, width = page.shape[:2]
    if height == width == side:
        return page.copy()
    square = np.full((side, side, 3), GROUND, np.uint8)
    square[:height, :width] = page
    return square


def _item(settings: Settings, sample: Sample, indicator: str) -> Item | None:
    own = settings.designs == "blocks" and settings.task == "localization"
    text = localization_question(indicator) if own else None
    return make_item(settings.task, sample, indicator, settings.protocol, text)
