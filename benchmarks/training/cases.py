"""The kinds of training that are measured, as configurations, and trainers made from them as a run makes them."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from transformers import PrinterCallback

from designgym.agents.qwen import tiny
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.fast_vision import enable_fast_vision
from designgym.agents.qwen.local import LocalModel
from designgym.eval.runner import make
from designgym.train.config import TrainConfig
from designgym.train.data import task_ids
from designgym.train.environments import stage_kwargs
from designgym.train.methods import METHODS, method
from designgym.train.stage import stage_pages

from .replies import Script, boxes, lines, played, scripted

LOCALIZATION = "designgym/AestheticLocalization-v0"
CANVAS = "designgym/CanvasDrawing-v0"
DESIGN = "designgym/DesignActions-v0"
TURNS = 3
"""Calls of an episode on the canvas."""
GROUP = 4

_CANVAS = {"max_calls": TURNS, "reward": "figural"}
_TASKS = {"count": 1000}
_SFT = {"kind": "sft", "tasks": _TASKS, "batch_size": 8}
_GRPO = {"kind": "grpo", "tasks": _TASKS, "batch_size": 2 * GROUP, "num_generations": GROUP}
_POSTCARD = {"tiny": {"image_size": 64, "number_step": 20}, "prompt": {"wording": "brief", "context": ["image"]}}
"""As ``configs/train/design-placement-tiny.yaml`` has it."""


@dataclass(frozen=True)
class Kind:
    """A kind of training.

    Attributes:
        env: Id of the environment.
        kwargs: Its arguments.
        stage: What the stage has beside a name, steps and a learning rate.
        player: The agent whose calls a reinforced model of designs says.
        settings: Further sections of the configuration.
    """

    env: str
    kwargs: dict[str, Any]
    stage: dict[str, Any]
    player: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def reinforced(self) -> bool:
        """Whether answers are sampled."""
        return self.stage["kind"] in ("grpo", "rloo")

    def config(self, seed: int, **changes: Any) -> TrainConfig:
        """As a configuration.

        Args:
            seed: Of weights, tasks and the order of the data.
            changes: What the stage has otherwise.
        """
        stage = {"name": "measured", "steps": 1, "learning_rate": 1e-5, "save_every": 10**6, "log_every": 10**6}
        sections = {
            "seed": seed,
            "fast_vision": True,
            "allow_resize": True,  # canvas and designs have other sizes than the tiny model's pages
            "threads": 1,
            "env": {"id": self.env, "kwargs": self.kwargs},
            "prompt": {"wording": "brief"},
            "stages": [{**stage, **self.stage, **changes}],
        }
        return TrainConfig.model_validate({**sections, **self.settings})

    def script(self, config: TrainConfig) -> Script:
        """What its model says."""
        if self.env == LOCALIZATION:
            return boxes(config.seed)
        if self.env == CANVAS:
            return lines(self.kwargs["max_calls"], config.seed)
        return played(self.env, {**self.kwargs, "split": "train"}, self.player, config.tiny.number_step)


def _turns(history: str, base: dict[str, Any] = _GRPO, **more: Any) -> dict[str, Any]:
    return {**base, "history": history, "max_completion_length": 512, **more}


def _postcards(stage: dict[str, Any], **kwargs: Any) -> Kind:
    return Kind(DESIGN, {"briefs": "placement", "image_size": 64, **kwargs}, stage, "placer", _POSTCARD)


KINDS = {
    "sft, localization": Kind(LOCALIZATION, {"image_size": 128}, {**_SFT, "teacher": "truth"}),
    "sft, simple pages": Kind(LOCALIZATION, {"image_size": 128, "designs": "blocks"}, {**_SFT, "teacher": "truth"}),
    "sft, canvas, windowed": Kind(CANVAS, _CANVAS, {**_SFT, "teacher": "join-ends", "history": "windowed"}),
    "sft, canvas, growing": Kind(CANVAS, _CANVAS, {**_SFT, "teacher": "join-ends", "history": "growing"}),
    "grpo, localization": Kind(LOCALIZATION, {"image_size": 128}, _GRPO),
    "grpo, simple pages": Kind(LOCALIZATION, {"image_size": 128, "designs": "blocks"}, _GRPO),
    "rloo, localization": Kind(LOCALIZATION, {"image_size": 128}, {**_GRPO, "kind": "rloo"}),
    "grpo, canvas, windowed": Kind(CANVAS, _CANVAS, _turns("windowed")),
    "grpo, canvas, growing": Kind(CANVAS, _CANVAS, _turns("growing")),
    "grpo, briefs, windowed": Kind(DESIGN, {}, _turns("windowed"), "designer", {"tiny": {"number_step": 20}}),
    "grpo, design, windowed": _postcards(_turns("windowed"), max_calls=6),
    "grpo, design, growing": _postcards(_turns("growing"), max_calls=6),
    "grpo, design, plan": _postcards({**_GRPO, "max_completion_length": 2048}, mode="plan"),
}
"""Kinds of training by what they are called in tables. Designs are scored by the scene judge, drawings by figural."""


def known() -> list[str]:
    """Those of `KINDS` whose method there is."""
    return [name for name, kind in KINDS.items() if kind.stage["kind"] in METHODS]


@cache
def _built(config: tiny.TinyConfig) -> tuple[Any, Any]:
    return tiny.build(config)


def local_model(config: TrainConfig) -> LocalModel:
    """A copy of the run's tiny model."""
    model, processor = _built(config.tiny_model())
    own = copy.deepcopy(model).train()
    enable_fast_vision(own)
    return LocalModel(own, processor, FAMILIES["qwen3_vl"], "tiny")


def trainer_of(
    kind: Kind, seed: int, folder: str | Path, *, workers: int = 0, generated: bool = True, **changes: Any
) -> Any:
    """A trainer as a run makes it, on the tiny model; a reinforcing one says what its script says.

    Args:
        kind: What is trained.
        seed: Of weights, tasks, the order of the data and the script.
        folder: Where it may write.
        workers: Processes that prepare batches.
        generated: Whether a reinforced model writes as many tokens as its script says.
        changes: What the stage has otherwise.
    """
    config = kind.config(seed, **changes)
    (stage,) = config.stages
    env = make(config.env.id, stage_kwargs(config, stage))
    local = local_model(config)
    pages = stage_pages(config, stage, env, local)
    tasks = task_ids(stage.tasks, seed, env.unwrapped.task_ids())  # type: ignore[attr-defined]
    trainer = method(stage).trainer(stage, local, pages, tasks, Path(folder), seed=seed, workers=workers)
    trainer.remove_callback(PrinterCallback)
    if kind.reinforced:
        scripted(trainer, kind.script(config), generated=generated)
    return trainer
