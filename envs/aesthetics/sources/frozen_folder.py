"""The files of a frozen benchmark, and checking that they are what was frozen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import designgym
from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.frozen_questions import questions_of
from designgym.envs.aesthetics.sources.frozen_sample import ASSETS, AssetFolder, asset_names, sample_from_json
from designgym.envs.aesthetics.sources.json_files import read_json
from designgym.errors import UserError
from designgym.jsonl import read_jsonl

FORMAT_VERSION = 1
MANIFEST = "benchmark.json"
UNFINISHED = "unfinished.json"
DESIGNS = "designs.jsonl"
QUESTIONS = "questions.jsonl"


def stored_designs(root: Path) -> Iterator[dict[str, Any]]:
    """The JSON data of the designs, one at a time."""
    return (line.value for line in read_jsonl(root / DESIGNS))


def read_manifest(path: str | Path) -> dict[str, Any]:
    """What ``benchmark.json`` of a frozen folder holds, after comparing its hash with the content.

    Raises:
        UserError: If the folder is unfinished or was changed.
    """
    root = Path(path)
    if not (root / MANIFEST).exists():
        reason = (
            "is not finished; freeze it again with the same settings"
            if (root / UNFINISHED).exists()
            else "is no frozen benchmark"
        )
        raise UserError(f"'{root}' {reason}: it has no {MANIFEST}.")
    try:
        manifest: dict[str, Any] = read_json(root / MANIFEST)
    except BrokenRecord as error:
        raise UserError(f"'{root}' is damaged: {error}") from error
    if manifest.get("format") != FORMAT_VERSION:
        raise UserError(f"'{root}' has the format {manifest.get('format')!r}; this version reads {FORMAT_VERSION}.")
    found = content_hash(root)
    if found != manifest.get("hash"):
        raise UserError(
            f"'{root}' was changed since it was frozen: its content hash is {found[:12]}, not "
            f"{str(manifest.get('hash'))[:12]}. Copy the folder anew."
        )
    return manifest


def content_hash(path: str | Path) -> str:
    """The sha256 of designs and questions; the designs name the pictures by the hashes of their content.

    Raises:
        UserError: If a file cannot be read.
    """
    root = Path(path)
    digest = hashlib.sha256()
    for name in (DESIGNS, QUESTIONS):
        try:
            with (root / name).open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise UserError(f"'{root / name}' cannot be read: {error.strerror}. Copy the folder anew.") from error
    return digest.hexdigest()


def verify_benchmark(path: str | Path) -> None:
    """Check everything: the hash, each picture, and that this version of the package asks the questions as frozen.

    Raises:
        UserError: With the first difference.
    """
    root = Path(path)
    read_manifest(root)
    assets = AssetFolder(root / ASSETS)
    frozen = (line.value for line in read_jsonl(root / QUESTIONS))
    for data in stored_designs(root):
        for name in asset_names(data):
            assets.get(name)
        for record in questions_of(sample_from_json(data, None)):
            if next(frozen, None) != record:
                raise UserError(
                    f"Version {designgym.__version__} asks about {record['indicator']} of {record['design']!r} "
                    f"otherwise than '{root}' does; compare its results with those of the same version alone."
                )
