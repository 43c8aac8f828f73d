"""Curves and pictures of training into wandb and other trackers; the run's own ``metrics.jsonl`` has the curves too.

What is tracked where is ruled by ``designgym.eval.wandb_run``; if wandb is not installed or fails, training goes on
without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from designgym.eval.report.data import Example
from designgym.eval.wandb_run import Say, WandbRun, boxes, caption, check_wandb, layers
from designgym.jsonl import read_jsonl
from designgym.train.config import TrackingSection
from designgym.train.tracking.boards import Boards, check_boards

if TYPE_CHECKING:
    from designgym.train.tracking.samples import Sample

METRICS = "metrics.jsonl"
HELD_OUT = "validation/reward"
POLICIES = "validation/agents/"
"""Names of the held-out scores of the model, and before its label, of every other policy."""

ARTIFACT_LIMIT_BYTES = 2_000_000_000
"""Larger adapters stay in the run's folder."""

COLUMNS = ("step", "task", "reward", "advantage", "end", "parts", "prompts", "replies", "images")
"""Of the tables of sampled episodes."""


def check_tracking(section: TrackingSection) -> None:
    """Find out before any work whether what is asked for can work at all.

    Raises:
        UserError: If wandb is to be ``online`` and is not installed or there is no key, or if another tracker is not
            installed.
    """
    check_wandb(section.wandb)
    check_boards(section)


class Tracker:
    """One wandb run for all stages, or nothing at all, and the other trackers.

    Args:
        section: What is tracked.
        folder: The run's folder; wandb's files, caches and settings go below it.
        name: The run's name.
        settings: The effective configuration, shown beside the curves.
        say: Told which rule was applied, and once if a tracker fails.
    """

    def __init__(
        self, section: TrackingSection, folder: Path, name: str, settings: Mapping[str, Any], say: Say
    ) -> None:
        instead = "the curves are in metrics.jsonl alone"
        self.section, self.folder, self.name, self.say = section, folder, name, say
        self._wandb = WandbRun(section.wandb, section.project, folder, name, settings, say, instead)
        self._boards = Boards(section, folder, name, settings, say)

    @property
    def shows_pictures(self) -> bool:
        """Whether there is anything that takes pictures."""
        return self._wandb.run is not None

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """Points of curves: ``step`` counts over all stages, and each stage has its own panels."""
        named = {f"{stage}/{name}": value for name, value in figures.items()}
        self._wandb.attempt("the curves", lambda run: run.log(named, step=step))
        self._boards.log(stage, step, figures)
        if any(name.startswith(POLICIES) for name in figures):
            self._wandb.attempt("a chart", lambda run: run.log({f"{stage}/held_out": self._chart(stage)}, step=step))

    def pages(self, stage: str, step: int, examples: Sequence[Example], key: str = "pages") -> None:
        """Held-out pages with the predicted and the true box."""
        if examples:
            self._wandb.attempt("the pages", lambda run: run.log({f"{stage}/{key}": _pages(examples)}, step=step))

    def samples(self, stage: str, step: int, samples: Sequence[Sample], key: str) -> None:
        """Sampled episodes as a table of their step: a row an episode, with its texts and all its images on a sheet.

        The sheets are logged by themselves too, since panels of images have a slider for steps. An image with boxes has
        them as layers that can be switched on and off.

        Args:
            stage: Name of the stage.
            step: Counted over all stages.
            samples: The episodes.
            key: The table's name.
        """
        if samples:
            logged = f"{stage}/{key}", f"{stage}/images"
            self._wandb.attempt(
                "a table", lambda run: run.log(dict(zip(logged, _table(samples, step), strict=True)), step=step)
            )

    def alert(self, title: str, text: str) -> None:
        """A warning, as wandb sends them on."""
        self._wandb.attempt("an alert", lambda run: run.alert(title=title, text=text))

    def keep_settings(self, files: Sequence[Path]) -> None:
        """The files that say what the run was made with, as an artifact.

        Args:
            files: In the run's folder.
        """
        if self.section.artifacts:
            self._wandb.attempt("the settings", lambda run: self._artifact(run, "settings", "config", files))

    def keep_adapter(self, stage: str, model: Path) -> None:
        """The adapter that a stage left, as an artifact; a whole model never is one, nor a very large adapter.

        Args:
            stage: Name of the stage.
            model: The folder of its model.
        """
        if not self.section.artifacts or not (model / "adapter_config.json").is_file():
            return
        files = sorted(path for path in model.iterdir() if path.is_file())
        size = sum(path.stat().st_size for path in files)
        if size > ARTIFACT_LIMIT_BYTES:
            self.say(
                f"The adapter of '{stage}' has {size / 1e9:.1f} GB, more than {ARTIFACT_LIMIT_BYTES / 1e9:.0f}: "
                f"it is no artifact; it is in '{model}'."
            )
            return
        self._wandb.attempt("an adapter", lambda run: self._artifact(run, stage, "adapter", files))

    def close(self) -> None:
        """Finish the run and restore the environment."""
        self._boards.close()
        self._wandb.close()

    def _artifact(self, run: Any, name: str, kind: str, files: Sequence[Path]) -> None:
        import wandb

        artifact = wandb.Artifact(re.sub(r"[^\w.-]", "-", f"{self.name}-{name}")[-128:], type=kind)
        for path in files:
            # They are not written again, and copies would double what a run takes up.
            artifact.add_file(str(path), policy="immutable")
        run.log_artifact(artifact)

    def _chart(self, stage: str) -> Any:
        """The held-out scores of the model and of the policies beside it, in one chart."""
        import wandb

        curves = held_out_curves(self.folder / METRICS, stage)
        steps, scores = [list(each) for each in curves.values()], [list(each.values()) for each in curves.values()]
        return wandb.plot.line_series(steps, scores, list(curves), f"{stage}: reward on held-out tasks", "step")


