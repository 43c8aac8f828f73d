"""One stage of a run: from its start's weights to its own, or to an interrupt that the same command goes on from."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console
from transformers import PrinterCallback

from designgym.agents.prompts import prompt_settings
from designgym.agents.qwen.local import LocalModel, load
from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.eval.aesthetics import examples
from designgym.eval.choose_tasks import matching
from designgym.eval.results import Result
from designgym.eval.runner import make
from designgym.jsonl import JsonlWriter
from designgym.train.config import TrainConfig
from designgym.train.data import Pages, task_ids
from designgym.train.environments import stage_kwargs, validation_kwargs
from designgym.train.folder import METRICS, RunFolder
from designgym.train.guards.checkpoints import MarkWhole, remove_parts
from designgym.train.guards.collapse import Collapsed, StopIfCollapsed, check_not_collapsed
from designgym.train.guards.collapse import record as record_collapse
from designgym.train.guards.finite import StopIfNotFinite, diverged, sampled_from_nothing
from designgym.train.guards.interrupt import Interrupt, StopOnInterrupt
from designgym.train.guards.watchdog import Watchdog
from designgym.train.methods import method
from designgym.train.model.adapters import add_adapters, name_adapted_model
from designgym.train.model.launch import sharding
from designgym.train.model.precision import precision
from designgym.train.model.weights import check_learning, freeze_vision, learning, unrounded
from designgym.train.stages import SamplingStage, SftStage, Stage
from designgym.train.teachers import make_page_teacher
from designgym.train.tracking.callbacks import Curves, HintIfStuck, SignsOfLife
from designgym.train.tracking.progress import work
from designgym.train.tracking.tracker import Tracker
from designgym.train.validation.held_out import HeldOut
from designgym.train.validation.scores import BEST_MODEL


def train_stage(
    config: TrainConfig,
    stage: Stage,
    folder: RunFolder,
    console: Console,
    processes: Any,
    tracker: Tracker | None,
) -> None:
    """Train a stage and keep its model.

    Args:
        config: The run.
        stage: The stage.
        folder: The run's folder.
        console: For the progress.
        processes: accelerate's state: one process, or those of a launcher, which train together.
        tracker: In the first process, for the curves.

    Raises:
        KeyboardInterrupt: After Ctrl-C or SIGTERM, with a checkpoint written.
        UserError: If its numbers leave the finite ones, or its reward collapses.
    """
    began = time.monotonic()
    home = folder.stage(stage.name)
    check_not_collapsed(home, config.guards)
    local, bf16 = load_start(config, folder.source(config, config.start_of(stage)))
    env = make(config.env.id, stage_kwargs(config, stage))
    pages = stage_pages(config, stage, env, local)
    tasks = task_ids(stage.tasks, config.seed, env.unwrapped.task_ids())  # type: ignore[attr-defined]
    if stage.tasks is not None:
        tasks = matching(env, tasks, stage.tasks.where)
    steps_before = sum(earlier.steps for earlier in config.stages[: config.stages.index(stage)])
    checkpoint = folder.checkpoint(stage.name)
    done = 0 if checkpoint is None else int(checkpoint.name.removeprefix("checkpoint-"))
    first: bool = processes.is_main_process
    with (
        work(console, f"Train {stage.label or stage.name}", stage.steps, done) as shown,
        Interrupt(shown.say) as interrupt,
        JsonlWriter(folder.path / METRICS) as metrics,
        _watchdog(config, stage, folder, processes, shown.say) as watchdog,
    ):
        processes.wait_for_everyone()  # all have found the same checkpoint
        for name in remove_parts(home / "checkpoints") if first else ():
            shown.say(f"Stage '{stage.name}': {name} was not written to its end; it was removed.")

        def record(step: int, seconds: float, figures: dict[str, float]) -> None:
            if tracker is not None:
                metrics.write({"stage": stage.name, "step": step, "seconds": round(seconds, 3), "figures": figures})
                tracker.log(stage.name, steps_before + step, figures)

        # Between the updates on one batch of answers there is nothing to go on from: the answers are not saved.
        every = stage.num_iterations if isinstance(stage, SamplingStage) else 1
        validation = None
        if config.validation is not None:
            validation = HeldOut(
                config,
                config.validation,
                stage,
                local,
                env.unwrapped.tool_table,  # type: ignore[attr-defined]
                folder,
                interrupt=interrupt,
                record=record,
                say=shown.say,
                first=first,
                done=done,
                sign=watchdog.sign,
                show=None if tracker is None else partial(_show, config, stage, tracker, steps_before),
                alert=None if tracker is None else tracker.alert,
            )
        watching = [Curves(shown, record), HintIfStuck(shown.say), StopOnInterrupt(interrupt, every)]
        guarding = [StopIfNotFinite(stage.name), *_guards(config, stage, watchdog)]
        guarding += [] if validation is None else [validation]
        with unrounded(local.model):
            trainer = method(stage).trainer(
                stage,
                local,
                pages,
                tasks,
                home,
                seed=config.seed,
                bf16=bf16,
                workers=config.workers,
                callbacks=[*watching, *guarding],
            )
        counts = check_learning(local.model, learning(config))
        shown.say(counts.words())
        trainer.remove_callback(PrinterCallback)
        if validation is not None:
            validation.save = partial(_save, trainer, local, folder, first)
        if tracker is not None and config.tracking.trajectories_every and isinstance(stage, SamplingStage):
            trainer.add_callback(_keeper(config, stage, trainer, local, folder, tracker, steps_before, shown.say))
        try:
            trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        except RuntimeError as error:
            if not sampled_from_nothing(error):
                raise
            raise diverged("distribution of the next token", stage.name, trainer.state.global_step + 1) from error
        except Collapsed as error:
            said = record_collapse(error.fall, config.guards, stage.name, home) if first else str(error)
            processes.wait_for_everyone()  # a launcher ends all processes as soon as one has ended
            raise UserError(said) from error
    seconds = _seconds_before(home) + time.monotonic() - began
    reached = trainer.state.global_step
    if reached < stage.steps:
        if first:
            write_atomically(home / "seconds.json", json.dumps(seconds))
        console.print(f"Stopped after step {reached} of {stage.steps}; the same command goes on there.")
        raise KeyboardInterrupt
    part = home / ".model.part"
    best = None if validation is None else validation.best()
    if best is None:
        _save(trainer, local, folder, first, part)
    elif first:
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(best, part)
    processes.wait_for_everyone()
    if first:
        shutil.rmtree(folder.model(stage.name), ignore_errors=True)
        os.replace(part, folder.model(stage.name))
        peak_rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        done_record = {"steps": stage.steps, "seconds": round(seconds, 1), "peak_rss_mb": peak_rss_mb}
        done_record |= {"trainable_weights": counts.trainable, "weights": counts.total}
        folder.finish(stage.name, done_record | ({} if validation is None else validation.summary()))
        shutil.rmtree(home / BEST_MODEL, ignore_errors=True)
    processes.wait_for_everyone()
    env.close()
    del trainer, local, pages, validation, watching, guarding
    gc.collect()  # trainers are cycles, and this one holds the stage's pages
    if interrupt.requested:  # in the last step
        raise KeyboardInterrupt


def stage_pages(config: TrainConfig, stage: Stage, env: gym.Env[Any, Any], local: LocalModel) -> Pages:
    """What the model is asked in a stage, and what its teacher answers where there is one answer an episode."""
    one_answer = env.unwrapped.max_calls == 1  # type: ignore[attr-defined]
    taught = isinstance(stage, SftStage) and one_answer and stage.data is None
    return Pages(
        env,
        config.env.id,
        local,
        wording=config.prompt.wording,
        teacher=make_page_teacher(stage.teacher, env, config.seed) if isinstance(stage, SftStage) and taught else None,
        number_step=config.tiny.number_step if config.model == "tiny" else 1,
        settings=prompt_settings(config.env.id, framing=config.prompt.framing, context=config.prompt.context),
    )


def _watchdog(
    config: TrainConfig, stage: Stage, folder: RunFolder, processes: Any, say: Callable[[str], None]
) -> Watchdog:
    guards, rank, ranks = config.guards, processes.process_index, processes.num_processes
    settings: dict[str, Any] = {"rank": rank, "ranks": ranks, "stop": guards.stop_after_hang}
    return Watchdog(guards.hang_seconds, folder.path, stage.name, say, **settings)


def _guards(config: TrainConfig, stage: Stage, watchdog: Watchdog) -> list[Any]:
    """Callbacks that watch over a stage besides those that watch its numbers."""
    found: list[Any] = [SignsOfLife(watchdog), MarkWhole()]
    if isinstance(stage, SamplingStage) and config.guards.collapse_share is not None:
        # While shaping is annealed the reward falls by itself.
        found.append(StopIfCollapsed(config.guards, after=stage.anneal_shaping or 0))
    return found


def _show(
    config: TrainConfig, stage: Stage, tracker: Tracker, steps_before: int, step: int, results: Sequence[Result]
) -> None:
    """Held-out answers with boxes: always the same pages."""
    if tracker.shows_pictures and config.tracking.examples and examples.applies(results):
        kwargs, seed, count = validation_kwargs(config), config.evaluation.seed, config.tracking.examples
        pages = examples.examples(results, config.env.id, kwargs, count=count, seed=seed)
        tracker.pages(stage.name, steps_before + step, pages, "held_out_pages")


def _save(trainer: Any, local: LocalModel, folder: RunFolder, first: bool, part: Path) -> None:
    """Write the model as it is now into a folder; all processes take part, the first one writes."""
    trainer.save_model(str(part))
    if first:
        (part / "training_args.bin").unlink(missing_ok=True)  # a pickle with paths of this machine
        shutil.rmtree(part / "ref", ignore_errors=True)  # the adapter of the start, which TRL keeps beside the other
        name_adapted_model(part, local.source, folder.path, four_bit=local.four_bit)


def _keeper(
    config: TrainConfig,
    stage: Stage,
    trainer: Any,
    local: LocalModel,
    folder: RunFolder,
    tracker: Tracker,
    steps_before: int,
    say: Callable[[str], None],
) -> Any:
    """What keeps some of the episodes that a trainer plays."""
    from designgym.train.tracking.answer_samples import answer_samples
    from designgym.train.tracking.samples import FOLDER, Keeper, Sample, advantages
    from designgym.train.turns.mirror import sample

    count, many = config.tracking.trajectories, hasattr(trainer, "trajectories")

    def make(step: int) -> list[Sample]:
        if not many:
            reward = trainer.reward_funcs[0]
            return answer_samples(reward, stage.name, step, count, advantages(trainer, len(reward.played)))
        played, tokenizer = trainer.trajectories, local.processor.tokenizer
        known = advantages(trainer, len(played))
        chosen = zip(played[:count], known, strict=False)
        return [sample(each, stage.name, step, tokenizer, advantage) for each, advantage in chosen]

    def show(step: int, samples: Sequence[Sample]) -> None:
        tracker.samples(stage.name, steps_before + step, samples, "trajectories" if many else "completions")

    home = folder.path / FOLDER / stage.name
    return Keeper(make, home, every=config.tracking.trajectories_every, show=show, say=say)


def load_start(config: TrainConfig, source: str) -> tuple[LocalModel, bool]:
    """The model that a stage starts from, with adapters if the run trains some, and whether to compute in bfloat16.

    `designgym.train.model.precision` says in which numbers, `designgym.train.model.weights` which of them learn.
    """
    import torch

    on_gpu = torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    sharded = sharding()
    numbers = precision(config, bf16=on_gpu, sharded=sharded)
    local = load(
        source,
        max_pixels=config.max_pixels,
        dtype=numbers.loaded,
        trainable=True,
        fast_vision=config.fast_vision,
        attention=config.attention,
        four_bit=numbers.four_bit,
        autocast_adapter=sharded != "zero3",
    )
    if config.peft is not None:
        local = add_adapters(local, config.peft, config.seed)
    elif learning(config) == "language":
        freeze_vision(local.model)
    return local, numbers.compute == "bfloat16"


def _seconds_before(home: Path) -> float:
    """Seconds that a stage had trained before it was interrupted."""
    try:
        return float(json.loads((home / "seconds.json").read_text()))
    except (OSError, ValueError):
        return 0.0
