"""Training examples, made from task ids when they are asked for: a page, the prompt about it, and a teacher's answer.

Prompts come from the environment's one prompt builder and answers are written by `designgym.train.written`, exactly as
the agents ask and as the parser reads. Pictures never pass through Arrow; a data set holds task ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym

from designgym.agents.base import Agent, Beginning
from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools
from designgym.agents.qwen.dialogue import Asker, HistoryKind
from designgym.agents.qwen.frames import fitted, number_frame, page_size
from designgym.agents.qwen.local import LocalModel
from designgym.agents.words import in_words
from designgym.boxes import NumberFrame
from designgym.eval.runner import make
from designgym.prompt import Wording, images, to_transformers
from designgym.tools import ToolTable
from designgym.train.stages import TaskRange
from designgym.train.written import written

SEED_STRIDE = 100_000
"""Runs with neighbouring seeds take their training tasks so many ids apart, so that they share none."""
SEEDS_APART = 10
"""In a split too small for that, so many seeds begin at even distances, and large runs share some."""
CACHE_BYTES = 300_000_000
"""Most bytes of pictures that one data set keeps; beyond it pages are drawn again."""


class Teacher(Protocol):
    """An agent that may look at the environment after each reset: a demonstrator, or the truth."""

    def begin(self, env: gym.Env[Any, Any], info: Any) -> None:
        """Look at the environment."""
        ...

    def __call__(self, observation: Any, info: Any) -> Any:
        """Answer."""
        ...


def task_ids(tasks: TaskRange | None, seed: int, ids: Sequence[str]) -> list[str]:
    """The training tasks of a stage.

    Args:
        tasks: Numbers of the tasks for seed 0; None for a teacher that brings its own.
        seed: The run's seed; each seed shifts the numbers by `SEED_STRIDE`, or by a tenth of a smaller split, around
            its end.
        ids: All ids of the split.
    """
    if tasks is None:
        return []
    start = tasks.first + seed * min(SEED_STRIDE, len(ids) // SEEDS_APART)
    return [ids[(start + index) % len(ids)] for index in range(tasks.count)]


@runtime_checkable
class Recordings(Protocol):
    """A teacher of several answers to a page, by number."""

    def player(self, task: str, seed: int) -> Agent:
        """Who gives the answer of this number."""
        ...


class Pages:
    """What a model is asked, and what a teacher would answer, by task id. The first pages drawn are kept.

    Args:
        env: Environment of one answer an episode; used for nothing else meanwhile.
        env_id: Its id, which decides the prompt builder.
        local: The model's processor and family decide how boxes are written.
        wording: How the model is asked.
        teacher: Whose answers are the completions; None for reinforcement, which needs none.
        number_step: Grid of the model's coordinates, thousandths or px: completions are rounded to it. 1 for all models
            but the tiny one, whose vocabulary has no finer numbers.
        settings: What was chosen about the prompt beside the wording: `designgym.agents.prompts.prompt_settings`.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        env_id: str,
        local: LocalModel,
        *,
        wording: Wording,
        teacher: Teacher | Recordings | None = None,
        number_step: int = 1,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.env = env
        self.env_id = env_id
        self.tools: ToolTable = env.unwrapped.tool_table  # type: ignore[attr-defined]
        self.build = prompt_builder(env_id)
        self.local = local
        self.wording: Wording = wording
        self.teacher = teacher
        self.number_step = number_step
        self.settings = dict(settings or {})
        self.handing = False
        """Whether data sets hand over what the environment made of a task (``made``), for that of the rewards: they may
        be in different processes, and making a design takes longer than scoring an answer."""
        self._kept: dict[tuple[str, int], dict[str, Any]] = {}
        self._kept_bytes = 0

    def asker(self, history: HistoryKind) -> Asker:
        """How the model is asked in episodes of several turns."""
        return Asker(self.env_id, self.tools, self.local, self.wording, self.settings, history)

    def another_env(self) -> gym.Env[Any, Any]:
        """One more environment like this one's."""
        spec = self.env.spec
        return make(self.env_id, {} if spec is None else spec.kwargs)

    def frame(self, observation: Any, options: Mapping[str, Any]) -> NumberFrame:
        """How the model writes boxes on what it is shown of this observation's image.

        Args:
            observation: The observation.
            options: The environment's ``prompt_options()``.
        """
        size = page_size(observation["image"], options)
        return number_frame(self.local.family, self.local.processor.image_processor, size)

    def row(self, task: str, number: int = 0) -> dict[str, Any]:
        """``task``, ``prompt`` (with image placeholders), ``images`` (Pillow) and, if taught, ``completion``.

        Args:
            task: The page's task.
            number: Which of the teacher's answers, where it has several.
        """
        if (task, number) in self._kept:
            return self._kept[task, number]
        observation, info = self.env.reset(options={"task": task})
        options = {**self.env.unwrapped.prompt_options(), **self.settings}  # type: ignore[attr-defined]
        frame = self.frame(observation, options)
        messages = self.build(observation, self.tools, wording=self.wording, frame=frame, **options)
        if self.wording == "full" and not in_words(self.settings):
            messages = announce_tools(messages, self.tools, frame)
        pictures = [fitted(self.local.processor.image_processor, picture) for picture in images(messages)]
        row = {"task": task, "prompt": to_transformers(messages, embed_images=False), "images": pictures}
        if self.teacher is not None:
            teacher = self.teacher.player(task, number) if isinstance(self.teacher, Recordings) else self.teacher
            if isinstance(teacher, Beginning):
                teacher.begin(self.env, info)
            answer = teacher(observation, info)
            form: dict[str, Any] = {"settings": self.settings, "options": options, "number_step": self.number_step}
            text = written(answer, self.tools, frame, **form)
            row["completion"] = [{"role": "assistant", "content": [{"type": "text", "text": text}]}]
        size = sum(picture.width * picture.height * 3 for picture in pictures)
        if self._kept_bytes + size <= CACHE_BYTES:
            self._kept[task, number] = row
            self._kept_bytes += size
        return row

    def __getstate__(self) -> dict[str, Any]:
        # For fingerprints of data sets and for processes that prepare batches: they need neither weights nor pictures.
        return {**self.__dict__, "local": replace(self.local, model=None), "_kept": {}, "_kept_bytes": 0}

    def dataset(self, tasks: Sequence[str], numbers: Sequence[int] | None = None) -> Any:
        """A ``datasets.Dataset`` whose rows are made by `row` when they are read.

        Args:
            tasks: The pages.
            numbers: Which of the teacher's answers to each, where it has several.
        """
        from datasets import Dataset

        columns = {"task": list(tasks)} | ({} if numbers is None else {"number": list(numbers)})
        return Dataset.from_dict(columns).with_transform(_Rows(self))


class _Rows:
    """The transform of a data set: a batch of task ids to a batch of rows."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages

    def __call__(self, batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        numbers = batch.get("number", [0] * len(batch["task"]))
        rows = [self.pages.row(task, number) for task, number in zip(batch["task"], numbers, strict=True)]
        # TRL's collators write into the rows, so each reading gets its own dicts around the shared pictures.
        read = {key: [list(row[key]) if isinstance(row[key], list) else row[key] for row in rows] for key in rows[0]}
        if self.pages.handing:
            read["made"] = [self.pages.env.unwrapped.hand_over(task) for task in batch["task"]]  # type: ignore[attr-defined]
        return read
