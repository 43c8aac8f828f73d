"""A whole run: the stages in order, then every policy on the same held-out pages, and the report.

Everything goes on where it stopped: a finished stage is skipped, one under way resumes from its last checkpoint, pages
that were answered are not asked again. The same command on the same folder does it.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from designgym.agents.qwen.processor import load_processor, template_note
from designgym.atomic import folder_written_whole
from designgym.eval.aesthetics import examples
from designgym.eval.report.terminal import terminal
from designgym.eval.runner import make
from designgym.train.checks import check
from designgym.train.config import UNTRAINED, TrainConfig
from designgym.train.environments import evaluation_kwargs
from designgym.train.evaluation import Candidate, comparisons, evaluate
from designgym.train.folder import CONFIG, MANIFEST, RunFolder, check_folder
from designgym.train.report import tables, write
from designgym.train.stages import Stage
from designgym.train.tracking.tracker import Tracker


def run(config: TrainConfig, path: Path, console: Console) -> Path | None:
    """Train, evaluate and report; the same call goes on with a run that was interrupted.

    Under a launcher of several processes (accelerate, torchrun) all of them train; the first evaluates and writes.

    Args:
        config: The run.
        path: Its folder.
        console: For the progress and the tables.

    Returns:
        The report; None in the other processes of a launcher.

    Raises:
        UserError: Before any work, if something is wrong; see `designgym.train.checks.check`.
        KeyboardInterrupt: After Ctrl-C or SIGTERM, with a checkpoint written.
    """
    check(config)
    _quiet_libraries()
    import torch
    from accelerate import PartialState

    from designgym.train.stage import train_stage

    if config.threads is not None:
        torch.set_num_threads(config.threads)
    processes = PartialState(cpu=not torch.cuda.is_available())
    first: bool = processes.is_main_process
    folder = RunFolder(path, config)
    if first:
        check_folder(path, config)
        if config.model != "tiny" and (note := template_note(load_processor(config.model))):
            console.print(note)
    with folder.opened() if first else nullcontext():
        if first and config.model == "tiny" and not folder.model("init").is_dir():
            from designgym.agents.qwen import tiny

            with folder_written_whole(folder.model("init")) as part:
                tiny.save(config.tiny_model(), part)
        processes.wait_for_everyone()
        tracker = Tracker(config.tracking, path, path.name, folder.settings, console.print) if first else None
        try:
            if tracker is not None:
                tracker.keep_settings([path / CONFIG, path / MANIFEST])
            for stage in config.stages:
                if folder.done(stage.name) is None:
                    train_stage(config, stage, folder, console if first else Console(quiet=True), processes, tracker)
                    if tracker is not None:
                        tracker.keep_adapter(stage.name, folder.model(stage.name))
            return _evaluate(config, folder, console, tracker) if tracker is not None else None
        finally:
            if tracker is not None:
                tracker.close()


def _evaluate(config: TrainConfig, folder: RunFolder, console: Console, tracker: Tracker) -> Path:
    """Everything after the stages."""
    candidates = list(_candidates(config, folder))
    policies = evaluate(config, candidates, folder.path / "evaluation", console)
    kwargs, section = evaluation_kwargs(config), config.evaluation
    env = make(config.env.id, kwargs)
    reward: str = env.unwrapped.reward.name  # type: ignore[attr-defined]
    env.close()
    steps = sum(stage.steps for stage in config.stages)
    for candidate in candidates:
        results = policies[candidate.key].results
        if config.tracking.examples and examples.applies(results):
            count = config.tracking.examples
            pages = examples.examples(results, config.env.id, kwargs, count=count, seed=section.seed)
            tracker.pages(candidate.key, steps, pages)
    compared = comparisons(config, candidates, policies, reward)
    made = tables(config, policies, compared, reward)
    stages = {stage.name: folder.done(stage.name) or {} for stage in config.stages}
    report = write(config, policies, compared, made, stages, folder.path, reward)
    for table in made:
        console.print(terminal(table))
    console.print(f"Report: {report}")
    return report


def _candidates(config: TrainConfig, folder: RunFolder) -> list[Candidate]:
    """The untrained model and those of the stages that are to be evaluated."""
    found = []
    if config.evaluation.untrained:
        note = "structured initialisation" if config.model == "tiny" else "as published"
        first = config.stages[0]
        found.append(Candidate(UNTRAINED, UNTRAINED, folder.source(config, "init"), note=note, history=first.history))
    stages = {stage.name: stage for stage in config.stages}
    for stage in config.stages:
        if not stage.evaluate:
            continue
        start = config.start_of(stage)
        while start != "init" and not stages[start].evaluate:
            start = config.start_of(stages[start])
        found.append(
            Candidate(
                stage.name,
                stage.label or stage.name,
                folder.source(config, stage.name),
                start=UNTRAINED if start == "init" else start,
                last=stage is _shown(config),
                note=_kept(folder.done(stage.name) or {}),
                history=stage.history,
            )
        )
    return found


def _kept(record: Mapping[str, Any]) -> str:
    """A few words about which of a stage's weights were kept, where they were chosen."""
    return f"step {record['best_step']}, best on held-out tasks" if "best_step" in record else ""


def _shown(config: TrainConfig) -> Stage:
    """The stage that the report is about: the last reinforced one, or the last of all."""
    evaluated = [stage for stage in config.stages if stage.evaluate] or list(config.stages)
    reinforced = [stage for stage in evaluated if stage.kind in ("grpo", "rloo")]
    return (reinforced or evaluated)[-1]


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
