"""The brief of every task id: components by the recipe, words for them, and pictures out of a pool."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from designgym.envs.design.briefs.brief import TYPES, Brief, BriefImage, DesignType
from designgym.envs.design.briefs.diversity import MAX_SHARED, BigramIndex, bigrams
from designgym.envs.design.briefs.draw import Components, draw_components
from designgym.envs.design.briefs.pairing import NoBrief, candidates, file_name
from designgym.envs.design.briefs.ranking import BriefJudge, KeywordOrder, keeps
from designgym.envs.design.briefs.wording import query
from designgym.errors import UserError
from designgym.pool.embedded import embedded
from designgym.pool.pool import ImagePool
from designgym.tasks import SPLITS, Split, TaskIds

TEST_COUNTS: dict[DesignType, int] = {"poster": 336, "book cover": 260, "postcard": 260, "business card": 203}
"""Test briefs of each type: those of GraphicBench (Table 1), 1,059 in all."""

SIZES: dict[Split, int] = {"train": 1_000_000, "validation": 10_000, "test": sum(TEST_COUNTS.values())}
"""Briefs of each split."""

ATTEMPTS = 30
"""How often a brief is drawn anew because of what a judge says, before its task is given up."""

DRAWINGS = 100
"""How often a test brief is drawn anew until it is unlike the others; at present 31 suffice."""


def task_ids(split: Split) -> TaskIds:
    """The task ids of a split."""
    return TaskIds(split, SIZES[split])


def type_of(task_id: str) -> DesignType:
    """What a task asks for. The test split has exactly the proportions of GraphicBench, the others nearly so.

    Raises:
        UserError: If there is no such task.
    """
    split, number = _parse(task_id)
    if split == "test":
        return _test_types()[number]
    place = int.from_bytes(_digest(f"{task_id}/type")[:8]) % SIZES["test"]
    for type, count in TEST_COUNTS.items():
        if place < count:
            return type
        place -= count
    raise AssertionError("the counts sum to their total")


def brief(task_id: str, pool: ImagePool | None = None, judge: BriefJudge | None = None) -> Brief:
    """The brief of a task: a pure function of the id, the pool and what the judge says.

    Briefs of the test split are drawn such that no two of a type share more than :data:`diversity.MAX_SHARED` of their
    texts' bigrams, and none is of those that sentence embeddings found too like another (``alike.txt``); the first call
    for one of them finds out which drawing of each that is (about a second).

    Args:
        task_id: Such as ``"test-000123"``, see :func:`task_ids`.
        pool: Where the pictures are from; the embedded pool if None.
        judge: Ranks the candidates for each picture and rates the components; a brief with a component rated 1 or 2
            is dropped and drawn anew. Without one the picture whose words fit best is taken and nothing is dropped.

    Raises:
        UserError: If there is no such task.
        NoBrief: If the pool has nothing that fits, or the judge drops every drawing.
    """
    hashable: tuple[Any, Any] = (pool or embedded(), judge or KeywordOrder())  # mypy takes protocols for unhashable
    return _brief(task_id, *hashable)


@lru_cache(maxsize=4096)
def _brief(task_id: str, pool: Any, judge: Any) -> Brief:
    split, number = _parse(task_id)
    first = _test_attempts()[number] if split == "test" else 0
    for attempt in range(first, first + ATTEMPTS):
        if attempt > first and split == "test" and not _diverse(task_id, attempt):
            continue
        drawn, words = _draw(task_id, attempt)
        made = Brief(task_id, drawn.type, words, drawn.background, drawn.texts, drawn.visuals, ())
        if not keeps(judge.rate(made)):
            continue
        taken: set[str] = set()
        images = []
        for visual in drawn.visuals:
            picture = judge.rank(made, visual.name, candidates(pool, visual.name))[0]
            file = file_name(visual.name, taken)
            taken.add(file)
            images.append(BriefImage(file, visual.name, picture.id))
        return Brief(task_id, drawn.type, words, drawn.background, drawn.texts, drawn.visuals, tuple(images))
    raise NoBrief(f"The judge {judge.name!r} rates a component of each of {ATTEMPTS} drawings of {task_id} 1 or 2.")


@lru_cache(maxsize=4096)
def _draw(task_id: str, attempt: int) -> tuple[Components, str]:
    rng = np.random.default_rng(int.from_bytes(_digest(f"{task_id}/{attempt}")[:16]))
    components = draw_components(rng, type_of(task_id))
    return components, query(rng, components)


@cache
def _test_types() -> tuple[DesignType, ...]:
    """Each test task's type: exact counts in an order that looks random."""
    order = sorted(range(SIZES["test"]), key=lambda number: _digest(f"test-{number:06d}/type"))
    types: list[DesignType] = ["poster"] * len(order)
    start = 0
    for type in TYPES:
        for number in order[start : start + TEST_COUNTS[type]]:
            types[number] = type
        start += TEST_COUNTS[type]
    return tuple(types)


@cache
def _test_attempts() -> tuple[int, ...]:
    """For each test task the drawing that shares few enough bigrams with those before it."""
    return _test_index()[0]


@cache
def _test_index() -> tuple[tuple[int, ...], dict[DesignType, BigramIndex]]:
    attempts = []
    index = {type: BigramIndex() for type in TYPES}
    for task_id in task_ids("test"):
        others = index[type_of(task_id)]
        for attempt in range(DRAWINGS):
            found = _bigrams(task_id, attempt)
            if (task_id, attempt) not in _alike() and others.closest(found) <= MAX_SHARED:
                break
        else:
            raise AssertionError(f"no drawing of {task_id} is unlike the others: there are too few concepts")
        others.add(task_id, found)
        attempts.append(attempt)
    return tuple(attempts), index


@cache
def _alike() -> frozenset[tuple[str, int]]:
    """Drawings of test tasks that sentence embeddings found too like another's; written by a script, see there."""
    lines = files(__package__).joinpath("alike.txt").read_text().splitlines()
    found = (line.split() for line in lines if line and not line.startswith("#"))
    return frozenset((task_id, int(attempt)) for task_id, attempt in found)


def drawing_of(task_id: str) -> int:
    """Which drawing of a test task's brief is its own, from 0: the first that the checks of diversity let pass."""
    return _test_attempts()[_parse(task_id)[1]]


def _diverse(task_id: str, attempt: int) -> bool:
    """Whether a further drawing of a test brief is unlike all others, too."""
    if (task_id, attempt) in _alike():
        return False
    return _test_index()[1][type_of(task_id)].closest(_bigrams(task_id, attempt), but=task_id) <= MAX_SHARED


def _bigrams(task_id: str, attempt: int) -> frozenset[tuple[str, ...]]:
    return bigrams(text.content for text in _draw(task_id, attempt)[0].texts)


def _parse(task_id: str) -> tuple[Split, int]:
    split = task_id.partition("-")[0] if isinstance(task_id, str) else ""
    for known in SPLITS:
        if split == known and task_id in task_ids(known):
            return known, int(task_id.rpartition("-")[2])
    raise UserError(
        f"There is no brief {task_id!r}; ids go from "
        + ", ".join(f"{task_ids(known)[0]} to {task_ids(known)[-1]}" for known in SPLITS)
        + "."
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(f"design brief {text}".encode()).digest()
