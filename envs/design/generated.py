"""Tasks out of generated briefs: the brief of an id, its pictures out of the embedded pool, its questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.briefs.generate import brief, task_ids, type_of
from designgym.envs.design.questions import items
from designgym.envs.design.sandbox import File
from designgym.envs.design.task import Task
from designgym.pool.embedded import embedded
from designgym.rewards.judges.questions import flat
from designgym.tasks import Split

PICTURE_PX = 800
"""Longer side of a given picture."""

KEPT = 64
"""Tasks that are kept: the copies of a group play the same one."""


@dataclass(frozen=True)
class GeneratedTasks:
    """The generated briefs with the embedded pictures."""

    name: str = "generated"

    def ids(self, split: Split) -> Sequence[str]:
        """``"test-000000"`` and on."""
        return task_ids(split)

    def type_of(self, id: str) -> str:
        """What is to be designed."""
        return type_of(id)

    def task(self, id: str) -> Task:
        """The task of an id of any split."""
        return _task(id)


def task_of(asked: Brief, files: tuple[File, ...]) -> Task:
    """The task of a brief whose pictures are given as files."""
    asked_items = items(asked)
    return Task(
        id=asked.id,
        type=asked.type,
        query=asked.query,
        files=files,
        brief=asked.to_dict(),
        questions=tuple(item.to_dict() for item in asked_items),
        asked=tuple(question.text for question in flat(asked_items)),
    )


@lru_cache(maxsize=KEPT)
def _task(id: str) -> Task:
    asked = brief(id)
    pool = embedded()
    files = tuple(File(each.file, pool.png(each.picture, PICTURE_PX), each.caption) for each in asked.images)
    return task_of(asked, files)
