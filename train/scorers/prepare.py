"""What both fits do first and last: check options and weights, describe drawings, write and print the report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from designgym.atomic import require_writable
from designgym.errors import UserError, require
from designgym.eval.ratings.rating import Exclusion
from designgym.eval.ratings.reliability import exclusion_table
from designgym.eval.report.data import Table
from designgym.eval.report.terminal import terminal
from designgym.pool.cache import cache_folder
from designgym.rewards.features.base import Features
from designgym.rewards.features.cached import Cached
from designgym.rewards.features.table import FeaturesSpec, resolve_features
from designgym.rewards.kernel_head import GAMMA
from designgym.train.scorers.described import Described, describe
from designgym.train.scorers.fitting import Settings
from designgym.train.scorers.report import JSON, MARKDOWN, write_report
from designgym.train.tracking.progress import work


def prepared(
    features: str, device: str, folder: Path, alpha: float, gamma: float | None, select: bool
) -> tuple[Features, Settings]:
    """Backbone and settings, once all is known to be there that the work will need.

    Raises:
        UserError: For what is wrong with the options, or missing.
    """
    for name, value in (("--alpha", alpha), ("--gamma", gamma)):
        if value is not None and not (value > 0 and np.isfinite(value)):
            raise UserError(f"{name} is {value}; it must be a number above 0.")
    if gamma is not None and select:
        raise UserError("--gamma says nothing beside --select-gamma; leave one of them out.")
    for module in ("sklearn.kernel_ridge", "safetensors", "scipy.stats"):
        require(module, extra="scorers")
    require_writable(folder)
    backbone = resolve_features(_spec(features, device))
    # The paper's width was found for the lengths of DINOv2's features and says nothing about those of others.
    known = GAMMA if gamma is None and not select and backbone.name == "dinov2" else gamma
    return Cached(backbone, folder=cache_folder() / "features"), Settings(alpha, known)


def _spec(features: str, device: str) -> FeaturesSpec:
    if Path(features).is_dir():
        return {"name": "dinov2", "model": features, "device": device}
    if features == "dinov2":
        return {"name": features, "device": device}
    if device != "cpu":
        raise UserError(f"--device {device} says nothing beside --features {features}, which runs on the CPU.")
    return features


def described(console: Console, paths: Mapping[str, Path], backbone: Features) -> Described:
    """Features and ink of drawings, with a bar."""
    with work(console, "drawings", len(paths)) as bar:
        return describe(paths, backbone, bar.step)


def gammas(settings: Settings, used: list[float]) -> str:
    """The kernel's width, or the widths that were chosen, in words."""
    if settings.gamma is not None:
        return f"{settings.gamma:.3g}"
    return f"chosen on held-back drawings: {used[0]:.3g} for the head, {min(used):.3g} to {max(used):.3g} in partitions"


def finish(
    console: Console,
    folder: Path,
    title: str,
    tables: list[Table],
    facts: Mapping[str, Any],
    excluded: tuple[Exclusion, ...],
) -> None:
    """Write the report beside the head and print it; folded tables are in the report alone."""
    write_report(folder, title, tables, facts, excluded)
    for table in tables:
        if not table.folded:
            console.print(terminal(table))
    if (lost := exclusion_table(excluded)) is not None:
        console.print(terminal(lost))
    console.print(f"Head, {JSON} and {MARKDOWN} in {folder}")
