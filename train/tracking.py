"""Curves and pictures into wandb, which never asks for anything; the run's own ``metrics.jsonl`` has the curves too.

The rule: ``offline`` (the default) writes below the run's folder and needs neither key nor network; ``online`` needs a
key and is refused before any work without one, and falls back to offline, with a line that says so, if the server does
not answer; ``off``, the environment variable ``WANDB_MODE=disabled``, or wandb not being installed leave it out.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.eval.report.data import Example
from designgym.train.config import TrackingSection

if TYPE_CHECKING:
    from designgym.train.turns.mirror import Sample

LOGIN_TIMEOUT_S = 20
"""Longest wait for the server in ``online`` mode."""

Say = Callable[[str], None]


def check_tracking(section: TrackingSection) -> None:
    """Find out before any work whether ``online`` can work at all.

    Raises:
        UserError: If there is no key.
    """
    if section.wandb != "online" or _switched_off():
        return
    if not _installed():
        raise UserError("tracking.wandb is 'online', and wandb is not installed: pip install 'designgym[train]'.")
    if not (os.environ.get("WANDB_API_KEY") or _stored_key()):
        raise UserError(
            "tracking.wandb is 'online', and there is no key for it. Set WANDB_API_KEY or run `wandb login` first, "
            "or leave tracking.wandb at 'offline' and upload the run later with `wandb sync`."
        )


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
        self._run: Any = None
        self._environment: dict[str, str | None] = {}
        if section.wandb == "off" or _switched_off():
            return
        if not _installed():
            say("wandb is not installed; the curves are in metrics.jsonl alone.")
            return
        home = folder / "wandb"
        home.mkdir(parents=True, exist_ok=True)
        for variable, value in {
            "WANDB_DIR": folder,
            "WANDB_DATA_DIR": home / "data",
            "WANDB_CACHE_DIR": home / "cache",
            "WANDB_CONFIG_DIR": home / "config",
            "WANDB_SILENT": "true",
        }.items():
            self._environment[variable] = os.environ.get(variable)
            os.environ[variable] = str(value)
        self._run = self._begin(section, folder, name, settings, say)

    def _begin(self, section: TrackingSection, folder: Path, name: str, settings: Mapping[str, Any], say: Say) -> Any:
        import wandb

        identity = folder / "wandb" / "id.txt"
        if not identity.is_file():
            write_atomically(identity, secrets.token_hex(4))

        def begin(mode: Literal["online", "offline"]) -> Any:
            return wandb.init(
                project=section.project,
                name=name,
                # A run that goes on is the same run there: what was tracked in parts is put together by `wandb sync`.
                id=identity.read_text(),
                resume="allow" if mode == "online" else None,
                dir=str(folder),
                config=dict(settings),
                mode=mode,
                settings=wandb.Settings(
                    silent=True,
                    console="off",
                    init_timeout=LOGIN_TIMEOUT_S,
                    disable_code=True,
                    disable_git=True,
                    x_disable_stats=True,
                ),
            )

        if section.wandb == "offline":
            return begin("offline")
        try:
            return begin("online")
        except Exception as error:  # a refused key, no network, a time-out: each its own kind
            say(f"wandb cannot be reached ({type(error).__name__}): tracked offline, for `wandb sync` to upload later.")
            return begin("offline")

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """Points of curves: ``step`` counts over all stages, and each stage has its own panels."""
        if self._run is not None:
            self._run.log({f"{stage}/{name}": value for name, value in figures.items()}, step=step)

    def pages(self, stage: str, step: int, examples: Sequence[Example]) -> None:
        """Held-out pages with the predicted and the true box."""
        if self._run is None or not examples:
            return
        import wandb

        pictures = [wandb.Image(e.image, boxes=boxes(e), caption=_caption(e)) for e in examples]
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
        if self._run is not None:
            self._run.finish()
            self._run = None
        for variable, value in self._environment.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = value
        self._environment = {}


def boxes(example: Example) -> dict[str, Any]:
    """An example's boxes in the form of ``wandb.Image``: fractions of the page; a missing box is an empty list."""

    def layer(box: tuple[float, float, float, float] | None, caption: str) -> dict[str, Any]:
        labels = {0: caption}
        if box is None:
            return {"box_data": [], "class_labels": labels}
        position = dict(zip(("minX", "minY", "maxX", "maxY"), box, strict=True))
        return {"box_data": [{"position": position, "class_id": 0, "box_caption": caption}], "class_labels": labels}

    return {"truth": layer(example.truth, "truth"), "answer": layer(example.answer, "answer")}


def _caption(example: Example) -> str:
    said = "unreadable answer" if example.error else "None" if example.answer is None else "box"
    true = "None" if example.truth is None else example.kind
    return f"{example.task}: truth {true}, answer {said}"


def _numbered(texts: Sequence[str]) -> str:
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def _switched_off() -> bool:
    return (
        os.environ.get("WANDB_MODE", "").lower() == "disabled" or os.environ.get("WANDB_DISABLED", "").lower() == "true"
    )


def _installed() -> bool:
    return importlib.util.find_spec("wandb") is not None


def _stored_key() -> bool:
    import netrc

    try:
        return netrc.netrc().authenticators("api.wandb.ai") is not None
    except (OSError, netrc.NetrcParseError):
        return False
