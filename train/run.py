"""A whole run: the stages in order, each from its start's weights to its own, then the evaluation and the report.

Everything is resumable: a finished stage is skipped, one under way goes on from its last checkpoint, pages that were
answered are not asked again. The same command on the same folder does it.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import resource
import shutil
import time
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from designgym.agents.qwen.local import LocalModel, load
from designgym.atomic import write_atomically
from designgym.eval import localization
from designgym.eval.report.terminal import terminal
from designgym.eval.runner import make
from designgym.jsonl import JsonlWriter
from designgym.train.config import SftStage, Stage, TrainConfig
from designgym.train.data import Pages, task_ids
from designgym.train.evaluation import UNTRAINED, Candidate, comparisons, evaluate
from designgym.train.folder import METRICS, RunFolder
from designgym.train.plan import check, evaluation_kwargs, stage_kwargs
from designgym.train.progress import work
from designgym.train.report import tables, write
from designgym.train.teachers import make_teacher
from designgym.train.tracking import Tracker


def run(config: TrainConfig, folder: Path, console: Console) -> Path | None:
    """Train, evaluate and report; the same call goes on with a run that was interrupted.

    Under a launcher of several processes (accelerate, torchrun) all of them train, and the first evaluates and writes.

    Args:
        config: The run.
        folder: Its folder.
        console: For the progress and the tables.

    Returns:
        The report; None in the other processes of a launcher.

    Raises:
        UserError: Before any work, if something is wrong; see `designgym.train.plan.check`.
        KeyboardInterrupt: After Ctrl-C or SIGTERM, with a checkpoint written.
    """
    check(config)
    holder = RunFolder(folder, config)
    _quiet_libraries()
    import torch
    from accelerate import PartialState

    if config.threads is not None:
        torch.set_num_threads(config.threads)
    processes = PartialState(cpu=not torch.cuda.is_available())
    first = processes.is_main_process
    with holder.opened() if first else nullcontext():
        if first and config.model == "tiny" and not holder.model("init").is_dir():
            from designgym.agents.qwen import tiny

            with holder.written_whole(holder.model("init")) as part:
                tiny.save(config.tiny.model_copy(update={"seed": config.tiny.seed + config.seed}), part)
        processes.wait_for_everyone()
        tracker = Tracker(config.tracking, folder, folder.name, holder.settings, console.print) if first else None
        try:
            for stage in config.stages:
                if holder.done(stage.name) is None:
                    _train(config, stage, holder, tracker, console if first else Console(quiet=True), processes)
            return _evaluate(config, holder, tracker, console) if first else None
        finally:
            if tracker is not None:
                tracker.close()


def _train(
    config: TrainConfig, stage: Stage, holder: RunFolder, tracker: Tracker | None, console: Console, processes: Any
) -> None:
    """One stage, to its end or to an interrupt."""
    from transformers import PrinterCallback

    from designgym.train.callbacks import Curves, HintIfStuck
    from designgym.train.grpo import grpo_trainer
    from designgym.train.interrupt import Interrupt, StopOnInterrupt
    from designgym.train.sft import sft_trainer

    began = time.monotonic()
    home = holder.stage(stage.name)
    local, bf16 = load_start(config, _source(config, holder, config.start_of(stage)))
    env = make(config.env.id, stage_kwargs(config, stage))
    pages = Pages(
        env,
        config.env.id,
        local,
        wording=config.prompt.wording,
        teacher=make_teacher(stage.teacher, env, config.seed) if isinstance(stage, SftStage) else None,
        number_step=config.tiny.number_step if config.model == "tiny" else 1,
    )
    tasks = task_ids(stage.tasks, config.seed, env.unwrapped.task_ids())  # type: ignore[attr-defined]
    offset = sum(earlier.steps for earlier in config.stages[: config.stages.index(stage)])
    checkpoint = holder.checkpoint(stage.name)
    with (
        work(console, f"Train {stage.label or stage.name}", stage.steps, _steps(checkpoint)) as shown,
        Interrupt(shown.say) as interrupt,
        JsonlWriter(holder.path / METRICS) as metrics,
    ):

        def record(step: int, seconds: float, figures: dict[str, float]) -> None:
            if tracker is not None:
                metrics.write({"stage": stage.name, "step": step, "seconds": round(seconds, 3), "figures": figures})
                tracker.log(stage.name, offset + step, figures)

        make_trainer: Any = sft_trainer if isinstance(stage, SftStage) else grpo_trainer
        trainer = make_trainer(
            stage,
            local,
            pages,
            tasks,
            home,
            seed=config.seed,
            bf16=bf16,
            workers=config.workers,
            callbacks=[Curves(shown, record), HintIfStuck(shown.say), StopOnInterrupt(interrupt)],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    seconds = _seconds_before(home) + time.monotonic() - began
    if trainer.state.global_step < stage.steps:
        write_atomically(home / "seconds.json", json.dumps(seconds))
        console.print(
            f"Stopped after step {trainer.state.global_step} of {stage.steps}; the same command goes on there."
        )
        raise KeyboardInterrupt
    part = home / ".model.part"
    trainer.save_model(str(part))
    processes.wait_for_everyone()
    if tracker is not None:
        (part / "training_args.bin").unlink(missing_ok=True)  # a pickle with paths of this machine
        shutil.rmtree(holder.model(stage.name), ignore_errors=True)
        os.replace(part, holder.model(stage.name))
        record_of_stage = {"steps": stage.steps, "seconds": round(seconds, 1), "peak_rss_mb": _peak_rss_mb()}
        holder.finish(stage.name, record_of_stage)
    processes.wait_for_everyone()
    env.close()
    del trainer, local, pages
    gc.collect()  # trainers are cycles, and this one holds the stage's pages


def load_start(config: TrainConfig, source: str) -> tuple[LocalModel, bool]:
    """The model that a stage starts from, with adapters if the run trains some, and whether to compute in bfloat16.

    On a GPU the weights of a model that only carries adapters are bfloat16; weights that are trained themselves stay
    float32, since bfloat16 would round small updates away.
    """
    import torch

    bf16 = config.model != "tiny" and torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    local = load(
        source,
        max_pixels=config.max_pixels,
        dtype="bfloat16" if bf16 and config.peft is not None else "float32",
        trainable=True,
        fast_vision=config.fast_vision,
    )
    if config.peft is not None:
        from designgym.train.adapters import add_adapters

        local = add_adapters(local, config.peft)
    return local, bf16


def _evaluate(config: TrainConfig, holder: RunFolder, tracker: Tracker | None, console: Console) -> Path:
    candidates = list(_candidates(config, holder))
    policies = evaluate(config, candidates, holder.path / "evaluation", console)
    env = make(config.env.id, evaluation_kwargs(config))
    reward: str = env.unwrapped.reward.name  # type: ignore[attr-defined]
    env.close()
    steps = sum(stage.steps for stage in config.stages)
    if tracker is not None:
        for candidate in candidates:
            results = policies[candidate.key].results
            if config.tracking.examples and localization.applies(results):
                kwargs = evaluation_kwargs(config)
                count, seed = config.tracking.examples, config.evaluation.seed
                examples = localization.examples(results, config.env.id, kwargs, count=count, seed=seed)
                tracker.pages(candidate.key, steps, examples)
    compared = comparisons(candidates, policies, reward, config.evaluation.seed)
    made = tables(config, policies, compared, reward)
    stages = {stage.name: holder.done(stage.name) or {} for stage in config.stages}
    report = write(config, policies, made, stages, holder.path, reward)
    for table in made:
        console.print(terminal(table))
    console.print(f"Report: {report}")
    return report


def _candidates(config: TrainConfig, holder: RunFolder) -> list[Candidate]:
    found = []
    if config.evaluation.untrained:
        found.append(Candidate(UNTRAINED, UNTRAINED, _source(config, holder, "init")))
    trained = [stage for stage in config.stages if stage.evaluate]
    for stage in trained:
        start = config.start_of(stage)
        while start != "init" and not next(s for s in config.stages if s.name == start).evaluate:
            start = config.start_of(next(s for s in config.stages if s.name == start))
        found.append(
            Candidate(
                stage.name,
                stage.label or stage.name,
                _source(config, holder, stage.name),
                start=UNTRAINED if start == "init" else start,
                last=stage is _shown(config),
            )
        )
    return found


def _shown(config: TrainConfig) -> Stage:
    """The stage that the report is about: the last reinforced one, or the last of all."""
    evaluated = [stage for stage in config.stages if stage.evaluate] or list(config.stages)
    reinforced = [stage for stage in evaluated if stage.kind == "grpo"]
    return (reinforced or evaluated)[-1]


def _source(config: TrainConfig, holder: RunFolder, name: str) -> str:
    return config.model if name == "init" and config.model != "tiny" else str(holder.model(name))


def _steps(checkpoint: Path | None) -> int:
    return 0 if checkpoint is None else int(checkpoint.name.removeprefix("checkpoint-"))


def _seconds_before(home: Path) -> float:
    """Seconds that a stage had trained before it was interrupted."""
    try:
        return float(json.loads((home / "seconds.json").read_text()))
    except (OSError, ValueError):
        return 0.0


def _peak_rss_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _quiet_libraries() -> None:
    """Leave the terminal to the run's own progress; errors of the libraries still come as exceptions."""
    import datasets
    import transformers

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    logging.getLogger("accelerate").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
