"""The folder of a run: what it was made with, which stages are done, and whose turn it is to write into it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from designgym import manifest
from designgym.atomic import require_writable, write_atomically
from designgym.config_file import read_document
from designgym.errors import UserError
from designgym.lock import LOCK, hold
from designgym.train.config import TrainConfig
from designgym.train.guards.checkpoints import last_whole
from designgym.yaml12 import dump_yaml

CONFIG, MANIFEST, METRICS, RESULTS, REPORT = (
    "config.yaml", "manifest.json", "metrics.jsonl", "results.json", "report.html",
)  # fmt: skip
DONE = "done.json"


class RunFolder:
    """Opens a new folder, or the one of the same run to go on with.

    Layout: ``config.yaml`` (every effective setting), ``manifest.json``, ``metrics.jsonl``, ``init/`` (the untrained
    tiny model), ``stages/<name>/`` (``checkpoints/`` and ``best/`` while under way, then ``model/`` and ``done.json``;
    ``validation.jsonl`` with the held-out scores), ``validation/<policy>/`` (what others did on the held-out tasks),
    ``trajectories/<stage>/`` (sampled episodes as Parquet files), ``evaluation/<policy>/``, ``results.json``,
    ``report.html``, ``wandb/``.

    Args:
        path: The folder; made if need be.
        config: The run's configuration; whether it fits what the folder holds is for `check_folder` to say.
    """

    def __init__(self, path: Path, config: TrainConfig) -> None:
        self.path = path
        self.settings = _settings(config)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the folder for this process and write what the run is made with, unless it stands there already.

        Raises:
            UserError: If another process holds it.
        """
        with hold(self.path):
            if not (self.path / CONFIG).exists():
                seeds = {"run": self.settings["seed"]}
                manifest.write_manifest(manifest.collect(seeds=seeds, config=self.settings), self.path / MANIFEST)
                write_atomically(self.path / CONFIG, dump_yaml(self.settings))
            yield

    def stage(self, name: str) -> Path:
        """The folder of a stage."""
        return self.path / "stages" / name

    def model(self, name: str) -> Path:
        """The model that a finished stage left; ``init`` is the untrained one."""
        return self.path / "init" if name == "init" else self.stage(name) / "model"

    def source(self, config: TrainConfig, name: str) -> str:
        """Where the weights of a stage, or of ``init``, lie: in this folder, or where the configuration says."""
        return config.model if name == "init" and config.model != "tiny" else str(self.model(name))

    def done(self, name: str) -> dict[str, Any] | None:
        """What a stage recorded when it was finished; None if it is not."""
        try:
            record: Any = json.loads((self.stage(name) / DONE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and record.keys() >= {"seconds", "peak_rss_mb"} else None

    def finish(self, name: str, record: Mapping[str, Any]) -> None:
        """Record that a stage is finished; its checkpoints are not needed any more."""
        write_atomically(self.stage(name) / DONE, json.dumps(record, indent=2) + "\n")
        shutil.rmtree(self.stage(name) / "checkpoints", ignore_errors=True)

    def checkpoint(self, name: str) -> Path | None:
        """The last checkpoint of a stage under way that was written to its end."""
        return last_whole(self.stage(name) / "checkpoints")


def check_folder(path: Path, config: TrainConfig) -> None:
    """Find out whether a run with this configuration can begin or go on in a folder, without leaving anything there.

    Raises:
        UserError: If not.
    """
    if path.exists() and not path.is_dir():
        raise UserError(f"'{path}' is a file; the run needs a folder.")
    holds = [entry.name for entry in path.iterdir() if entry.name != LOCK] if path.is_dir() else []
    if holds and CONFIG not in holds:
        raise UserError(f"'{path}' is not empty and holds no run. Choose another --output.")
    if holds:
        before = read_document(path / CONFIG, str(path / CONFIG)).data or {}
        changed = _difference(before, _settings(config))
        if changed is not None:
            key, old, new = changed
            raise UserError(
                f"'{path}' holds a run with other settings: {key} is {old!r} there and {new!r} now. "
                "Choose another --output, or remove the folder to start anew."
            )
    require_writable(path)


def _settings(config: TrainConfig) -> dict[str, Any]:
    """Every setting that decides what the run is; where its folder lies and how it is watched are none."""
    return config.model_dump(mode="json", exclude={"output", "threads", "workers", "tracking", "guards"})


def _difference(before: Any, now: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """The first setting that differs: its dotted key, and both values."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in dict.fromkeys([*before, *now]):
            inner = f"{key}.{name}" if key else str(name)
            if found := _difference(before.get(name), now.get(name), inner):
                return found
        return None
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            return key, f"a list of {len(before)}", f"a list of {len(now)}"
        for index, (old, new) in enumerate(zip(before, now, strict=True)):
            if found := _difference(old, new, f"{key}.{index}"):
                return found
        return None
    return None if before == now else (key, before, now)
