"""What a run was made with: versions, commit, machine, seeds, configuration, rewards and judges."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from designgym import exact_json
from designgym.atomic import write_atomically
from designgym.errors import UserError

FORMAT_VERSION = 1

PACKAGES = (
    "designgym",
    "gymnasium",
    "numpy",
    "pillow",
    "skia-python",
    "torch",
    "transformers",
    "tokenizers",
    "trl",
    "peft",
    "accelerate",
    "datasets",
    "wandb",
)
"""The packages that results depend on; those that are not installed are left out of a manifest."""


@dataclass(frozen=True)
class Checkout:
    """The git state of the checkout that the package is imported from."""

    commit: str
    dirty: bool


@dataclass(frozen=True)
class Manifest:
    """What a run was made with.

    Attributes:
        versions: Version of Python and of each package of ``PACKAGES`` that is installed.
        machine: Platform, processor cores that this process may use.
        checkout: Commit and dirtiness; None where the package is installed from a wheel.
        seeds: Seeds by what they are for.
        config: The effective configuration.
        rewards: The rewards' and judges' backends: name, version, hash of the weights.
    """

    versions: Mapping[str, str]
    machine: Mapping[str, Any]
    checkout: Checkout | None
    seeds: Mapping[str, int]
    config: Mapping[str, Any]
    rewards: Sequence[Mapping[str, Any]]
    format: int = FORMAT_VERSION

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as JSON data."""
        data: dict[str, Any] = exact_json.encode(dataclasses.asdict(self))
        return data


def collect(
    *,
    seeds: Mapping[str, int] | None = None,
    config: Mapping[str, Any] | None = None,
    rewards: Sequence[Mapping[str, Any]] = (),
) -> Manifest:
    """Return the manifest of a run that starts now; imports no heavy package.

    Args:
        seeds: Seeds by what they are for, such as ``{"run": 0}``.
        config: The effective configuration, e.g. ``config.model_dump(mode="json")``.
        rewards: Backends of rewards and judges as dicts.
    """
    return Manifest(
        versions=versions(),
        machine={"platform": platform.platform(), "cores": _cores()},
        checkout=checkout(),
        seeds=dict(seeds or {}),
        config=dict(config or {}),
        rewards=tuple(rewards),
    )


def write_manifest(manifest: Manifest, path: str | Path) -> None:
    """Write a manifest as indented JSON, whole or not at all.

    Raises:
        UserError: If the file cannot be written.
    """
    write_atomically(path, json.dumps(manifest.to_json(), indent=2, allow_nan=False) + "\n")


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the data of a manifest.

    Raises:
        UserError: If there is none or it is not readable.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"The manifest '{path}' cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise UserError(f"The manifest '{path}' is not JSON: {error}.") from error
    shapes = {"versions": dict, "seeds": dict, "config": dict, "rewards": list}
    whole = isinstance(data, dict) and all(isinstance(data.get(key), kind) for key, kind in shapes.items())
    if not whole or data.get("format") != FORMAT_VERSION:
        raise UserError(f"'{path}' is no manifest of format version {FORMAT_VERSION}.")
    return data


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed ones of ``PACKAGES``."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checkout(root: Path | None = None) -> Checkout | None:
    """Return the git state of the checkout that the package is imported from; None if it is none, or without git.

    Args:
        root: The checkout's folder; by default the one that holds ``core/``.
    """
    # An installed package may lie inside some other project's checkout, whose commit says nothing about this package:
    # only a folder that itself is a checkout of this layout counts.
    root = root or Path(__file__).resolve().parents[1]
    git = shutil.which("git")
    if git is None or not (root / ".git").exists() or not (root / "pyproject.toml").is_file():
        return None

    def ask(*arguments: str) -> str | None:
        command = [git, "-C", str(root), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = ask("rev-parse", "HEAD")
    changes = ask("status", "--porcelain")
    return None if commit is None or changes is None else Checkout(commit, dirty=bool(changes))
