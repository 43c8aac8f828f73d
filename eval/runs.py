"""Recorded runs as policies: where they lie, what they are called, and what they were scored by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from designgym import manifest
from designgym.errors import UserError
from designgym.eval.record import MANIFEST, RESULTS
from designgym.eval.results import Result, read_results


@dataclass(frozen=True)
class Run:
    """What an agent did in a run.

    Attributes:
        name: Of the agent; where several runs have the same one, with the part of the path that tells them apart.
        folder: Of the agent's run.
        config: Environment, its arguments, the agent and its options, as the manifest has them.
        seed: The run's seed.
        rewards: Backends of the reward.
        results: By task.
    """

    name: str
    folder: Path
    config: Mapping[str, Any]
    seed: int
    rewards: Sequence[Mapping[str, Any]]
    results: Mapping[str, Result]


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs in some folders, each once: one of an agent, or of an evaluation, which holds several.

    Raises:
        UserError: If a folder holds none, or one cannot be read.
    """
    folders: dict[Path, Path] = {}
    for path in paths:
        inside = sorted(file.parent for file in path.rglob(RESULTS)) if path.is_dir() else []
        # Tasks out of distribution lie within the run whose agent played them, and are none of its own.
        inside = [folder for folder in inside if folder.parent not in inside]
        if not inside:
            raise UserError(f"'{path}' is no folder with {RESULTS} in it; evaluate into it first (designgym eval).")
        folders |= {folder.resolve(): folder for folder in inside}
    read = [_read(folder) for folder in folders.values()]
    names = Counter(run.name for run in read)
    return [run if names[run.name] == 1 else _told_apart(run, read) for run in read]


def _read(folder: Path) -> Run:
    made = manifest.read_manifest(folder / MANIFEST)
    name = made["config"].get("agent") or folder.resolve().name
    seed, results = int(made["seeds"].get("run", 0)), read_results(folder / RESULTS)
    return Run(str(name), folder, made["config"], seed, made["rewards"], results)


def _told_apart(run: Run, all_runs: Sequence[Run]) -> Run:
    """The run under a name that has the first part of its path which the runs of its name do not share."""
    alike = [other.folder.resolve().parts for other in all_runs if other.name == run.name]
    own = run.folder.resolve().parts
    place = next((i for i in range(len(own)) if len({parts[i : i + 1] for parts in alike}) > 1), len(own) - 1)
    return Run(f"{run.name} ({own[place]})", run.folder, run.config, run.seed, run.rewards, run.results)
