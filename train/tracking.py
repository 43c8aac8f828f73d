"""Curves and pictures of training into wandb; the run's own ``metrics.jsonl`` has the curves too.

What is tracked where is ruled by ``designgym.eval.wandb_run``; if wandb is not installed, training goes on without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from designgym.eval.report.data import Example
from designgym.eval.wandb_run import Say, WandbRun, boxes, caption, check_wandb
from designgym.train.config import TrackingSection

if TYPE_CHECKING:
    from designgym.train.turns.mirror import Sample


def check_tracking(section: TrackingSection) -> None:
    """Find out before any work whether ``online`` can work at all.

    Raises:
        UserError: If wandb is not installed or there is no key.
    """
    check_wandb(section.wandb)


class Tracker:
    """One wandb run for all stages, or nothing at all.

    Args:
        section: Mode and project.
        folder: The run's folder; wandb's files, caches and settings go below it.
        name: The run's name.
        settings: The effective configuration, shown beside the curves.
        say: Told which rule was applied.
    """

    def __init__(
        self, section: TrackingSection, folder: Path, name: str, settings: Mapping[str, Any], say: Say
    ) -> None:
        instead = "the curves are in metrics.jsonl alone"
        self._tracked = WandbRun(section.wandb, section.project, folder, name, settings, say, instead)

    @property
    def _run(self) -> Any:
        return self._tracked.run

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """Points of curves: ``step`` counts over all stages, and each stage has its own panels."""
        if self._run is not None:
            self._run.log({f"{stage}/{name}": value for name, value in figures.items()}, step=step)

    def pages(self, stage: str, step: int, examples: Sequence[Example]) -> None:
        """Held-out pages with the predicted and the true box."""
        if self._run is None or not examples:
            return
        import wandb

        pictures = [wandb.Image(e.image, boxes=boxes(e), caption=caption(e)) for e in examples]
        self._run.log({f"{stage}/pages": pictures}, step=step)

    def trajectories(self, stage: str, step: int, samples: Sequence[Sample]) -> None:
        """Sampled episodes as a table of their step: a row an episode, with its texts and all its images on a sheet.

        The sheets are logged by themselves too, since panels of images have a slider for steps.
        """
        if self._run is None or not samples:
            return
        import wandb

        from designgym.train.turns.mirror import contact_sheet

        columns = ["step", "task", "reward", "end", "parts", "prompts", "replies", "images"]
        table, sheets = wandb.Table(columns=columns), []
        for each in samples:
            sheet = None
            if each.images:
                earned = "not scored" if each.reward is None else f"reward {each.reward:.3f}"
                sheet = wandb.Image(contact_sheet(each.images), caption=f"{each.task}: {earned}, {each.end}")
                sheets.append(sheet)
            prompts, replies = (_numbered(texts) for texts in (each.prompts, each.replies))
            table.add_data(step, each.task, each.reward, each.end, str(each.parts), prompts, replies, sheet)
        self._run.log({f"{stage}/trajectories": table, f"{stage}/images": sheets}, step=step)

    def close(self) -> None:
        """Finish the run and restore the environment."""
        self._tracked.close()


def _numbered(texts: Sequence[str]) -> str:
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))
