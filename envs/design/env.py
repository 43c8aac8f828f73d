"""Design actions: turn a brief and pictures into a page, by the 46 actions of three experts or by a whole plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from designgym.env import DesignEnv, Facts, MisuseError, Outcome, RewardMode
from designgym.envs.design.failure import Failed
from designgym.envs.design.layer_list import layer_list
from designgym.envs.design.perform import perform
from designgym.envs.design.plan import execute, plan_table
from designgym.envs.design.settings import DesignSettings, Mode
from designgym.envs.design.sources import resolve_tasks
from designgym.envs.design.task import Task, TaskSource
from designgym.envs.design.tools import FINISH, action_table
from designgym.envs.design.view import Views, scale_of, shown_size
from designgym.envs.design.workspace import Step, Workspace
from designgym.rewards import resolve
from designgym.rewards.table import Spec
from designgym.tasks import SPLITS, Split
from designgym.tools import Accepted, Declined

MAX_CALLS: dict[Mode, int] = {"interactive": 60, "plan": 1}
"""GraphicBench counts workflows of more than 30 steps as undelivered; there is room for as many slips."""
JUDGED_PX = 1024
"""Longer side of the page as it is scored, whatever is observed: small print must be legible to judges of pixels."""
TASK_LENGTH = 10_000
TEXT_LENGTH = 20_000
LAYERS_LENGTH = 4_000_000
"""Most characters of what is said with all layers; 200 of them stay below, whatever signs their texts are made of."""

COUNTED = (
    "format",
    "invalid_expert",
    "invalid_action",
    "invalid_parameters",
    "dependency_local",
    "dependency_global",
    "limit",
)
"""The kinds of errors that are counted, those of GraphicBench's section 6 and ours past limits."""

_LISTED_FILES = 30


@dataclass
class Job:
    """All state of an episode beside its calls.

    Attributes:
        task: What is asked.
        bench: What actions can change.
        steps: What was tried, also in vain.
    """

    task: Task
    bench: Workspace
    steps: list[Step] = field(default_factory=list)

    def __deepcopy__(self, memo: dict[int, Any]) -> Job:
        return Job(self.task, deepcopy(self.bench, memo), list(self.steps))