def held_out_curves(metrics: Path, stage: str) -> dict[str, dict[int, float]]:
    """The held-out scores of a stage by policy and its own steps; the model's under the stage's name.

    Args:
        metrics: The curves of a run; of a step that was done twice, the second counts.
        stage: The stage.
    """
    found: dict[str, dict[int, float]] = {}
    for line in read_jsonl(metrics):
        if line.value["stage"] != stage:
            continue
        for name, value in line.value["figures"].items():
            if name == HELD_OUT or name.startswith(POLICIES):
                policy = stage if name == HELD_OUT else name.removeprefix(POLICIES)
                found.setdefault(policy, {})[line.value["step"]] = value
    return {policy: dict(sorted(points.items())) for policy, points in found.items()}


def _pages(examples: Sequence[Example]) -> list[Any]:
    import wandb

    return [wandb.Image(each.image, boxes=boxes(each), caption=caption(each)) for each in examples]


def _table(samples: Sequence[Sample], step: int) -> tuple[Any, list[Any]]:
    import wandb

    from designgym.train.tracking.samples import contact_sheet, picture

    table, images = wandb.Table(columns=list(COLUMNS), allow_mixed_types=True), []
    for each in samples:
        image = None
        if each.images:
            earned = "not scored" if each.reward is None else f"reward {each.reward:.3f}"
            shown = picture(each.images[0]) if each.boxes else contact_sheet(each.images)
            said = f"{each.task}: {earned}, {each.end}"
            image = wandb.Image(shown, boxes=layers(each.boxes) if each.boxes else None, caption=said)
            images.append(image)
        parts = ", ".join(f"{name} {value:.3f}" for name, value in each.parts.items())
        texts = (_numbered(texts) for texts in (each.prompts, each.replies))
        table.add_data(step, each.task, each.reward, each.advantage, each.end, parts, *texts, image)
    return table, images


def _numbered(texts: Sequence[str]) -> str:
    """Texts of turns, or the only one."""
    safe = [text.encode("utf-8", "backslashreplace").decode() for text in texts]
    return safe[0] if len(safe) == 1 else "\n\n".join(f"[{number}] {text}" for number, text in enumerate(safe, 1))
