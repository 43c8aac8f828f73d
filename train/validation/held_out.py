"""Held-out evaluation every so many steps of a stage, and the weights that did best in it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from transformers import TrainerCallback

from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.agents.qwen.agent import QwenAgent
from designgym.agents.qwen.local import LocalModel
from designgym.eval.results import Result
from designgym.tools import ToolTable
from designgym.train.config import TrainConfig, ValidationSection
from designgym.train.folder import RunFolder
from designgym.train.guards.interrupt import Interrupt
from designgym.train.stages import Stage
from designgym.train.together import Stopped
from designgym.train.tracking.callbacks import Record
from designgym.train.validation.gaming import warnings
from designgym.train.validation.parting import Estimate, estimate
from designgym.train.validation.playing import held_out, judge, play, play_agents, undisturbed
from designgym.train.validation.scores import BEST, BEST_MODEL, SCORES, Score, Scores
from designgym.train.validation.second_judge import second_judge

Save = Callable[[Path], None]
"""Writes the model that is trained into a new folder; called in all processes, the first one writes."""


class HeldOut(TrainerCallback):
    """Plays the held-out tasks before the first step, every so many steps, and after the last.

    The training goes on as it would have without it: same random numbers, same losses.

    Args:
        config: The run.
        section: Its validation.
        stage: The stage.
        local: The model that is trained.
        tools: The environment's tools.
        folder: The run's folder.
        interrupt: If it is requested, an evaluation is given up, to be made up for when the run goes on.
        record: Takes the figures.
        say: Told what was found.
        first: Whether this is the first process, which writes.
        done: Steps done before, by the checkpoint that the stage goes on from.
        sign: Called after each task that another policy has played, as a sign of life.
        show: In the first process, takes the step and what was played.
        alert: In the first process, takes the title and the text of a warning.
    """

    def __init__(
        self,
        config: TrainConfig,
        section: ValidationSection,
        stage: Stage,
        local: LocalModel,
        tools: ToolTable,
        folder: RunFolder,
        *,
        interrupt: Interrupt,
        record: Record,
        say: Callable[[str], None],
        first: bool,
        done: int,
        sign: Callable[..., None] = lambda *_: None,
        show: Callable[[int, Sequence[Result]], None] | None = None,
        alert: Callable[[str, str], None] | None = None,
    ) -> None:
        self.config, self.section, self.stage, self.local, self.tools = config, section, stage, local, tools
        self.interrupt, self.record, self.say, self.first = interrupt, record, say, first
        self.sign, self.show, self.alert = sign, show, alert
        self.every = stage.validate_every or section.every
        self.home = folder.stage(stage.name)
        self.scores = Scores(self.home)
        self.tasks = held_out(config, section)
        self.second = second_judge(section)
        self.save: Save | None = None
        self._agents_folder = folder.path / "validation"
        self._agents: dict[str, Score] = {}
        self._began = time.monotonic()
        # What came after the checkpoint is done again; without one, all is.
        known = self.scores.all() if done else {}
        self._known = {step: score for step, score in known.items() if step <= done}
        if first and not done:
            shutil.rmtree(self.home / BEST_MODEL, ignore_errors=True)
            for name in (BEST, SCORES):
                (self.home / name).unlink(missing_ok=True)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Play the policies to compare with, and what an interrupted evaluation left out."""
        self._agents = play_agents(
            self.config, self.section, self.tasks, self._agents_folder, self.sign, self.second, self.say
        )
        for label, score in self._agents.items():
            if said := score.words():
                self.say(f"{label}: {said}")
        if self._due(state.global_step):
            try:
                self._evaluate(state)
            except Stopped:  # nothing was done since the checkpoint
                raise KeyboardInterrupt from None

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """Play the held-out tasks, if it is time."""
        last = state.global_step >= self.stage.steps
        if self._due(state.global_step) and (last or not control.should_training_stop):
            try:
                self._evaluate(state, last)
            except Stopped:
                self.interrupt.requested = True
                control.should_save = True
                control.should_training_stop = True
        return control

    def best(self) -> Path | None:
        """The folder of the weights that did best; None if they are not to be kept."""
        return self.home / BEST_MODEL if self.section.keep_best and self.scores.best() is not None else None

    def summary(self) -> dict[str, Any]:
        """What is recorded of the stage."""
        best = self.scores.best() if self.section.keep_best else None
        return {} if best is None else {"best_step": best.step, "validation": best.mean}

    def _due(self, step: int) -> bool:
        return step not in self._known and (step % self.every == 0 or step == self.stage.steps)

    def _evaluate(self, state: Any, last: bool = False) -> None:
        step, seed = state.global_step, self.config.evaluation.seed
        with undisturbed(self.local.model), TemporaryDirectory() as folder:
            out = None if self.second is None else Path(folder, "played")
            results = play(self._agent(), self.config, self.tasks, lambda: self.interrupt.requested and not last, out)
            score = Score.of(step, results, seed)
            if self.second is not None and out is not None:
                score = score.with_second(judge(self.second, self.tasks, out, self.say), seed)
        score = replace(score, trained=self._trained(state))
        score = replace(score, warnings=warnings([*self._known.values(), score], self.section.warn_after))
        best = self.scores.best()
        if self.section.keep_best and score.mean is not None and (best is None or _better(score, best)):
            self._keep(score)
        told = list(self._known.values())[-1].warnings if self._known else {}
        self._known[step] = score
        if self.first:
            self.scores.write(list(self._known.values()))
        figures = score.figures()
        for label, other in self._agents.items():
            figures |= other.figures_of_agent(label)
        self.record(step, time.monotonic() - self._began, figures)
        if self.show is not None:
            self.show(step, results)
        name = self.stage.label or self.stage.name
        if said := score.words():
            self.say(f"{name}, step {step}: {said}")
        for fallen, text in score.warnings.items():
            if fallen not in told:  # it is said once, until it is over
                self.say(f"{name}, step {step}: {text}")
                if self.alert is not None:
                    self.alert(f"{name}: the reward may be gamed", f"Step {step}: {text}")

    def _agent(self) -> QwenAgent:
        section, prompt = self.config.evaluation, self.config.prompt
        return QwenAgent(
            self.local,
            prompt_builder(self.config.env.id),
            self.tools,
            wording=prompt.wording,
            settings=prompt_settings(self.config.env.id, framing=prompt.framing, context=prompt.context),
            history=self.stage.history,
            sample=self.section.sampled,
            temperature=section.temperature,
            max_new_tokens=section.max_new_tokens,
            seed=section.seed,
        )

    def _trained(self, state: Any) -> Estimate | None:
        """What was earned since the validation before: the points of the curve that were logged until now."""
        before = max((step for step in self._known if step < state.global_step), default=0)
        logged = [each for each in state.log_history if before <= each.get("step", -1) < state.global_step]
        return estimate(each["reward"] for each in logged if "reward" in each)

    def _keep(self, score: Score) -> None:
        from accelerate import PartialState

        assert self.save is not None, "set `save` before the training"
        part = self.home / ".best.part"
        if self.first:
            shutil.rmtree(part, ignore_errors=True)
        PartialState().wait_for_everyone()
        self.save(part)
        if self.first:
            shutil.rmtree(self.home / BEST_MODEL, ignore_errors=True)
            part.rename(self.home / BEST_MODEL)
            self.scores.set_best(score)
        PartialState().wait_for_everyone()


def _better(score: Score, best: Score) -> bool:
    return score.mean is not None and (best.mean is None or score.mean > best.mean)
