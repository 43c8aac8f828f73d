"""A folder of pairs: what it was made with, whether it may be gone on with, and what it holds in the end."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from designgym.atomic import require_writable, write_atomically
from designgym.errors import UserError
from designgym.lock import LOCK
from designgym.manifest import versions
from designgym.train.aesthetics_data.diversity import diversity
from designgym.train.aesthetics_data.rows import NOBODY
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.shards import FOLDER, read_columns, sha256, shard_path

SETTINGS = "settings.json"
MANIFEST = "manifest.json"
CARD = "README.md"
REPLIES = "replies.jsonl"
"""Paths that a model wrote, kept as they come, so that no answer is paid for twice."""


def check_folder(folder: Path, made_with: Mapping[str, Any]) -> None:
    """Find out, before any work, whether a folder may hold these pairs.

    Args:
        folder: The folder.
        made_with: All or some of what `write_settings` writes.

    Raises:
        UserError: If it holds something else, or cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"'{folder}' is a file; choose another --out.")
    require_writable(folder)
    if not folder.exists():
        return
    if not (folder / SETTINGS).exists():
        if [entry.name for entry in folder.iterdir() if entry.name != LOCK]:
            raise UserError(f"The folder '{folder}' holds something else; choose another --out.")
        return
    before = _read_json(folder / SETTINGS)
    for key, now in json.loads(json.dumps(made_with)).items():
        if before.get(key) != now:
            raise UserError(
                f"The folder '{folder}' holds pairs of another run: '{key}' is {before.get(key)!r} there and {now!r} "
                "here. Choose another --out, or give the same options to go on."
            )


def missing_shards(folder: Path, settings: DataSettings) -> list[int]:
    """The shards that are not written yet."""
    return [s for s in range(settings.shards) if not shard_path(folder, s, settings.shards).exists()]


def write_settings(folder: Path, made_with: Mapping[str, Any]) -> None:
    """Say what the folder is made with."""
    write_atomically(folder / SETTINGS, json.dumps(made_with, indent=2) + "\n")


def finish(folder: Path, settings: DataSettings, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Write the manifest and the card of a folder whose files are all there, and return the manifest.

    Args:
        folder: The folder.
        settings: What it is made with.
        extra: More for the manifest, such as what a model's endpoint did.
    """
    paths = [shard_path(folder, shard, settings.shards) for shard in range(settings.shards)]
    counts: dict[str, Counter[str]] = {}
    for path in paths:
        for row in read_columns(path, ("task", "indicator", "harmed", "writer")):
            label = "flawed" if row["harmed"] else "good"
            for key, value in (
                ("task", row["task"]),
                ("indicator", row["indicator"]),
                ("label", label),
                ("task and label", f"{row['task']} {label}"),
                ("writer", row["writer"]),
            ):
                counts.setdefault(key, Counter())[value] += 1
    files = {path.relative_to(folder).as_posix(): sha256(path) for path in paths}
    manifest = {
        "settings": settings.to_json(),
        "pairs": sum(counts["task"].values()),
        "counts": {key: dict(sorted(values.items())) for key, values in counts.items()},
        "diversity": asdict(diversity(_paths(paths))),
        "hash": content_hash(files),
        "files": files,
        "versions": versions(),
        **extra,
    }
    write_atomically(folder / CARD, _card(manifest))
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    return manifest


def content_hash(files: Mapping[str, str]) -> str:
    """One hash for all files: SHA-256 of their names and hashes, sorted."""
    return hashlib.sha256("".join(f"{name} {files[name]}\n" for name in sorted(files)).encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder that is finished; None for others."""
    return _read_json(folder / MANIFEST) if (folder / MANIFEST).exists() else None


def _paths(files: list[Path]) -> Iterator[str]:
    for path in files:
        for row in read_columns(path, ("completion", "writer")):
            if row["writer"] != NOBODY:
                yield row["completion"][0]["content"][0]["text"].partition("\n<tool_call>")[0]


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"'{path}' cannot be read: {error}.") from error
    if not isinstance(data, dict):
        raise UserError(f"'{path}' holds no JSON object.")
    return data


def _card(manifest: Mapping[str, Any]) -> str:
    """A card that tells ``datasets`` where the pairs are, and a reader what they are.

    The configuration's name holds the hash, since ``datasets`` caches by folder name and configuration: of two folders
    of one name it would give back the one that it saw first.
    """
    settings = manifest["settings"]
    counts = "\n".join(
        f"- {key}: {', '.join(f'{name} {count}' for name, count in values.items())}"
        for key, values in manifest["counts"].items()
    )
    return f"""---
configs:
- config_name: pairs-{manifest["hash"][:16]}
  data_files:
  - split: train
    path: {FOLDER}/train-*.parquet
---

# Questions about the aesthetics of designs

{manifest["pairs"]} question-answer pairs made by `designgym data aesthetics`: designs of `{settings["source"]}`,
seed {settings["seed"]}, boxes as `{settings["frame"]}`. Columns `prompt`, `completion` and `images` are TRL's
conversational form for vision-language models:

    datasets.load_dataset("this folder", split="train")

{counts}

Content hash: `{manifest["hash"]}`
"""
