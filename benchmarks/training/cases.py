"""The kinds of training that are measured, as configurations, and trainers made from them as a run makes them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transformers import PrinterCallback

from designgym.agents.qwen import tiny
from designgym.agents.qwen.local import LocalModel, load
from designgym.agents.table import build
from designgym.eval.runner import make, run
from designgym.train.config import TrainConfig
from designgym.train.data import task_ids
from designgym.train.environments import stage_kwargs
from designgym.train.methods import method
from designgym.train.stage import stage_pages

from .replies import Script, boxes, lines, played, scripted

LOCALIZATION = "designgym/AestheticLocalization-v0"
CANVAS = "designgym/CanvasDrawing-v0"
DESIGN = "designgym/DesignActions-v0"
GROUP = 4

_CANVAS = {"max_calls": 3, "reward": "figural"}
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


_PAGES = {"image_size": 128}
_SIMPLE = {"image_size": 128, "designs": "blocks"}
_LONG = {**_CANVAS, "max_calls": 8}
_HAND = {"teacher": "join-ends"}

KINDS = {
    "sft, generated pages": Kind(LOCALIZATION, _PAGES, {**_SFT, "teacher": "truth"}),
    "sft, simple pages": Kind(LOCALIZATION, _SIMPLE, {**_SFT, "teacher": "truth"}),
    "sft, pairs of a folder": Kind(LOCALIZATION, _PAGES, {"kind": "sft", "batch_size": 8}),
    "sft, canvas, windowed": Kind(CANVAS, _CANVAS, {**_SFT, **_HAND, "history": "windowed"}),
    "sft, canvas, growing": Kind(CANVAS, _CANVAS, {**_SFT, **_HAND, "history": "growing"}),
    "grpo, generated pages": Kind(LOCALIZATION, _PAGES, _GRPO),
    "grpo, simple pages": Kind(LOCALIZATION, _SIMPLE, _GRPO),
    "rloo, simple pages": Kind(LOCALIZATION, _SIMPLE, {**_GRPO, "kind": "rloo"}),
    "dpo, simple pages": Kind(LOCALIZATION, {**_SIMPLE, "clean_share": 0.0}, {"kind": "dpo", "batch_size": 4}),
    "grpo, canvas, 3 calls, windowed": Kind(CANVAS, _CANVAS, _turns("windowed")),
    "grpo, canvas, 3 calls, growing": Kind(CANVAS, _CANVAS, _turns("growing")),
    "grpo, canvas, 8 calls, windowed": Kind(CANVAS, _LONG, _turns("windowed")),
    "grpo, canvas, 8 calls, growing": Kind(CANVAS, _LONG, _turns("growing")),
    "grpo, whole briefs, windowed": Kind(DESIGN, {}, _turns("windowed"), "designer", {"tiny": {"number_step": 20}}),
    "grpo, postcards, windowed": _postcards(_turns("windowed"), max_calls=6),
    "grpo, postcards, growing": _postcards(_turns("growing"), max_calls=6),
    "grpo, postcards, plan": _postcards({**_GRPO, "max_completion_length": 2048}, mode="plan"),
}
"""Kinds of training by what they are called in tables. Designs are scored by the scene judge, drawings by figural."""


def local_model(config: TrainConfig, folder: Path) -> LocalModel:
    """The run's tiny model, written into a folder and loaded from there as a run does."""
    tiny.save(config.tiny_model(), folder)
    return load(folder, dtype="float32", trainable=True, fast_vision=config.fast_vision)


def write_pairs(folder: Path, count: int, seed: int) -> Path:
    """Write a folder of pairs with ``designgym data aesthetics``, for "sft, pairs of a folder"."""
    options = ["--out", str(folder), "--n", str(count), "--image-size", "128", "--wording", "brief", "--no-reasoning"]
    options += ["--tasks", "localization", "--seed", str(seed)]
    command = [sys.executable, "-m", "designgym.cli.main", "data", "aesthetics", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def write_traces(folder: Path, count: int) -> Path:
    """Record the truth and the whole page as answers to so many simple pages, for "dpo, simple pages"."""
    kind = KINDS["dpo, simple pages"]
    kwargs = {**kind.kwargs, "split": "train"}
    env = make(kind.env, kwargs)
    tasks = list(env.unwrapped.task_ids()[:count])  # type: ignore[attr-defined]
    for name in ("truth", "full-page"):
        run(build(name, env), kind.env, kwargs, tasks, out=folder / name)
    return folder


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
    trainer = trainer_from(config, local_model(config, Path(folder) / "model"), Path(folder), workers=workers)
    if kind.reinforced:
        scripted(trainer, kind.script(config), generated=generated)
    return trainer


def trainer_from(config: TrainConfig, local: LocalModel, folder: Path, *, workers: int = 0, bf16: bool = False) -> Any:
    """The trainer of a configuration's one stage, as a run makes it.

    Args:
        config: The run.
        local: Its model.
        folder: Where it may write.
        workers: Processes that prepare batches.
        bf16: Compute in bfloat16.
    """
    (stage,) = config.stages
    env = make(config.env.id, stage_kwargs(config, stage))
    pages = stage_pages(config, stage, env, local)
    tasks = task_ids(stage.tasks, config.seed, env.unwrapped.task_ids())  # type: ignore[attr-defined]
    make_trainer = method(stage).trainer
    trainer = make_trainer(stage, local, pages, tasks, folder, seed=config.seed, bf16=bf16, workers=workers)
    trainer.remove_callback(PrinterCallback)
    return trainer