class DesignActions(DesignEnv[Job]):
    """Turn a brief and pictures into a book cover, business card, postcard or poster, by a designer's actions.

    ## Description
    GraphicBench's task in GraphicTown's programs, rebuilt: three experts (photo editor, vector graphic editor, layout
    designer), each with its own actions and its own open document. They share nothing but the episode's files: what
    one makes reaches the next as a saved file that this one imports. There are 46 actions: 4 basic ones, 13 for
    drawings, 11 for texts and 18 for objects, 11 of them filters. At first there is no open document, and the given
    pictures are the only files.

    Lengths are page px, at 72 to the inch. New shapes, texts and objects stand in the page's middle; Reposition moves
    the top left corner of what is seen, Resize keeps the centre, Rotate turns further. ``fileName`` is a plain name:
    the files are in memory, and nothing on the disk can be reached. PNG, JPEG and PDF are flat; ``psd``, ``ai`` and
    ``indd`` name this project's own editable form and come back with their layers.

    ``briefs="placement"`` is the smallest setting, for models that learn actions from nothing: an empty postcard, one
    text and one picture, each to be put in one of nine places. Six calls make a page that scores 1: ``CreateDocument``,
    ``ImportObject``, ``RepositionObject``, ``CreateText``, ``RepositionText`` and ``finish``. The questions are whether
    text and picture are there, whether they are where they were wanted, and whether they are whole, so a page with both
    in the middle has about two thirds. Its 41,000 tasks (37,000 for training) are different combinations each.

    ## Action
    With ``mode="interactive"``: a call of an action, such as ``{"name": "CreateText", "arguments": {"expert":
    "layout_designer", "layerName": "title", "textString": "Open day"}}``. Without ``expert`` the one acts who acted
    last, at first the layout designer. ``finish`` delivers that expert's open document, or the saved file that it
    names.
    With ``mode="plan"``: one call of ``execute_plan``, whose ``steps`` are a list of ``{"expert", "action",
    "parameters", "description"}``. A step that cannot be read or done is left out, and the rest is done.

    ## Observation
    ``image``: the open document of who acted last, uint8, ``image_size`` x ``image_size`` x 3: the page fitted into the
    square at its top left, the rest grey; ``info["scale"]`` tells the pixels per page px. ``task``: the brief, and the
    files with their captions. ``text``: what became of the last call, who is at work, the open document and the saved
    files; with ``layers=True`` also the document's layers as JSON.

    ## Reward
    ``"vqa"`` (default): how many of the questions about the page are answered as expected, beyond those of a blank
    page; each question is asked with its opposite. Paid at the end, or with ``reward_mode="dense"`` as the change at
    every step.

    ## Termination
    ``finish`` or a plan that was read ends the episode (``info["end"] == "submit"``), and so does the budget of
    ``max_calls`` steps (``"budget"``); the document that was changed or saved last is submitted then.

    ## Info
    ``error``, ``calls_left``, ``task`` at every step, and ``expert`` (who acted last), ``page`` (width and height of
    its document's page in the image, px; 0 without one), ``scale``, ``steps`` (actions tried), ``done`` (carried out),
    and how often each kind of error came: ``errors/format``, ``errors/invalid_expert``, ``errors/invalid_action``,
    ``errors/invalid_parameters``, ``errors/dependency_local`` (within an expert's document),
    ``errors/dependency_global`` (a file that nobody saved), ``errors/limit``. At the end also ``reward/<name>``,
    ``scored``, ``end``, ``execution_success`` (done of tried) and ``error_free``.

    ## Arguments
    ``split``, ``reward``, ``reward_mode``, ``max_calls`` (60; 1 for plans), ``render_mode``, and ``mode``, ``briefs``,
    ``image_size``, ``layers``; see :class:`designgym.envs.design.settings.DesignSettings`.

    ## Version history
    v0: first version.
    """

    env_id: ClassVar[str] = "designgym/DesignActions-v0"

    def __init__(
        self,
        *,
        split: Split = "train",
        reward: Spec = "vqa",
        reward_mode: RewardMode = "terminal",
        max_calls: int | None = None,
        render_mode: str | None = None,
        mode: Mode = "interactive",
        briefs: str | Path | TaskSource = "generated",
        image_size: int = 448,
        layers: bool = False,
    ):
        try:
            self.settings = DesignSettings(mode, briefs, image_size, layers)
        except ValueError as error:
            raise MisuseError(str(error)) from error
        self.mode: Mode = mode
        self.layers = layers
        self.tasks = resolve_tasks(briefs)
        self._views = Views(image_size)
        self._judged = Views(JUDGED_PX)
        super().__init__(
            tool_table=action_table() if mode == "interactive" else plan_table(),
            image_shape=(image_size, image_size, 3),
            reward=resolve(reward),
            split=split,
            reward_mode=reward_mode,
            max_calls=MAX_CALLS[mode] if max_calls is None else max_calls,
            render_mode=render_mode,
            task_length=TASK_LENGTH,
            text_length=LAYERS_LENGTH if layers else TEXT_LENGTH,
            identity=(mode, image_size, layers, self.tasks.name),
        )
        self.task_ids(split)

    def task_ids(self, split: Split | None = None) -> Sequence[str]:
        """The ids of the briefs of a split."""
        chosen = split or self.split
        if chosen not in SPLITS:
            raise MisuseError(f"There is no split {chosen!r}; the splits are {', '.join(SPLITS)}.")
        ids = self.tasks.ids(chosen)
        if not len(ids):
            there = [name for name in SPLITS if len(self.tasks.ids(name))]
            raise MisuseError(f"The briefs {self.tasks.name!r} have no split {chosen!r}; they have {', '.join(there)}.")
        return ids

    def task_facts(self, task: str) -> Mapping[str, Any]:
        """``type``: what is to be designed."""
        return {"type": self.tasks.type_of(task)}

    def begin(self, task: str) -> Job:
        """The given pictures, and no document."""
        found = self.tasks.task(task)
        return Job(found, Workspace({file.name: file for file in found.files}))

    def call(self, content: Job, call: Accepted) -> Outcome:
        """Carry out an action or a plan, or deliver."""
        if self.mode == "plan":
            executed = execute(content.bench, call.arguments["steps"])
            content.steps.extend(executed.steps)
            return Outcome(executed.text, end="submit")
        if call.name == FINISH:
            try:
                return Outcome(content.bench.deliver(call.arguments["fileName"]), end="submit")
            except Failed as failure:
                step = Step(content.bench.expert, FINISH, dict(call.arguments), "", failure.kind, failure.dependency)
                content.steps.append(step)
                return Outcome(failure.message, failure.kind)
        step = perform(content.bench, call.name, call.arguments)
        content.steps.append(step)
        return Outcome(step.message, step.error)

    def refused(self, content: Job, call: Declined) -> None:
        """Note it among the steps."""
        content.steps.append(Step(content.bench.expert, call.name, error=call.kind, message=call.message))

    def picture(self, content: Job) -> npt.NDArray[np.uint8]:
        """The open document of who acted last."""
        return self._views.square(content.bench.document, content.bench.expert)

    def question(self, content: Job) -> str:
        """The brief and the files."""
        return content.task.instruction

    def facts(self, content: Job) -> Facts:
        """The questions, what the brief was made of, what was done, and the design.

        The truth has ``type``, ``brief``, ``questions`` (as the source gives them), ``files`` (the given pictures by
        name: ``caption``, and ``sha256`` of what importing one lays on a page), ``experts`` (who did something, in
        order), ``plan`` (every step that was tried, see ``Step.to_json``) and ``mode``.
        """
        bench, task = content.bench, content.task
        truth = {
            "type": task.type,
            "brief": dict(task.brief),
            "questions": [dict(question) for question in task.questions],
            "files": task.given(),
            "experts": experts_used(content.steps),
            "plan": [step.to_json() for step in content.steps],
            "mode": self.mode,
        }
        return Facts(task.asked, truth, bench.visible_design)

    def scored_picture(self, content: Job) -> npt.NDArray[np.uint8]:
        """The design's page alone, with a longer side of ``JUDGED_PX``; before there is one, what is observed."""
        design = content.bench.design
        return self.picture(content) if design is None else self._judged.page(design, "design")

    def standing_text(self, content: Job) -> str:
        """Who is at work, on what, and what was saved."""
        bench = content.bench
        document = bench.document
        at_work = f"At work: {bench.expert}, "
        if document is None:
            at_work += "with no open document."
        else:
            at_work += f"on a document of {document.width} x {document.height} px with {len(document.layers)} layers."
        saved = [file.name for file in bench.files.values() if file.document is not None]
        lines = [at_work]
        if saved:
            more = f" and {len(saved) - _LISTED_FILES} more" if len(saved) > _LISTED_FILES else ""
            lines.append(f"Saved files: {', '.join(saved[:_LISTED_FILES])}{more}.")
        if self.layers and document is not None:
            lines.append("Layers: " + json.dumps(layer_list(document), ensure_ascii=False))
        return "\n".join(lines)

    def step_info(self, content: Job) -> dict[str, Any]:
        """Who acted last, how its page is shown, and counts."""
        document, side = content.bench.document, self._views.side
        counts = dict.fromkeys(COUNTED, 0.0)
        for step in content.steps:
            if step.error:
                counts[f"{step.error}_{step.dependency}" if step.error == "dependency" else step.error] += 1
        return {
            "expert": content.bench.expert,
            "page": [0.0, 0.0] if document is None else [float(length) for length in shown_size(document, side)],
            "scale": 0.0 if document is None else scale_of(document, side),
            "steps": float(len(content.steps)),
            "done": float(sum(not step.error for step in content.steps)),
            **{f"errors/{kind}": count for kind, count in counts.items()},
        }

    def ending_info(self, content: Job) -> dict[str, Any]:
        """How much of what was tried was done."""
        tried, done = len(content.steps), sum(not step.error for step in content.steps)
        return {"execution_success": done / tried if tried else 0.0, "error_free": bool(tried) and done == tried}

    def prompt_options(self) -> dict[str, Any]:
        """``mode``, and ``page``: width and height of the page in the image, px; None without an open document."""
        document = self._running("prompt_options").content.bench.document
        page = None if document is None else shown_size(document, self._views.side)
        return {"mode": self.mode, "page": page}

    @property
    def workspace(self) -> Workspace:
        """The workspace of the episode under way; for people and records, to read and not to change."""
        return self._running("workspace").content.bench


def experts_used(steps: Sequence[Step]) -> list[str]:
    """Who acted, in the order of their first actions that were carried out."""
    return list(dict.fromkeys(step.expert for step in steps if not step.error))
